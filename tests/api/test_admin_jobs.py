import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.api.archives import NOON, Archive
from webstrata.model.crawl.monitoring import Decision, RecoveryAction
from webstrata.storage.combined_log import combined_log_name, statistics_line
from webstrata.storage.crawl_state import CrawlState

TOKEN = {"Authorization": "Bearer s3cret"}

SUMMARY_COLUMNS: dict[str, Any] = {
    "name": "health-20240501",
    "status": "failed",
    "status_reason": "robots.txt forbids everything",
    "retry_count": 2,
    "created_at": NOON,
    "queued_at": NOON + timedelta(seconds=1),
    "started_at": NOON + timedelta(seconds=2),
    "finished_at": NOON + timedelta(seconds=3),
    "cleanup_status": "temp_cleaned",
    "cleaned_at": NOON + timedelta(seconds=4),
    "crawler_exit_code": 1,
    "crawler_status": "failed",
    "warc_file_count": 3,
    "warc_bytes_total": 2**40,
    "indexed_page_count": 12,
    "index_problem_count": 4,
    "storage_scanned_at": NOON + timedelta(seconds=5),
}
SUMMARY = {
    "sourceCode": "health",
    "sourceName": "Health Agency",
    "name": "health-20240501",
    "status": "failed",
    "statusReason": "robots.txt forbids everything",
    "retryCount": 2,
    "createdAt": "2024-05-01T12:00:00+00:00",
    "queuedAt": "2024-05-01T12:00:01+00:00",
    "startedAt": "2024-05-01T12:00:02+00:00",
    "finishedAt": "2024-05-01T12:00:03+00:00",
    "cleanupStatus": "temp_cleaned",
    "cleanedAt": "2024-05-01T12:00:04+00:00",
    "crawlerExitCode": 1,
    "crawlerStatus": "failed",
    "warcFileCount": 3,
    "warcBytesTotal": 2**40,
    "indexedPageCount": 12,
    "indexProblemCount": 4,
    "storageScannedAt": "2024-05-01T12:00:05+00:00",
}
DETAIL_COLUMNS: dict[str, Any] = {
    "output_dir": "health/20240501T120000Z__health-20240501",
    "crawler_stage": "crawl",
    "pages_crawled": 10,
    "pages_total": 20,
    "pages_failed": 1,
    "output_bytes_total": 2**41,
    "tmp_bytes_total": 5,
    "tmp_non_warc_bytes_total": 4,
    "final_zim_path": "health.zim",
    "combined_log_path": "combined.log",
    "state_file_path": ".state.json",
    "config": {"seeds": ["https://health.example/"], "crawl": {"max_pages": 5}},
    "last_stats_json": {"crawled": 10},
    "stop_requested_at": NOON + timedelta(seconds=6),
}
DETAIL = {
    "outputDir": "health/20240501T120000Z__health-20240501",
    "crawlerStage": "crawl",
    "pagesCrawled": 10,
    "pagesTotal": 20,
    "pagesFailed": 1,
    "outputBytesTotal": 2**41,
    "tmpBytesTotal": 5,
    "tmpNonWarcBytesTotal": 4,
    "finalZimPath": "health.zim",
    "combinedLogPath": "combined.log",
    "stateFilePath": ".state.json",
    "config": {"seeds": ["https://health.example/"], "crawl": {"max_pages": 5}},
    "lastStats": {"crawled": 10},
    "stopRequestedAt": "2024-05-01T12:00:06+00:00",
    "engine": "native",
    "attempts": [],
    "monitorDecisions": [],
}


@pytest.fixture
def admin(client: TestClient) -> TestClient:
    client.headers.update(TOKEN)
    return client


def test_a_listed_job_has_all_that_the_contract_names(admin: TestClient, archive: Archive) -> None:
    archive.source("health", "Health Agency")
    job_id = archive.job("health", **SUMMARY_COLUMNS)
    answer = admin.get("/api/admin/jobs")
    assert answer.json() == {"items": [{"id": job_id, **SUMMARY}], "total": 1, "limit": 50, "offset": 0}


def test_a_job_has_all_that_the_contract_names(admin: TestClient, archive: Archive) -> None:
    archive.source("health", "Health Agency")
    job_id = archive.job("health", **SUMMARY_COLUMNS, **DETAIL_COLUMNS)
    assert admin.get(f"/api/admin/jobs/{job_id}").json() == {"id": job_id, **SUMMARY, **DETAIL}


def test_a_job_without_a_source_has_an_empty_source_code(admin: TestClient, archive: Archive) -> None:
    job_id = archive.job(None, name="unsorted")
    (listed,) = admin.get("/api/admin/jobs").json()["items"]
    shown = admin.get(f"/api/admin/jobs/{job_id}").json()
    assert [(job["name"], job["sourceCode"], job["sourceName"]) for job in (listed, shown)] == [
        ("unsorted", "", "")
    ] * 2


