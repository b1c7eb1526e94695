"""Readers' reports, as operators go through them over the API."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from webstrata.db.engine import Database
from webstrata.db.operations.readers_reports import NewReport, add_report
from webstrata.db.schema.base import utcnow

REPORTS = "/api/admin/reports"
WORDS = "The table on this page is broken."


@pytest.fixture
def admin(client: TestClient) -> TestClient:
    client.headers["Authorization"] = "Bearer s3cret"
    return client


@pytest.fixture
def reported(database: Database) -> list[int]:
    told = [
        NewReport("broken_snapshot", WORDS, 7, "https://health.example/", "a@example.org", "https://front.example/7"),
        NewReport("takedown", WORDS),
        NewReport("takedown", WORDS),
    ]
    with database.write() as session:
        return [add_report(session, report, utcnow()) for report in told]


def ids(admin: TestClient, **wanted: object) -> list[int]:
    return [item["id"] for item in admin.get(REPORTS, params=wanted).json()["items"]]


def test_reports_are_listed_newest_first_and_in_parts(admin: TestClient, reported: list[int]) -> None:
    first, second, third = reported
    answer = admin.get(REPORTS).json()
    assert {key: answer[key] for key in ("total", "limit", "offset")} == {"total": 3, "limit": 50, "offset": 0}
    assert ids(admin) == [third, second, first]
    assert ids(admin, limit=1, offset=1) == [second]
    assert ids(admin, category="takedown") == [third, second]
    assert ids(admin, status="resolved") == []
    assert set(answer["items"][0]) == {
        *("id", "category", "status", "snapshotId", "originalUrl", "pageUrl", "createdAt"),
    }


def test_a_report_has_all_that_is_known_of_it(admin: TestClient, reported: list[int]) -> None:
    report: dict[str, Any] = admin.get(f"{REPORTS}/{reported[0]}").json()
    assert report.pop("createdAt") == report.pop("updatedAt")
    assert report == {
        "id": reported[0],
        "category": "broken_snapshot",
        "status": "new",
        "snapshotId": 7,
        "originalUrl": "https://health.example/",
        "pageUrl": "https://front.example/7",
        "reporterEmail": "a@example.org",
        "description": WORDS,
        "internalNotes": None,
    }


def test_operators_set_the_status_and_the_notes_of_a_report(admin: TestClient, reported: list[int]) -> None:
    path = f"{REPORTS}/{reported[1]}"
    changed = admin.patch(path, json={"status": "in_progress", "internalNotes": "Asked the lawyer."}).json()
    assert (changed["status"], changed["internalNotes"]) == ("in_progress", "Asked the lawyer.")
    assert changed["updatedAt"] > changed["createdAt"]
    assert admin.get(path).json() == changed
    assert admin.patch(path, json={"status": "resolved"}).json()["internalNotes"] == "Asked the lawyer."
    assert ids(admin, status="resolved") == [reported[1]]


def test_what_makes_no_sense_is_refused(admin: TestClient, reported: list[int]) -> None:
    bodies: list[object] = [{"status": "done"}, {"category": "takedown"}, {"internalNotes": "\x00"}, []]
    for body in bodies:
        assert admin.patch(f"{REPORTS}/{reported[0]}", json=body).status_code == 422


def test_a_report_that_is_not_there_is_not_found(admin: TestClient) -> None:
    for number in ("99", "0", "-1", "9" * 30):
        for answer in (admin.get(f"{REPORTS}/{number}"), admin.patch(f"{REPORTS}/{number}", json={})):
            assert (answer.status_code, answer.json()) == (404, {"detail": "Report not found"})


def test_no_one_else_sees_or_changes_reports(client: TestClient, reported: list[int]) -> None:
    path = f"{REPORTS}/{reported[0]}"
    for answer in (client.get(REPORTS), client.get(path), client.patch(path, json={"status": "resolved"})):
        assert answer.status_code == 403
    foreign = {"Authorization": "Bearer s3cret", "Origin": "https://evil.example"}
    assert client.patch(path, json={"status": "resolved"}, headers=foreign).status_code == 403
