import csv
import json
from datetime import timedelta
from io import StringIO
from ipaddress import ip_network
from typing import Any
from xml.etree import ElementTree

import pytest
from starlette.testclient import TestClient

from tests.api.archives import NOON, Archive
from tests.api.conftest import MakeClient
from tests.support.changed import DOSE, write_event
from tests.support.web_server import Answer, redirect, serving
from webstrata.changes.events import plain_event
from webstrata.changes.on_request import ComparisonCache, PairComparison
from webstrata.db.changes.changes import CapturePair, NewEvent, load_snapshots
from webstrata.db.engine import Database
from webstrata.db.schema.change_tables import SnapshotChange, TemplateChange
from webstrata.http.export_rows import CHANGE_COLUMNS
from webstrata.model.changes.values import ChangeType

LOOPBACK = ip_network("127.0.0.1/32")
FEVER = "https://health.example/fever"
UPDATE: dict[str, Any] = {
    "summary": "1 section changed",
    "significance": 0.6,
    "reasons": [DOSE],
    "ignored": [{"text": "Updated today", "reason": "a date that changes with every capture"}],
    "diff_format": "html",
    "diff_html": "<ins>400 mg</ins>",
    "changed_sections": 1,
    "added_lines": 1,
    "removed_lines": 1,
    "change_ratio": 0.5,
}
EVENT_KEYS = {
    *("changeId", "changeType", "summary", "highNoise", "diffAvailable", "sourceCode", "sourceName"),
    *("normalizedUrlGroup", "fromSnapshotId", "toSnapshotId", "fromCaptureTimestamp", "toCaptureTimestamp"),
    *("fromJobId", "toJobId", "addedSections", "removedSections", "changedSections", "addedLines", "removedLines"),
    *("changeRatio", "title", "significance", "reasons", "ignored", "templateChanged", "reviewStatus"),
}


@pytest.fixture
def fever(archive: Archive) -> list[int]:
    """Four captures of a page, a day apart: the first, an update, no change, an update that matters little."""
    ids = [
        archive.snapshot(FEVER, NOON + timedelta(days=day), text=text, title="Fever", body=_page(text))
        for day, text in enumerate(f"Give {dose} mg every six hours." for dose in (200, 400, 400, 401))
    ]
    write_event(archive.database, None, ids[0], "new_page", summary="first capture of this page")
    write_event(archive.database, ids[0], ids[1], **UPDATE)
    write_event(archive.database, ids[1], ids[2], "unchanged")
    write_event(archive.database, ids[2], ids[3], significance=0.1, diff_format="html", diff_html="")
    hidden = archive.snapshot("https://test.example/", source="test")
    write_event(archive.database, None, hidden, "new_page")
    return ids


def kinds(client: TestClient, **parameters: object) -> list[str]:
    answer = client.get("/api/changes", params=parameters)
    assert answer.status_code == 200
    return [event["changeType"] for event in answer.json()["results"]]


def test_changes_are_listed_newest_first_with_what_makes_them_matter(client: TestClient, fever: list[int]) -> None:
    answer = client.get("/api/changes").json()
    assert (answer["enabled"], answer["total"], answer["page"], answer["pageSize"]) == (True, 3, 1, 20)
    assert [event["toSnapshotId"] for event in answer["results"]] == [fever[3], fever[1], fever[0]]
    event = answer["results"][1]
    assert set(event) == EVENT_KEYS
    assert (event["fromSnapshotId"], event["title"], event["significance"]) == (fever[0], "Fever", 0.6)
    assert event["reasons"] == [DOSE]
    assert event["ignored"] == [{"text": "Updated today", "reason": "a date that changes with every capture"}]
    assert event["toCaptureTimestamp"] == "2024-05-02T12:00:00+00:00"
    assert event["diffAvailable"] is True


def test_changes_are_narrowed_sorted_and_paged(client: TestClient, fever: list[int]) -> None:
    assert kinds(client, includeUnchanged=True) == ["updated", "unchanged", "updated", "new_page"]
    assert kinds(client, minSignificance=0.3) == ["updated"]
    assert kinds(client, changeType="unchanged") == ["unchanged"]
    assert kinds(client, **{"from": "2024-05-02", "to": "2024-05-02"}) == ["updated"]
    by_weight = client.get("/api/changes", params={"sort": "significance"}).json()["results"]
    assert [event["significance"] for event in by_weight] == [0.6, 0.1, 0.0]
    second = client.get("/api/changes", params={"page": 2, "pageSize": 2}).json()
    assert (second["total"], [event["toSnapshotId"] for event in second["results"]]) == (3, [fever[0]])
    newest = client.get("/api/changes", params={"latest": True}).json()
    assert [event["toSnapshotId"] for event in newest["results"]] == [fever[3]]
    assert kinds(client, jobId=newest["results"][0]["toJobId"]) == ["updated"]
    assert client.get("/api/changes", params={"minSignificance": 2}).status_code == 422


