import pytest
from fastapi import Depends, FastAPI
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request
from starlette.testclient import TestClient

from webstrata.http.same_origin import is_from_another_site, is_same_origin, require_same_origin


def request(**headers: str) -> Request:
    named = {"host": "archive.example:8080"} | {name.replace("_", "-"): value for name, value in headers.items()}
    raw = [(name.encode(), value.encode("latin-1", "replace")) for name, value in named.items()]
    return Request({"type": "http", "headers": raw})


@pytest.mark.parametrize(
    "headers",
    [
        {"sec_fetch_site": "same-origin"},
        {"sec_fetch_site": "none"},
        {"origin": "http://archive.example:8080"},
        {"origin": "https://ARCHIVE.example:8080"},
        {"referer": "http://archive.example:8080/jobs?x=1"},
        {"sec_fetch_site": "same-origin", "origin": "http://archive.example:8080"},
        {"origin": "https://archive.example", "host": "archive.example"},
        {"origin": "https://archive.example:443", "host": "archive.example"},
        {"origin": "http://archive.example", "host": "archive.example:80"},
        {"origin": "http://[::1]:8080", "host": "[::1]:8080"},
    ],
)
def test_a_form_of_our_own_pages_is_accepted(headers: dict[str, str]) -> None:
    assert is_same_origin(request(**headers))


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"sec_fetch_site": ""},
        {"sec_fetch_site": "cross-site", "origin": "http://archive.example:8080"},
        {"sec_fetch_site": "same-origin", "origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": ""},
        {"origin": "https://evil.example"},
        {"origin": "http://archive.example"},
        {"origin": "http://archive.example:8081"},
        {"origin": "http://archive.example:8080.evil.example"},
        {"origin": "http://archive.example:8080@evil.example"},
        {"origin": "ftp://archive.example:8080"},
        {"origin": "http://[::1"},
        {"origin": "http://archive.example:port"},
        {"origin": "http://", "host": ""},
        {"origin": "https://evil.example", "referer": "http://archive.example:8080/"},
        {"referer": "https://evil.example/http://archive.example:8080/"},
        {"referer": "/jobs"},
    ],
)
def test_a_form_of_anybody_else_is_refused(headers: dict[str, str]) -> None:
    assert not is_same_origin(request(**headers))


def test_a_program_states_nothing_of_pages_and_a_page_elsewhere_is_distinguished() -> None:
    assert not is_from_another_site(request())
    assert not is_from_another_site(request(referer="https://evil.example/"))
    assert not is_from_another_site(request(origin="http://archive.example:8080", sec_fetch_site="same-origin"))
    for headers in ({"origin": "null"}, {"origin": "https://evil.example"}, {"sec_fetch_site": "same-site"}):
        assert is_from_another_site(request(**headers))


@given(st.text(max_size=40), st.text(max_size=40))
def test_every_combination_of_browser_headers_gets_a_response(origin: str, host: str) -> None:
    assert is_same_origin(request(origin=f"http://{origin}", host=host)) in {True, False}


def test_a_refused_form_gets_403_in_json() -> None:
    api = FastAPI()

    @api.post("/form", dependencies=[Depends(require_same_origin)])
    def form() -> str:
        return "written"

    client = TestClient(api)
    refused = client.post("/form", headers={"Origin": "https://evil.example"})
    assert refused.status_code == 403
    assert refused.json() == {"detail": "This form was not sent from a page of this site"}
    assert client.post("/form", headers={"Origin": "http://testserver"}).json() == "written"
