"""Scheduled audits: queued when they are due, once for many missed turns, paused and removed."""

import json
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr
from starlette.testclient import TestClient

from tests.support.program import Program
from webstrata.api.server import create_api
from webstrata.app import App
from webstrata.audit.policy import CrawlPolicy
from webstrata.db.auditing import queue, schedules, sessions
from webstrata.db.engine import Database
from webstrata.errors import ConflictError, NotFoundError, UsageError
from webstrata.jobs.auditing.schedule import queue_due_audits, schedule_audits
from webstrata.jobs.auditing.schedule_commands import AuditScheduleCommands
from webstrata.jobs.auditing.schedule_file import SCHEDULES_FILE, restore_schedules
from webstrata.jobs.auditing.worker import AuditStage
from webstrata.jobs.folders.rebuild import Rebuild
from webstrata.model.auditing.sessions import AuditMode, AuditStatus
from webstrata.settings import Settings

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
SHOPS = ["https://shop.example/", "https://other.example/"]


def queue_due(database: Database, now: datetime) -> list[str]:
    """Queue what is due at a moment, let it end, and return the shops."""
    queued = queue_due_audits(database, CrawlPolicy(), now)
    with database.read() as session:
        urls = [sessions.load_audit(session, one).url for one in queued]
    for _ in queued:
        with database.write() as session:
            claimed = queue.claim_audit(session, "host:1:a", now, DAY)
            assert claimed is not None
            queue.finish_audit(session, claimed[0], AuditStatus.COMPLETED, None, now)
    return urls


def test_shops_are_audited_when_their_schedule_is_due(database: Database) -> None:
    first, second = schedule_audits(database, SHOPS, "1d", AuditMode.EVIDENCE_PACK, NOW)
    assert queue_due(database, NOW) == SHOPS, "the first audit is due at once"
    assert queue_due(database, NOW + DAY / 2) == []
    assert queue_due(database, NOW + DAY) == SHOPS
    with database.write() as session:
        schedules.set_paused(session, first.id, True)
    assert queue_due(database, NOW + 4 * DAY) == SHOPS[1:], "one audit for all the turns that were missed"
    with database.write() as session:
        schedules.set_paused(session, first.id, False)
        schedules.remove_schedule(session, second.id)
    assert queue_due(database, NOW + 4.5 * DAY) == SHOPS[:1], "a resumed schedule makes up for it at once"
    with database.read() as session:
        (left,) = schedules.list_schedules(session)
        newest = sessions.load_audit(session, left.last_session_id or "")
        assert sessions.count_audits(session) == 6, "the audits of a removed schedule stay"
    assert (left.id, left.next_run_at, left.last_status) == (first.id, NOW + 5 * DAY, "completed")
    assert newest.mode is AuditMode.EVIDENCE_PACK


def test_a_schedule_waits_for_its_audit_that_is_under_way(database: Database) -> None:
    schedule_audits(database, SHOPS[:1], "1h", AuditMode.STANDARD, NOW)
    assert len(queue_due_audits(database, CrawlPolicy(), NOW)) == 1
    assert queue_due_audits(database, CrawlPolicy(), NOW + DAY) == []


def test_nothing_is_scheduled_when_one_shop_or_the_schedule_is_wrong(database: Database) -> None:
    schedule_audits(database, SHOPS[1:], "1d", AuditMode.STANDARD, NOW)
    with pytest.raises(ConflictError, match="schedule 1 audits https://other"):
        schedule_audits(database, SHOPS, "1d", AuditMode.STANDARD, NOW)
    with pytest.raises(UsageError):
        schedule_audits(database, SHOPS[:1], "sometimes", AuditMode.STANDARD, NOW)
    with database.read() as session:
        assert [one.url for one in schedules.list_schedules(session)] == SHOPS[1:]
        with pytest.raises(NotFoundError):
            schedules.load_schedule(session, 7)


