"""What is changed on the pages is in the audit log, in the name of whoever is signed in."""

import pytest
from starlette.testclient import TestClient

from tests.web.archive import queue
from tests.web.conftest import OWN_ORIGIN, TOKEN, MakeClient, Page
from webstrata.app import App
from webstrata.db.operations import audit_log
from webstrata.db.operations.audit_log import ChangeFilter, LoggedChange


def changes(app: App) -> list[LoggedChange]:
    with app.database.read() as session:
        return [*reversed(audit_log.entries(session, ChangeFilter(), limit=100)[0])]


@pytest.fixture
def signed_in(make_client: MakeClient) -> TestClient:
    client = make_client(token=TOKEN)
    client.headers.update(OWN_ORIGIN | {"X-Request-Id": "r1"})
    answer = client.post("/login", data={"token": TOKEN}, follow_redirects=False)
    assert answer.status_code == 303
    return client


def test_every_form_that_changes_something_is_written_down(signed_in: TestClient, app: App) -> None:
    forms: list[tuple[str, dict[str, str]]] = [
        ("/sources", {"url": "example.org", "code": "site"}),
        ("/sources/site/schedule", {"when": "7d"}),
        *((f"/sources/site/{order}", {}) for order in ("pause", "resume", "disable", "enable", "archive")),
        ("/jobs/1/stop", {}),
        ("/jobs/1/resume", {}),
        ("/archive", {"url": "https://other.example/"}),
    ]
    for path, data in forms:
        assert signed_in.post(path, data=data, follow_redirects=False).status_code == 303, path
    made = changes(app)
    assert {(change.actor, change.request_id, change.client) for change in made} == {("web login", "r1", "testclient")}
    site, job = "source:site", "job:1"
    assert [(change.action, change.target) for change in made] == [
        ("login", "pages"),
        ("source.add", site),
        ("source.schedule", site),
        ("source.pause", site),
        ("source.resume", site),
        ("source.disable", site),
        ("source.enable", site),
        ("job.create", job),
        ("job.stop", job),
        ("job.resume", job),
        ("source.add", "source:other-example"),
        ("job.create", "job:2"),
    ]


def test_a_wrong_token_changes_nothing_and_is_not_written_down(make_client: MakeClient, app: App) -> None:
    client = make_client(token=TOKEN)
    assert client.post("/login", data={"token": "wrong"}, headers=OWN_ORIGIN).status_code == 403
    assert changes(app) == []


def test_another_sites_form_changes_nothing(signed_in: TestClient, app: App) -> None:
    job_id = queue(app)
    before = changes(app)
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        for path in (f"/jobs/{job_id}/stop", "/sources", "/archive", "/logout"):
            answer = signed_in.post(path, data={"url": "evil.example"}, headers=headers, follow_redirects=False)
            assert answer.status_code == 403, path
    assert changes(app) == before


def test_the_log_is_a_page_that_reports_who_changed_what(signed_in: TestClient, app: App) -> None:
    signed_in.post("/sources", data={"url": "example.org", "code": "site"})
    signed_in.post("/sources/site/schedule", data={"when": "7d"})
    page = Page(signed_in.get("/audit-log"))
    assert page.texts("td[data-label=Action]") == [
        "Source: schedule source:site",
        "Source: add source:site",
        "Login pages",
    ]
    assert page.texts("td[data-label=Who]")[0] == "Web login testclient"
    assert page.texts("td[data-label=Details]")[0] == "schedule none → 7d"
    assert page.links("td a")["source:site"] == "/sources/site"
    of_site = Page(signed_in.get("/audit-log?target=source:site"))
    assert len(of_site.all("tbody tr")) == 2
    assert "There is no page 9" in Page(signed_in.get("/audit-log?page=9")).text()
    assert "No changes yet of job:7" in Page(signed_in.get("/audit-log?target=job:7")).text()


def test_the_log_has_pages(client: TestClient, app: App) -> None:
    with app.database.write() as session:
        for number in range(60):
            audit_log.record(session, "job.stop", f"job:{number}")
    first, second = Page(client.get("/audit-log")), Page(client.get("/audit-log?page=2"))
    assert (len(first.all("tbody tr")), len(second.all("tbody tr"))) == (50, 10)
    assert (first.links("nav.pager a"), second.links("nav.pager a")) == (
        {"Next →": "/audit-log?page=2"},
        {"← Previous": "/audit-log"},
    )


def test_only_administrators_see_the_log(make_client: MakeClient) -> None:
    reader = make_client(token=TOKEN)
    assert reader.get("/audit-log").status_code == 403
    assert "Audit log" not in Page(reader.get("/")).text("footer")
