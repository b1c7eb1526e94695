from datetime import timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.api.archives import NOON, Archive
from webstrata.replay.banner import BANNER_ID


def test_a_snapshot_has_all_that_the_contract_names(client: TestClient, archive: Archive) -> None:
    archive.source("health", "Health Agency")
    job_id = archive.job("health")
    snapshot_id = archive.snapshot(job_id=job_id, text="Influenza.", at=NOON + timedelta(microseconds=5))
    answer = client.get(f"/api/snapshot/{snapshot_id}")
    assert answer.status_code == 200
    assert answer.json() == {
        "id": snapshot_id,
        "title": "Flu",
        "sourceCode": "health",
        "sourceName": "Health Agency",
        "language": "en",
        "captureDate": "2024-05-01",
        "captureTimestamp": "2024-05-01T12:00:00.000005+00:00",
        "jobId": job_id,
        "originalUrl": "https://health.example/flu",
        "snippet": "Influenza.",
        "rawSnapshotUrl": f"/api/snapshots/raw/{snapshot_id}",
        "browseUrl": f"http://testserver/web/20240501120000/https://health.example/flu#ha_snapshot={snapshot_id}",
        "quality": None,
        "qualityKind": None,
        "mimeType": "text/html",
        "statusCode": 200,
        "qualityReasons": [],
    }


def test_unknown_fields_of_a_snapshot_are_null(client: TestClient, archive: Archive) -> None:
    snapshot_id = archive.snapshot(title=None, snippet=None, language=None, mime_type=None, status_code=None)
    answer = client.get(f"/api/snapshot/{snapshot_id}").json()
    unknown = ("title", "snippet", "language", "mimeType", "statusCode")
    assert [answer[key] for key in unknown] == [None] * len(unknown)


def test_the_quality_of_captures_is_reported_and_the_latest_good_one_named(
    client: TestClient, archive: Archive
) -> None:
    good = archive.snapshot(at=NOON, quality=1.0, quality_kind="page")
    reasons = 'its title is "just a moment"\nit has a captcha'
    bad = archive.snapshot(at=NOON + timedelta(days=1), quality=0.0, quality_kind="captcha", quality_reasons=reasons)
    timeline = client.get(f"/api/snapshots/{bad}/timeline").json()
    assert timeline["latestGoodSnapshotId"] == good
    assert [(one["quality"], one["qualityKind"]) for one in timeline["snapshots"]] == [(1, "page"), (0, "captcha")]
    assert client.get(f"/api/snapshot/{bad}").json()["qualityReasons"] == reasons.split("\n")
    assert client.get(f"/api/snapshots/{bad}/latest").json()["snapshotId"] == good
    for view, shown in (("snapshots", {good: "page", bad: "captcha"}), ("pages", {good: "page"})):
        found = client.get(f"/api/search?view={view}&includeDuplicates=true").json()
        assert {one["id"]: one["qualityKind"] for one in found["results"]} == shown
        assert found["total"] == len(shown)


@pytest.mark.parametrize("path", ["/api/snapshot/{}", "/api/snapshots/raw/{}", "/api/snapshots/{}/timeline"])
def test_an_id_that_no_snapshot_has_is_not_found(client: TestClient, path: str) -> None:
    for snapshot_id in (0, -1, 999, 2**31, 2**63, 10**40):
        answer = client.get(path.format(snapshot_id))
        assert (answer.status_code, answer.json()) == (404, {"detail": "Snapshot not found"})


