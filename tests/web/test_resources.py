"""A snapshot says which of its page's images, styles and fonts are archived, and why the others are not."""

from pathlib import Path
from urllib.parse import quote

import pytest
from sqlalchemy import delete, select
from starlette.testclient import TestClient

from tests.support.web_server import Answer, WebServer, page, robots
from tests.web.conftest import OWN_ORIGIN, TOKEN, MakeClient, Page
from webstrata.app import App
from webstrata.db.schema.crawl_tables import CaptureLinks
from webstrata.db.schema.tables import Snapshot
from webstrata.jobs.running.queueing import queue_archive
from webstrata.model.crawl.scope import ScopeRules
from webstrata.warc.packages.wacz_reader import open_wacz
from webstrata.warc.reader import iter_records
from webstrata.warc.verify import verify

CSS = (("Content-Type", "text/css"),)


def image(name: str) -> Answer:
    return Answer(b"\x89PNG" + name.encode(), headers=(("Content-Type", "image/png"),))


@pytest.fixture
def site(web_server: WebServer) -> WebServer:
    """A page on 127.0.0.1 with resources on localhost too: one is missing, one forbidden, one denied by the job."""
    cdn = web_server.origin.replace("127.0.0.1", "localhost")
    html = f"""<title>Home</title><link rel=stylesheet href={cdn}/main.css><img src=/a.png srcset='{cdn}/b.png 2x'>
        <img src=/gone.png><img src={cdn}/forbidden.png><img src=/ads/x.png><p>{"Words. " * 50}</p>
        <a href=/next>n</a>"""
    web_server.answers |= {
        "/": Answer(html.encode()),
        "/next": page("Next"),
        "/robots.txt": robots("User-agent: *", "Disallow: /forbidden.png"),
        "/main.css": Answer(b"@import 'more.css';", headers=CSS),
        "/more.css": Answer(b"@font-face{src:url(/font.woff2)}", headers=CSS),
    } | {path: image(path) for path in ("/a.png", "/b.png", "/font.woff2", "/ads/x.png", "/forbidden.png")}
    return web_server


@pytest.fixture
def home(app: App, site: WebServer) -> int:
    """The snapshot of the site's home page."""
    scope = ScopeRules.of([site.url()], deny_paths=("/ads/",))
    run(app, site, queue_archive(app.database, app.archive_root, (site.url(),), scope=scope))
    return snapshot_of(app, site.url())


def run(app: App, site: WebServer, job_id: int) -> None:
    app.runner(("127.0.0.1", site.port), ("localhost", site.port)).run(job_id)


def snapshot_of(app: App, url: str) -> int:
    with app.database.read() as session:
        return session.scalars(select(Snapshot.id).where(Snapshot.url == url).order_by(Snapshot.id.desc())).first() or 0


def test_the_api_lists_what_a_page_needs_and_why_it_is_missing(client: TestClient, site: WebServer, home: int) -> None:
    told = client.get(f"/api/snapshot/{home}/resources").json()
    cdn = site.origin.replace("127.0.0.1", "localhost")
    assert (told["known"], told["total"], told["archived"], told["cut"]) == (True, 8, 5, False)
    assert {one["url"]: one["reason"] for one in told["resources"]} == {
        f"{cdn}/main.css": None,
        site.url("/a.png"): None,
        f"{cdn}/b.png": None,
        f"{cdn}/more.css": None,
        f"{cdn}/font.woff2": None,
        site.url("/gone.png"): "the server returned 404",
        f"{cdn}/forbidden.png": "robots.txt does not allow it",
        site.url("/ads/x.png"): "out of scope: its path is denied by /ads/",
    }
    assert client.get("/api/snapshot/999999/resources").status_code == 404


def test_only_pages_are_search_hits(app: App, home: int) -> None:
    with app.database.read() as session:
        found = {
            url.rpartition("/")[2] for url in session.scalars(select(Snapshot.url).where(Snapshot.status_code == 200))
        }
    assert home
    assert found == {"", "next"}


def test_an_administrator_fetches_what_is_missing(
    app: App, site: WebServer, home: int, client: TestClient, make_client: MakeClient
) -> None:
    shown = Page(client.get(f"/snapshot/{home}"))
    assert "5 of 8 resources archived" in shown.text("#resources")
    assert "/gone.png the server returned 404" in shown.text("#resources")
    reader = make_client(token=TOKEN)
    assert not Page(reader.get(f"/snapshot/{home}")).all("#resources form")
    assert reader.post(f"/snapshot/{home}/fetch-missing", headers=OWN_ORIGIN).status_code in {401, 403}
    site.answers["/gone.png"] = image("back")
    action = shown.one("#resources form").attributes["action"]
    queued = client.post(action, headers=OWN_ORIGIN, follow_redirects=False)
    assert queued.status_code == 303
    run(app, site, int(queued.headers["location"].rpartition("/")[2]))
    assert site.pages().count("/next") == 1, "one page only"
    again = client.get(f"/api/snapshot/{snapshot_of(app, site.url())}/resources").json()
    assert site.url("/gone.png") in {one["url"] for one in again["resources"] if one["archived"]}


def test_of_a_capture_whose_links_are_not_stored_no_resources_are_known(
    client: TestClient, app: App, home: int
) -> None:
    with app.database.write() as session:
        session.execute(delete(CaptureLinks))
    told = client.get(f"/api/snapshot/{home}/resources").json()
    assert (told["known"], told["total"]) == (False, 0)
    assert not Page(client.get(f"/snapshot/{home}")).all("#resources")


def test_the_wacz_of_a_page_holds_what_it_shows_and_nothing_else(
    client: TestClient, site: WebServer, home: int, tmp_path: Path
) -> None:
    address = f"/snapshot/{home}/page.wacz"
    whole = client.get(address)
    saved = tmp_path / "page.wacz"
    saved.write_bytes(whole.content)
    assert verify([saved]).findings == []
    with open_wacz(saved) as wacz, wacz.zip.open(wacz.warcs[0].filename) as records:
        (tmp_path / "page.warc.gz").write_bytes(records.read())
    urls = {record.url for record in iter_records(tmp_path / "page.warc.gz")}
    cdn = site.origin.replace("127.0.0.1", "localhost")
    shown = {f"{cdn}/main.css", f"{cdn}/more.css", f"{cdn}/font.woff2", f"{cdn}/b.png", site.url("/a.png")}
    assert urls == {site.url(), site.url("/gone.png"), *shown}
    # ReplayWeb.page reads it in parts, from its own origin, and every part is of the same bytes.
    part = client.get(address, headers={"Range": "bytes=10-29", "Origin": "https://replayweb.page"})
    assert (part.status_code, part.content) == (206, whole.content[10:30])
    assert part.headers["access-control-allow-origin"] == "https://replayweb.page"
    assert client.get(address, headers={"Range": f"bytes={len(whole.content)}-"}).status_code == 416


def test_replay_web_page_is_offered_where_it_can_load_the_file(make_client: MakeClient, home: int) -> None:
    sites = {"https://archive.example": True, "http://127.0.0.1:8080": True, "http://archive.example": False}
    for site, is_offered in sites.items():
        page = Page(make_client(public_site_url=site).get(f"/snapshot/{home}"))
        offered = page.links(".archived-bar a").get("Open in ReplayWeb.page") or ""
        source = quote(f"{site}/snapshot/{home}/page.wacz", safe="")
        assert offered.startswith(f"https://replayweb.page/?source={source}#view=pages") is is_offered
        assert ("download its WACZ" in page.text()) is not is_offered
