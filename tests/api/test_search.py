from datetime import date, timedelta
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from tests.api.archives import NOON, Archive
from tests.api.conftest import MakeClient
from webstrata.api.search import SearchParameters
from webstrata.model.search.values import SearchRequest, Sort, View


def found(client: TestClient, **parameters: Any) -> list[int]:
    answer = client.get("/api/search", params=parameters)
    assert answer.status_code == 200, answer.text
    return [result["id"] for result in answer.json()["results"]]


def test_a_hit_has_all_that_the_contract_names(client: TestClient, archive: Archive) -> None:
    archive.source("health", "Health Agency")
    job_id = archive.job("health")
    snapshot_id = archive.snapshot(job_id=job_id, text="Influenza vaccination begins in October.")
    answer = client.get("/api/search", params={"q": "vaccination"})
    assert answer.json() == {
        "results": [
            {
                "id": snapshot_id,
                "title": "Flu",
                "sourceCode": "health",
                "sourceName": "Health Agency",
                "language": "en",
                "captureDate": "2024-05-01",
                "captureTimestamp": "2024-05-01T12:00:00+00:00",
                "jobId": job_id,
                "originalUrl": "https://health.example/flu",
                "snippet": "Influenza vaccination begins in October.",
                "pageSnapshotsCount": None,
                "markedSnippet": [
                    {"text": "Influenza ", "marked": False},
                    {"text": "vaccination", "marked": True},
                    {"text": " begins in October.", "marked": False},
                ],
                "rawSnapshotUrl": f"/api/snapshots/raw/{snapshot_id}",
                "browseUrl": f"http://testserver/web/20240501120000/https://health.example/flu#ha_snapshot={snapshot_id}",
                "quality": None,
                "qualityKind": None,
            }
        ],
        "total": 1,
        "page": 1,
        "pageSize": 20,
    }


def test_the_snippet_shows_why_a_page_was_found(client: TestClient, archive: Archive) -> None:
    archive.snapshot(text="Beginning. " * 200 + "Here is the quinquina. " + "Ending. " * 200, snippet="Beginning.")
    (hit,) = client.get("/api/search", params={"q": "quinquina"}).json()["results"]
    assert "quinquina" in hit["snippet"]
    (browsed,) = client.get("/api/search").json()["results"]
    assert browsed["snippet"] == "Beginning."


def test_the_pages_view_counts_captures(client: TestClient, archive: Archive) -> None:
    archive.snapshot(at=NOON)
    newest = archive.snapshot(at=NOON + timedelta(days=1))
    for parameters in ({}, {"q": "influenza"}):
        answer = client.get("/api/search", params={"view": "pages", **parameters}).json()
        assert [(hit["id"], hit["pageSnapshotsCount"]) for hit in answer["results"]] == [(newest, 2)]
        assert answer["total"] == 1


def test_every_filter_of_the_contract_filters(client: TestClient, archive: Archive) -> None:
    good = archive.snapshot("https://health.example/a", at=NOON)
    error = archive.snapshot("https://health.example/b", at=NOON + timedelta(days=1), status_code=404)
    other = archive.snapshot("https://other.example/", at=NOON + timedelta(days=2), source="other")
    assert found(client) == [other, good]
    assert found(client, includeNon2xx="true") == [other, good, error]
    assert found(client, source="OTHER") == [other]
    assert found(client, to="2024-05-01") == [good]
    assert found(client, **{"from": "2024-05-02"}) == [other]
    assert found(client, **{"from": "2024-05-02", "to": "2024-05-02", "includeNon2xx": "1"}) == [error]
    assert found(client, pageSize=1, page=2) == [good]


def test_duplicates_are_shown_on_demand(client: TestClient, archive: Archive) -> None:
    first = archive.snapshot(at=NOON, content_hash="same")
    second = archive.snapshot(at=NOON + timedelta(hours=1), content_hash="same")
    assert found(client) == [second]
    assert found(client, includeDuplicates="true") == [second, first]


def test_an_unknown_source_finds_nothing(client: TestClient, archive: Archive) -> None:
    archive.snapshot()
    answer = client.get("/api/search", params={"source": "nowhere"})
    assert (answer.status_code, answer.json()["results"], answer.json()["total"]) == (200, [], 0)


