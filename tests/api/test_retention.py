"""`/admin/api/retention` as its documentation shows it, and the passes that requests trigger."""

import json
import threading
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from sqlalchemy import text
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from tests.api.conftest import MakeClient
from tests.retention.rows import DAY, add_row, count
from tests.support.waiting import wait_until
from webstrata.db.engine import Database
from webstrata.db.operations import audit_log
from webstrata.db.operations.audit_log import ChangeFilter
from webstrata.db.retention import retention
from webstrata.db.schema.collection_tables import DiagnosticRow
from webstrata.http.retention_trigger import RetentionAfterResponse
from webstrata.model.retention.rules import DEFAULT_TTL_DAYS, FURTHER_TTL_DAYS
from webstrata.retention.trigger import RetentionTrigger

ADMIN = {"Authorization": "Bearer s3cret"}
PATH = "/admin/api/retention"


def post(client: TestClient, body: object) -> tuple[int, dict[str, Any]]:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    response = client.post(PATH, content=content, headers=ADMIN)
    return response.status_code, response.json()


def test_the_documented_requests_work_as_written(client: TestClient, database: Database) -> None:
    now = datetime.now(UTC)
    add_row(database, "diagnostics", now - 61 * DAY, "old")
    first = client.get(PATH, headers=ADMIN).json()
    assert first["config"]["diagnostics"] == {"ttlDays": 90, "defaultTtlDays": 90, "exempt": False}
    assert first["config"]["listings"] == {"ttlDays": None, "defaultTtlDays": None, "exempt": True}
    assert first["lastCleanup"] is None
    code, changed = post(client, {"action": "update_policy", "collectionName": "diagnostics", "ttlDays": 60})
    assert (code, changed["config"]["diagnostics"]["ttlDays"]) == (200, 60)
    code, dry = post(client, {"action": "cleanup", "dryRun": True})
    assert (code, dry["dryRun"]) == (200, True)
    wanted = {"ttlDays": 60, "expired": 1, "deleted": 0, "remaining": 1, "undated": 0, "guarded": 0, "error": None}
    assert dry["collections"]["diagnostics"] == wanted
    assert count(database, DiagnosticRow) == 1
    assert client.get(PATH, headers=ADMIN).json()["lastCleanup"] is None
    code, done = post(client, {"action": "cleanup", "dryRun": False})
    assert (code, done["collections"]["diagnostics"]["deleted"]) == (200, 1)
    assert client.get(PATH, headers=ADMIN).json()["lastCleanup"] == done
    code, reset = post(client, {"action": "reset"})
    assert {name: policy["ttlDays"] for name, policy in reset["config"].items()} == {
        **DEFAULT_TTL_DAYS,
        **FURTHER_TTL_DAYS,
        "listings": None,
    }
    with database.read() as session:
        actions = [entry.action for entry in audit_log.entries(session, ChangeFilter(), limit=9)[0]]
    assert actions == ["retention.reset", "retention.pass", "retention.policy"]


@pytest.mark.parametrize(
    ("body", "word"),
    [
        *(
            ({"action": "update_policy", "collectionName": "hauls", "ttlDays": days}, "whole number")
            for days in (0, -1, 0.5, "abc", "60", True, None, 10**40)
        ),
        ({"action": "update_policy", "collectionName": "listings", "ttlDays": 30}, "exempt"),
        ({"action": "update_policy", "collectionName": "users", "ttlDays": 30}, "unknown collection"),
        ({"action": "update_policy", "ttlDays": 30}, "unknown collection"),
        ({"action": "cleanup"}, "dryRun"),
        ({"action": "cleanup", "dryRun": "false"}, "dryRun"),
        ({"action": "cleanup", "dryRun": 0}, "dryRun"),
        ({"action": "drop"}, "action must be"),
        ({"action": ["cleanup"]}, "action must be"),
        ([1], "JSON object"),
        (b"{", "valid JSON"),
        (b"", "valid JSON"),
        (b"\xff\xfe{", "valid JSON"),
        (b"[" * 100_000, "valid JSON"),
        (b'{"action": "cleanup", "dryRun": ' + b"9" * 5_000 + b"}", "valid JSON"),
    ],
)
def test_a_request_that_makes_no_sense_is_400_and_changes_nothing(
    client: TestClient, database: Database, body: object, word: str
) -> None:
    add_row(database, "hauls", datetime.now(UTC) - 999 * DAY, "old")
    code, said = post(client, body)
    assert code == 400
    assert word in said["detail"]
    with database.read() as session:
        assert retention.stored_policies(session) == {}
        assert retention.count_expired(session, "hauls", datetime.now(UTC)).expired == 1