def test_a_change_of_a_template_is_in_a_list_of_its_own(client: TestClient, archive: Archive, fever: list[int]) -> None:
    jobs = [archive.job(), archive.job()]
    with archive.database.write() as session:
        change = TemplateChange(source_id=archive.source("health"), from_job_id=jobs[0], to_job_id=jobs[1], pages=200)
        change.summary, change.added_lines, change.removed_lines = "the template of the site changed", ["menu"], []
        session.add(change)
    answer = client.get("/api/changes").json()
    assert all(event["toSnapshotId"] for event in answer["results"])
    (template,) = answer["templateChanges"]
    assert (template["pages"], template["addedLines"], template["toJobId"]) == (200, ["menu"], jobs[1])
    archive.source("food")
    assert client.get("/api/changes", params={"source": "food"}).json()["templateChanges"] == []


def test_tracking_that_is_switched_off_lists_and_compares_nothing(make_client: MakeClient, fever: list[int]) -> None:
    client = make_client(change_tracking_enabled=False)
    answer = client.get("/api/changes").json()
    assert (answer["enabled"], answer["total"], answer["results"]) == (False, 0, [])
    assert client.get("/api/changes/compare", params={"toSnapshotId": fever[1]}).status_code == 404
    assert client.get("/api/exports/changes").status_code == 403
    assert "<item>" not in client.get("/api/changes/rss").text


def test_a_stored_change_is_shown_as_it_is_stored(client: TestClient, fever: list[int]) -> None:
    for parameters in ({"toSnapshotId": fever[1]}, {"toSnapshotId": fever[1], "fromSnapshotId": fever[0]}):
        answer = client.get("/api/changes/compare", params=parameters).json()
        assert answer["event"]["changeId"] > 0
        assert (answer["diffFormat"], answer["diffHtml"]) == ("html", "<ins>400 mg</ins>")
        assert (answer["diffTruncated"], answer["diffVersion"], answer["normalizationVersion"]) == (False, "1", "1")
        assert answer["fromSnapshot"]["snapshotId"] == fever[0]
        sides = {"snapshotId", "title", "captureDate", "captureTimestamp", "originalUrl", "jobId", "jobName"}
        assert set(answer["toSnapshot"]) == sides
    first = client.get("/api/changes/compare", params={"toSnapshotId": fever[0]}).json()
    assert (first["event"]["changeType"], first["fromSnapshot"], first["diffHtml"]) == ("new_page", None, None)


def test_any_two_captures_are_compared_and_nothing_is_stored(
    client: TestClient, database: Database, fever: list[int]
) -> None:
    with client:
        answer = client.get(
            "/api/changes/compare", params={"toSnapshotId": fever[3], "fromSnapshotId": fever[0]}
        ).json()
    event = answer["event"]
    assert (event["changeId"], event["changeType"], event["fromSnapshotId"]) == (0, "updated", fever[0])
    assert "401" in answer["diffHtml"]
    with database.read() as session:
        assert session.query(SnapshotChange).count() == 5
    missing = client.get("/api/changes/compare", params={"toSnapshotId": fever[3], "fromSnapshotId": 999})
    assert (missing.status_code, missing.json()["detail"]) == (404, "Snapshot not found")


def test_comparisons_have_a_limit_of_their_own(make_client: MakeClient, fever: list[int]) -> None:
    client = make_client(client=("203.0.113.7", 5000), rate_limit_compare=2)
    path = f"/api/changes/compare?toSnapshotId={fever[1]}"
    assert [client.get(path).status_code for _ in range(3)] == [200, 200, 429]
    assert client.get("/api/changes").status_code == 200


def test_the_cache_of_comparisons_is_bounded(database: Database, fever: list[int]) -> None:
    with database.read() as session:
        known = load_snapshots(session, fever)
    cache = ComparisonCache(max_count=2, max_bytes=5_000)
    pairs = [(known[fever[0]], known[one]) for one in fever[1:]]
    for pair in pairs:
        cache.put(pair, PairComparison(_event(CapturePair(*pair, is_announced=False), "x" * 100)))
    assert [cache.get(pair) is not None for pair in pairs] == [False, True, True]
    cache.put(pairs[0], PairComparison(_event(CapturePair(*pairs[0], is_announced=False), "x" * 2_000)))
    assert (len(cache), cache.bytes <= 5_000) == (2, True)
    cache.put(pairs[1], PairComparison(_event(CapturePair(*pairs[1], is_announced=False), "x" * 5_000)))
    assert cache.get(pairs[1]) is None, "one that fits nowhere drives nothing out"
    assert len(cache) == 2


