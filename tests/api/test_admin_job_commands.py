"""What operators do with jobs over the API, and what their logs and problems say."""

from io import StringIO
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.api.archives import NOON, Archive
from tests.api.conftest import MakeClient
from webstrata.db.captures import captures, problems
from webstrata.db.captures.new_rows import Problem
from webstrata.storage.combined_log import INITIAL_CRAWL, combined_log_name

TOKEN = {"Authorization": "Bearer s3cret"}


@pytest.fixture
def admin(client: TestClient) -> TestClient:
    client.headers.update(TOKEN)
    return client


@pytest.fixture
def health(archive: Archive) -> str:
    archive.source("health", "Health Agency", "https://health.example/")
    return "health"


def messy_job(archive: Archive) -> tuple[int, Path]:
    """Return a job that is done and whose crawler left something behind."""
    folder = archive.root / "health" / "one"
    temporary = folder / ".tmpabc"
    temporary.mkdir(parents=True)
    (temporary / "pages.jsonl").write_bytes(b"x" * 2_000)
    return archive.job("health", output_dir=str(folder)), temporary


@pytest.mark.usefixtures("health")
def test_a_job_is_made_of_a_source(admin: TestClient, archive: Archive) -> None:
    wanted = {"source": "HEALTH", "seeds": ["https://health.example/fr/"], "overrides": {"max_pages": 5}}
    answer = admin.post("/api/admin/jobs", json=wanted)
    assert answer.status_code == 201
    job = answer.json()
    assert (job["sourceCode"], job["status"]) == ("health", "queued")
    assert job["config"]["seeds"] == ["https://health.example/", "https://health.example/fr/"]
    assert job["config"]["crawl"] == {"max_pages": 5}
    assert Path(job["outputDir"]).is_relative_to(archive.root)
    assert admin.get(f"/api/admin/jobs/{job['id']}").json() == job


@pytest.mark.usefixtures("health")
@pytest.mark.parametrize(
    ("wanted", "status"),
    [
        ({"source": "nobody"}, 404),
        ({"source": "health", "overrides": {"max_pages": -1}}, 422),
        ({"source": "health", "overrides": {"enable_vpn_rotation": True}}, 422),
        ({"source": "health", "seeds": ["ftp://x"]}, 422),
        ({"source": "health", "sedes": []}, 422),
        ({"source": "a\x00"}, 422),
        ({}, 422),
    ],
)
def test_a_job_that_makes_no_sense_is_not_made(admin: TestClient, wanted: dict[str, object], status: int) -> None:
    answer = admin.post("/api/admin/jobs", json=wanted)
    assert answer.status_code == status
    assert answer.json()["detail"]
    assert admin.get("/api/admin/jobs").json()["total"] == 0


@pytest.mark.parametrize(("before", "after"), [("failed", "retryable"), ("index_failed", "completed")])
def test_a_job_that_failed_is_tried_again(admin: TestClient, archive: Archive, before: str, after: str) -> None:
    job_id = archive.job("health", status=before)
    answer = admin.post(f"/api/admin/jobs/{job_id}/retry")
    assert (answer.status_code, answer.json()["status"]) == (200, after)


def test_what_did_not_fail_is_not_tried_again(admin: TestClient, archive: Archive) -> None:
    answer = admin.post(f"/api/admin/jobs/{archive.job('health', status='indexed')}/retry")
    assert answer.status_code == 409
    assert "is indexed" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("order", "after"),
    [("stop", ("stopped", "stopped while it waited to continue (its worker died)")), ("resume", ("queued", None))],
)
def test_a_job_whose_worker_is_gone_obeys_at_once(
    admin: TestClient, archive: Archive, order: str, after: tuple[str, str | None]
) -> None:
    job_id = archive.job("health", status="running", started_at=NOON, config={"seeds": ["https://health.example/"]})
    answer = admin.post(f"/api/admin/jobs/{job_id}/{order}")
    assert (answer.status_code, answer.json()["status"], answer.json()["statusReason"]) == (200, *after)


def test_cleaning_up_is_a_dry_run_unless_requested_otherwise(admin: TestClient, archive: Archive) -> None:
    job_id, temporary = messy_job(archive)
    path = f"/api/admin/jobs/{job_id}/cleanup"
    for body in (None, {}, {"dryRun": True, "mode": "temp"}):
        report = admin.post(path, json=body).json()
        assert report == {
            "jobId": job_id,
            "mode": "temp",
            "dryRun": True,
            "nothingToDo": False,
            "freedBytes": 2_000,
            "deleted": [{"path": str(temporary), "bytes": 2_000}],
            "moved": [],
            "warcsDeleted": 0,
            "snapshotsLost": 0,
            "notes": [],
        }
    assert temporary.exists()
    report = admin.post(path, json={"dryRun": False, "mode": "temp-nonwarc"}).json()
    assert (report["dryRun"], report["freedBytes"]) == (False, 2_000)
    assert not temporary.exists()
    job = admin.get(f"/api/admin/jobs/{job_id}").json()
    assert job["cleanupStatus"] == "temp_cleaned"
    assert job["cleanedAt"]
    assert admin.post(path).json()["nothingToDo"] is True


