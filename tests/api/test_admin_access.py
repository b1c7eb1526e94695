"""No way in for strangers: every admin route, in production and from another host, also over a real socket."""

from collections.abc import Iterator
from http.client import HTTPConnection

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from tests.api.archives import Archive
from tests.api.conftest import MakeClient
from tests.api.routes import every_route, filled, is_admins
from tests.api.serving import served
from webstrata.errors import SettingsError
from webstrata.settings import load_settings

ELSEWHERE = "127.0.0.2"
"""Another address than the one that programs on this machine come from."""

NO_TOKEN = "Admin token not configured for this environment"
REFUSED = "Admin token required"


@pytest.fixture(scope="session")
def database_kind() -> str:
    """Who is let in does not depend on the database."""
    return "sqlite"


def answers(client: TestClient, **headers: str) -> set[tuple[int, str]]:
    """Return how every admin route answers."""
    api = client.app
    assert isinstance(api, FastAPI)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    routes = [(method, path) for method, path in every_route(api) if is_admins(path)]
    assert len(routes) > 20
    asked = [client.request(method, filled(path), headers=named) for method, path in routes]
    return {(answer.status_code, answer.json()["detail"]) for answer in asked}


@pytest.mark.parametrize("env", ["staging", "production"])
@pytest.mark.parametrize("client", [("testclient", 1), ("127.0.0.1", 1), ("203.0.113.5", 1)])
def test_in_production_no_one_gets_in_without_the_token(
    make_client: MakeClient, env: str, client: tuple[str, int]
) -> None:
    assert answers(make_client(env=env, client=client, rate_limit=0)) == {(403, REFUSED)}
    assert answers(make_client(env=env, client=client, rate_limit=0, admin_token=None)) == {(500, NO_TOKEN)}


@pytest.mark.parametrize("env", ["development", "test"])
def test_in_development_no_one_gets_in_from_another_host(make_client: MakeClient, env: str) -> None:
    for client in (("203.0.113.5", 1), ("192.168.1.7", 1), ("fe80::1", 1)):
        assert answers(make_client(env=env, client=client, rate_limit=0, admin_token=None)) == {(403, REFUSED)}
    local = make_client(env=env, client=("127.0.0.1", 1), rate_limit=0, admin_token=None)
    assert answers(local, X_Forwarded_For="127.0.0.1") == {(403, REFUSED)}
    assert answers(local, Host="evil.example") == {(403, REFUSED)}


def test_a_cookie_opens_no_route_of_the_api(make_client: MakeClient) -> None:
    assert answers(make_client(env="production"), Cookie="webstrata_admin=99999999999.abc") == {(403, REFUSED)}


@pytest.mark.parametrize("name", ["WEBSTRATA_ENV", "HEALTHARCHIVE_ENV"])
@pytest.mark.parametrize("env", ["prod", "Production", "live", "dev", "0"])
def test_an_unknown_environment_refuses_to_start(name: str, env: str) -> None:
    with pytest.raises(SettingsError, match=name):
        load_settings({name: env})


def asked(port: int, path: str, **headers: str) -> tuple[int, bytes]:
    connection = HTTPConnection(ELSEWHERE, port, timeout=30)
    try:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request("GET", path, headers=named)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


@pytest.fixture
def production(archive: Archive) -> Iterator[int]:
    with served(archive, host=ELSEWHERE, token="s3cret", env="production") as server:
        yield server.port


@pytest.fixture
def development(archive: Archive) -> Iterator[int]:
    with served(archive, host=ELSEWHERE) as server:
        yield server.port


def test_over_a_real_socket_production_wants_the_token(production: int) -> None:
    refused = (403, b'{"detail":"Admin token required"}')
    for path in ("/api/admin/jobs", "/metrics", "/api/admin/audit-log"):
        assert asked(production, path) == refused
        assert asked(production, path, X_Forwarded_For="127.0.0.1") == refused
        assert asked(production, path, Authorization="Bearer s3cre") == refused
        assert asked(production, path, Authorization="Bearer wrong", X_Admin_Token="s3cret") == refused
        assert asked(production, path, Authorization="bearer s3cret")[0] == 200
        assert asked(production, path, X_Admin_Token="s3cret")[0] == 200


def test_over_a_real_socket_development_mode_serves_this_machine_and_no_client_behind_a_proxy(development: int) -> None:
    refused = (403, b'{"detail":"Admin token required"}')
    for path in ("/api/admin/jobs", "/metrics", "/api/admin/audit-log"):
        assert asked(development, path)[0] == 200
        for header in ("X_Forwarded_For", "X_Real_Ip", "Forwarded", "Via"):
            assert asked(development, path, **{header: "127.0.0.1"}) == refused
        assert asked(development, path, Host="archive.example") == refused
