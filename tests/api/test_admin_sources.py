"""Sources as operators keep them over the API."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.api.archives import Archive

TOKEN = {"Authorization": "Bearer s3cret"}
NEW = {"seeds": ["health.example"], "code": "Health", "name": "Health Agency", "schedule": "7d"}


@pytest.fixture
def admin(client: TestClient) -> TestClient:
    client.headers.update(TOKEN)
    return client


def add(admin: TestClient, **fields: Any) -> Any:
    answer = admin.post("/api/admin/sources", json=NEW | fields)
    assert answer.status_code == 201, answer.text
    return answer.json()


def test_a_source_has_all_that_its_operators_keep(admin: TestClient) -> None:
    source = add(admin, description="Its news.")
    assert source.pop("nextRunAt")
    assert source.pop("jobConfig")["default_seeds"] == ["https://health.example/"]
    assert source == {
        "sourceCode": "health",
        "sourceName": "Health Agency",
        "baseUrl": "https://health.example/",
        "description": "Its news.",
        "enabled": True,
        "schedule": "7d",
        "schedulePaused": False,
        "scheduleError": None,
        "pageParameters": [],
        "needsRegrouping": False,
        "lastJob": None,
        "jobCount": 0,
        "snapshotCount": 0,
    }


def test_a_source_needs_no_more_than_an_address(admin: TestClient) -> None:
    answer = admin.post("/api/admin/sources", json={"seeds": ["https://www.health.example/en/"]}).json()
    assert (answer["sourceCode"], answer["sourceName"]) == ("health-example", "www.health.example")
    assert (answer["schedule"], answer["nextRunAt"]) == (None, None)


def test_sources_are_listed_with_their_newest_job(admin: TestClient, archive: Archive) -> None:
    archive.snapshot(job_id=archive.job("other", status="indexed"), source="other")
    newest = archive.job("other", name="newest", status="failed", status_reason="no answer")
    add(admin)
    health, other = admin.get("/api/admin/sources").json()["items"]
    assert (health["sourceCode"], health["lastJob"]) == ("health", None)
    assert (other["jobCount"], other["snapshotCount"]) == (2, 1)
    assert other["lastJob"].pop("createdAt")
    assert other["lastJob"] == {"id": newest, "name": "newest", "status": "failed", "statusReason": "no answer"}
    assert admin.get("/api/admin/sources/OTHER").json()["sourceCode"] == "other"


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"seeds": []}, 422),
        ({"seeds": [" "]}, 422),
        ({"seeds": ["no address"]}, 422),
        ({"code": "../x"}, 422),
        ({"schedule": "often"}, 422),
        ({"color": "red"}, 422),
        ({"name": "a\x00"}, 422),
    ],
)
def test_a_source_that_makes_no_sense_is_refused(admin: TestClient, fields: dict[str, object], status: int) -> None:
    answer = admin.post("/api/admin/sources", json=NEW | fields)
    assert answer.status_code == status
    assert admin.get("/api/admin/sources").json() == {"items": []}


def test_a_code_that_is_taken_is_refused(admin: TestClient) -> None:
    add(admin)
    answer = admin.post("/api/admin/sources", json=NEW)
    assert answer.status_code == 409
    assert "there is a source health already" in answer.json()["detail"]


def test_a_schedule_is_set_paused_resumed_and_taken_away(admin: TestClient) -> None:
    add(admin)

    def told(order: str, body: object = None) -> tuple[object, object, bool]:
        answer = admin.post(f"/api/admin/sources/health/{order}", json=body)
        assert answer.status_code == 200, answer.text
        source = answer.json()
        return source["schedule"], source["schedulePaused"], source["nextRunAt"] is not None

    assert told("schedule", {"schedule": "0 3 * * 1"}) == ("0 3 * * 1", False, True)
    assert told("pause")[:2] == ("0 3 * * 1", True)
    assert told("resume") == ("0 3 * * 1", False, True)
    assert told("schedule", {"schedule": None}) == (None, False, False)
    assert admin.post("/api/admin/sources/health/pause").status_code == 409
    assert admin.post("/api/admin/sources/health/schedule", json={"schedule": "often"}).status_code == 422
    assert admin.post("/api/admin/sources/health/schedule", json={}).status_code == 422


def test_a_disabled_source_makes_no_jobs(admin: TestClient) -> None:
    add(admin)
    assert admin.post("/api/admin/sources/health/disable").json()["enabled"] is False
    assert admin.post("/api/admin/jobs", json={"source": "health"}).status_code == 409
    assert admin.post("/api/admin/sources/health/enable").json()["enabled"] is True
    assert admin.post("/api/admin/jobs", json={"source": "health"}).status_code == 201


@pytest.mark.parametrize("order", ["pause", "resume", "enable", "disable", "schedule", ""])
def test_a_source_that_is_not_there_is_not_found(admin: TestClient, order: str) -> None:
    url = f"/api/admin/sources/nobody/{order}".rstrip("/")
    answer = admin.post(url, json={"schedule": "7d"}) if order else admin.get(url)
    assert (answer.status_code, answer.json()) == (404, {"detail": "Source not found"})


@pytest.mark.parametrize("path", ["", "/health/schedule", "/health/pause", "/health/disable"])
def test_changes_need_the_token_and_are_not_taken_from_other_sites(client: TestClient, path: str) -> None:
    url = f"/api/admin/sources{path}"
    assert client.get("/api/admin/sources").status_code == 403
    assert client.post(url, json=NEW).json() == {"detail": "Admin token required"}
    foreign = client.post(url, json=NEW, headers={**TOKEN, "Origin": "https://evil.example"})
    assert foreign.status_code == 403
    assert client.get("/api/admin/sources", headers=TOKEN).json() == {"items": []}


def test_a_source_is_edited_and_its_next_jobs_with_it(admin: TestClient) -> None:
    add(admin)
    change = {
        "name": "The Health Agency",
        "description": "All of it.",
        "baseUrl": "health.example/en/",
        "seeds": ["health.example/en/", "health.example/fr/"],
        "crawl": {"max_pages": 5},
        "toolOptions": {"initial_workers": 2},
        "pageParameters": ["id"],
    }
    source = admin.patch("/api/admin/sources/HEALTH", json=change).json()
    assert (source["sourceName"], source["description"]) == ("The Health Agency", "All of it.")
    assert (source["baseUrl"], source["pageParameters"]) == ("https://health.example/en/", ["id"])
    assert (source["schedule"], source["enabled"]) == ("7d", True)
    job = admin.post("/api/admin/jobs", json={"source": "health"}).json()
    assert job["config"]["seeds"] == ["https://health.example/en/", "https://health.example/fr/"]
    assert job["config"]["crawl"] == {"max_pages": 5}
    assert job["config"]["tool_options"]["initial_workers"] == 2


def test_an_edit_that_makes_no_sense_changes_nothing(admin: TestClient) -> None:
    before = add(admin)
    changes: list[dict[str, Any]] = [
        {"name": ""},
        {"name": "x" * 201},
        {"seeds": []},
        {"seeds": ["ftp://health.example/"]},
        {"baseUrl": "mailto:a@b"},
        {"crawl": {"max_pages": 0}},
        {"crawl": {"nonsense": 1}},
        {"toolOptions": {"nonsense": 1}},
        {"pageParameters": ["a b"]},
        {"code": "other"},
    ]
    for change in changes:
        assert admin.patch("/api/admin/sources/health", json=change).status_code == 422, change
    assert admin.get("/api/admin/sources/health").json() == before


def test_a_source_of_which_nothing_was_archived_can_be_removed(admin: TestClient, archive: Archive) -> None:
    add(admin)
    assert admin.delete("/api/admin/sources/health").status_code == 204
    assert admin.get("/api/admin/sources/health").status_code == 404
    archive.snapshot(source="other")
    refused = admin.delete("/api/admin/sources/other")
    assert (refused.status_code, "can only be disabled" in refused.json()["detail"]) == (409, True)
    assert admin.delete("/api/admin/sources/nobody").status_code == 404


def test_a_source_whose_jobs_brought_nothing_is_removed_with_them(admin: TestClient) -> None:
    add(admin)
    job = admin.post("/api/admin/jobs", json={"source": "HEALTH"}).json()["id"]
    assert admin.delete("/api/admin/sources/Health").status_code == 204
    assert admin.get(f"/api/admin/jobs/{job}").status_code == 404
    assert admin.get("/api/admin/sources").json() == {"items": []}


def test_an_address_that_a_source_begins_at_schedules_that_source(admin: TestClient) -> None:
    add(admin, schedule=None)
    answer = admin.post("/api/admin/sources", json={"seeds": ["http://www.health.example"], "schedule": "1d"})
    assert (answer.status_code, answer.json()["sourceCode"], answer.json()["schedule"]) == (200, "health", "1d")
    changed = admin.patch("/api/admin/sources/health", json={"schedule": "none", "name": "Agency"}).json()
    assert (changed["schedule"], changed["sourceName"]) == (None, "Agency")


def test_a_message_for_programs_names_no_shell_command(admin: TestClient, archive: Archive) -> None:
    add(admin, schedule=None)
    archive.snapshot(source="other")
    for refused in (
        admin.post("/api/admin/sources", json=NEW),
        admin.post("/api/admin/sources/health/resume"),
        admin.delete("/api/admin/sources/other"),
    ):
        assert refused.status_code == 409
        assert "webstrata" not in refused.json()["detail"]
