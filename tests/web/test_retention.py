from datetime import UTC, datetime

from starlette.testclient import TestClient

from tests.retention.rows import DAY, add_row, count
from tests.web.conftest import OWN_ORIGIN, TOKEN, MakeClient, Page
from webstrata.app import App
from webstrata.db.schema.collection_tables import HaulRow

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


def test_it_is_closed_to_readers_and_to_other_sites(make_client: MakeClient, client: TestClient) -> None:
    reader = make_client(token=TOKEN)
    assert reader.get(PATH).status_code == 403
    assert "Retention" not in Page(reader.get("/")).texts("nav li")
    assert client.post(f"{PATH}/run", headers={"Origin": "https://evil.example"}).status_code == 403
