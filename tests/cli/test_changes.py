import json
from datetime import timedelta
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine
from tests.web.archive import MAY, SITE, Answer, keep
from tests.web.conftest import make_app
from webstrata.db.engine import Database
from webstrata.db.migrate import make_ready


@pytest.fixture
def captured(database_url: str, data_dir: Path, webstrata: CommandLine) -> list[int]:
    """Two captures of a page, whose events are not computed yet."""
    database = Database(database_url)
    make_ready(database)
    data_dir.mkdir(parents=True)
    app = make_app(database, data_dir)
    texts = ("Give one dose of 200 mg every six hours.", "Give one dose of 400 mg every six hours.")
    ids = [
        snapshot_id
        for day, text in enumerate(texts)
        for snapshot_id in keep(app, [Answer(f"{SITE}fever", "Fever", text, MAY + timedelta(days=day))])
    ]
    database.dispose()
    return ids


def test_changes_are_computed_once_and_listed(webstrata: CommandLine, captured: list[int]) -> None:
    assert "2 captures would be computed" in webstrata("compute-changes", "--dry-run").out
    computed = json.loads(webstrata("compute-changes", "--source", "health", "--max-events", "9", "--json").out)
    assert computed["by_type"] == {"new_page": 1, "updated": 1}
    assert json.loads(webstrata("compute-changes", "--backfill", "--since-days", "36500", "--json").out)["events"] == 0
    listed = json.loads(webstrata("changes", "--json").out)
    assert [event["to_snapshot_id"] for event in listed["results"]] == captured[::-1]
    assert listed["results"][0]["reasons"][0]["code"] == "dose"
    shown = webstrata("changes", "--min-significance", "0.3").out
    assert "1 change found" in shown
    assert "a dose changed: 200 mg → 400 mg" in shown
    assert "First capture" not in shown


def test_an_unknown_source_and_an_archive_without_changes_are_explained(webstrata: CommandLine) -> None:
    assert "there is no source 'nope'" in webstrata("changes", "--source", "nope").message
    assert "once a site is archived a second time" in webstrata("changes").out
    assert "webstrata changes lists all" in webstrata("changes", "--min-significance", "0.5").out
    assert "No event is missing" in webstrata("compute-changes").out
    assert webstrata("changes", "--min-significance", "2").code == 2


def test_tracking_that_is_switched_off_computes_nothing(
    webstrata: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBSTRATA_CHANGE_TRACKING_ENABLED", "false")
    ended = webstrata("compute-changes")
    assert (ended.code, "switched off" in ended.message) == (1, True)