def test_it_is_for_administrators_and_not_for_other_sites(client: TestClient, make_client: MakeClient) -> None:
    assert client.get(PATH).status_code == 403
    assert client.post(PATH, json={"action": "reset"}).status_code == 403
    other = {**ADMIN, "Origin": "https://evil.example"}
    assert client.post(PATH, json={"action": "reset"}, headers=other).status_code == 403
    unset = make_client(env="production", admin_token=None)
    assert unset.get(PATH).status_code == 500
    assert client.get(PATH, headers=ADMIN).headers["cache-control"] == "no-store"


def last_pass(database: Database) -> tuple[str, datetime] | None:
    with database.read() as session:
        last = retention.last_run(session)
    return None if last is None else (last.trigger, last.began_at)


def serve_with(trigger: RetentionTrigger, seen: list[str]) -> TestClient:
    """Return a client of a small application whose requests trigger passes."""

    async def respond(request: Request) -> PlainTextResponse:
        seen.append(request.url.path)
        return PlainTextResponse("done")

    inner = Starlette(routes=[Route("/{path:path}", respond)])
    return TestClient(RetentionAfterResponse(inner, trigger))


def test_a_request_that_is_drawn_deletes_after_its_response(database: Database) -> None:
    now = datetime(2026, 7, 1, tzinfo=UTC)
    clock = [now]
    add_row(database, "diagnostics", now - 999 * DAY, "old")
    seen: list[str] = []
    with serve_with(RetentionTrigger(database, lambda: 0.0099, lambda: clock[0]), seen) as client:
        for path in ("/", "/search", "/apis/x", "/static/site.css"):
            assert client.get(path).text == "done"
        assert count(database, DiagnosticRow) == 1
        assert client.get("/public_api/v1/listings").text == "done"
        wait_until(lambda: count(database, DiagnosticRow) == 0, "the pass is over")
        add_row(database, "diagnostics", now - 999 * DAY, "another")
        clock[0] += timedelta(minutes=59)
        assert client.get("/api/stats").text == "done"
    assert count(database, DiagnosticRow) == 1, "an hour is not over"
    # Another process, or this one after a restart, knows of the last pass too.
    clock[0] += timedelta(minutes=1)
    with serve_with(RetentionTrigger(database, lambda: 0.01, lambda: clock[0]), seen) as client:
        client.get("/admin/retention")
    assert count(database, DiagnosticRow) == 1, "it was not drawn"
    with serve_with(RetentionTrigger(database, lambda: 0.0, lambda: clock[0]), seen) as client:
        client.get("/admin/retention")
        wait_until(lambda: count(database, DiagnosticRow) == 0, "the pass is over")
        # The pass is recorded at its end, after the rows have gone.
        wait_until(lambda: last_pass(database) == ("request", clock[0]), "the pass is recorded")


def test_a_pass_that_fails_is_logged_and_the_response_is_not_touched(database: Database, log_lines: StringIO) -> None:
    with database.write() as session:
        session.execute(text("DROP TABLE retention_permits"))
    with serve_with(RetentionTrigger(database, lambda: 0.0), []) as client:
        assert client.get("/api/x").status_code == 200
        wait_until(lambda: "retention.trigger.failed" in log_lines.getvalue(), "the failure is logged")
        wait_until(lambda: last_pass(database) is not None, "the failure is recorded")
    with database.read() as session:
        last = retention.last_run(session)
    assert last is not None
    assert "retention_permits" in (last.error or "")


def test_a_slow_pass_delays_neither_its_request_nor_the_next(database: Database) -> None:
    began, may_end = threading.Event(), threading.Event()

    class SlowTrigger(RetentionTrigger):
        """A trigger whose pass takes until it is allowed to end."""

        def run(self) -> None:
            began.set()
            assert may_end.wait(60)
            super().run()

    with serve_with(SlowTrigger(database, lambda: 0.0), []) as client:
        assert client.get("/api/x").text == "done"
        assert began.wait(60)
        assert client.get("/api/y").text == "done"
        assert last_pass(database) is None
        may_end.set()
        wait_until(lambda: last_pass(database) is not None, "the pass is recorded")
