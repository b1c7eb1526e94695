import json
from datetime import timedelta

import pytest
from starlette.testclient import TestClient

from tests.support.changed import DOSE, write_event
from tests.web.archive import MAY, SITE, Answer, keep
from tests.web.conftest import OWN_ORIGIN, TOKEN, MakeClient, Page
from webstrata.app import App

EXPORT = "/api/exports/changes?compressed=false"


@pytest.fixture
def change(app: App) -> int:
    """A change of a page; returns the number of the capture after it, which is that of the change plus one."""
    ids = [
        snapshot
        for day, dose in enumerate((200, 400))
        for snapshot in keep(app, [Answer(f"{SITE}fever", "Fever", f"Take {dose} mg.", MAY + timedelta(days=day))])
    ]
    write_event(app.database, None, ids[0], "new_page")
    write_event(app.database, ids[0], ids[1], significance=0.6, reasons=[DOSE], summary="1 section changed")
    return ids[1]


def test_a_change_is_marked_on_its_pages_listed_by_its_mark_and_exported(
    client: TestClient, make_client: MakeClient, change: int
) -> None:
    compare = f"/compare/{change}"
    (form,) = Page(client.get(compare)).all("form.review")
    address = form.attributes["action"]
    marked = client.post(address, data={"status": "important", "note": "dose  doubled"}, headers=OWN_ORIGIN)
    assert marked.url.path == "/compare"
    assert "Marked as important" in Page(marked).text()
    assert "dose doubled" in Page(marked).text()
    listed = Page(client.get("/changes?review=important"))
    assert len(listed.all(".change")) == 1
    assert len(Page(client.get("/changes?review=unreviewed")).all(".change")) == 1
    back = {"status": "noise", "back": "/changes?review=noise"}
    assert client.post(address, data=back, headers=OWN_ORIGIN).url.query == b"review=noise"
    results = client.get("/api/changes?review=noise").json()["results"]
    assert [(one["toSnapshotId"], one["reviewStatus"]) for one in results] == [(change, "noise")]
    rows = [json.loads(line) for line in client.get(EXPORT).text.splitlines()]
    assert [(row["review_status"], row["review_note"]) for row in rows] == [(None, None), ("noise", "dose doubled")]
    reader = make_client(token=TOKEN)
    assert "dose doubled" not in reader.get(EXPORT).text + reader.get(compare).text
    assert Page(reader.get(compare)).all("form.review") == []
    assert reader.post(address, data={"status": "noise"}, headers=OWN_ORIGIN).status_code == 403


def test_a_mark_is_set_and_removed_through_the_api_and_wrong_ones_change_nothing(
    client: TestClient, change: int
) -> None:
    (event,) = client.get("/api/changes?minSignificance=0.5").json()["results"]
    path = f"/api/admin/changes/{event['changeId']}/review"
    assert client.put(path, json={"status": "reviewed", "note": "n" * 2_001}).status_code == 422
    assert client.put(path, json={"status": "loved"}).status_code == 422
    assert client.put("/api/admin/changes/999/review", json={"status": "noise"}).status_code == 404
    assert client.put(path, json={"status": "reviewed", "note": "seen"}).json()["note"] == "seen"
    form = f"/changes/{event['changeId']}/review"
    for back in ("https://evil.example/", "//evil.example", "/changes\\evil", "/\\evil.example"):
        answer = client.post(form, data={"status": "noise", "back": back}, headers=OWN_ORIGIN, follow_redirects=False)
        assert answer.headers["location"].startswith("/compare?")
    assert client.post(form, data={"status": "x"}, headers=OWN_ORIGIN).status_code == 422
    assert client.delete(path).status_code == 204
    assert client.get("/api/changes?review=unreviewed").json()["total"] == 2
