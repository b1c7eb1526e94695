"""Hauls at a terminal."""

import json

import pytest

from tests.cli.conftest import CommandLine


@pytest.fixture
def lines(plain_webstrata: CommandLine, sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """Command lines on one kind of database."""
    monkeypatch.setenv("WEBSTRATA_DATABASE_URL", sqlite_url)
    return plain_webstrata


def test_hauls_of_unknown_captures_are_refused(lines: CommandLine) -> None:
    refused = lines("hauls", "create", "Kettles", "12")
    assert refused.code != 0
    assert "there is no snapshot 12" in refused.err
    assert lines("hauls", "list").out == "No hauls yet.\n"
    assert json.loads(lines("hauls", "list", "--json").out) == []
    assert lines("hauls", "show", "none").code != 0
