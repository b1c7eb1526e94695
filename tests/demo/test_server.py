"""The demo server, asked over real connections."""

import errno
import re
import socket
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from threading import active_count

import pytest

from tests.support.waiting import wait_until
from webstrata.demo.server import serve_demo
from webstrata.demo.site import DEMO_HOST, DEMO_ORIGIN, DEMO_PORT, build_site
from webstrata.errors import PortInUseError, UsageError

pytestmark = pytest.mark.usefixtures("demo_port")

PAGE = "/en/guidance/fever-in-children"


@pytest.fixture
def connection() -> Iterator[HTTPConnection]:
    with serve_demo(1):
        client = HTTPConnection(DEMO_HOST, DEMO_PORT, timeout=5)
        yield client
        client.close()


def ask(client: HTTPConnection, path: str, method: str = "GET", **headers: str) -> tuple[HTTPResponse, bytes]:
    client.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    response = client.getresponse()
    return response, response.read()


def test_the_origin_is_given_and_every_path_is_served_as_built(connection: HTTPConnection) -> None:
    for path, expected in build_site(1).items():
        response, body = ask(connection, path)
        assert (response.status, body) == (expected.status, expected.body)
        assert set(expected.headers) <= set(response.getheaders())
        assert response.getheader("Content-Length") == str(len(body))


def test_the_block_gets_the_fixed_origin() -> None:
    with serve_demo(2) as origin:
        assert origin == DEMO_ORIGIN == "http://127.0.0.1:8089"


def test_a_query_does_not_change_the_page(connection: HTTPConnection) -> None:
    assert ask(connection, f"{PAGE}?utm_source=mail")[1] == ask(connection, PAGE)[1]


def test_head_sends_the_headers_of_get_and_no_body(connection: HTTPConnection) -> None:
    got, _ = ask(connection, PAGE)
    headed, body = ask(connection, PAGE, "HEAD")
    assert (headed.status, body) == (200, b"")
    for name in ("Content-Type", "Content-Length", "ETag", "Last-Modified"):
        assert headed.getheader(name) == got.getheader(name)


def test_an_unknown_path_gets_a_page_that_reports_it(connection: HTTPConnection) -> None:
    response, body = ask(connection, "/en/archive/2009-pandemic-plan")
    assert (response.status, response.reason) == (404, "Not Found")
    assert response.getheader("Content-Type") == "text/html; charset=utf-8"
    assert "Page introuvable" in body.decode()


def test_a_redirect_names_its_target(connection: HTTPConnection) -> None:
    response, _ = ask(connection, "/en/measles")
    assert (response.status, response.getheader("Location")) == (301, "/en/topics/measles")


@pytest.mark.parametrize("form", ["{tag}", "W/{tag}", '"other", {tag}', "*"])
def test_a_known_tag_is_answered_with_not_modified(connection: HTTPConnection, form: str) -> None:
    tag = dict(build_site(1)[PAGE].headers)["ETag"]
    response, body = ask(connection, PAGE, If_None_Match=form.format(tag=tag))
    assert (response.status, body, response.getheader("ETag")) == (304, b"", tag)


@pytest.mark.parametrize(
    ("since", "status"),
    [
        ("Mon, 03 Feb 2025 09:00:00 GMT", 304),
        ("Tue, 04 Feb 2025 00:00:00 GMT", 304),
        ("Mon, 03 Feb 2025 08:59:59 GMT", 200),
        ("yesterday", 200),
    ],
)
def test_a_date_decides_when_there_is_no_tag(connection: HTTPConnection, since: str, status: int) -> None:
    assert ask(connection, PAGE, If_Modified_Since=since)[0].status == status


def test_another_tag_wins_over_a_date_that_would_do(connection: HTTPConnection) -> None:
    response, _ = ask(connection, PAGE, If_None_Match='"other"', If_Modified_Since="Tue, 04 Feb 2025 00:00:00 GMT")
    assert response.status == 200


def test_a_redirect_and_a_missing_page_are_never_not_modified(connection: HTTPConnection) -> None:
    assert ask(connection, "/en/measles", If_None_Match="*")[0].status == 301
    assert ask(connection, "/nowhere", If_None_Match="*")[0].status == 404


def test_one_connection_serves_many_requests(connection: HTTPConnection) -> None:
    ask(connection, "/")
    first_socket = connection.sock
    ask(connection, PAGE, If_None_Match="*")
    ask(connection, PAGE, "HEAD")
    ask(connection, "/nowhere")
    assert connection.sock is first_socket


def test_the_server_states_nothing_on_standard_error(
    connection: HTTPConnection, capfd: pytest.CaptureFixture[str]
) -> None:
    ask(connection, "/")
    ask(connection, "/nowhere")
    assert capfd.readouterr() == ("", "")


def test_an_edition_follows_another_at_once_and_an_idle_connection_does_not_outlive_its_own() -> None:
    client = HTTPConnection(DEMO_HOST, DEMO_PORT, timeout=5)
    with serve_demo(1):
        assert b"75 mg/kg" in ask(client, PAGE)[1]
    with serve_demo(2):
        with pytest.raises(ConnectionError):
            ask(client, PAGE)
        client.close()
        assert b"60 mg/kg" in ask(client, PAGE)[1]
        assert ask(client, "/en/news/flu-clinics")[0].status == 404
        client.close()


def test_stopping_leaves_neither_a_listener_nor_a_thread() -> None:
    before = active_count()
    client = HTTPConnection(DEMO_HOST, DEMO_PORT, timeout=5)
    with serve_demo(1):
        ask(client, "/")
    with socket.socket() as probe:
        assert probe.connect_ex((DEMO_HOST, DEMO_PORT)) == errno.ECONNREFUSED
    wait_until(lambda: active_count() <= before, "the connection's thread has ended")
    client.close()


def test_a_taken_port_is_named_in_one_line() -> None:
    with serve_demo(1), pytest.raises(PortInUseError, match=re.escape(DEMO_ORIGIN)) as raised, serve_demo(2):
        pass
    assert "\n" not in str(raised.value)


def test_an_unknown_edition_is_refused_before_anything_listens() -> None:
    with pytest.raises(UsageError), serve_demo(3):
        pass
