"""The contract, route by route: an existing front end finds every path, parameter, key, type and code that it uses."""

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.api.archives import NOON, Archive
from tests.api.conftest import make_settings
from tests.support.databases import FreshDatabase
from webstrata.api.server import create_api
from webstrata.app import App
from webstrata.db.engine import Database
from webstrata.storage.collections import collection_folder, collection_index

ADMIN = {"Authorization": "Bearer s3cret"}
FRONT = "https://health.example/"
NO_SUCH = 999_999

Shape = Mapping[str, str]
"""What each key holds: `text`, `number`, `flag`, `list`, `object`; with a question mark it may be null."""

_KINDS = {"text": str, "number": int | float, "flag": bool, "list": list, "object": dict}

HIT = {
    "id": "number",
    "title": "text?",
    "sourceCode": "text",
    "sourceName": "text",
    "language": "text?",
    "captureDate": "text",
    "captureTimestamp": "text",
    "jobId": "number?",
    "originalUrl": "text",
    "snippet": "text?",
    "pageSnapshotsCount": "number?",
    "rawSnapshotUrl": "text",
    "browseUrl": "text?",
    "quality": "number?",
    "qualityKind": "text?",
}
DETAIL = {key: kind for key, kind in HIT.items() if key != "pageSnapshotsCount"} | {
    "mimeType": "text?",
    "statusCode": "number?",
    "qualityReasons": "list",
}
SOURCE = {
    "sourceCode": "text",
    "sourceName": "text",
    "baseUrl": "text?",
    "description": "text?",
    "recordCount": "number",
    "firstCapture": "text",
    "lastCapture": "text",
    "latestRecordId": "number?",
    "entryRecordId": "number?",
    "entryBrowseUrl": "text?",
    "entryPreviewUrl": "text?",
}
EDITION = {
    "jobId": "number",
    "jobName": "text",
    "recordCount": "number",
    "firstCapture": "text",
    "lastCapture": "text",
    "entryBrowseUrl": "text?",
}
TIMELINE_ENTRY = {
    "snapshotId": "number",
    "captureDate": "text",
    "captureTimestamp": "text",
    "jobId": "number?",
    "jobName": "text?",
    "title": "text?",
    "statusCode": "number?",
    "compareFromSnapshotId": "number?",
    "browseUrl": "text?",
    "quality": "number?",
    "qualityKind": "text?",
}
USAGE = dict.fromkeys(
    ("searchRequests", "snapshotDetailViews", "rawSnapshotViews", "reportSubmissions"),
    "number",
)
JOB = {
    "id": "number",
    "sourceCode": "text",
    "sourceName": "text",
    "name": "text",
    "status": "text",
    "retryCount": "number",
    "createdAt": "text",
    "queuedAt": "text?",
    "startedAt": "text?",
    "finishedAt": "text?",
    "cleanupStatus": "text",
    "cleanedAt": "text?",
    "crawlerExitCode": "number?",
    "crawlerStatus": "text?",
    "warcFileCount": "number",
    "warcBytesTotal": "number?",
    "indexedPageCount": "number",
    "storageScannedAt": "text?",
}
JOB_DETAIL = JOB | {
    "outputDir": "text",
    "crawlerStage": "text?",
    "pagesCrawled": "number?",
    "pagesTotal": "number?",
    "pagesFailed": "number?",
    "outputBytesTotal": "number?",
    "tmpBytesTotal": "number?",
    "tmpNonWarcBytesTotal": "number?",
    "finalZimPath": "text?",
    "combinedLogPath": "text?",
    "stateFilePath": "text?",
    "config": "object?",
    "lastStats": "object?",
}
EXPORT_COLUMNS = [
    *("snapshot_id", "source_code", "source_name", "captured_url", "normalized_url_group", "capture_timestamp_utc"),
    *("language", "status_code", "mime_type", "title", "job_id", "job_name", "snapshot_url"),
]


@dataclass(frozen=True)
class Filled:
    """A small archive that is only read, and what the tests have to know of it."""

    client: TestClient
    replaying: TestClient
    """A client of the same archive where a replay server is set."""
    front: int
    flu: int
    older_flu: int
    job: int
    hidden: int


