from datetime import UTC, datetime, timedelta

import pytest
from fastapi import FastAPI, Request, Response
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from tests.api.archives import NOON
from tests.api.conftest import MakeClient, make_settings
from webstrata.errors import UsageError
from webstrata.http.auth import (
    SESSION_COOKIE,
    SESSION_LENGTH,
    admin_allowed,
    clear_session_cookie,
    issue_session,
    session_valid,
    set_session_cookie,
    token_matches,
)

PATH = "/api/admin/jobs"
REFUSED = (403, {"detail": "Admin token required"})


def ask(client: TestClient, *headers: tuple[str, str | bytes]) -> tuple[int, object]:
    raw = [(name.encode(), value if isinstance(value, bytes) else value.encode()) for name, value in headers]
    answer = client.get(PATH, headers=raw)
    return answer.status_code, answer.json()


@pytest.mark.parametrize(
    "header",
    [
        ("Authorization", "Bearer s3cret"),
        ("Authorization", "bearer s3cret"),
        ("Authorization", "BEARER s3cret"),
        ("X-Admin-Token", "s3cret"),
    ],
)
def test_a_request_with_the_token_is_allowed(make_client: MakeClient, header: tuple[str, str]) -> None:
    for env in ("development", "test", "staging", "production"):
        assert ask(make_client(env=env), header)[0] == 200


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [("Authorization", "Bearer wrong")],
        [("Authorization", "Bearer")],
        [("Authorization", "Bearer ")],
        [("Authorization", "s3cret")],
        [("Authorization", "Basic s3cret")],
        [("Authorization", "Bearer s3cret2")],
        [("Authorization", "Bearer s3cre")],
        [("X-Admin-Token", "wrong")],
        [("X-Admin-Token", "")],
        [("X-Admin-Token", "S3CRET")],
        [("Authorization", b"Bearer \xff\xfe")],
        [("Authorization", "Bearer wrong"), ("X-Admin-Token", "s3cret")],
        [("Authorization", "Bearer "), ("X-Admin-Token", "s3cret")],
    ],
)
def test_one_who_does_not_know_the_token_is_refused(
    make_client: MakeClient, headers: list[tuple[str, str | bytes]]
) -> None:
    for env in ("development", "production"):
        assert ask(make_client(env=env), *headers) == REFUSED


def test_a_proxys_own_password_does_not_hide_the_admin_token(make_client: MakeClient) -> None:
    assert ask(make_client(), ("Authorization", "Basic YTpi"), ("X-Admin-Token", "s3cret"))[0] == 200


def test_a_token_of_any_characters_is_compared_as_bytes(make_client: MakeClient) -> None:
    client = make_client(admin_token="clé-日本-à")
    assert ask(client, ("Authorization", b"Bearer " + "clé-日本-à".encode()))[0] == 200
    assert ask(client, ("Authorization", b"Bearer " + "clé".encode("latin-1"))) == REFUSED


@pytest.mark.parametrize("env", ["staging", "production"])
@pytest.mark.parametrize("token", [None, ""])
def test_without_a_token_staging_and_production_refuse_everybody(
    make_client: MakeClient, env: str, token: str | None
) -> None:
    client = make_client(env=env, admin_token=token)
    answer = (500, {"detail": "Admin token not configured for this environment"})
    assert ask(client) == answer
    assert ask(client, ("Authorization", "Bearer ")) == answer
    assert ask(client, ("X-Admin-Token", "")) == answer