def test_what_must_stay_is_not_cleaned_up(admin: TestClient, archive: Archive, make_client: MakeClient) -> None:
    job_id, temporary = messy_job(archive)
    path = f"/api/admin/jobs/{job_id}/cleanup"
    replaying = make_client(replay_base_url="https://replay.example")
    refused = replaying.post(path, json={"dryRun": False}, headers=TOKEN)
    assert refused.status_code == 409
    assert "replay is enabled" in refused.json()["detail"]
    assert admin.post(path, json={"mode": "everything"}).status_code == 422
    running = archive.job("health", status="running", output_dir=str(temporary.parent))
    assert admin.post(f"/api/admin/jobs/{running}/cleanup", json={"dryRun": False}).status_code == 409
    gone = archive.job("health", output_dir=str(archive.root / "gone"))
    answer = admin.post(f"/api/admin/jobs/{gone}/cleanup")
    assert answer.status_code == 409
    assert "is gone" in answer.json()["detail"]
    assert temporary.exists()


def test_the_end_of_a_jobs_log_is_reported_without_secrets(admin: TestClient, archive: Archive) -> None:
    folder = archive.root / "health" / "one"
    folder.mkdir(parents=True)
    name = combined_log_name(INITIAL_CRAWL, 1, NOON)
    (folder / name).write_text("first\nthe token is s3cret\nlast\n")
    job_id = archive.job("health", output_dir=str(folder))
    told = {"name": name, "lines": ["first", "the token is ********", "last"]}
    assert admin.get(f"/api/admin/jobs/{job_id}/log").json() == told
    assert admin.get(f"/api/admin/jobs/{job_id}/log?lines=1").json()["lines"] == ["last"]
    for lines in ("0", "1001", "x"):
        assert admin.get(f"/api/admin/jobs/{job_id}/log?lines={lines}").status_code == 422
    assert admin.get(f"/api/admin/jobs/{archive.job('health')}/log").json() == {"name": None, "lines": []}


def test_places_that_could_not_be_indexed_are_listed_in_parts(admin: TestClient, archive: Archive) -> None:
    job_id = archive.job("health", index_problem_count=3)
    with archive.database.write() as session:
        warc_id = captures.add_warc_file(session, job_id, "health/a.warc.gz")
        problems.replace_problems(session, job_id, warc_id, (0, 99), [Problem(n, f"bad at {n}") for n in (5, 9, 12)])
    answer = admin.get(f"/api/admin/jobs/{job_id}/problems", params={"limit": 2, "offset": 1}).json()
    assert answer == {
        "items": [
            {"warcPath": "health/a.warc.gz", "offset": 9, "reason": "bad at 9"},
            {"warcPath": "health/a.warc.gz", "offset": 12, "reason": "bad at 12"},
        ],
        "total": 3,
        "limit": 2,
        "offset": 1,
    }


def test_a_jobs_configuration_is_reported_without_secrets(admin: TestClient, archive: Archive) -> None:
    options = {"enable_vpn_rotation": True, "vpn_connect_command": "connect --key hunter2"}
    job_id = archive.job("health", config={"seeds": ["https://a.example/"], "tool_options": options})
    answer = admin.get(f"/api/admin/jobs/{job_id}")
    assert answer.json()["config"]["tool_options"]["vpn_connect_command"] == "********"
    assert "hunter2" not in answer.text


ORDERS = ["", "/1/stop", "/1/resume", "/1/retry", "/1/cleanup"]


@pytest.mark.parametrize("path", ORDERS)
def test_commands_need_the_token_and_are_not_taken_from_other_sites(client: TestClient, path: str) -> None:
    url = f"/api/admin/jobs{path}"
    answer = client.post(url, json={"source": "health"})
    assert (answer.status_code, answer.json()) == (403, {"detail": "Admin token required"})
    foreign = client.post(url, json={"source": "health"}, headers={**TOKEN, "Origin": "https://evil.example"})
    assert foreign.status_code == 403
    assert "another site" in foreign.json()["detail"]


@pytest.mark.parametrize("path", ["retry", "cleanup", "log", "problems"])
def test_a_job_that_is_not_there_is_not_found(admin: TestClient, path: str) -> None:
    method = "GET" if path in {"log", "problems"} else "POST"
    answer = admin.request(method, f"/api/admin/jobs/77/{path}")
    assert (answer.status_code, answer.json()) == (404, {"detail": "Job not found"})


def test_every_order_is_logged(admin: TestClient, archive: Archive, log_lines: StringIO) -> None:
    job_id = archive.job("health", status="failed")
    admin.post(f"/api/admin/jobs/{job_id}/retry")
    assert f'"event": "admin.job", "order": "retry", "job_id": {job_id}' in log_lines.getvalue()
