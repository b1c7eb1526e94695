"""The replay host: only replay on it, and never replay on the site's own."""

import pytest
from starlette.testclient import TestClient

from tests.web.archive import SITE, Answer, keep
from tests.web.conftest import TOKEN, MakeClient
from webstrata.app import App
from webstrata.errors import SettingsError
from webstrata.settings import load_settings

HERE, REPLAY = {"Host": "127.0.0.1:8080"}, {"Host": "localhost:8080"}
FRAME = "/replay/?timestamp=20240503120509&url=https://health.example/"


@pytest.mark.parametrize(
    "path",
    ["/", "/api/stats", "/api/search?q=x", "/jobs", "/login", "/static/site.css", "/web/2024/x.org", "/cdx?url=x"],
)
def test_the_replay_host_serves_nothing_of_the_site(client: TestClient, path: str) -> None:
    client.get(path, headers=HERE)
    refused = client.get(path, headers=REPLAY)
    assert refused.status_code == 404
    assert "http://127.0.0.1:8080/" in refused.text
    assert client.post(path, headers=REPLAY).status_code == 404
    asked = {"Origin": "http://localhost:3000", "Access-Control-Request-Method": "GET"}
    assert client.options(path, headers=REPLAY | asked).status_code == 404


@pytest.mark.parametrize(
    "path", ["/replay/", "/replay/worker.js", "/replay/vendor/wabac.js", "/replay/w/archive/2024/x"]
)
def test_the_site_never_serves_the_replay_worker(client: TestClient, path: str) -> None:
    assert client.get(path, headers=HERE).status_code == 404
    assert client.get(path).status_code == 404


def test_the_replay_host_serves_captures_and_the_files_of_replay(client: TestClient, app: App) -> None:
    keep(app, [Answer(SITE, "Front", "Hello.")])
    captured = client.get(f"/web/2024id_/{SITE}", headers=REPLAY)
    assert captured.status_code == 200
    assert captured.headers["content-security-policy"].startswith("sandbox;")
    start = client.get(FRAME, headers=REPLAY)
    assert "frame-ancestors http://127.0.0.1:8080 " in start.headers["content-security-policy"]
    worker = client.get("/replay/worker.js", headers=REPLAY | {"Service-Worker": "script"})
    assert worker.status_code == 200
    assert "connect-src 'self'" in worker.headers["content-security-policy"]
    assert "set-cookie" not in worker.headers


@pytest.mark.parametrize("path", ["/replay/vendor/wabac.js", "/replay/worker.js?x", f"/web/2024id_/{SITE}"])
def test_no_other_service_worker_can_be_installed(client: TestClient, path: str) -> None:
    assert client.get(path, headers=REPLAY | {"Service-Worker": "script"}).status_code == 403


def test_a_snapshot_is_framed_from_the_replay_host_and_its_page_allows_no_other_frame(
    client: TestClient, app: App
) -> None:
    (front,) = keep(app, [Answer(SITE, "Front", "Hello.")])
    shown = client.get(f"/snapshot/{front}", headers=HERE)
    assert (
        "frame-src http://localhost:8080/replay/ http://127.0.0.1:8080/web/;"
        in shown.headers["content-security-policy"]
    )
    assert 'src="http://localhost:8080/replay/?timestamp=20240503120509&amp;url=https%3A%2F%2Fhealth' in shown.text
    plain = client.get(f"/snapshot/{front}?view=plain", headers=HERE)
    assert "frame-src 'self'" in plain.headers["content-security-policy"]
    assert f'src="/api/snapshots/raw/{front}?banner=false' in plain.text


@pytest.mark.parametrize("host", ["192.168.1.7:8080", "archive.example", "localhost.evil.example"])
def test_under_another_name_a_snapshot_is_plain_and_gives_the_reason(client: TestClient, app: App, host: str) -> None:
    (front,) = keep(app, [Answer(SITE, "Front", "Hello.")])
    shown = client.get(f"/snapshot/{front}", headers={"Host": host}).text
    assert "WEBSTRATA_REPLAY_HOST" in shown
    assert f'src="/api/snapshots/raw/{front}?banner=false' in shown


def test_an_operator_sets_the_replay_host(make_client: MakeClient, app: App) -> None:
    (front,) = keep(app, [Answer(SITE, "Front", "Hello.")])
    settings = {"replay_host": "replay.example.net", "public_site_url": "https://archive.example"}
    operated = make_client(token=TOKEN, env="production", **settings)
    site, replay = {"Host": "archive.example"}, {"Host": "replay.example.net"}
    assert 'src="https://replay.example.net/replay/?' in operated.get(f"/snapshot/{front}", headers=site).text
    assert operated.get(FRAME, headers=replay).status_code == 200
    assert operated.get("/api/stats", headers=replay | {"Authorization": f"Bearer {TOKEN}"}).status_code == 404
    assert operated.get("/api/stats", headers={"Host": "localhost"}).status_code == 200


@pytest.mark.parametrize(
    ("host", "site", "said"),
    [
        ("replay.example.net", None, "replay_host needs public_site_url"),
        ("replay.archive.example", "https://archive.example", "they share cookies"),
        ("archive.example", "https://archive.example:8443", "they share cookies"),
        ("replay.example.org", "https://archive.example.org", "set cookies for all of example.org"),
        ("replay.health.gov.uk", "https://archive.health.gov.uk", "set cookies for all of health.gov.uk"),
        ("https://replay.example.net/", "https://archive.example", "a host name must look like"),
    ],
)
def test_a_replay_host_that_would_share_cookies_is_refused(host: str, site: str | None, said: str) -> None:
    given = {"WEBSTRATA_REPLAY_HOST": host} | ({"WEBSTRATA_PUBLIC_SITE_URL": site} if site else {})
    with pytest.raises(SettingsError, match=said):
        load_settings(given)


@pytest.mark.parametrize(
    ("host", "site"), [("replay.co.uk", "archive.co.uk"), ("replay", "archive"), ("r.lan", "a.lan")]
)
def test_host_names_that_share_no_cookies_are_accepted(host: str, site: str) -> None:
    given = {"WEBSTRATA_REPLAY_HOST": host, "WEBSTRATA_PUBLIC_SITE_URL": f"https://{site}"}
    assert load_settings(given).replay_host == host
