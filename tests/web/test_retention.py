from datetime import UTC, datetime

from sqlalchemy import insert, text
from starlette.testclient import TestClient

from tests.retention.rows import DAY, add_row, count
from tests.web.conftest import OWN_ORIGIN, TOKEN, MakeClient, Page
from webstrata.app import App
from webstrata.db.queue import jobs
from webstrata.db.schema.collection_tables import HaulRow, ScrapeRow
from webstrata.model.retention.rules import GUARDED_FROM

PATH = "/admin/retention"


def test_an_administrator_sets_a_policy_looks_at_a_dry_run_and_deletes(app: App, client: TestClient) -> None:
    for number in range(3):
        add_row(app.database, "hauls", datetime.now(UTC) - (20 + number) * DAY, f"haul-{number}")
    assert Page(client.get("/")).links("nav a")["Retention"] == PATH
    form = {"collection": "hauls", "days": "21"}
    page = Page(client.post(f"{PATH}/policy", data=form, headers=OWN_ORIGIN))
    assert page.one("#days-hauls").attributes["value"] == "21"
    dry = Page(client.post(f"{PATH}/dry-run", headers=OWN_ORIGIN))
    assert "2 rows expired. Nothing has been deleted yet." in dry.text()
    assert dry.texts("button.danger") == ["Delete expired rows"]
    assert count(app.database, HaulRow) == 3
    done = Page(client.post(f"{PATH}/run", headers=OWN_ORIGIN))
    assert "2 rows deleted." in done.text()
    assert count(app.database, HaulRow) == 1
    assert "started by an administrator" in Page(client.get(PATH)).text()
    reset = Page(client.post(f"{PATH}/reset", headers=OWN_ORIGIN))
    assert reset.one("#days-hauls").attributes["value"] == "30"


def test_a_wrong_number_is_explained_and_changes_nothing(client: TestClient) -> None:
    for days in ("0", "-1", "1.5", "", "9" * 5_000, "٣"):
        response = client.post(f"{PATH}/policy", data={"collection": "hauls", "days": days}, headers=OWN_ORIGIN)
        assert response.status_code in (400, 422), days
        assert Page(client.get(PATH)).one("#days-hauls").attributes["value"] == "30"
    form = {"collection": "listings", "days": "5"}
    assert "exempt" in Page(client.post(f"{PATH}/policy", data=form, headers=OWN_ORIGIN)).text()


def test_holds_are_placed_refused_with_the_reason_and_released(app: App, client: TestClient) -> None:
    def place(**form: str) -> Page:
        return Page(client.post(f"{PATH}/holds", data={"reason": "case 12/26"} | form, headers=OWN_ORIGIN))

    page = place(kind="url", which="https://example.org/prices?b=2&a=1")
    assert "case 12/26" in page.text("section[aria-labelledby=holds] tbody")
    assert "there is no source 'nowhere'" in place(kind="source", which="Nowhere").text("[role=alert]")
    assert "is not a snapshot number" in place(kind="snapshot_id", which="-3").text("[role=alert]")
    assert "name what the hold covers" in place(kind="other", which="3").text("[role=alert]")
    assert "give a reason" in place(kind="session_id", which="3", reason=" ").text("[role=alert]")
    assert client.post(f"{PATH}/holds/1/release", headers={"Origin": "https://evil.example"}).status_code == 403
    released = Page(client.post(f"{PATH}/holds/1/release", headers=OWN_ORIGIN))
    assert "case 12/26" not in released.text("section[aria-labelledby=holds]")
    assert client.post(f"{PATH}/holds/1/release", headers=OWN_ORIGIN).status_code == 409


def test_most_of_a_source_is_deleted_only_with_the_confirmation(app: App, client: TestClient) -> None:
    with app.database.write() as session:
        source_id = jobs.ensure_source(session, "shop", name="Shop", base_url=None)
        old = datetime.now(UTC) - 100 * DAY
        rows = [{"created_at": old, "source_id": source_id, "url": "u", "url_hash": n} for n in range(GUARDED_FROM)]
        session.execute(insert(ScrapeRow), rows)
    dry = Page(client.post(f"{PATH}/dry-run", headers=OWN_ORIGIN))
    assert "Also delete the 1,000 rows that are a large share of a source's rows" in dry.text(
        "section[aria-labelledby=result-title]"
    )
    client.post(f"{PATH}/run", headers=OWN_ORIGIN)
    assert count(app.database, ScrapeRow) == GUARDED_FROM
    client.post(f"{PATH}/run", data={"confirm": "yes"}, headers=OWN_ORIGIN)
    assert count(app.database, ScrapeRow) == 0


def test_policies_that_cannot_be_read_are_explained_even_without_their_table(app: App, client: TestClient) -> None:
    with app.database.write() as session:
        session.execute(text("ALTER TABLE retention_policies RENAME TO gone"))
    try:
        page = Page(client.get(PATH))
        assert "retention_policies" in page.text("[role=alert]")
        assert "Nothing was deleted" in Page(client.post(f"{PATH}/run", headers=OWN_ORIGIN)).text("main")
    finally:
        with app.database.write() as session:
            session.execute(text("ALTER TABLE gone RENAME TO retention_policies"))


def test_it_is_closed_to_readers_and_to_other_sites(make_client: MakeClient, client: TestClient) -> None:
    reader = make_client(token=TOKEN)
    assert reader.get(PATH).status_code == 403
    assert "Retention" not in Page(reader.get("/")).texts("nav li")
    assert client.post(f"{PATH}/run", headers={"Origin": "https://evil.example"}).status_code == 403
