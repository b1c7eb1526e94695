"""The client of a request: its address, also when trusted proxies forward it, and whether it is on this machine."""

import ipaddress
from collections.abc import Iterable, Sequence
from functools import lru_cache

from starlette.datastructures import Headers
from starlette.types import Scope

from webstrata.settings import Network

IN_PROCESS = "testclient"
"""The host name of starlette's in-process client; a socket always gives an address."""

UNKNOWN = "unknown"

_FORWARDED = ("forwarded", "via", "x-real-ip", "x-forwarded", "x-original-", "x-client-ip", "x-cluster-client-ip")
_FORWARDED_BY_NETWORKS = ("cf-", "cdn-", "fastly-", "true-client-ip", "x-envoy-", "x-amzn-", "x-azure-", "fly-")
"""Headers that delivery networks and load balancers add."""

_ADDRESSES_CACHED = 1_024
"""The size of the cache of parsed addresses: every request needs its client's two or three times."""

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def client_address(scope: Scope, trusted: Sequence[Network]) -> str:
    """Return a client's address: the peer's, or if that is a trusted proxy, the nearest forwarded address that is not
    one.

    X-Forwarded-For of other peers is ignored, as they can write anything into it.
    """
    peer = peer_of(scope)
    nearest = _address(peer)
    if nearest is None:
        return peer or UNKNOWN
    for hop in _hops(Headers(scope=scope)):
        if hop is None or not _is_in(nearest, trusted):
            break
        nearest = hop
    return str(nearest)


def is_local(scope: Scope) -> bool:
    """Return whether a client is on this machine, or in this process, without a proxy in between."""
    if is_forwarded(Headers(scope=scope)):
        return False
    peer = peer_of(scope)
    return peer == IN_PROCESS or is_loopback(peer)


def is_forwarded(headers: Iterable[str]) -> bool:
    """Return whether a request's headers show that it came through a proxy."""
    return any(name.lower().startswith(_FORWARDED + _FORWARDED_BY_NETWORKS) for name in headers)


def peer_of(scope: Scope) -> str:
    """Return the address at the other end of the connection."""
    client = scope.get("client")
    return str(client[0]) if client else ""


def is_loopback(host: str) -> bool:
    """Return whether a text is an address of this machine itself."""
    address = _address(host)
    return address is not None and address.is_loopback


def _hops(headers: Headers) -> list[Address | None]:
    """Return the addresses that the proxies name, the nearest first."""
    named = ",".join(headers.getlist("x-forwarded-for")).split(",")
    return [_address(part.strip()) for part in reversed(named) if part.strip()]


@lru_cache(_ADDRESSES_CACHED)
def _address(text: str) -> Address | None:
    """Parse an address in the forms that proxies write: in brackets, with a port, IPv4 mapped to IPv6."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def _is_in(address: Address, networks: Sequence[Network]) -> bool:
    return any(address.version == network.version and address in network for network in networks)