def test_a_job_reports_its_attempts_and_what_its_monitor_decided(
    admin: TestClient, archive: Archive, tmp_path: Path
) -> None:
    config = {"seeds": ["https://health.example/"], "tool_options": {"engine": "zimit"}}
    job_id = archive.job("health", output_dir=str(tmp_path), config=config)
    said = statistics_line(NOON, crawled=4, total=9, pending=5, failed=1, most=0, hit=False)
    log = tmp_path / combined_log_name("initial_crawl", 2, NOON)
    log.write_text(said)
    os.utime(log, (NOON.timestamp() + 60,) * 2)
    decision = Decision(NOON, "stall", "s3cret did it", RecoveryAction.BACK_OFF, workers=3, wait=timedelta(minutes=5))
    CrawlState(tmp_path, initial_workers=3).note_decision(decision)
    job = admin.get(f"/api/admin/jobs/{job_id}").json()
    assert job["engine"] == "zimit"
    assert job["attempts"] == [
        {
            "stage": "initial_crawl",
            "number": 2,
            "beganAt": "2024-05-01T12:00:00+00:00",
            "endedAt": "2024-05-01T12:01:00+00:00",
            "crawled": 4,
            "total": 9,
            "failed": 1,
        }
    ]
    assert job["monitorDecisions"] == [
        {
            "at": "2024-05-01T12:00:00+00:00",
            "trouble": "stall",
            "reason": "******** did it",
            "answer": "back_off",
            "workers": 3,
            "waitSeconds": 300,
        }
    ]


def test_a_new_job_without_a_source_is_shown_too(admin: TestClient, archive: Archive) -> None:
    job = admin.get(f"/api/admin/jobs/{archive.job(None, status='queued')}").json()
    assert (job["sourceCode"], job["sourceName"], job["cleanupStatus"]) == ("", "", "none")
    assert job.keys() == {"id", *SUMMARY, *DETAIL}
    unknown = {"queuedAt", "startedAt", "finishedAt", "cleanedAt", "config", "lastStats", "pagesTotal", "statusReason"}
    assert {key for key in unknown if job[key] is not None} == set()


def test_jobs_are_listed_newest_first_and_in_parts(admin: TestClient, archive: Archive) -> None:
    ids = [archive.job("health") for _ in range(3)]
    answer = admin.get("/api/admin/jobs", params={"limit": 2, "offset": 1}).json()
    assert [item["id"] for item in answer["items"]] == [ids[1], ids[0]]
    assert (answer["total"], answer["limit"], answer["offset"]) == (3, 2, 1)


def test_jobs_are_filtered_by_source_and_status(admin: TestClient, archive: Archive) -> None:
    queued = archive.job("health", status="queued")
    archive.job("health", status="failed")
    archive.job("other", status="queued")
    for parameters, expected in (
        ({"source": "HEALTH", "status": "queued"}, [queued]),
        ({"source": "nowhere"}, []),
        ({"status": "nonsense"}, []),
    ):
        assert [job["id"] for job in admin.get("/api/admin/jobs", params=parameters).json()["items"]] == expected


def test_jobs_are_counted_by_status(admin: TestClient, archive: Archive) -> None:
    for status in ("queued", "queued", "index_failed"):
        archive.job("health", status=status)
    assert admin.get("/api/admin/jobs/status-counts").json() == {"counts": {"queued": 2, "index_failed": 1}}


def test_a_job_that_is_not_there_is_not_found_and_has_no_snapshots(admin: TestClient) -> None:
    for job_id in (0, -1, 999, 2**31, 2**63, 10**30):
        answer = admin.get(f"/api/admin/jobs/{job_id}")
        assert (answer.status_code, answer.json()) == (404, {"detail": "Job not found"})
        snapshots = admin.get(f"/api/admin/jobs/{job_id}/snapshots")
        assert (snapshots.status_code, snapshots.json()) == (200, [])


def test_a_jobs_snapshots_tell_all_that_the_contract_names(admin: TestClient, archive: Archive) -> None:
    job_id = archive.job("health")
    first = archive.snapshot("https://health.example/a", job_id=job_id)
    second = archive.snapshot("https://health.example/b", job_id=job_id, title=None, language=None, status_code=404)
    archive.snapshot("https://health.example/c")
    assert admin.get(f"/api/admin/jobs/{job_id}/snapshots").json() == [
        {
            "id": first,
            "url": "https://health.example/a",
            "captureTimestamp": "2024-05-01T12:00:00+00:00",
            "statusCode": 200,
            "language": "en",
            "title": "Flu",
        },
        {
            "id": second,
            "url": "https://health.example/b",
            "captureTimestamp": "2024-05-01T12:00:00+00:00",
            "statusCode": 404,
            "language": None,
            "title": None,
        },
    ]
    part = admin.get(f"/api/admin/jobs/{job_id}/snapshots", params={"limit": 1, "offset": 1}).json()
    assert [snapshot["id"] for snapshot in part] == [second]


@pytest.mark.parametrize("path", ["/api/admin/jobs", "/api/admin/jobs/1/snapshots"])
def test_parts_of_lists_have_bounds(admin: TestClient, path: str) -> None:
    for refused in ({"limit": 0}, {"limit": 501}, {"offset": -1}, {"limit": "x"}):
        assert admin.get(path, params=refused).status_code == 422
    for accepted in ({"limit": 1}, {"limit": 500}, {"offset": 2**31}, {"offset": 10**30}):
        assert admin.get(path, params=accepted).status_code == 200


@pytest.mark.parametrize("name", ["source", "status"])
def test_a_filter_that_no_database_can_hold_is_refused(admin: TestClient, name: str) -> None:
    assert admin.get("/api/admin/jobs", params={name: "a\x00"}).status_code == 422


@pytest.mark.parametrize(
    "path",
    ["/api/admin/jobs", "/api/admin/jobs/status-counts", "/api/admin/jobs/1", "/api/admin/jobs/1/snapshots"],
)
def test_every_admin_route_needs_the_token_before_anything_else(client: TestClient, path: str) -> None:
    for url in (path, f"{path}?limit=x"):
        answer = client.get(url)
        assert (answer.status_code, answer.json()) == (403, {"detail": "Admin token required"})
        assert answer.headers["cache-control"] == "no-store"
    assert client.get(path, headers=TOKEN).headers["cache-control"] == "no-store"
