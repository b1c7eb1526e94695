from ipaddress import ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Scope

from webstrata.http.clients import UNKNOWN, client_address, is_local

OURS = (ip_network("127.0.0.0/8"), ip_network("::1/128"), ip_network("10.0.0.0/8"))
STRANGER = "203.0.113.5"


def scope(peer: str | None, *forwarded_for: str, **headers: str) -> Scope:
    named = [("x-forwarded-for", value) for value in forwarded_for]
    named += [(name.replace("_", "-"), value) for name, value in headers.items()]
    raw = [(name.encode(), value.encode("latin-1", "replace")) for name, value in named]
    return {"type": "http", "client": (peer, 1) if peer is not None else None, "headers": raw}


@pytest.mark.parametrize(
    ("peer", "forwarded_for", "client"),
    [
        (STRANGER, [], STRANGER),
        (STRANGER, ["1.2.3.4"], STRANGER),
        ("127.0.0.1", ["1.2.3.4"], "1.2.3.4"),
        ("127.0.0.1", [STRANGER, "1.2.3.4"], "1.2.3.4"),
        ("127.0.0.1", [f"{STRANGER}, 1.2.3.4"], "1.2.3.4"),
        ("127.0.0.1", ["1.2.3.4, 10.0.0.7"], "1.2.3.4"),
        ("127.0.0.1", ["9.9.9.9, 1.2.3.4, 10.0.0.7"], "1.2.3.4"),
        ("127.0.0.1", ["1.2.3.4:5678"], "1.2.3.4"),
        ("::1", ["[2001:db8::1]:443"], "2001:db8::1"),
        ("::ffff:127.0.0.1", ["::ffff:1.2.3.4"], "1.2.3.4"),
        ("127.0.0.1", ["nonsense"], "127.0.0.1"),
        ("127.0.0.1", ["1.2.3.4, nonsense"], "127.0.0.1"),
        ("127.0.0.1", ["", " , "], "127.0.0.1"),
        ("10.0.0.7", ["10.0.0.8"], "10.0.0.8"),
        ("testclient", ["1.2.3.4"], "testclient"),
        (None, [], UNKNOWN),
    ],
)
def test_only_trusted_proxies_may_state_the_client_address(
    peer: str | None, forwarded_for: list[str], client: str
) -> None:
    assert client_address(scope(peer, *forwarded_for), OURS) == client


@given(st.lists(st.text(max_size=60), max_size=4))
def test_forged_proxy_headers_do_not_change_the_client_address(claims: list[str]) -> None:
    assert client_address(scope(STRANGER, *claims), OURS) == STRANGER


@given(st.lists(st.text(max_size=60), max_size=4))
def test_whatever_a_proxy_passes_on_there_is_a_client(claims: list[str]) -> None:
    assert client_address(scope("127.0.0.1", *claims), OURS)


@pytest.mark.parametrize("peer", ["127.0.0.1", "127.0.0.2", "::1", "::ffff:127.0.0.1", "testclient"])
def test_a_client_on_this_machine_is_local_unless_a_proxy_is_between(peer: str) -> None:
    assert is_local(scope(peer))
    assert not is_local(scope(peer, "127.0.0.1"))
    assert not is_local(scope(peer, forwarded="for=127.0.0.1"))
    assert not is_local(scope(peer, via="1.1 proxy"))


@pytest.mark.parametrize("peer", [STRANGER, "192.168.1.7", "::ffff:10.0.0.1", "localhost", "", None])
def test_no_one_else_is_local(peer: str | None) -> None:
    assert not is_local(scope(peer))
