"""Audits that cannot run: each ends or waits with a reason that the API shows."""

import asyncio
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

from redis import Redis
from structlog.testing import capture_logs

from tests.audit.shops.pages import ENGLISH, home
from tests.audit.test_session import Audited, make_app, queue
from tests.support.waiting import wait_until
from tests.support.web_server import Answer, WebServer, redirect
from webstrata.coordination.domain_locks import DomainLocks, DomainPolicy
from webstrata.coordination.redis_store import RedisStore
from webstrata.jobs.auditing.loop import run_audits

LONG = timedelta(minutes=5)
POLICY = DomainPolicy(LONG, LONG, timedelta(0))


def run_queue(folder: Path, server: WebServer, **settings: Any) -> Audited:
    """Run one audit until nothing is due."""
    app = make_app(folder, **settings)
    audit_id = queue(app, server)
    asyncio.run(run_audits(app.audit_parts(), app.audit_browser(), threading.Event(), timedelta(0)))
    found = Audited(app, audit_id)
    app.close()
    return found


def test_a_domain_that_stays_locked_fails_the_audit(redis_url: str, web_server: WebServer, tmp_path: Path) -> None:
    others = DomainLocks(RedisStore(redis_url), POLICY)
    with others.hold(web_server.url(), "another"), capture_logs() as events:
        found = run_queue(tmp_path, web_server, redis_url=redis_url, audit_domain_wait_seconds=0)
    assert (found.audit.status, found.audit.error_summary) == ("failed", "Domain lock timeout")
    ours = [event["event"] for event in events if event.get("session_id") == found.audit.id]
    assert [name for name in ours if name.startswith("lock.")] == [
        "lock.acquire.retry",
        "lock.acquire.retry",
        "lock.acquire.timeout",
    ]
    assert web_server.paths() == []


def test_a_queued_audit_waits_while_its_domain_is_busy(redis_url: str, web_server: WebServer, tmp_path: Path) -> None:
    others = DomainLocks(RedisStore(redis_url), POLICY)
    with others.hold(web_server.url(), "another"):
        found = run_queue(tmp_path, web_server, redis_url=redis_url)
    assert (found.audit.status, found.audit.attempts) == ("queued", 0)
    assert found.audit.error_summary == f"another audit of {found.audit.domain} is running"


def test_an_audit_whose_lock_is_lost_stops_at_once_and_waits_again(
    redis_url: str, web_server: WebServer, tmp_path: Path
) -> None:
    released = threading.Event()
    web_server.answers["/"] = Answer(home(ENGLISH), waits_for=released)
    client = Redis.from_url(redis_url)

    def steal() -> None:
        wait_until(lambda: "/" in web_server.paths(), "the page is requested")
        client.set(f"lock:domain:{web_server.origin.removeprefix('http://')}", "another", ex=60)

    thief = threading.Thread(target=steal)
    thief.start()
    found = run_queue(tmp_path, web_server, redis_url=redis_url, domain_lock_ttl_seconds=2)
    thief.join()
    released.set()
    assert (found.audit.status, found.audit.attempts) == ("queued", 0)
    assert "was lost" in (found.audit.error_summary or "")
    assert client.get(f"lock:domain:{web_server.origin.removeprefix('http://')}") == b"another"
    client.close()


def test_without_its_redis_nothing_runs_unlocked(web_server: WebServer, tmp_path: Path) -> None:
    found = run_queue(tmp_path, web_server, redis_url="redis://127.0.0.1:1/0")
    assert (found.audit.status, found.audit.attempts) == ("queued", 0)
    assert "127.0.0.1:1" in (found.audit.error_summary or "")
    assert web_server.paths() == []


def test_without_a_browser_an_audit_fails_and_names_the_setting(web_server: WebServer, tmp_path: Path) -> None:
    found = run_queue(tmp_path, web_server, chromium=tmp_path / "none")
    assert found.audit.status == "failed"
    assert "WEBSTRATA_CHROMIUM" in (found.audit.error_summary or "")


def test_an_audit_that_takes_too_long_is_ended(web_server: WebServer, tmp_path: Path) -> None:
    released = threading.Event()
    web_server.answers["/"] = Answer(home(ENGLISH), waits_for=released)
    found = run_queue(tmp_path, web_server, audit_timeout_seconds=1)
    released.set()
    assert (found.audit.status, found.audit.error_summary) == ("failed", "the audit took more than 1 s")
    assert [one.type for one in found.artifacts] == ["session_logs_jsonl"]


def test_a_shop_that_hangs_up_once_is_opened_again(web_server: WebServer, tmp_path: Path) -> None:
    web_server.answers["/"] = [Answer(raw=b"", closes=True), Answer(home(ENGLISH))]
    found = run_queue(tmp_path, web_server)
    assert (found.audit.status, found.audit.error_summary) == ("partial", "PDP not found")
    assert len(found.messages("retry")) == 1


def test_a_redirect_to_a_private_address_fails_at_once_with_the_reason(web_server: WebServer, tmp_path: Path) -> None:
    web_server.answers |= {"/": redirect("/next"), "/next": redirect("http://169.254.169.254/latest/meta-data/")}
    found = run_queue(tmp_path, web_server)
    assert found.audit.status == "failed"
    assert {page.error for page in found.pages} == {next(iter(found.pages)).error}
    assert "169.254.169.254" in (found.pages[0].error or "")
    assert found.messages("retry") == []
