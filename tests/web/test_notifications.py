from datetime import UTC, datetime
from ipaddress import ip_network

from starlette.testclient import TestClient

from tests.notifications.receiver import receiving
from tests.web.conftest import OWN_ORIGIN, TOKEN, MakeClient, Page
from webstrata.app import App
from webstrata.db.schema.notification_tables import OutboxMessage
from webstrata.notifications.subscribing import subscribe

PATH = "/notifications"
PAGE = "https://example.org/fever"


def test_an_administrator_subscribes_tests_pauses_retries_and_removes(app: App, make_client: MakeClient) -> None:
    with receiving() as receiver:
        client = make_client(allow_private_networks=(ip_network("127.0.0.0/8"),))
        assert "No targets yet" in Page(client.get(PATH)).text()
        form = {"target": f"{receiver.origin}/secret", "page": PAGE, "minSignificance": "0.5"}
        added = Page(client.post(f"{PATH}/subscribe", data=form, headers=OWN_ORIGIN))
        assert "whsec_" in added.text()
        page = Page(client.get(PATH))
        assert "whsec_" not in page.html
        assert "/secret" not in page.html
        (name,) = page.texts("section:first-of-type tbody th")
        assert "page https://example.org/fever 0.5 and above one per run" in page.text()
        tested = Page(client.post(f"{PATH}/test", data={"target": name}, headers=OWN_ORIGIN))
        assert f"The test was delivered to {name}." in tested.text()
        assert receiver.received[0].json["type"] == "test"
        add_dead_letter(app)
        assert "1 message was given up" in Page(client.get(PATH)).text()
        assert "Dead letters None." in Page(client.post(f"{PATH}/retry", headers=OWN_ORIGIN)).text()
        for action, shown in (("pause", "paused"), ("resume", "Pause"), ("new-secret", "whsec_"), ("remove", "No tar")):
            changed = client.post(f"{PATH}/target", data={"target": name, "action": action}, headers=OWN_ORIGIN)
            assert shown in Page(changed).text()


def add_dead_letter(app: App) -> None:
    now = datetime.now(UTC)
    with app.database.write() as session:
        payload = {"changeType": "updated", "title": "Fever", "url": PAGE}
        session.add(
            OutboxMessage(
                subscription_id=1, event_key="change-1-2", kind="change", payload=payload, due_at=now, dead_at=now
            )
        )


def test_a_wrong_form_is_explained_without_the_address_and_changes_nothing(client: TestClient) -> None:
    for form in (
        {"target": "nonsense-secret", "page": PAGE},
        {"target": "https://user:secret@example.org/", "page": PAGE},
        {"target": "https://example.org/hook"},
        {"target": "https://example.org/hook", "page": PAGE, "minSignificance": "much"},
        {"target": "https://example.org/hook", "source": "none"},
    ):
        refused = client.post(f"{PATH}/subscribe", data=form, headers=OWN_ORIGIN)
        assert refused.status_code == 422, form
        assert "secret" not in Page(refused).text("[role=alert]")
    assert "No targets yet" in Page(client.get(PATH)).text()
    for path, form in (
        ("unsubscribe", {"subscription": "9" * 30}),
        ("test", {"target": "7"}),
        ("retry", {"letter": "x"}),
    ):
        assert client.post(f"{PATH}/{path}", data=form, headers=OWN_ORIGIN).status_code == 422


def test_it_is_closed_to_readers_and_to_other_sites(make_client: MakeClient, client: TestClient) -> None:
    reader = make_client(token=TOKEN)
    assert reader.get(PATH).status_code == 403
    assert reader.get("/api/admin/notifications").status_code == 403
    assert client.post(f"{PATH}/retry", headers={"Origin": "https://evil.example"}).status_code == 403


def test_the_api_adds_tests_and_removes_and_shows_no_secret(client: TestClient, app: App) -> None:
    base = "/api/admin/notifications"
    for path, private in (
        ("subscriptions", {"target": "http://127.0.0.1:9/secret", "page": PAGE}),
        ("targets", {"address": "http://localhost:9/secret"}),
        ("targets", {"address": "json://[::1]/secret"}),
    ):
        refused = client.post(f"{base}/{path}", json=private)
        assert refused.status_code == 422
        assert "WEBSTRATA_ALLOW_PRIVATE_NETWORKS" in refused.text
        assert "secret" not in refused.text
    form = {"target": "http://127.0.0.1:9/secret", "page": PAGE}
    refused = client.post(f"{PATH}/subscribe", data=form, headers=OWN_ORIGIN)
    assert (refused.status_code, "not a public address" in refused.text) == (422, True)
    watch = {"url": PAGE, "notify": ["http://10.0.0.1/secret"]}
    assert client.post("/api/admin/watches", json=watch).status_code == 422
    assert client.get("/api/admin/watches").json()["items"] == []
    assert client.get(base).json()["targets"] == []
    # Added when it was allowed: each delivery asks the guard again.
    added = subscribe(app.database, "http://127.0.0.1:9/secret", page=PAGE)
    assert (added.signing_secret or "").startswith("whsec_")
    listed = client.get(base)
    assert "secret" not in listed.text.replace("signingSecret", "")
    (target,) = listed.json()["targets"]
    tested = client.post(f"{base}/targets/{target['id']}/test").json()
    assert tested["delivered"] is False
    assert "not a public address" in tested["error"]
    assert client.patch(f"{base}/targets/{target['id']}", json={"paused": True}).json()["paused"] is True
    assert client.get(f"{base}/dead-letters").json() == {"total": 0, "items": []}
    assert client.post(f"{base}/dead-letters/retry", json={"ids": [7]}).status_code == 404
    assert client.post(f"{base}/targets", json={"address": "gopher://secret"}).status_code == 422
    assert client.delete(f"{base}/subscriptions/{added.id}").status_code == 204
    assert client.delete(f"{base}/targets/{target['id']}").status_code == 204
    actions = [entry["action"] for entry in client.get("/api/admin/audit-log").json()["items"]]
    assert {"notification.subscribe", "notification.target.remove", "notification.unsubscribe"} <= set(actions)
