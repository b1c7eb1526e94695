"""Hauls at a terminal."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine
from tests.web.archive import SITE, Answer, keep
from webstrata.app import build_app
from webstrata.settings import load_settings


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


def test_a_haul_is_exported_as_a_spreadsheet_and_as_json(lines: CommandLine, tmp_path: Path, sqlite_url: str) -> None:
    app = build_app(load_settings({"WEBSTRATA_DATABASE_URL": sqlite_url, "WEBSTRATA_DATA_DIR": str(tmp_path / "data")}))
    (kettle,) = keep(app, [Answer(f"{SITE}kettle", "=Kettle", "It boils.")])
    app.close()
    haul_id = lines("hauls", "create", "Kettles", str(kettle)).out.strip()
    table, data = tmp_path / "kettles.csv", tmp_path / "kettles.json"
    assert lines("hauls", "export", haul_id, "--output", str(table)).out == f"{table}: 1 capture\n"
    assert "'=Kettle" in table.read_text(), "no cell is run as a formula"
    assert lines("hauls", "export", haul_id, "--output", str(table)).code != 0, "a file is not replaced by accident"
    assert lines("hauls", "export", haul_id, "--format", "json", "--output", str(data)).code == 0
    assert [one["snapshotId"] for one in json.loads(data.read_bytes())["captures"]] == [kettle]
