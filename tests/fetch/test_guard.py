"""Which addresses the crawler may talk to."""

from ipaddress import ip_network

import pytest

from webstrata.errors import BlockedAddressError
from webstrata.fetch.guard import NetworkGuard

PRIVATE = {
    "loopback": "127.0.0.1",
    "all of loopback": "127.255.255.254",
    "loopback, IPv6": "::1",
    "this host": "0.0.0.0",
    "this network": "0.1.2.3",
    "unspecified, IPv6": "::",
    "private, 10": "10.0.0.1",
    "private, 172.16": "172.31.255.255",
    "private, 192.168": "192.168.1.1",
    "unique local": "fd12:3456::1",
    "link-local": "169.254.1.1",
    "cloud metadata": "169.254.169.254",
    "cloud metadata, IPv6": "fd00:ec2::254",
    "link-local, IPv6": "fe80::1",
    "link-local with its zone": "fe80::1%eth0",
    "site-local": "fec0::1",
    "carrier-grade NAT": "100.64.0.1",
    "end of carrier-grade NAT": "100.127.255.255",
    "benchmarks": "198.18.0.1",
    "documentation": "192.0.2.1",
    "documentation, IPv6": "2001:db8::1",
    "multicast": "224.0.0.1",
    "multicast, global": "233.252.0.1",
    "multicast, IPv6": "ff0e::1",
    "reserved": "240.0.0.1",
    "reserved, IPv6": "4000::1",
    "broadcast": "255.255.255.255",
    "IPv4-mapped loopback": "::ffff:127.0.0.1",
    "IPv4-mapped private": "::ffff:10.0.0.1",
    "IPv4-mapped metadata": "::ffff:a9fe:a9fe",
    "IPv4-compatible loopback": "::127.0.0.1",
    "IPv4-translated loopback": "::ffff:0:127.0.0.1",
    "6to4 to loopback": "2002:7f00:1::",
    "6to4 to a private network": "2002:c0a8:101::1",
    "NAT64 to loopback": "64:ff9b::7f00:1",
    "NAT64 to metadata": "64:ff9b::169.254.169.254",
    "NAT64 of a network's own": "64:ff9b:1::a00:1",
    "Teredo to loopback": "2001:0:4136:e378:8000:63bf:80ff:fffe",
}


@pytest.mark.parametrize("address", PRIVATE.values(), ids=PRIVATE.keys())
def test_an_address_that_is_not_public_is_refused_and_named(address: str) -> None:
    with pytest.raises(BlockedAddressError, match=r"is not a public address .*WEBSTRATA_ALLOW_PRIVATE_NETWORKS"):
        NetworkGuard().check(address, 80)


@pytest.mark.parametrize(
    "address", ["1.1.1.1", "100.63.255.255", "100.128.0.1", "172.32.0.1", "2606:4700:4700::1111", "64:ff9b::1.1.1.1"]
)
def test_a_public_address_passes(address: str) -> None:
    NetworkGuard().check(address, 443)


def test_an_allowed_network_passes_and_its_neighbour_does_not() -> None:
    guard = NetworkGuard((ip_network("10.1.0.0/16"), ip_network("fd00::/64")))
    guard.check("10.1.255.255", 80)
    guard.check("fd00::1", 80)
    for neighbour in ("10.2.0.0", "fd00:0:0:1::1", "127.0.0.1"):
        with pytest.raises(BlockedAddressError):
            guard.check(neighbour, 80)


def test_an_allowed_endpoint_passes_with_its_port_only() -> None:
    guard = NetworkGuard(allowed_endpoints=frozenset({("127.0.0.1", 8089)}))
    guard.check("127.0.0.1", 8089)
    for address, port in (("127.0.0.1", 8088), ("127.0.0.2", 8089), ("::1", 8089)):
        with pytest.raises(BlockedAddressError):
            guard.check(address, port)