@pytest.fixture(scope="module")
def filled(fresh_database_url: FreshDatabase, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    """An archive of two sources and the hidden one, in one database for all of these tests."""
    with fresh_database_url() as url:
        database = Database(url)
        archive = Archive(database, tmp_path_factory.mktemp("archive"))
        archive.source("health", "Health Agency", base_url=FRONT)
        job = archive.job("health", indexed_page_count=3)
        front = archive.snapshot(FRONT, NOON, job_id=job)
        older = archive.snapshot(at=NOON + timedelta(hours=1), job_id=job)
        flu = archive.snapshot(at=NOON + timedelta(days=1), title="Flu, anew", job_id=job)
        archive.snapshot(at=NOON + timedelta(days=2), status_code=404, job_id=archive.job("health"))
        archive.snapshot("https://food.example/", source="food", title="Food and drug act")
        hidden = archive.snapshot("https://test.example/", source="test")
        settings = make_settings(public_site_url="https://archive.example")
        collections = tmp_path_factory.mktemp("collections")
        index = collection_index(collection_folder(collections, job))
        index.parent.mkdir(parents=True)
        index.touch()
        update = {"replay_base_url": "https://replay.example/all", "replay_collections_dir": collections}
        replaying = settings.model_copy(update=update)
        client, other = (TestClient(create_api(App(used, database, archive.root))) for used in (settings, replaying))
        yield Filled(client, other, front, flu, older, job, hidden)
        database.dispose()


def assert_shaped(value: object, shape: Shape, *, exactly: bool = True) -> None:
    """Fail unless a JSON object has the keys of a shape, and only those, each with what it says."""
    assert isinstance(value, dict)
    assert set(value) == set(shape) if exactly else set(value) >= set(shape)
    for key, kind in shape.items():
        wanted = _KINDS[kind.rstrip("?")]
        if value[key] is None:
            assert kind.endswith("?"), f"{key} is null"
        else:
            assert isinstance(value[key], wanted), f"{key} is {value[key]!r}"
            assert isinstance(value[key], bool) == (kind.rstrip("?") == "flag"), f"{key} is {value[key]!r}"


def got(filled: Filled, path: str, **parameters: object) -> object:
    answer = filled.client.get(path, params=parameters)
    assert answer.status_code == 200, answer.text
    return answer.json()


def listed(value: object) -> list[object]:
    assert isinstance(value, list)
    assert value
    return value


def test_health(filled: Filled) -> None:
    answer = got(filled, "/api/health")
    assert_shaped(answer, {"status": "text", "checks": "object"})
    assert isinstance(answer, dict)
    assert_shaped(answer["checks"], {"db": "text", "jobs": "object", "snapshots": "object"})
    assert answer["checks"]["snapshots"] == {"total": 5}
    assert answer["checks"]["jobs"] == {"indexed": 3}


def test_stats(filled: Filled) -> None:
    answer = got(filled, "/api/stats")
    shape = {"snapshotsTotal": "number", "pagesTotal": "number", "sourcesTotal": "number"}
    assert_shaped(answer, shape | {"latestCaptureDate": "text?", "latestCaptureAgeDays": "number?"})
    assert isinstance(answer, dict)
    assert (answer["snapshotsTotal"], answer["pagesTotal"], answer["sourcesTotal"]) == (5, 3, 2)
    assert answer["latestCaptureDate"] == "2024-05-03"


@pytest.mark.parametrize("parameters", [{}, {"lang": "en"}, {"lang": "fr"}])
def test_sources(filled: Filled, parameters: dict[str, str]) -> None:
    answer = listed(got(filled, "/api/sources", **parameters))
    for source in answer:
        assert_shaped(source, SOURCE)
    assert [source["sourceCode"] for source in answer] == ["food", "health"]  # type: ignore[index]


def test_editions(filled: Filled) -> None:
    answer = listed(got(filled, "/api/sources/HEALTH/editions"))
    for edition in answer:
        assert_shaped(edition, EDITION)
    newest, oldest = answer
    assert isinstance(newest, dict)
    assert newest["entryBrowseUrl"] is None
    assert oldest == {
        "jobId": filled.job,
        "jobName": "health-20240501",
        "recordCount": 3,
        "firstCapture": "2024-05-01",
        "lastCapture": "2024-05-02",
        "entryBrowseUrl": f"{SITE}/web/20240501120000/https://health.example/#ha_snapshot={filled.front}",
    }


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"q": "influenza"},
        {"q": "influenza", "source": "HEALTH", "sort": "newest", "view": "pages", "page": "1", "pageSize": "100"},
        {"includeNon2xx": "true", "includeDuplicates": "true", "from": "2024-05-01", "to": "2024-05-31"},
        {"q": "influenza", "ranking": "v1"},
    ],
)
def test_search(filled: Filled, parameters: dict[str, str]) -> None:
    answer = got(filled, "/api/search", **parameters)
    assert_shaped(answer, {"results": "list", "total": "number", "page": "number", "pageSize": "number"}, exactly=False)
    assert isinstance(answer, dict)
    for hit in listed(answer["results"]):
        assert_shaped(hit, HIT, exactly=False)