def test_feeds_name_the_newest_changes_and_lead_to_their_comparison(client: TestClient, fever: list[int]) -> None:
    channel = ElementTree.fromstring(client.get("/api/changes/rss").content).find("channel")
    assert channel is not None
    items = channel.findall("item")
    address = f"http://testserver/compare?from={fever[0]}&to={fever[1]}"
    assert items[1].findtext("guid") == items[1].findtext("link") == address
    assert items[1].findtext("title") == "Changed: Fever"
    assert items[1].findtext("pubDate") == "Thu, 02 May 2024 12:00:00 +0000"
    assert "a dose changed: 200 mg → 400 mg" in (items[1].findtext("description") or "")
    assert [item.findtext("link") for item in items][2] == f"http://testserver/compare/{fever[0]}"
    assert len(items) == 3, "a capture that changed nothing is no news, nor is a hidden source's"
    assert len(client.get("/api/changes/feed.json", params={"minSignificance": 0.3}).json()["items"]) == 1
    assert address.replace("&", "&amp;") in client.get("/api/changes/atom", params={"source": "health"}).text


def test_a_page_has_feeds_of_its_own(client: TestClient, archive: Archive, fever: list[int]) -> None:
    other = archive.snapshot("https://health.example/cough", NOON, text="Cough", title="Cough", body=_page("Cough"))
    write_event(archive.database, None, other, "new_page")
    for path, mark in (("rss", "<item>"), ("atom", "<entry>"), ("feed.json", '"content_text"')):
        of_page = client.get(f"/api/changes/{path}", params={"url": "http://www.health.example/fever/"}).text
        assert (of_page.count(mark), client.get(f"/api/changes/{path}").text.count(mark)) == (3, 4)
        assert f"changes of {FEVER}" in of_page
    least = client.get("/api/changes/feed.json", params={"url": FEVER, "minSignificance": 0.3}).json()
    assert [item["id"] for item in least["items"]] == [f"http://testserver/compare?from={fever[0]}&to={fever[1]}"]
    assert least["feed_url"].endswith(
        "/api/changes/feed.json?url=https%3A%2F%2Fhealth.example%2Ffever&minSignificance=0.3"
    )
    assert client.get("/api/changes/rss", params={"url": "nonsense"}).status_code == 422


def test_changes_are_exported_in_order_of_their_ids(client: TestClient, fever: list[int]) -> None:
    rows = list(csv.DictReader(StringIO(client.get("/api/exports/changes?format=csv&compressed=false").text)))
    assert [int(row["to_snapshot_id"]) for row in rows] == [fever[0], fever[1], fever[3]]
    assert list(rows[0]) == [column.name for column in CHANGE_COLUMNS]
    assert rows[1]["compare_url"] == f"http://testserver/compare?from={fever[0]}&to={fever[1]}"
    after = f"/api/exports/changes?compressed=false&includeUnchanged=true&afterId={rows[1]['change_id']}&limit=1"
    (row,) = [json.loads(line) for line in client.get(after).text.splitlines()]
    assert (row["change_type"], row["computed_at_utc"]) == ("unchanged", "2024-06-01T00:00:00+00:00")
    assert client.get("/api/exports/changes?source=nobody").status_code == 404


def _page(text: str) -> bytes:
    return f"<!doctype html><title>Fever</title><body><h1>Fever</h1><p>{text}</p>".encode()


def _event(pair: CapturePair, html: str) -> NewEvent:
    return plain_event(pair, ChangeType.UPDATED, "test", NOON, diff_html=html)


def test_a_capture_is_compared_with_the_live_page(archive: Archive, make_client: MakeClient) -> None:
    with serving() as server:
        server.answers["/fever"] = Answer(_page("Give 400 mg every six hours."))
        server.answers["/moved"] = redirect("/fever")
        text = "Give 200 mg every six hours."
        captured = archive.snapshot(f"{server.origin}/fever", text=text, body=_page(text))
        moved = archive.snapshot(f"{server.origin}/moved", text=text, body=_page(text))
        path = f"/api/snapshots/{captured}/compare-live"
        with make_client(compare_live_enabled=True, allow_private_networks=(LOOPBACK,)) as client:
            head = client.head(path)
            assert (head.status_code, head.headers["cache-control"], server.requests) == (200, "no-store", [])
            answer = client.get(path)
            assert answer.headers["cache-control"] == "no-store"
            found = answer.json()
            assert (found["liveFetch"]["statusCode"], found["render"]["changeType"]) == (200, "updated")
            assert "400" in found["diff"]["diffHtml"]
            assert found["archivedSnapshot"]["snapshotId"] == captured
            assert found["stats"]["reasons"][0]["code"] == "dose"
            assert client.get(f"{path}?mode=full").json()["textModeUsed"] == "full"
            assert client.get(f"/api/snapshots/{moved}/compare-live").json()["liveFetch"]["finalUrl"].endswith("/fever")
        with make_client(compare_live_enabled=True) as client:
            assert client.get(path).status_code == 400, "the network guard refuses loopback"
        assert make_client().get(path).status_code == 404, "it is switched off unless the operator switches it on"
    with make_client(compare_live_enabled=True, allow_private_networks=(LOOPBACK,)) as client:
        assert client.get(path).status_code == 502
