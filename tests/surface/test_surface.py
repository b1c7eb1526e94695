"""The public surface is as in the golden files: what people, scripts and files rely on is not lost by accident."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from fastapi import FastAPI
from starlette.testclient import TestClient

from tests.support.waiting import wait_until
from tests.support.web_server import WebServer, linked_site, page
from tests.surface import archive_surface, command_surface, golden, http_surface, settings_surface, source_names
from tests.surface.conftest import CheckSurface
from tests.surface.schema_surface import schema_lines
from webstrata.app import App
from webstrata.cli.main import run
from webstrata.db.engine import Database
from webstrata.settings import Environment, Settings
from webstrata.site import create_site

on_one_database = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True, scope="session")

SHOWN_FOR_SCRIPTS = (
    ("list-jobs",),
    ("show-job", "--id", "1"),
    ("status",),
    ("storage",),
    ("search", "page"),
    ("changes",),
    ("audit-log",),
    ("check-env",),
    ("check-db",),
    ("sources",),
    ("sources", "show", "127-0-0-1-PORT"),
    ("verify", "ARCHIVE"),
)
"""Commands with --json that can be run on an archive with one job."""


@pytest.fixture
def site(database: Database, tmp_path: Path) -> FastAPI:
    return create_site(App(Settings(env=Environment.TEST), database, tmp_path))


@pytest.fixture
def archived(
    tmp_path: Path, web_server: WebServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Path]:
    """The archive root after two real crawls of a small site, of which a page changed in between."""
    handlers, level = logging.getLogger().handlers[:], logging.getLogger().level
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WEBSTRATA_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("WEBSTRATA_ALLOW_PRIVATE_NETWORKS", "127.0.0.1/32")
    web_server.answers.update(linked_site(3))
    assert run(["archive", f"{web_server.origin}/"]) == 0
    web_server.answers["/page/0"] = page("Page 0", "/", text="What it says now is something else. " * 20)
    assert run(["archive", f"{web_server.origin}/"]) == 0
    assert run(["sources", "add", "other", "https://example.org/", "--schedule", "monthly"]) == 0
    capsys.readouterr()
    root = tmp_path / "data" / "archive"
    wait_until(lambda: len([*root.glob(".previews/*.jpg")]) == 2, "the pictures of both front pages are taken")
    yield root
    logging.getLogger().handlers, logging.getLogger().level = handlers, level
    structlog.reset_defaults()


@on_one_database
def test_routes_parameters_and_keys_of_the_api_stay(site: FastAPI, check_surface: CheckSurface) -> None:
    check_surface("api", http_surface.api_lines(site))
    check_surface("pages", http_surface.page_lines(site))


@on_one_database
def test_names_types_and_labels_of_metrics_stay(site: FastAPI, check_surface: CheckSurface) -> None:
    client = TestClient(site, client=("127.0.0.1", 50000), headers={"Host": "localhost"})
    assert client.get("/api/search").status_code == 200
    check_surface("metrics", http_surface.metric_lines(site))


def test_commands_and_flags_stay(check_surface: CheckSurface) -> None:
    check_surface("commands", [*command_surface.webstrata_lines(), *command_surface.archive_tool_lines()])


def test_settings_and_their_older_names_stay(check_surface: CheckSurface) -> None:
    check_surface("settings", settings_surface.setting_lines())


def test_errors_exit_codes_scripts_and_plugins_stay(check_surface: CheckSurface) -> None:
    check_surface("failures", settings_surface.failure_lines())
    check_surface("package", settings_surface.package_lines())


def test_the_schema_stays(database: Database, database_kind: str, check_surface: CheckSurface) -> None:
    check_surface(f"schema-{database_kind}", schema_lines(database.engine))


def test_log_events_audit_actions_redis_keys_and_stored_values_stay(check_surface: CheckSurface) -> None:
    check_surface("log-events", source_names.log_events())
    check_surface("audit-actions", source_names.audit_actions())
    check_surface("redis-keys", source_names.redis_keys())
    check_surface("stored-values", source_names.stored_values())


def test_files_of_an_archive_and_what_commands_print_for_scripts_stay(
    archived: Path, web_server: WebServer, check_surface: CheckSurface, capsys: pytest.CaptureFixture[str]
) -> None:
    check_surface("files", archive_surface.file_lines(archived))
    printed = []
    for command in SHOWN_FOR_SCRIPTS:
        words = [word.replace("PORT", str(web_server.port)).replace("ARCHIVE", str(archived)) for word in command]
        assert run([*words, "--json"]) == 0, command
        name = " ".join(word for word in command if not word.startswith("--") and not word.isdigit())
        printed += [f"{name}{line}" for line in archive_surface.key_paths(json.loads(capsys.readouterr().out))]
    check_surface("json-output", printed)


def test_a_line_that_is_gone_needs_a_decision_with_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(golden, "FOLDER", tmp_path)
    monkeypatch.setattr(golden, "DECISIONS", tmp_path / "decisions.txt")
    golden.update("flags", ["--id", "--json"])
    difference = golden.compare("flags", ["--json", "--new"])
    assert (difference.added, difference.removed) == (("--new",), ("--id",))
    assert "make surface" in str(difference)
    with pytest.raises(ValueError, match="removed: --id"):
        golden.update("flags", ["--json"])
    golden.DECISIONS.write_text("flags: --id\n")
    with pytest.raises(ValueError, match=r"expected 'part: old line \| reason'"):
        golden.compare("flags", ["--json"])
    golden.DECISIONS.write_text("flags: --id | an argument now; --id is still read\n")
    golden.update("flags", ["--json"])
    assert not golden.compare("flags", ["--json"])
