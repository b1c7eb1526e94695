"""What the API's search says beyond what older clients know, and what it tells operators."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.api.archives import NOON, Archive
from tests.api.conftest import MakeClient


def get(client: TestClient, path: str = "/api/search", **parameters: object) -> Any:
    answer = client.get(path, params=parameters)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.fixture
def three(archive: Archive) -> list[int]:
    """Three pages that say the same on three days."""
    return [
        archive.snapshot(f"https://example.org/{day}", datetime(2024, 5, day, tzinfo=UTC), title="Coronavirus")
        for day in (1, 2, 3)
    ]


def test_a_cursor_leads_through_all_results(client: TestClient, three: list[int]) -> None:
    seen: list[int] = []
    cursor: dict[str, str] = {}
    while True:
        body = get(client, q="coronavirus", pageSize=2, **cursor)
        seen += [hit["id"] for hit in body["results"]]
        assert body["total"] == 3
        if "nextCursor" not in body:
            break
        cursor = {"cursor": body["nextCursor"]}
    assert sorted(seen) == three


def test_fields_without_a_value_are_left_out(client: TestClient, three: list[int]) -> None:
    assert get(client, q="coronavirus").keys() == {"results", "total", "page", "pageSize"}


def test_facets_and_what_was_searched_instead_are_reported_when_asked_or_needed(
    client: TestClient, three: list[int]
) -> None:
    body = get(client, q="coronovirus", facets="true")
    assert body["instead"] == "coronavirus"
    assert body["facets"]["year"] == [{"value": "2024", "count": 3}]
    assert body["facets"].keys() == {"source", "year", "language", "type"}


def test_results_are_narrowed_by_what_facets_count(client: TestClient, three: list[int]) -> None:
    assert get(client, year=2024)["total"] == get(client, type="html")["total"] == 3
    for nothing in ({"year": 2023}, {"type": "pdf"}, {"language": "xx"}):
        assert get(client, **nothing)["total"] == 0
    assert get(client, asOf="2024-05-02")["total"] == 2


def test_a_page_has_the_captures_that_it_had_on_a_day(client: TestClient, archive: Archive) -> None:
    for days in range(3):
        archive.snapshot(at=NOON + timedelta(days=days), text=f"Edition {days}")
    counts = {
        day: [hit["pageSnapshotsCount"] for hit in get(client, q="edition", view="pages", asOf=day)["results"]]
        for day in ("2024-04-30", "2024-05-01", "2024-05-02", "2024-05-03", "9999-12-31")
    }
    assert counts == {"2024-04-30": [], "2024-05-01": [1], "2024-05-02": [2], "2024-05-03": [3], "9999-12-31": [3]}


@pytest.mark.parametrize(
    ("name", "value"),
    [("cursor", "x"), ("cursor", "W10"), ("asOf", "soon"), ("year", "0"), ("type", "film"), ("ranking", "v3")],
)
def test_a_new_parameter_out_of_bounds_is_refused_by_name(make_client: MakeClient, name: str, value: str) -> None:
    answer = make_client().get("/api/search", params={name: value})
    assert answer.status_code == 422
    assert [problem["loc"] for problem in answer.json()["detail"]] == [["query", name]]


def test_it_is_reported_when_a_sentence_first_and_last_appeared(client: TestClient, three: list[int]) -> None:
    body = get(client, "/api/search/appearances", q="vaccination begins in October")
    assert (body["first"]["id"], body["last"]["id"], body["captures"]) == (three[0], three[2], 3)
    body = get(client, "/api/search/appearances", q="nothing of this kind")
    assert (body["first"], body["last"], body["captures"]) == (None, None, 0)
    assert client.get("/api/search/appearances").status_code == 422


def test_operators_see_how_a_query_was_understood_and_each_part_of_a_score(
    client: TestClient, three: list[int]
) -> None:
    client.headers["X-Admin-Token"] = "s3cret"
    body = get(client, "/api/admin/search-debug", q="title:coronavirus OR flu")
    assert (body["intent"], body["fallback"], body["searched"]) == ("advanced", "none", "(title:coronavirus OR flu)")
    found = get(client, q="title:coronavirus OR flu")
    assert [hit["id"] for hit in body["results"]] == [hit["id"] for hit in found["results"]]
    for hit in body["results"]:
        score = hit["score"]
        parts = ("text", "title", "authority", "depth", "url")
        assert score["total"] == pytest.approx(sum(score[part] for part in parts))
    assert get(client, "/api/admin/search-debug")["results"][0]["score"] is None


def test_no_one_else_sees_that(make_client: MakeClient) -> None:
    assert make_client().get("/api/admin/search-debug?q=flu").status_code == 403
