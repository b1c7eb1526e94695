import pytest

from tests.web.conftest import MakeClient, Page
from webstrata.db.operations import catalog
from webstrata.errors import DatabaseUnavailableError


def test_an_unknown_address_is_a_page_that_shows_what_to_do(make_client: MakeClient) -> None:
    page = Page(make_client().get("/no/such/page"))
    assert page.status == 404
    assert page.text("h1") == "Not found"
    assert "There is no page at /no/such/page." in page.text()
    assert page.links()["Home"] == "/"
    assert page.all("form[role=search]")


@pytest.mark.parametrize("path", ["/api/nothing", "/api", "/api/snapshot/999", "/metrics/x"])
def test_programs_keep_their_json(make_client: MakeClient, path: str) -> None:
    response = make_client().get(path)
    assert response.status_code == 404
    assert list(response.json()) == ["detail"]


def test_an_address_that_makes_no_sense_is_explained(make_client: MakeClient) -> None:
    page = Page(make_client().get("/snapshot/first"))
    assert page.status == 422
    assert "snapshot_id: 'first' is not a whole number" in page.text(".lead")


def test_a_method_that_a_page_does_not_take_is_refused_with_a_page(make_client: MakeClient) -> None:
    response = make_client().post("/search")
    page = Page(response)
    assert (page.status, response.headers["allow"]) == (405, "GET, HEAD")
    assert page.text("h1") == "Not possible here"


def test_a_hostile_address_stays_text(make_client: MakeClient) -> None:
    page = Page(make_client().get("/%3Cscript%3Ealert(1)%3C/script%3E"))
    assert "<script>alert(1)</script>" in page.text()
    assert not page.all("main script")


def test_a_fault_of_ours_reports_no_secrets(make_client: MakeClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_session: object) -> None:
        raise RuntimeError("password=hunter2")

    monkeypatch.setattr(catalog, "sources", fail)
    response = make_client().get("/sources")
    page = Page(response)
    assert page.status == 500
    assert page.text("h1") == "Internal error"
    assert "hunter2" not in response.text
    assert "default-src 'self'" in response.headers["content-security-policy"]


def test_a_database_out_of_reach_is_reported_as_such(make_client: MakeClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_session: object) -> None:
        raise DatabaseUnavailableError("postgresql://secret-host: connection refused")

    monkeypatch.setattr(catalog, "sources", fail)
    response = make_client().get("/sources")
    page = Page(response)
    assert page.status == 503
    assert page.text("h1") == "The archive is unavailable"
    assert "secret-host" not in response.text
