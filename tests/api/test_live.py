"""A job as it goes: its events, and its end or going on by request."""

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection, HTTPResponse
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.api.archives import NOON, Archive
from tests.api.conftest import MakeClient
from tests.api.serving import HOST, Served, served
from tests.support.waiting import wait_until
from webstrata.db.engine import Database
from webstrata.db.queue import jobs, run_reports
from webstrata.db.schema.tables import ArchiveJob
from webstrata.errors import DatabaseUnavailableError, TooManyViewersError
from webstrata.http.live import MOST_VIEWERS, Viewers
from webstrata.model.crawl.run_reports import CrawlReport, HostReport

TOKEN = {"Authorization": "Bearer s3cret"}
REPORT = CrawlReport(
    8, 100, {"timeout": 2, "http_503": 1}, {"b.example": HostReport(7, 90, 3), "a.example": HostReport(1, 10, 0)}, 1.5
)
COUNTS = {"pending": 4, "in_progress": 3, "finished": 2, "error": 1}


@pytest.fixture
def admin(client: TestClient) -> TestClient:
    client.headers.update(TOKEN)
    return client


CRAWLED = {"seeds": ["https://health.example/"]}


def running_job(archive: Archive, **columns: Any) -> int:
    job_id = archive.job("health", **{"status": "running", "started_at": datetime.now(UTC), **columns})
    with archive.database.write() as session:
        jobs.set_crawl_counts(session, job_id, COUNTS)
        run_reports.write(session, job_id, "here:1:x", REPORT, datetime.now(UTC))
    return job_id


def led_elsewhere(archive: Archive) -> int:
    """Make a job that a worker of another machine crawls."""
    soon = datetime.now(UTC) + timedelta(minutes=1)
    return running_job(archive, lease_owner="elsewhere:1:x", lease_expires_at=soon)


def change(database: Database, job_id: int, **columns: object) -> None:
    with database.write() as session:
        jobs.set_job(session, job_id, **columns)


def row(database: Database, job_id: int) -> ArchiveJob:
    with database.read() as session:
        found = session.get(ArchiveJob, job_id)
        assert found is not None
        return found


