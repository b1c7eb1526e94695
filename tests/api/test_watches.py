"""Watches as administrators manage them over the API."""

import pytest
from starlette.testclient import TestClient

TOKEN = {"Authorization": "Bearer s3cret"}
WATCHES = "/api/admin/watches"
URL = "https://health.example/fever"


@pytest.fixture
def admin(client: TestClient) -> TestClient:
    client.headers.update(TOKEN)
    return client


def test_watches_are_added_checked_paused_and_removed(admin: TestClient) -> None:
    assert admin.get(WATCHES).json() == {"total": 0, "items": []}
    new = {"url": URL, "every": "6h", "select": "main", "ignore": [".ad"], "notify": ["https://hooks.example/fever"]}
    added = admin.post(WATCHES, json=new)
    assert added.status_code == 201, added.text
    watch = added.json()["watch"]
    (secret,) = added.json()["signingSecrets"].values()
    assert secret.startswith("whsec_")
    assert (watch["url"], watch["schedule"], watch["select"], watch["paused"]) == (URL, "6h", "main", False)
    address = f"{WATCHES}/{watch['id']}"
    assert admin.get(address).json() == watch
    assert admin.get(WATCHES).json() == {"total": 1, "items": [watch]}
    assert secret not in admin.get(WATCHES).text
    assert admin.get(WATCHES, params={"offset": 1}).json() == {"total": 1, "items": []}

    assert admin.patch(address, json={"paused": True}).json()["paused"] is True
    assert admin.patch(address, json={"paused": False}).json()["paused"] is False
    queued = admin.post(f"{address}/check")
    assert (queued.status_code, queued.json()["watchId"]) == (202, watch["id"])
    assert admin.get(f"/api/admin/jobs/{queued.json()['jobId']}").status_code == 200
    busy = admin.post(f"{address}/check")
    assert (busy.status_code, "has not ended yet" in busy.json()["detail"]) == (409, True)

    assert admin.delete(address).status_code == 204
    for missing in (admin.get(address), admin.delete(address), admin.post(f"{address}/check")):
        assert missing.status_code == 404, missing.text


@pytest.mark.parametrize(
    "wrong",
    [
        {"url": "ftp://health.example/"},
        {"every": "often"},
        {"select": "main["},
        {"scope": "planet"},
        {"minSignificance": 2},
        {"notify": ["gopher://example.org/"]},
        {"notifies": []},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_what_cannot_be_watched_is_refused_and_nothing_is_added(admin: TestClient, wrong: dict[str, object]) -> None:
    refused = admin.post(WATCHES, json={"url": URL} | wrong)
    assert refused.status_code == 422, refused.text
    assert admin.get(WATCHES).json()["total"] == 0


def test_watches_are_for_administrators(client: TestClient) -> None:
    assert client.get(WATCHES).status_code == 403
    assert client.post(WATCHES, json={"url": URL}).status_code == 403