def test_a_search_that_finds_nothing_is_no_error(filled: Filled) -> None:
    for parameters in ({"source": "nobody"}, {"source": "test"}, {"q": "zebra"}):
        answer = got(filled, "/api/search", **parameters)
        assert isinstance(answer, dict)
        assert (answer["results"], answer["total"]) == ([], 0)
    whole, behind = got(filled, "/api/search"), got(filled, "/api/search", page=99)
    assert isinstance(whole, dict)
    assert isinstance(behind, dict)
    assert (behind["results"], behind["total"], behind["page"]) == ([], whole["total"], 99)


def test_snapshot(filled: Filled) -> None:
    answer = got(filled, f"/api/snapshot/{filled.flu}")
    assert_shaped(answer, DETAIL)
    assert isinstance(answer, dict)
    assert answer["captureTimestamp"] == "2024-05-02T12:00:00+00:00"
    assert answer["captureDate"] == "2024-05-02"
    assert filled.client.get(answer["rawSnapshotUrl"]).headers["content-type"].startswith("text/html")


def test_timeline(filled: Filled) -> None:
    answer = got(filled, f"/api/snapshots/{filled.flu}/timeline")
    shape = {"sourceCode": "text", "sourceName": "text", "normalizedUrlGroup": "text", "snapshots": "list"}
    shape |= {"latestGoodSnapshotId": "number?"}
    assert_shaped(answer, shape)
    assert isinstance(answer, dict)
    for entry in listed(answer["snapshots"]):
        assert_shaped(entry, TIMELINE_ENTRY)
    assert [entry["snapshotId"] for entry in answer["snapshots"]][:2] == [filled.older_flu, filled.flu]


@pytest.mark.parametrize("parameters", [{}, {"requireHtml": "false"}])
def test_latest(filled: Filled, parameters: dict[str, str]) -> None:
    answer = got(filled, f"/api/snapshots/{filled.older_flu}/latest", **parameters)
    assert answer == {
        "found": True,
        "snapshotId": filled.flu,
        "captureTimestamp": "2024-05-02T12:00:00+00:00",
        "mimeType": "text/html",
    }


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"source": "health", "jobId": "1", "latest": "true", "includeUnchanged": "true"},
        {"from": "2024-05-01", "to": "2024-05-31", "page": "3", "pageSize": "100"},
    ],
)
def test_an_archive_without_changes_lists_none(filled: Filled, parameters: dict[str, str]) -> None:
    assert got(filled, "/api/changes", **parameters) == {
        "enabled": True,
        "total": 0,
        "page": int(parameters.get("page", "1")),
        "pageSize": int(parameters.get("pageSize", "20")),
        "results": [],
        "templateChanges": [],
    }


@pytest.mark.parametrize(
    ("name", "content_type"),
    [("rss", "application/rss+xml"), ("atom", "application/atom+xml"), ("feed.json", "application/feed+json")],
)
def test_feeds_are_there_and_empty(filled: Filled, name: str, content_type: str) -> None:
    for parameters in ({}, {"source": "health"}):
        answer = filled.client.get(f"/api/changes/{name}", params=parameters)
        assert answer.status_code == 200
        assert answer.headers["content-type"].partition(";")[0] == content_type
        assert "<item>" not in answer.text
        assert "<entry>" not in answer.text


def test_usage_has_every_day(filled: Filled) -> None:
    answer = got(filled, "/api/usage")
    assert_shaped(answer, {"enabled": "flag", "windowDays": "number", "totals": "object", "daily": "list"})
    assert isinstance(answer, dict)
    assert_shaped(answer["totals"], USAGE)
    for day in answer["daily"]:
        assert_shaped(day, USAGE | {"date": "text"})
    dates = [day["date"] for day in answer["daily"]]
    last = datetime.fromisoformat(dates[-1]).replace(tzinfo=UTC)
    assert dates == [(last - timedelta(days=n)).date().isoformat() for n in reversed(range(answer["windowDays"]))]


