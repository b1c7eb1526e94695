from datetime import timedelta
from pathlib import Path

from starlette.testclient import TestClient

from tests.web.archive import MAY, SITE, Answer, keep, queue
from tests.web.conftest import OWN_ORIGIN, Page, make_app
from webstrata.db.engine import Database
from webstrata.web.site import create_site


def test_every_page_shows_the_archive_on_each_database(database: Database, tmp_path: Path) -> None:
    app = make_app(database, tmp_path)
    client = TestClient(create_site(app))
    old, front = keep(
        app, [Answer(f"{SITE}fever", "Fever", "A dose every six hours."), Answer(SITE, "Front", "Hello.")]
    )
    (new,) = keep(app, [Answer(f"{SITE}fever", "Fever", "A dose every four hours.", MAY + timedelta(days=9))])
    queued = queue(app)

    assert "3 snapshots of 2 pages from 1 source." in Page(client.get("/")).text(".lead")
    assert Page(client.get("/search?q=dose")).text("h1") == "1 page says “dose”"
    assert Page(client.get("/search?q=dose&view=snapshots&to=2024-05-05")).text("h1") == "1 capture says “dose”"
    assert Page(client.get("/sources")).links("tbody a")["Front page of Health Agency"] == f"/snapshot/{front}"
    viewer = Page(client.get(f"/snapshot/{new}"))
    assert viewer.links(".timeline-head a") == {"← Older": f"/snapshot/{old}"}
    assert viewer.all("iframe")
    assert Page(client.get("/jobs")).text(".lead") == "Nothing right now. 3 jobs: 1 waiting, 2 done."
    assert Page(client.get(f"/jobs/{queued}")).links(".about-list a") == {SITE: SITE}
    response = client.post("/archive", data={"url": "https://example.org/"}, headers=OWN_ORIGIN)
    assert Page(response).text("h1").startswith("example-org-")