@pytest.mark.parametrize("view", ["snapshots", "pages"])
def test_after_the_last_page_there_is_nothing_but_the_total_stays(
    client: TestClient, archive: Archive, view: str
) -> None:
    archive.snapshot()
    for page in (2, 2**31, 2**63, 10**30):
        answer = client.get("/api/search", params={"page": page, "view": view, "pageSize": 100})
        assert answer.status_code == 200
        assert answer.json() == {"results": [], "total": 1, "page": page, "pageSize": 100}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("q", ""), ("q", "x" * 257), ("q", "a\x00b"), ("source", "a\x00b")),
        *(("sort", "oldest"), ("sort", ""), ("view", "tiles"), ("includeNon2xx", "maybe"), ("includeDuplicates", "2")),
        *(("from", "2024-13-01"), ("from", "5"), ("from", "1714550400"), ("to", "2024-05-01T00:00"), ("to", "")),
        *(("page", "0"), ("page", "-1"), ("page", "1.5"), ("page", "9" * 5000)),
        *(("pageSize", "0"), ("pageSize", "101"), ("pageSize", "x")),
    ],
)
def test_a_parameter_out_of_bounds_is_refused_by_name(make_client: MakeClient, name: str, value: str) -> None:
    answer = make_client().get("/api/search", params={name: value})
    assert answer.status_code == 422
    assert [problem["loc"] for problem in answer.json()["detail"]] == [["query", name]]


def test_a_parameter_at_its_bound_is_accepted(client: TestClient) -> None:
    for parameters in ({"q": "x" * 256}, {"pageSize": 1}, {"pageSize": 100}, {"page": 1}):
        assert client.get("/api/search", params=parameters).status_code == 200


def test_a_range_of_days_must_not_be_backwards(client: TestClient) -> None:
    answer = client.get("/api/search", params={"from": "2024-05-02", "to": "2024-05-01"})
    assert answer.status_code == 422
    assert "'from' must not be after 'to'" in answer.json()["detail"][0]["msg"]
    assert client.get("/api/search", params={"from": "2024-05-01", "to": "2024-05-01"}).status_code == 200
    assert client.get("/api/search", params={"from": "0001-01-01", "to": "9999-12-31"}).status_code == 200


def test_every_parameter_reaches_the_search() -> None:
    given_by_name = {
        "q": "flu",
        "source": "HeAlth",
        "sort": "newest",
        "view": "pages",
        "includeNon2xx": "true",
        "includeDuplicates": "true",
        "from": "2024-01-02",
        "to": "2024-03-04",
        "page": "3",
        "pageSize": "50",
    }
    assert SearchParameters.model_validate(given_by_name).to_request() == SearchRequest(
        q="flu",
        source="health",
        sort=Sort.NEWEST,
        view=View.PAGES,
        include_non_2xx=True,
        include_duplicates=True,
        from_date=date(2024, 1, 2),
        to_date=date(2024, 3, 4),
        page=3,
        page_size=50,
    )
    assert SearchParameters.model_validate({}).to_request() == SearchRequest()


NAMES = (
    "q",
    "source",
    "sort",
    "view",
    "includeNon2xx",
    "includeDuplicates",
    "from",
    "to",
    "page",
    "pageSize",
    "ranking",
)
VALUES = (
    st.text(max_size=40)
    | st.integers().map(str)
    | st.dates().map(str)
    | st.sampled_from(
        ["relevance", "newest", "snapshots", "pages", "true", '"', "*", "flu*", "a AND", "NEAR(", "%", "'--"]
    )
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.tuples(st.sampled_from(NAMES), VALUES), max_size=6))
def test_whatever_is_asked_gets_a_response_or_a_refusal(
    client: TestClient, archive: Archive, parameters: list[tuple[str, str]]
) -> None:
    if not archive.warcs:
        archive.snapshot()
    answer = client.get(f"/api/search?{urlencode(parameters)}")
    assert answer.status_code in {200, 422}, answer.text
    body = answer.json()
    if answer.status_code == 422:
        assert all({"loc", "msg", "type"} <= problem.keys() for problem in body["detail"])
    else:
        assert len(body["results"]) <= min(body["total"], body["pageSize"])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.binary(max_size=60))
def test_query_strings_that_are_none_do_no_harm(client: TestClient, query: bytes) -> None:
    assert client.get(f"/api/search?q={quote(query, safe='%&=+;')}").status_code in {200, 422}