def test_exports_are_described(filled: Filled) -> None:
    answer = got(filled, "/api/exports")
    shape = {"enabled": "flag", "formats": "list", "defaultLimit": "number", "maxLimit": "number"}
    assert_shaped(answer, shape | {"dataDictionaryUrl": "text", "snapshots": "object", "changes": "object"})
    assert isinstance(answer, dict)
    for kind in ("snapshots", "changes"):
        assert_shaped(answer[kind], {"path": "text", "description": "text", "formats": "list"})


@pytest.mark.parametrize("form", ["jsonl", "ndjson", "csv"])
@pytest.mark.parametrize("compressed", [True, False])
def test_snapshots_are_exported_in_every_form(filled: Filled, form: str, compressed: bool) -> None:
    parameters = {"format": form} if compressed else {"format": form, "compressed": "false"}
    answer = filled.client.get("/api/exports/snapshots", params=parameters)
    assert answer.status_code == 200
    content = gzip.decompress(answer.content) if compressed else answer.content
    lines = content.decode().splitlines()
    if form == "csv":
        assert lines.pop(0) == ",".join(EXPORT_COLUMNS)
        assert lines[0].startswith(f"{filled.front},health,Health Agency,{FRONT},")
        assert lines[0].endswith(f",https://archive.example/snapshot/{filled.front}")
    else:
        assert list(json.loads(lines[0])) == EXPORT_COLUMNS
    assert len(lines) == 5