def test_a_worker_queues_what_is_due_before_it_runs_audits(database: Database, tmp_path: Path) -> None:
    turns = App(Settings(), database, tmp_path).domain_locks()
    stage = AuditStage(database, tmp_path, 1, 3, CrawlPolicy(), turns, command=("true",))
    assert not stage.run_due(threading.Event())
    schedule_audits(database, SHOPS[:1], "1d", AuditMode.STANDARD, NOW)
    assert stage.run_due(threading.Event())
    with database.read() as session:
        assert [one.url for one in sessions.list_audits(session)] == SHOPS[:1]


def test_a_rebuild_brings_schedules_back(database: Database, tmp_path: Path) -> None:
    orders = AuditScheduleCommands(database, tmp_path)
    _, second, third = orders.add([*SHOPS, "https://third.example/"], "1d", AuditMode.EVIDENCE_PACK, NOW)
    orders.set_paused(second.id, True)
    orders.remove(third.id)
    with database.write() as session:
        before = schedules.list_schedules(session)
        for one in before:
            schedules.remove_schedule(session, one.id)
    assert Rebuild(database, tmp_path).run().problems == []
    with database.read() as session:
        assert schedules.list_schedules(session) == before
    (added,) = orders.add(["https://new.example/"], "1d", AuditMode.STANDARD, NOW)
    assert added.id > second.id
    assert restore_schedules(database, tmp_path) == []
    (tmp_path / SCHEDULES_FILE).write_text('{"kind": "webstrata-audit-schedules", "version": 1, "schedules": [{}, 1]}')
    assert len(restore_schedules(database, tmp_path)) == 2
    (tmp_path / SCHEDULES_FILE).write_text("[")
    assert len(restore_schedules(database, tmp_path)) == 1


def test_the_api_adds_lists_pauses_and_removes_schedules(database: Database, tmp_path: Path) -> None:
    settings = Settings(admin_token=SecretStr("s3cret"))
    api = TestClient(create_api(App(settings, database, tmp_path)), headers={"Authorization": "Bearer s3cret"})
    added = api.post("/audits/schedules", json={"url": "https://Shop.example", "every": "7d", "mode": "evidence_pack"})
    assert added.status_code == 201
    shown = added.json()
    assert (shown["url"], shown["schedule"], shown["mode"], shown["paused"]) == (SHOPS[0], "7d", "evidence_pack", False)
    assert api.get("/audits/schedules").json() == {"total": 1, "items": [shown]}
    again = api.post("/audits/schedules", json={"url": SHOPS[0], "every": "7d"})
    assert (again.status_code, "already" in again.text) == (409, True)
    for wrong in ({"url": "ftp://x/", "every": "7d"}, {"url": SHOPS[1], "every": "often"}, {"url": SHOPS[1]}):
        assert api.post("/audits/schedules", json=wrong).status_code in {400, 422}, wrong
    paused = api.patch(f"/audits/schedules/{shown['id']}", json={"paused": True})
    assert paused.json() == api.get(f"/audits/schedules/{shown['id']}").json() == shown | {"paused": True}
    assert api.delete(f"/audits/schedules/{shown['id']}").status_code == 204
    assert api.delete(f"/audits/schedules/{shown['id']}").status_code == 404
    assert api.get("/audits/schedules", headers={"Authorization": ""}).status_code in {401, 403}


def test_commands_add_list_pause_resume_and_remove_schedules(tmp_path: Path) -> None:
    program = Program(tmp_path / "data")
    (tmp_path / "shops.txt").write_text("shop.example\nhttps://other.example/\n")
    added = program.run("audit", "--file", str(tmp_path / "shops.txt"), "--every", "7d")
    assert "schedule 2: https://other.example/, 7d" in added.stdout, added.stderr
    assert "schedule 1 is paused" in program.run("pause-audit-schedule", "1").stdout
    assert "is removed" in program.run("remove-audit-schedule", "2").stdout
    (left,) = json.loads(program.run("audit-schedules", "--json").stdout)
    assert (left["url"], left["schedule"], left["paused"]) == ("https://shop.example/", "7d", True)
    again = program.run("audit", "shop.example", "--every", "1d")
    assert again.returncode != 0
    assert "schedule 1 audits https://shop.example/ already" in again.stderr