@pytest.mark.parametrize("path", ["/api/snapshot/x", "/api/snapshots/raw/1.5", "/api/snapshots/%00/timeline"])
def test_an_id_that_is_no_number_is_refused(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"] == ["path", "snapshot_id"]


def test_a_timeline_lists_a_pages_captures_oldest_first(client: TestClient, archive: Archive) -> None:
    archive.source("health", "Health Agency")
    job_id = archive.job("health", name="health-20240501")
    newer = archive.snapshot(at=NOON + timedelta(days=1), title="New", status_code=404, job_id=job_id)
    older = archive.snapshot(at=NOON, title="Old", job_id=job_id)
    archive.snapshot("https://health.example/other")
    archive.snapshot(source="other")
    answer = client.get(f"/api/snapshots/{newer}/timeline")
    assert answer.json() == {
        "sourceCode": "health",
        "sourceName": "Health Agency",
        "normalizedUrlGroup": "https://health.example/flu",
        "latestGoodSnapshotId": older,
        "snapshots": [
            {
                "snapshotId": older,
                "captureDate": "2024-05-01",
                "captureTimestamp": "2024-05-01T12:00:00+00:00",
                "jobId": job_id,
                "jobName": "health-20240501",
                "title": "Old",
                "statusCode": 200,
                "compareFromSnapshotId": None,
                "browseUrl": f"http://testserver/web/20240501120000/https://health.example/flu#ha_snapshot={older}",
                "quality": None,
                "qualityKind": None,
            },
            {
                "snapshotId": newer,
                "captureDate": "2024-05-02",
                "captureTimestamp": "2024-05-02T12:00:00+00:00",
                "jobId": job_id,
                "jobName": "health-20240501",
                "title": "New",
                "statusCode": 404,
                "compareFromSnapshotId": older,
                "browseUrl": f"http://testserver/web/20240502120000/https://health.example/flu#ha_snapshot={newer}",
                "quality": None,
                "qualityKind": None,
            },
        ],
    }
    assert client.get(f"/api/snapshots/{older}/timeline").json() == answer.json()


def test_the_raw_view_is_the_archived_page_with_a_banner_after_its_body_tag(
    client: TestClient, archive: Archive
) -> None:
    body = b"<!doctype html><title>x</title><body class=a><p>Archived \xe9</p>"
    snapshot_id = archive.snapshot(body=body, content_type="text/html; charset=iso-8859-1")
    answer = client.get(f"/api/snapshots/raw/{snapshot_id}")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=windows-1252"
    before, _, after = answer.content.partition(b"<body class=a>")
    banner, _, rest = after.partition(b"</div>")
    assert (before, rest) == (b"<!doctype html><title>x</title>", b"<p>Archived \xe9</p>")
    assert banner.startswith(f'<div id="{BANNER_ID}"'.encode())
    for shown in (
        b"Flu",
        b"https://health.example/flu",
        b"2024-05-01 12:00:00 UTC",
        b'href="/snapshot/%d"' % snapshot_id,
    ):
        assert shown in banner


def test_hostile_titles_and_addresses_stay_text_in_the_banner(client: TestClient, archive: Archive) -> None:
    url = "https://health.example/?q='\"><script>alert(1)</script>"
    snapshot_id = archive.snapshot(url, title="</div><script>alert(2)</script>", body=b"<body>page")
    content = client.get(f"/api/snapshots/raw/{snapshot_id}").content
    assert b"<script" not in content


@pytest.mark.parametrize(
    ("declared", "encoded_as", "label"),
    [
        ("text/html; charset=euc-jp", "euc-jp", "euc-jp"),
        ("text/html; charset=Shift_JIS", "shift_jis", "shift_jis"),
        ("text/html; charset=utf-16be", "utf-16-be", "utf-16be"),
        ("text/html", "utf-8", "utf-8"),
    ],
)
def test_a_page_keeps_its_charset_under_a_name_that_browsers_know(
    client: TestClient, archive: Archive, declared: str, encoded_as: str, label: str
) -> None:
    page = "<meta charset=utf-8><body>日本のインフルエンザ"
    snapshot_id = archive.snapshot(body=page.encode(encoded_as), content_type=declared)
    answer = client.get(f"/api/snapshots/raw/{snapshot_id}")
    assert answer.headers["content-type"] == f"text/html; charset={label}"
    shown = answer.content.decode(encoded_as)
    assert shown.endswith("日本のインフルエンザ")
    assert f'<body><div id="{BANNER_ID}"' in shown


@pytest.mark.parametrize(
    ("archived_as", "served_as"),
    [
        ("application/xhtml+xml", "text/html"),
        ("text/plain", "text/plain"),
        ("image/png", "image/png"),
        ("application/pdf", "application/pdf"),
        ("image/svg+xml", "application/octet-stream"),
        ("text/javascript", "application/octet-stream"),
        ("application/xml", "application/octet-stream"),
        ("multipart/x-mixed-replace", "application/octet-stream"),
    ],
)
def test_only_harmless_kinds_are_served_as_what_they_are(
    client: TestClient, archive: Archive, archived_as: str, served_as: str
) -> None:
    snapshot_id = archive.snapshot(body=b"<svg/>", content_type=archived_as, mime_type=archived_as)
    answer = client.get(f"/api/snapshots/raw/{snapshot_id}")
    assert answer.headers["content-type"].partition(";")[0] == served_as
    assert (answer.content == b"<svg/>") is (served_as != "text/html")
    assert answer.headers["content-security-policy"].startswith("sandbox;")
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_an_archived_error_page_is_shown_as_a_page(client: TestClient, archive: Archive) -> None:
    snapshot_id = archive.snapshot(body=b"<body>gone", status_code=410)
    assert client.get(f"/api/snapshots/raw/{snapshot_id}").status_code == 200


def test_a_missing_record_is_reported_in_the_contracts_words(client: TestClient, archive: Archive, root: Path) -> None:
    no_path = archive.snapshot(warc_path="")
    no_file = archive.snapshot(warc_path="health/never.warc.gz")
    outside = archive.snapshot(warc_path="../../etc/passwd")
    no_record = archive.snapshot(warc_offset=10**9)
    texts = {key: client.get(f"/api/snapshots/raw/{key}") for key in (no_path, no_file, outside, no_record)}
    assert {answer.status_code for answer in texts.values()} == {404}
    assert {key: answer.json()["detail"] for key, answer in texts.items()} == {
        no_path: "No WARC path associated with this snapshot",
        no_file: "Underlying WARC file for this snapshot is missing",
        outside: "Underlying WARC file for this snapshot is missing",
        no_record: "Could not locate corresponding record in the WARC file",
    }


@pytest.mark.parametrize("path", ["/api/snapshot/{}", "/api/snapshots/raw/{}"])
def test_what_a_client_has_already_is_not_sent_again(client: TestClient, archive: Archive, path: str) -> None:
    url = path.format(archive.snapshot())
    first = client.get(url)
    etag = first.headers["etag"]
    assert first.headers["cache-control"] == "public, max-age=3600"
    for known in (etag, f"W/{etag}", f'"other", {etag}', "*"):
        again = client.get(url, headers={"If-None-Match": known})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == etag
        assert again.headers["cache-control"] == first.headers["cache-control"]
    assert client.get(url, headers={"If-None-Match": '"other"'}).content == first.content


def test_two_snapshots_have_two_etags(client: TestClient, archive: Archive) -> None:
    one, two = archive.snapshot(), archive.snapshot(at=NOON + timedelta(days=1))
    for path in ("/api/snapshot/{}", "/api/snapshots/raw/{}"):
        assert client.get(path.format(one)).headers["etag"] != client.get(path.format(two)).headers["etag"]