REFUSALS = [
    ("/api/sources?lang=de", 422, None),
    ("/api/sources/nobody/editions", 404, "Source not found"),
    ("/api/sources/test/editions", 404, "Source not found"),
    ("/api/sources/nobody/preview", 404, "Source not found"),
    ("/api/sources/health/preview", 404, None),
    ("/api/sources/health/preview?jobId=1&lang=fr", 404, None),
    ("/api/sources/health/preview?jobId=0", 422, None),
    ("/api/sources/health/preview?lang=de", 422, None),
    ("/api/search?q=", 422, None),
    (f"/api/search?q={'x' * 257}", 422, None),
    ("/api/search?sort=oldest", 422, None),
    ("/api/search?view=sites", 422, None),
    ("/api/search?page=0", 422, None),
    ("/api/search?pageSize=0", 422, None),
    ("/api/search?pageSize=101", 422, None),
    ("/api/search?from=2024-06-01&to=2024-05-01", 422, None),
    ("/api/search?from=yesterday", 422, None),
    ("/api/search?from=1700006400", 422, None),
    ("/api/search?to=1700006400", 422, None),
    ("/api/search?asOf=1700006400", 422, None),
    ("/api/search?from=2024-02-30", 422, None),
    ("/api/search?from=2024-05-1T", 422, None),
    (f"/api/snapshot/{NO_SUCH}", 404, "Snapshot not found"),
    ("/api/snapshot/one", 422, None),
    (f"/api/snapshots/raw/{NO_SUCH}", 404, "Snapshot not found"),
    (f"/api/snapshots/{NO_SUCH}/timeline", 404, "Snapshot not found"),
    (f"/api/snapshots/{NO_SUCH}/latest", 404, "Snapshot not found"),
    ("/api/snapshots/1/latest?requireHtml=perhaps", 422, None),
    (f"/api/snapshots/{NO_SUCH}/compare-live", 404, "Snapshot not found"),
    ("/api/snapshots/1/compare-live", 404, None),
    ("/api/snapshots/1/compare-live?mode=full", 404, None),
    ("/api/snapshots/1/compare-live?mode=half", 422, None),
    ("/api/changes?source=nobody", 404, "Source not found"),
    ("/api/changes?source=test", 404, "Source not found"),
    ("/api/changes?jobId=0", 422, None),
    ("/api/changes?page=0", 422, None),
    ("/api/changes?pageSize=101", 422, None),
    ("/api/changes?from=2024-06-01&to=2024-05-01", 422, None),
    ("/api/changes?from=1700006400", 422, None),
    ("/api/changes/compare", 422, None),
    ("/api/changes/compare?toSnapshotId=0", 422, None),
    ("/api/changes/compare?toSnapshotId=1&fromSnapshotId=0", 422, None),
    (f"/api/changes/compare?toSnapshotId={NO_SUCH}", 404, "Snapshot not found"),
    (f"/api/changes/compare?toSnapshotId=1&fromSnapshotId={NO_SUCH}", 404, "Snapshot not found"),
    ("/api/changes?minSignificance=1.5", 422, None),
    ("/api/changes?changeType=edited", 422, None),
    ("/api/changes?sort=oldest", 422, None),
    ("/api/changes/rss?source=nobody", 404, "Source not found"),
    ("/api/changes/atom?source=test", 404, "Source not found"),
    ("/api/replay/resolve", 422, None),
    ("/api/replay/resolve?jobId=0&url=https://x.example", 422, None),
    ("/api/replay/resolve?jobId=1&url=", 422, None),
    (f"/api/replay/resolve?jobId=1&url=https://x.example/{'x' * 4096}", 422, None),
    ("/api/replay/resolve?jobId=1&url=nothing", 400, None),
    ("/api/replay/resolve?jobId=1&url=ftp://x.example", 400, None),
    ("/api/replay/resolve?jobId=1&url=https://x.example&timestamp=2024", 400, None),
    ("/api/replay/resolve?jobId=1&url=https://x.example&timestamp=20241301000000", 400, None),
    ("/api/replay/resolve?jobId=1&url=https://x.example&timestamp=20240501000000", 404, None),
    ("/api/exports/snapshots?format=xml", 422, None),
    ("/api/exports/snapshots?source=nobody", 404, "Source not found"),
    ("/api/exports/snapshots?source=test", 404, "Source not found"),
    ("/api/exports/snapshots?afterId=-1", 422, None),
    ("/api/exports/snapshots?limit=0", 422, None),
    ("/api/exports/snapshots?from=2024-06-01&to=2024-05-01", 422, None),
    ("/api/exports/snapshots?to=1700006400", 422, None),
    ("/api/exports/changes?source=nobody", 404, "Source not found"),
    ("/api/exports/changes?limit=0", 422, None),
    (f"/api/admin/jobs/{NO_SUCH}", 404, "Job not found"),
    ("/api/admin/jobs?limit=0", 422, None),
    ("/api/admin/jobs?limit=501", 422, None),
    ("/api/admin/jobs?offset=-1", 422, None),
    (f"/api/admin/reports/{NO_SUCH}", 404, None),
    ("/api/nothing", 404, None),
]


SITE = "https://archive.example"
BROWSED = ("/api/snapshots/{flu}/timeline", "/api/search?source=health", "/api/snapshot/{flu}")
ENTERED = ("/api/sources", "/api/sources/health/editions")


def test_captures_are_browsed_at_our_own_addresses_without_a_replay_server(filled: Filled) -> None:
    for path in BROWSED:
        found = _browse_urls(got(filled, path.format(flu=filled.older_flu)))
        assert any(url and url.endswith(f"/https://health.example/flu#ha_snapshot={filled.older_flu}") for url in found)
        assert all(url and url.startswith(f"{SITE}/web/2024") for url in found)
    for path in ENTERED:
        front = f"{SITE}/web/20240501120000/https://health.example/#ha_snapshot={filled.front}"
        assert front in _browse_urls(got(filled, path))


def test_an_address_leads_to_the_capture_of_a_job_that_is_closest_in_time(filled: Filled) -> None:
    asked = {"jobId": filled.job, "url": "http://www.health.example/flu", "timestamp": "20240501120000"}
    found = got(filled, "/api/replay/resolve", **asked)
    assert isinstance(found, dict)
    assert set(found) == {"found", "snapshotId", "captureTimestamp", "resolvedUrl", "browseUrl", "mimeType"}
    assert (found["found"], found["snapshotId"]) == (True, filled.older_flu)
    assert found["resolvedUrl"] == "https://health.example/flu"
    assert found["captureTimestamp"] == "2024-05-01T13:00:00+00:00"
    assert found["browseUrl"] == f"{SITE}/web/20240501130000/https://health.example/flu#ha_snapshot={filled.older_flu}"
    assert filled.client.get(f"/api/replay/resolve?jobId={filled.job}&url=https://health.example/x").status_code == 404


