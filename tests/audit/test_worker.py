"""Workers that run audits: several at once, one on a domain, killed and taken up again."""

import os
import signal
import threading
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from tests.audit.shops.pages import ENGLISH, home
from tests.support.program import Program, alive, children_of
from tests.support.waiting import wait_until
from tests.support.web_server import Answer, WebServer
from webstrata.audit.policy import CrawlPolicy
from webstrata.db.auditing import pages, sessions
from webstrata.db.engine import Database
from webstrata.jobs.auditing.queueing import queue_audit
from webstrata.model.auditing.sessions import Audit, AuditStatus

MIN_DELAY = timedelta(seconds=2)
PATIENCE_SECONDS = 90


def load(database: Database, audit_id: str) -> Audit:
    with database.read() as session:
        return sessions.load_audit(session, audit_id)


def queue(database: Database, url: str) -> str:
    return queue_audit(database, url, datetime.now(UTC), policy=CrawlPolicy()).id


def has_ended(database: Database, audit_id: str) -> bool:
    return load(database, audit_id).status.is_final


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)
def test_five_audits_of_a_domain_start_apart_and_never_overlap(
    database: Database, database_url: str, redis_url: str, web_server: WebServer, tmp_path: Path
) -> None:
    settings = {"WEBSTRATA_DATABASE_URL": database_url, "WEBSTRATA_REDIS_URL": redis_url}
    program = Program(tmp_path / "data", settings | {"WEBSTRATA_LOG_LEVEL": "INFO", "WEBSTRATA_LOG_FORMAT": "json"})
    ids = [queue(database, web_server.url("/gone")) for _ in range(5)]
    with ExitStack() as stack:
        workers = [stack.enter_context(program.started("worker", "--poll-interval", "0.1")) for _ in range(2)]
        wait_until(lambda: all(has_ended(database, one) for one in ids), "all end", PATIENCE_SECONDS)
        output = "".join(worker.output for worker in workers)
    audits = sorted((load(database, one) for one in ids), key=lambda audit: audit.started_at or audit.created_at)
    assert {(audit.status, audit.error_summary) for audit in audits} == {(AuditStatus.FAILED, "All viewports failed")}
    with database.read() as session:
        errors = {page.error for one in ids for page in pages.pages_of(session, one)}
    assert errors == {"HTTP 404"}
    for before, after in pairwise(audits):
        assert before.finished_at
        assert before.started_at
        assert after.started_at
        assert after.started_at > before.finished_at
        assert after.started_at - before.started_at >= MIN_DELAY
    for event in ("throttle.wait", "lock.acquire.success", "lock.release.success"):
        assert output.count(f'"{event}"') >= 4, event


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_the_audit_of_a_killed_worker_is_taken_up_again(
    database: Database, database_url: str, redis_url: str, web_server: WebServer, tmp_path: Path
) -> None:
    released = threading.Event()
    web_server.answers["/"] = Answer(home(ENGLISH), waits_for=released)
    # The lock of the killed worker would last for five minutes.
    settings = {"WEBSTRATA_DATABASE_URL": database_url, "WEBSTRATA_REDIS_URL": redis_url}
    program = Program(tmp_path / "data", settings)
    audit_id = queue(database, web_server.url("/"))
    with program.started("worker", "--poll-interval", "0.1") as worker:
        wait_until(lambda: "/" in web_server.paths(), "the page is requested", PATIENCE_SECONDS)
        assert load(database, audit_id).status is AuditStatus.RUNNING
        family = {worker.process.pid, *children_of(worker.process.pid)}
        for pid in family:
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not any(alive(pid) for pid in family), "they are gone")
    released.set()
    with program.started("worker", "--poll-interval", "0.1"):
        wait_until(lambda: has_ended(database, audit_id), "it ends", PATIENCE_SECONDS)
    audit = load(database, audit_id)
    assert (audit.status, audit.error_summary, audit.attempts) == (AuditStatus.PARTIAL, "PDP not found", 2)
    with database.read() as session:
        assert [page.status for page in pages.pages_of(session, audit_id)] == ["ok", "ok"]


@pytest.mark.soak
def test_a_stopped_worker_puts_its_audit_back(
    database: Database, database_url: str, web_server: WebServer, tmp_path: Path
) -> None:
    released = threading.Event()
    web_server.answers["/"] = Answer(home(ENGLISH), waits_for=released)
    program = Program(tmp_path / "data", {"WEBSTRATA_DATABASE_URL": database_url})
    audit_id = queue(database, web_server.url("/"))
    with program.started("worker", "--poll-interval", "0.1") as worker:
        wait_until(lambda: load(database, audit_id).status is AuditStatus.RUNNING, "it runs", PATIENCE_SECONDS)
        worker.signal(signal.SIGTERM)
        assert worker.ended() == 0
    audit = load(database, audit_id)
    assert (audit.status, audit.attempts) == (AuditStatus.QUEUED, 0)
    released.set()