def events_in(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the named events of a stream, in order."""
    found = []
    for block in text.strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if not line.startswith(":"))
        if "event" in fields:
            found.append((fields["event"], json.loads(fields["data"])))
    return found


def test_a_job_that_is_over_is_reported_in_one_event(admin: TestClient, archive: Archive) -> None:
    job_id = running_job(
        archive, status="stopped", status_reason="4 to go", started_at=NOON, finished_at=NOON + timedelta(seconds=90)
    )
    answer = admin.get(f"/api/admin/jobs/{job_id}/events")
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert "content-encoding" not in answer.headers
    assert "etag" not in answer.headers
    ((name, told),) = events_in(answer.text)
    assert name == "end"
    assert told == {
        "id": job_id,
        "status": "stopped",
        "statusReason": "4 to go",
        "startedAt": "2024-05-01T12:00:00+00:00",
        "finishedAt": "2024-05-01T12:01:30+00:00",
        "stopRequestedAt": None,
        "seconds": 90,
        "indexedPageCount": 0,
        "counts": {"pending": 4, "inProgress": 3, "finished": 2, "failed": 1, "total": 10},
        "responses": 8,
        "requisites": 0,
        "bytes": 100,
        "rate": 1.5,
        "errors": {"timeout": 2, "http_503": 1},
        "hosts": [
            {"host": "b.example", "responses": 7, "bytes": 90, "errors": 3},
            {"host": "a.example", "responses": 1, "bytes": 10, "errors": 0},
        ],
    }


def test_the_events_of_a_job_that_is_not_there_are_not_found(admin: TestClient) -> None:
    for job_id in (0, 999, 2**31, 10**30):
        answer = admin.get(f"/api/admin/jobs/{job_id}/events")
        assert (answer.status_code, answer.json()) == (404, {"detail": "Job not found"})


@pytest.mark.parametrize(("method", "action"), [("GET", "events"), ("POST", "stop"), ("POST", "resume")])
def test_only_administrators_watch_stop_and_resume(
    client: TestClient, archive: Archive, method: str, action: str
) -> None:
    job_id = running_job(archive)
    answer = client.request(method, f"/api/admin/jobs/{job_id}/{action}")
    assert (answer.status_code, answer.json()) == (403, {"detail": "Admin token required"})
    assert row(archive.database, job_id).stop_requested_at is None


@contextmanager
def watching(server: Served, job_id: int) -> Iterator[HTTPResponse]:
    connection = HTTPConnection(HOST, server.port, timeout=30)
    connection.request("GET", f"/api/admin/jobs/{job_id}/events")
    answer = connection.getresponse()
    try:
        yield answer
    finally:
        answer.close()
        connection.close()


def next_event(answer: HTTPResponse) -> tuple[str, dict[str, Any]]:
    """Read a stream up to the end of its next event."""
    while True:
        block = ""
        while not block.endswith("\n\n"):
            line = answer.readline().decode()
            assert line, f"the stream ended after {block!r}"
            block += line
        if found := events_in(block):
            return found[0]


@pytest.fixture
def server(archive: Archive) -> Iterator[Served]:
    """A real server, without an admin token."""
    with served(archive) as running:
        yield running


def test_a_running_job_is_reported_as_it_goes_and_then_its_end(server: Served, archive: Archive) -> None:
    job_id = running_job(archive)
    with watching(server, job_id) as answer:
        name, first = next_event(answer)
        assert (name, first["responses"], first["status"]) == ("progress", 8, "running")
        with archive.database.write() as session:
            run_reports.write(session, job_id, "there:2:y", CrawlReport(responses=5, rate=0.5), datetime.now(UTC))
        told = [next_event(answer)]
        while told[-1][1]["responses"] == 8:
            told.append(next_event(answer))
        assert (told[-1][1]["responses"], told[-1][1]["rate"]) == (13, 2.0)
        change(archive.database, job_id, status="indexed", finished_at=datetime.now(UTC))
        while told[-1][0] == "progress":
            told.append(next_event(answer))
        assert (told[-1][0], told[-1][1]["status"]) == ("end", "indexed")
        assert answer.read() == b"", "nothing follows the end"


def test_a_viewer_who_leaves_is_noticed(server: Served, archive: Archive) -> None:
    job_id = running_job(archive)
    with watching(server, job_id) as answer:
        next_event(answer)
        assert server.viewers.watching == 1
    wait_until(lambda: server.viewers.watching == 0, "the place of the viewer who left is free")


def test_a_waiting_job_is_reported_once_and_then_only_signs_of_life(
    server: Served, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webstrata.http.live._HEARTBEAT_SECONDS", 0)
    job_id = archive.job("health", status="queued")
    with watching(server, job_id) as answer:
        assert next_event(answer)[1]["status"] == "queued"
        assert answer.readline() == b": still here\n"
        change(archive.database, job_id, status="failed")
        assert next_event(answer)[0] == "end"


def test_too_many_viewers_are_refused_and_others_still_served(
    server: Served, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server.viewers, "_most", 2)
    job_id = running_job(archive)
    with watching(server, job_id) as one, watching(server, job_id) as two:
        next_event(one)
        next_event(two)
        with watching(server, job_id) as third:
            assert third.status == 429
            assert "live views are open already" in json.loads(third.read())["detail"]
    wait_until(lambda: server.viewers.watching == 0, "both places are free")
    with watching(server, job_id) as later:
        assert next_event(later)[0] == "progress"


def test_the_server_answers_others_while_many_watch(server: Served, archive: Archive) -> None:
    job_id = running_job(archive)
    connections = [HTTPConnection(HOST, server.port, timeout=30) for _ in range(MOST_VIEWERS)]
    for connection in connections:
        connection.request("GET", f"/api/admin/jobs/{job_id}/events")
    assert {connection.getresponse().status for connection in connections} == {200}
    asking = HTTPConnection(HOST, server.port, timeout=30)
    asking.request("GET", "/api/stats")
    assert asking.getresponse().status == 200
    for connection in [*connections, asking]:
        connection.close()


def test_a_head_of_the_events_ends_at_once(server: Served, archive: Archive) -> None:
    job_id = running_job(archive)
    connection = HTTPConnection(HOST, server.port, timeout=30)
    for _ in range(2):
        connection.request("HEAD", f"/api/admin/jobs/{job_id}/events")
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (200, b"")
    wait_until(lambda: server.viewers.watching == 0, "nobody watches")
    connection.close()


def test_a_database_that_goes_away_ends_the_stream_and_not_the_server(
    server: Served, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> None:
        raise DatabaseUnavailableError("gone")

    job_id = running_job(archive)
    with watching(server, job_id) as answer:
        next_event(answer)
        with monkeypatch.context() as patched:
            patched.setattr(run_reports, "progress", away)
            assert b"event: end" not in answer.read(), "it just breaks off"
    with watching(server, job_id) as answer:
        assert next_event(answer)[0] == "progress"


def test_a_place_is_given_back_whatever_happens() -> None:
    viewers = Viewers(1)
    with pytest.raises(http.client.HTTPException), viewers.reserve():
        raise http.client.HTTPException
    with viewers.reserve(), pytest.raises(TooManyViewersError), viewers.reserve():
        pass
    assert viewers.watching == 0


def test_stopping_a_running_job_asks_its_crawl_to_end(admin: TestClient, archive: Archive) -> None:
    job_id = led_elsewhere(archive)
    answer = admin.post(f"/api/admin/jobs/{job_id}/stop")
    assert answer.status_code == 200
    assert answer.json()["status"] == "running"
    assert answer.json()["stopRequestedAt"] is not None
    assert row(archive.database, job_id).stop_requested_at is not None


def test_stopping_a_queued_job_ends_it_at_once(admin: TestClient, archive: Archive) -> None:
    job_id = archive.job("health", status="queued")
    answer = admin.post(f"/api/admin/jobs/{job_id}/stop")
    assert (answer.status_code, answer.json()["status"]) == (200, "stopped")


@pytest.mark.parametrize("status", ["stopped", "failed", "indexed", "index_failed"])
def test_a_job_that_is_over_cannot_be_stopped_but_continues_when_resumed(
    admin: TestClient, archive: Archive, status: str
) -> None:
    job_id = archive.job("health", status=status, config=CRAWLED)
    refused = admin.post(f"/api/admin/jobs/{job_id}/stop")
    assert refused.status_code == 409
    assert f"job {job_id} is {status}" in refused.json()["detail"]
    answer = admin.post(f"/api/admin/jobs/{job_id}/resume")
    assert (answer.status_code, answer.json()["status"]) == (200, "queued")


def test_a_running_job_cannot_be_resumed(admin: TestClient, archive: Archive) -> None:
    job_id = led_elsewhere(archive)
    refused = admin.post(f"/api/admin/jobs/{job_id}/resume")
    assert (refused.status_code, refused.json()) == (409, {"detail": f"job {job_id} is running already"})


@pytest.mark.parametrize("action", ["stop", "resume"])
def test_a_job_that_is_not_there_is_neither_stopped_nor_resumed(admin: TestClient, action: str) -> None:
    for job_id in (0, 999, 2**31):
        answer = admin.post(f"/api/admin/jobs/{job_id}/{action}")
        assert (answer.status_code, answer.json()) == (404, {"detail": "Job not found"})


@pytest.mark.parametrize("action", ["stop", "resume"])
@pytest.mark.parametrize("headers", [{"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}])
def test_another_sites_page_gives_no_commands_to_open_development(
    make_client: MakeClient, archive: Archive, action: str, headers: dict[str, str]
) -> None:
    job_id = archive.job("health", status="queued" if action == "stop" else "stopped", config=CRAWLED)
    client = make_client(admin_token=None, env="development")
    answer = client.post(f"/api/admin/jobs/{job_id}/{action}", headers=headers)
    assert answer.status_code == 403
    assert client.post(f"/api/admin/jobs/{job_id}/{action}").status_code == 200