def test_captures_are_browsed_on_the_replay_server_that_is_set(filled: Filled) -> None:
    base = f"https://replay.example/all/job-{filled.job}"
    for path in BROWSED:
        found = _browse_urls(filled.replaying.get(path.format(flu=filled.older_flu)).json())
        assert any(url and url.endswith(f"/flu#ha_snapshot={filled.older_flu}") for url in found)
    for path in ENTERED:
        found = _browse_urls(filled.replaying.get(path).json())
        assert f"{base}/20240501120000/https://health.example/#ha_snapshot={filled.front}" in found


def _browse_urls(answer: object) -> set[str | None]:
    """Collect every `browseUrl` and `entryBrowseUrl` of an answer, however deep."""
    if isinstance(answer, list):
        return set().union(*map(_browse_urls, answer))
    if not isinstance(answer, dict):
        return set()
    own = {value for key, value in answer.items() if key in {"browseUrl", "entryBrowseUrl"}}
    return own.union(*map(_browse_urls, answer.values()))


@pytest.mark.parametrize(
    ("path", "empty"),
    [
        ("/api/search", "source="),
        ("/api/search/appearances?q=influenza", "source=%20"),
        ("/api/changes", "source="),
        ("/api/changes/rss", "source="),
        ("/api/exports/snapshots?compressed=false", "source="),
        ("/api/admin/jobs", "source=&status="),
        ("/api/admin/search-debug", "source="),
        ("/api/admin/reports", "status=&category="),
        ("/api/admin/audit-log", "target=&action=&actor="),
    ],
)
def test_an_empty_filter_narrows_nothing(filled: Filled, path: str, empty: str) -> None:
    whole = filled.client.get(path, headers=ADMIN)
    again = filled.client.get(f"{path}{'&' if '?' in path else '?'}{empty}", headers=ADMIN)
    assert (again.status_code, again.text) == (200, whole.text)


def test_a_search_for_spaces_is_none(filled: Filled) -> None:
    assert got(filled, "/api/search", q="  \t") == got(filled, "/api/search")


@pytest.mark.parametrize("name", ["rss", "atom", "feed.json"])
def test_a_sources_feed_has_an_address_of_its_own(filled: Filled, name: str) -> None:
    for query, address in (("", ""), ("?source=HEALTH&x=y", "?source=health")):
        feed = filled.client.get(f"/api/changes/{name}{query}")
        assert f'{SITE}/api/changes/{name}{address}"' in feed.text.replace("</id>", '"')


def test_what_makes_no_sense_is_refused_with_the_contracts_code(filled: Filled) -> None:
    wrong = []
    for path, status, detail in REFUSALS:
        answer = filled.client.get(path, headers=ADMIN)
        said = answer.json().get("detail")
        if answer.status_code != status or not said or (detail is not None and said != detail):
            wrong.append((path, answer.status_code, said))
    assert wrong == []


PUBLIC_PATHS = [
    *("/api/health", "/api/stats", "/api/sources", "/api/sources/health/editions", "/api/search?q=influenza"),
    *("/api/snapshot/{}", "/api/snapshots/raw/{}", "/api/snapshots/{}/timeline", "/api/snapshots/{}/latest"),
    *("/api/changes", "/api/changes/rss", "/api/changes/atom", "/api/changes/feed.json", "/api/usage"),
    *("/api/exports", "/api/exports/snapshots", "/api/exports/snapshots?compressed=false&format=csv"),
    *(
        "/cdx?url=health.example",
        "/api/exports/changes",
        "/api/sources/health/preview",
        "/api/replay/resolve?jobId=1&url=https://x.example",
    ),
]
_OF_ONE_REQUEST = {"x-request-id", "content-length", "transfer-encoding"}


@pytest.mark.parametrize("path", PUBLIC_PATHS)
def test_head_has_the_headers_of_get(filled: Filled, path: str) -> None:
    get, head = (filled.client.request(method, path.format(filled.flu)) for method in ("GET", "HEAD"))
    assert (head.status_code, head.content) == (get.status_code, b"")
    said, wanted = ({k: v for k, v in answer.headers.items() if k not in _OF_ONE_REQUEST} for answer in (head, get))
    assert said == wanted


