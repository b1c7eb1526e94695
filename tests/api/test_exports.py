"""Lists that are taken home: whole, in parts, and never held in memory at once."""

import csv
import json
from datetime import timedelta
from io import StringIO

import pytest
from starlette.testclient import TestClient

from tests.api.archives import NOON, Archive
from tests.api.conftest import MakeClient
from webstrata.db.operations import exporting
from webstrata.db.operations.exporting import ExportScope, exported_snapshots
from webstrata.http.export_rows import SNAPSHOT_COLUMNS, Format, written

PLAIN = {"compressed": "false"}


@pytest.fixture
def five(archive: Archive) -> list[int]:
    """Five public snapshots of two sources, a day apart, and one that is hidden."""
    job = archive.job("health")
    numbers = [archive.snapshot(at=NOON + timedelta(days=day), job_id=job) for day in range(4)]
    archive.snapshot("https://test.example/", source="test")
    return [*numbers, archive.snapshot("https://food.example/", source="food", at=NOON + timedelta(days=4))]


def ids(client: TestClient, **parameters: object) -> list[int]:
    answer = client.get("/api/exports/snapshots", params=PLAIN | parameters)
    assert answer.status_code == 200, answer.text
    return [json.loads(line)["snapshot_id"] for line in answer.text.splitlines()]


def test_a_row_states_all_of_a_snapshot(client: TestClient, archive: Archive) -> None:
    title = 'Flu, "la grippe"\nand more'
    snapshot_id = archive.snapshot(title=title, job_id=archive.job("health"))
    wanted = {
        "snapshot_id": snapshot_id,
        "source_code": "health",
        "source_name": "Health",
        "captured_url": "https://health.example/flu",
        "normalized_url_group": "https://health.example/flu",
        "capture_timestamp_utc": "2024-05-01T12:00:00+00:00",
        "language": "en",
        "status_code": 200,
        "mime_type": "text/html",
        "title": title,
        "job_id": 1,
        "job_name": "health-20240501",
        "snapshot_url": f"http://testserver/snapshot/{snapshot_id}",
    }
    answer = client.get("/api/exports/snapshots", params=PLAIN)
    assert answer.headers["content-type"] == "application/x-ndjson"
    assert answer.headers["content-disposition"] == 'attachment; filename="webstrata-snapshots.jsonl"'
    assert [json.loads(line) for line in answer.text.splitlines()] == [wanted]
    table = client.get("/api/exports/snapshots", params=PLAIN | {"format": "csv"})
    assert table.headers["content-type"] == "text/csv; charset=utf-8"
    assert list(csv.DictReader(StringIO(table.text, newline=""))) == [
        {name: str(value) for name, value in wanted.items()}
    ]


def test_links_lead_where_readers_know_the_site(make_client: MakeClient, archive: Archive) -> None:
    snapshot_id = archive.snapshot()
    behind_tls = {"X-Forwarded-Proto": "https", "Host": "archive.example"}
    for client in (make_client(), make_client(public_site_url="https://archive.example/")):
        answer = client.get("/api/exports/snapshots", params=PLAIN, headers=behind_tls)
        assert json.loads(answer.text)["snapshot_url"] == f"https://archive.example/snapshot/{snapshot_id}"


def test_what_is_not_known_is_null_and_in_csv_nothing(client: TestClient, archive: Archive) -> None:
    archive.snapshot(title=None, language=None, status_code=None, mime_type=None)
    (row,) = client.get("/api/exports/snapshots", params=PLAIN).text.splitlines()
    assert [json.loads(row)[key] for key in ("title", "language", "status_code", "mime_type")] == [None] * 4
    (table,) = csv.DictReader(StringIO(client.get("/api/exports/snapshots?compressed=false&format=csv").text))
    assert [table[key] for key in ("title", "language", "status_code", "mime_type")] == [""] * 4


def test_a_list_is_taken_in_parts(client: TestClient, five: list[int]) -> None:
    taken: list[int] = []
    while part := ids(client, limit=2, afterId=taken[-1] if taken else 0):
        taken += part
    assert taken == five
    assert ids(client, afterId=10**30) == []


def test_a_list_is_of_a_source_and_of_days(client: TestClient, five: list[int]) -> None:
    assert ids(client, source="FOOD") == five[-1:]
    assert ids(client, **{"from": "2024-05-02", "to": "2024-05-03"}) == five[1:3]
    assert ids(client, **{"from": "0001-01-01", "to": "9999-12-31"}) == five


def test_an_export_has_no_more_rows_than_the_limit(make_client: MakeClient, five: list[int]) -> None:
    client = make_client(exports_default_limit=2, exports_max_limit=3)
    assert (len(ids(client)), len(ids(client, limit=10**12)), len(ids(client, limit=1))) == (2, 3, 1)
    described = client.get("/api/exports").json()
    assert (described["defaultLimit"], described["maxLimit"]) == (2, 3)


def test_where_lists_are_switched_off_there_are_none(make_client: MakeClient) -> None:
    client = make_client(exports_enabled=False)
    assert client.get("/api/exports").json()["enabled"] is False
    for path in ("/api/exports/snapshots", "/api/exports/changes"):
        answer = client.get(path)
        assert answer.status_code == 403
        assert answer.json()["detail"]


def test_no_more_than_a_part_is_read_ahead(archive: Archive, five: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "PART", 2)
    parts = exported_snapshots(archive.database, ExportScope(limit=10))
    assert [snapshot.id for snapshot in next(parts)] == five[:2]
    later = archive.snapshot()
    assert [[snapshot.id for snapshot in part] for part in parts] == [five[2:4], [five[4], later]]
    assert [len(part) for part in exported_snapshots(archive.database, ExportScope(limit=3))] == [2, 1]


@pytest.mark.parametrize("form", Format)
@pytest.mark.parametrize("compressed", [True, False])
def test_a_part_is_written_before_the_next_is_read(form: Format, compressed: bool) -> None:
    row = (1, *("x" * 100 for _ in SNAPSHOT_COLUMNS[1:]))
    asked = 0

    def parts() -> object:
        nonlocal asked
        for _ in range(20):
            asked += 1
            yield [row] * 10

    pieces = written(parts(), SNAPSHOT_COLUMNS, form, compressed=compressed)  # type: ignore[arg-type]
    largest = max(len(piece) for piece in pieces)
    assert asked == 20
    assert largest < 2 * 10 * 13 * 130


def test_a_list_of_nothing_is_whole(client: TestClient) -> None:
    assert client.get("/api/exports/snapshots", params=PLAIN).text == ""
    header = client.get("/api/exports/snapshots", params=PLAIN | {"format": "csv"}).text
    assert header.splitlines() == [",".join(column.name for column in SNAPSHOT_COLUMNS)]
