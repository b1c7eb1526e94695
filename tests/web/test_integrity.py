import threading
from datetime import UTC, datetime

from starlette.testclient import TestClient

from tests.web.conftest import OWN_ORIGIN, TOKEN, MakeClient, Page
from webstrata.app import App

PATH = "/admin/integrity"


def test_an_administrator_asks_for_a_check_and_sees_its_result(app: App, client: TestClient) -> None:
    assert "None yet" in Page(client.get(PATH)).text()
    assert "integrity" not in client.get("/api/health").json()["checks"]
    assert Page(client.get("/")).links("footer a")["Integrity"] == PATH
    asked = Page(client.post(f"{PATH}/check", headers=OWN_ORIGIN))
    assert "Running check" in asked.text()
    app.integrity_schedule().run_due(datetime.now(UTC), threading.Event())
    assert "No problems." in Page(client.get(PATH)).text()
    found = client.get("/admin/api/integrity").json()
    assert (found["running"], found["problems"], found["lastCheck"]["problemCount"]) == (None, [], 0)
    checks = client.get("/api/health").json()["checks"]
    assert (checks["integrity"], checks["integrityCheckedAt"]) == ("ok", found["lastCheck"]["endedAt"])


def test_checks_are_closed_to_readers_and_to_other_sites(make_client: MakeClient, client: TestClient) -> None:
    reader = make_client(token=TOKEN)
    assert (reader.get(PATH).status_code, reader.get("/admin/api/integrity").status_code) == (403, 403)
    assert client.post(f"{PATH}/check", headers={"Origin": "https://evil.example"}).status_code == 403