@pytest.mark.parametrize(
    "path",
    [
        *("/api/sources", "/api/sources/health/editions", "/api/snapshot/{}", "/api/snapshots/raw/{}"),
        *("/api/snapshots/{}/timeline", "/api/snapshots/{}/latest", "/api/changes/rss", "/api/changes/atom"),
    ],
)
def test_what_a_client_has_already_is_not_sent_again(filled: Filled, path: str) -> None:
    first = filled.client.get(path.format(filled.flu))
    again = filled.client.get(path.format(filled.flu), headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert first.headers["cache-control"].startswith("public, max-age=")


def test_admin_lists(filled: Filled) -> None:
    client = filled.client
    jobs = client.get("/api/admin/jobs", params={"source": "health", "status": "indexed"}, headers=ADMIN).json()
    assert_shaped(jobs, {"items": "list", "total": "number", "limit": "number", "offset": "number"})
    for job in listed(jobs["items"]):
        assert_shaped(job, JOB, exactly=False)
    assert_shaped(client.get(f"/api/admin/jobs/{filled.job}", headers=ADMIN).json(), JOB_DETAIL, exactly=False)
    assert_shaped(client.get("/api/admin/jobs/status-counts", headers=ADMIN).json(), {"counts": "object"})
    snapshots = client.get(f"/api/admin/jobs/{filled.job}/snapshots", headers=ADMIN).json()
    shape = {"id": "number", "url": "text", "captureTimestamp": "text", "statusCode": "number?"}
    for snapshot in listed(snapshots):
        assert_shaped(snapshot, shape | {"language": "text?", "title": "text?"})
    assert client.get(f"/api/admin/jobs/{NO_SUCH}/snapshots", headers=ADMIN).json() == []
    reports = client.get("/api/admin/reports", headers=ADMIN).json()
    assert_shaped(reports, {"items": "list", "total": "number", "limit": "number", "offset": "number"})


def test_the_hidden_sources_snapshot_is_in_no_list(filled: Filled) -> None:
    for path in (
        "/api/search?includeNon2xx=true&pageSize=100",
        "/api/sources",
        "/api/exports/snapshots?compressed=false",
    ):
        assert "test.example" not in filled.client.get(path).text
    assert filled.client.get(f"/api/snapshot/{filled.hidden}").status_code == 200


def test_every_route_of_the_contract_is_described(filled: Filled) -> None:
    described = filled.client.get("/openapi.json").json()["paths"]
    wanted = [
        *("/api/health", "/api/stats", "/api/sources", "/api/sources/{code}/editions", "/api/sources/{code}/preview"),
        *("/api/search", "/api/snapshot/{snapshot_id}", "/api/snapshots/raw/{snapshot_id}"),
        *("/api/snapshots/{snapshot_id}/timeline", "/api/snapshots/{snapshot_id}/latest"),
        *("/api/snapshots/{snapshot_id}/compare-live", "/api/changes", "/api/changes/compare", "/api/changes/rss"),
        *("/api/replay/resolve", "/api/usage", "/api/exports", "/api/exports/snapshots", "/api/exports/changes"),
        *("/api/admin/jobs", "/api/admin/jobs/status-counts", "/api/admin/jobs/{job_id}"),
        *("/api/admin/jobs/{job_id}/snapshots", "/api/admin/reports", "/api/admin/reports/{report_id}"),
        "/api/admin/search-debug",
    ]
    assert [path for path in wanted if "get" not in described.get(path, {})] == []
    assert "post" in described["/api/reports"]


def test_every_text_that_must_not_hold_a_nul_is_described_so(filled: Filled) -> None:
    schemas = filled.client.get("/openapi.json").json()["components"]["schemas"]
    for schema, key in (
        ("ReportChangeSchema", "internalNotes"),
        ("NewJobSchema", "source"),
        ("NewSourceSchema", "name"),
    ):
        described = schemas[schema]["properties"][key]
        assert r"\u0000" in described.get("pattern", described.get("anyOf", [{}])[0].get("pattern", "")), (schema, key)


def test_every_public_route_is_in_the_docs(filled: Filled) -> None:
    written = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
    described = filled.client.get("/openapi.json").json()["paths"]
    public = [path for path in described if path.startswith("/api/") and not path.startswith("/api/admin")]
    assert [path for path in public if f"`{path}`" not in written and f"`POST {path}`" not in written] == []
