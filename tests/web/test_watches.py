"""The pages of watches and saved searches, and their feeds."""

import json
from datetime import timedelta

import pytest
from starlette.testclient import TestClient

from tests.web.archive import MAY, SITE, Answer, keep
from tests.web.conftest import OWN_ORIGIN, TOKEN, MakeClient, Page
from webstrata.app import App
from webstrata.changes.stage import ChangeTracking
from webstrata.db.queue import jobs
from webstrata.db.watching import watches
from webstrata.db.watching.watches import NewWatchEvent
from webstrata.index.version import INDEX_VERSION
from webstrata.model.jobs.job import JobStatus

TEXTS = ("Give one dose of 200 mg every six hours.", "Give one dose of 400 mg every six hours.")


@pytest.fixture
def fever(app: App) -> list[int]:
    """Two captures of a page whose dose changed, with their events."""
    ids = []
    for day, text in enumerate(TEXTS):
        ids += keep(app, [Answer(f"{SITE}fever", "Fever", text, MAY + timedelta(days=day))])
    with app.database.write() as session:
        for number in (1, 2):
            jobs.set_job(session, number, status=JobStatus.INDEXED)
    with app.database.read() as session:
        source = jobs.load_job(session, 1).source_id
    ChangeTracking(app.database, app.archive_root, INDEX_VERSION).compute(source)
    return ids


def post(client: TestClient, path: str, **fields: str) -> Page | str:
    response = client.post(path, data=fields, headers=OWN_ORIGIN, follow_redirects=False)
    return response.headers["location"] if response.status_code == 303 else Page(response)


def test_watches_are_added_checked_paused_and_removed(client: TestClient, app: App, fever: list[int]) -> None:
    assert "No watches yet." in Page(client.get("/watches")).text()
    wrong = post(client, "/watches", url=f"{SITE}fever", every="often")
    assert isinstance(wrong, Page)
    assert (wrong.status, wrong.one("#watch-every").attributes["value"]) == (422, "often")
    wrong = post(client, "/watches", url=f"{SITE}fever", notify="gopher://example.org/")
    assert isinstance(wrong, Page)
    with app.database.read() as session:
        assert watches.count_watches(session) == 0

    added = post(
        client, "/watches", url=f"{SITE}fever", every="6h", ignore=".ad\nboxes", notify="https://example.org/hook"
    )
    assert isinstance(added, Page), "the secret of a new webhook is shown once"
    assert "whsec_" in added.text()
    with app.database.write() as session:
        (view,) = watches.list_watches(session)
        assert (view.source_code, view.watch.rules.ignored) == ("health", ("css:.ad", "text:boxes"))
        watches.save_watch_events(session, [NewWatchEvent(view.watch.id, fever[1], 0.6, "a dose changed")])
    shown = Page(client.get("/watches"))
    assert "a dose changed" in shown.text("tbody")
    assert shown.links("tbody a")[next(text for text in shown.links("tbody a") if "2024" in text)] == (
        f"/compare?to={fever[1]}"
    )
    number = view.watch.id
    assert post(client, f"/watches/{number}/pause") == "/watches"
    assert "paused" in Page(client.get("/watches")).text("tbody")
    assert post(client, f"/watches/{number}/resume") == "/watches"
    assert post(client, f"/watches/{number}/check") == "/jobs/3"
    refused = post(client, f"/watches/{number}/check")
    assert isinstance(refused, Page)
    assert "job 3 of health has not ended yet" in refused.text().casefold()
    assert post(client, f"/watches/{number}/remove") == "/watches"
    assert client.post(f"/watches/{number}/check", headers=OWN_ORIGIN).status_code == 404
    assert f"watch {number}" not in Page(client.get("/notifications")).text()


def test_a_watch_has_a_feed_in_three_formats(client: TestClient, app: App, fever: list[int]) -> None:
    post(client, "/watches", url=f"{SITE}fever")
    assert json.loads(client.get("/api/watches/1/feed.json").content)["items"] == []
    with app.database.write() as session:
        watches.save_watch_events(session, [NewWatchEvent(1, fever[1], 0.6, "a dose changed")])
    (item,) = json.loads(client.get("/api/watches/1/feed.json").content)["items"]
    assert item["id"].endswith(f"/compare?from={fever[0]}&to={fever[1]}")
    for kind in ("rss", "atom"):
        assert f"from={fever[0]}&amp;to={fever[1]}" in client.get(f"/api/watches/1/{kind}").text
    assert client.get("/api/watches/9/rss").status_code == 404
    assert client.get("/api/watches/1/opml").status_code == 422


def test_a_saved_search_has_a_feed_of_what_matches(client: TestClient, fever: list[int]) -> None:
    assert post(client, "/saved-searches", name="Doses", q='"400 mg"', source="health") == "/saved-searches"
    shown = Page(client.get("/saved-searches"))
    assert shown.links()["Doses"].startswith("/search?q=%22400+mg%22&source=health")  # type: ignore[union-attr]
    items = json.loads(client.get("/api/saved-searches/1/feed.json").content)["items"]
    assert [item["url"].rpartition("to=")[2] for item in items] == [str(fever[1])]
    again = post(client, "/saved-searches", name="Doses", q="dose")
    assert isinstance(again, Page)
    assert "already" in again.text()
    nothing = post(client, "/saved-searches", name="Nothing")
    assert isinstance(nothing, Page)
    assert nothing.status == 422
    assert post(client, "/saved-searches/remove", search="1") == "/saved-searches"
    assert client.get("/api/saved-searches/1/rss").status_code == 404


def test_only_administrators_see_watches(make_client: MakeClient) -> None:
    reader = make_client(token=TOKEN, env="production")
    for path in ("/watches", "/saved-searches"):
        assert reader.get(path, follow_redirects=False).status_code in (303, 401, 403), path
    assert reader.post("/watches", data={"url": SITE}, headers=OWN_ORIGIN, follow_redirects=False).status_code != 200