@pytest.mark.parametrize("env", ["development", "test"])
@pytest.mark.parametrize("host", ["testclient", "127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])
def test_without_a_token_development_is_open_to_this_machine(make_client: MakeClient, env: str, host: str) -> None:
    assert ask(make_client(env=env, admin_token=None, client=(host, 1)))[0] == 200


@pytest.mark.parametrize("host", ["192.168.1.7", "8.8.8.8", "fe80::1", "::ffff:10.0.0.1", "localhost", ""])
def test_without_a_token_development_is_closed_to_other_machines(make_client: MakeClient, host: str) -> None:
    assert ask(make_client(env="development", admin_token=None, client=(host, 1))) == REFUSED


@pytest.mark.parametrize(
    "header",
    [
        ("Forwarded", "for=127.0.0.1"),
        ("X-Forwarded-For", "127.0.0.1"),
        ("X-Forwarded-Proto", "http"),
        ("X-Forwarded-Host", "localhost"),
        ("X-Real-IP", "127.0.0.1"),
        ("Via", "1.1 proxy"),
        ("CF-Connecting-IP", "127.0.0.1"),
        ("True-Client-IP", "127.0.0.1"),
        ("X-Client-IP", "127.0.0.1"),
        ("X-Original-Forwarded-For", "127.0.0.1"),
    ],
)
@pytest.mark.parametrize("host", ["testclient", "127.0.0.1"])
def test_a_forwarded_request_never_comes_from_this_machine(
    make_client: MakeClient, host: str, header: tuple[str, str]
) -> None:
    assert ask(make_client(env="development", admin_token=None, client=(host, 1)), header) == REFUSED


@pytest.mark.parametrize(
    ("named", "status"),
    [
        ("localhost:8080", 200),
        ("127.0.0.1:8080", 200),
        ("[::1]:8080", 200),
        ("archive.localhost", 200),
        ("my-laptop:8080", 200),
        ("evil.example:8080", 403),
        ("192.168.1.7", 403),
        ("[::1", 403),
    ],
)
def test_a_strangers_name_for_this_machine_does_not_open_development(
    make_client: MakeClient, named: str, status: int
) -> None:
    client = make_client(env="development", admin_token=None, client=("127.0.0.1", 1))
    assert client.get(PATH, headers={"Host": named}).status_code == status


@given(st.text(max_size=30), st.text(min_size=1, max_size=30))
def test_exactly_the_token_matches(given_text: str, token: str) -> None:
    assert token_matches(make_settings(token), token)
    assert token_matches(make_settings(token), given_text) == (given_text == token)


def test_nothing_matches_a_token_that_is_not_set() -> None:
    assert not token_matches(make_settings(None), "")
    assert not token_matches(make_settings(""), "")


def test_a_session_is_valid_until_its_hours_are_over() -> None:
    settings = make_settings()
    cookie = issue_session(settings, NOON)
    assert session_valid(settings, cookie, NOON)
    assert session_valid(settings, cookie, NOON + SESSION_LENGTH - timedelta(seconds=1))
    assert not session_valid(settings, cookie, NOON + SESSION_LENGTH)
    assert timedelta(hours=12) == SESSION_LENGTH


def test_a_session_ends_when_the_token_changes() -> None:
    cookie = issue_session(make_settings("old"), NOON)
    assert not session_valid(make_settings("new"), cookie, NOON)
    assert not session_valid(make_settings(None), cookie, NOON)
    assert not session_valid(make_settings(""), cookie, NOON)


def test_a_session_does_not_tell_the_token() -> None:
    assert "s3cret" not in issue_session(make_settings(), NOON)


def test_a_session_cannot_be_prolonged() -> None:
    expiry, _, signature = issue_session(make_settings(), NOON).partition(".")
    assert not session_valid(make_settings(), f"{int(expiry) + 1}.{signature}", NOON)
    assert not session_valid(make_settings(), f"0{expiry}.{signature}", NOON + SESSION_LENGTH)


@given(st.none() | st.text(max_size=60) | st.from_regex(r"[0-9]{1,40}\.[0-9a-f]{0,64}", fullmatch=True))
def test_no_one_guesses_a_session(cookie: str | None) -> None:
    assert not session_valid(make_settings(), cookie, NOON)


def test_without_a_token_there_is_no_session_to_have() -> None:
    with pytest.raises(UsageError, match="WEBSTRATA_ADMIN_TOKEN"):
        issue_session(make_settings(None), NOON)


@pytest.fixture
def pages(make_client: MakeClient) -> TestClient:
    """A client of an API with pages beside it that log in, log out and show who is allowed."""
    client = make_client(env="production")
    api = client.app
    assert isinstance(api, FastAPI)

    def log_in(request: Request, response: Response) -> None:
        set_session_cookie(response, request, datetime.now(UTC))

    def log_out(request: Request, response: Response) -> None:
        clear_session_cookie(response, request)

    def allowed(request: Request) -> bool:
        return admin_allowed(request)

    for path, page in (("/in", log_in), ("/out", log_out), ("/allowed", allowed)):
        api.add_api_route(path, page)
    return client


def test_a_login_opens_pages_but_not_the_api(pages: TestClient) -> None:
    assert pages.get("/allowed").json() is False
    pages.get("/in")
    assert pages.get("/allowed").json() is True
    assert ask(pages) == REFUSED
    pages.get("/out")
    assert pages.get("/allowed").json() is False


def test_pages_take_the_token_too(pages: TestClient) -> None:
    assert pages.get("/allowed", headers={"Authorization": "Bearer s3cret"}).json() is True
    assert pages.get("/allowed", headers={"Cookie": f"{SESSION_COOKIE}=1.2"}).json() is False


def test_the_cookie_is_kept_from_scripts_other_sites_and_open_lines(pages: TestClient) -> None:
    plain = pages.get("/in").headers["set-cookie"].lower()
    assert plain.startswith(f"{SESSION_COOKIE}=")
    assert {"httponly", "samesite=strict", "path=/", "max-age=43200"} <= set(plain.split("; "))
    assert "secure" not in plain
    assert "secure" in pages.get("https://localhost/in").headers["set-cookie"].lower()
    assert "secure" in pages.get("/in", headers={"X-Forwarded-Proto": "https"}).headers["set-cookie"].lower()
