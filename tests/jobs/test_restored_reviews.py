"""Marks of changes come back with a rebuild, by the ids of their events."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.jobs.test_lifecycle import queue
from tests.jobs.test_watches import medicine
from tests.support.databases import FreshDatabase
from tests.support.web_server import WebServer
from webstrata.changes.stage import ChangeTracking
from webstrata.db.changes import changes
from webstrata.db.changes.change_lists import EventFilter, EventView, list_events
from webstrata.db.engine import Database
from webstrata.db.notifications import reviews
from webstrata.index.version import INDEX_VERSION
from webstrata.jobs.folders.rebuild import Rebuild
from webstrata.jobs.running.lifecycle import Runner
from webstrata.model.notifications.values import ReviewStatus
from webstrata.notifications.reviewing import REVIEWS_FILE, mark_change, restore_reviews, write_reviews


def events(database: Database) -> list[EventView]:
    with database.read() as session:
        return list_events(session, EventFilter(), limit=100)


def test_a_rebuild_brings_marks_and_notes_back_to_their_events(
    runner: Runner, web_server: WebServer, fresh_database_url: FreshDatabase
) -> None:
    for dose in ("100 mg", "200 mg", "400 mg"):
        web_server.answers["/"] = medicine(dose)
        runner.run(queue(runner, web_server))
    third, second, first = events(runner.database)
    root = runner.archive_root
    mark_change(runner.database, root, second.id, ReviewStatus.IMPORTANT, "dose – doubled")
    mark_change(runner.database, root, third.id, ReviewStatus.NOISE, None)
    mark_change(runner.database, root, first.id, ReviewStatus.REVIEWED, "seen")
    mark_change(runner.database, root, first.id, None, None)
    marked = {(one.from_snapshot_id, one.to_snapshot_id): one.review for one in events(runner.database)}
    assert sum(review is not None for review in marked.values()) == 2

    with fresh_database_url() as url:
        anew = Database(url)
        assert Rebuild(anew, root).run().problems == []
        with anew.read() as session:
            assert len(reviews.list_reviews(session)) == 2, "they wait for their events"
        write_reviews(anew, root)
        with anew.write() as session:
            changes.add_missing(session, 1, datetime(2000, 1, 1, tzinfo=UTC))
        ChangeTracking(anew, root, INDEX_VERSION).compute(1)
        assert {(one.from_snapshot_id, one.to_snapshot_id): one.review for one in events(anew)} == marked
        with anew.read() as session:
            assert not reviews.has_restored(session)
        anew.dispose()


@pytest.mark.parametrize(
    ("content", "problems"),
    [
        ("{", 1),
        ("[]", 1),
        ('{"kind": "webstrata-reviews", "version": 2, "reviews": []}', 1),
        (json.dumps({"kind": "webstrata-reviews", "version": 1, "reviews": [{}, 7, {"event": "change-1-x"}]}), 3),
    ],
)
def test_a_damaged_file_of_marks_is_named_and_stops_nothing(
    database: Database, tmp_path: Path, content: str, problems: int
) -> None:
    assert restore_reviews(database, tmp_path) == []
    (tmp_path / REVIEWS_FILE).write_text(content)
    found = restore_reviews(database, tmp_path)
    assert len(found) == problems
    assert all(REVIEWS_FILE in problem for problem in found)
