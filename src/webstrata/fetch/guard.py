"""The network guard: which addresses the crawler may talk to."""

import ipaddress
from dataclasses import dataclass

from webstrata.errors import BlockedAddressError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_IPV6_UNICAST = ipaddress.IPv6Network("2000::/3")
"""The allocated range of IPv6. For Python reserved addresses are global, too, but networks may use them internally."""


@dataclass(frozen=True)
class NetworkGuard:
    """Permits public addresses, and others that the operator allows."""

    allowed_networks: tuple[Network, ...] = ()
    allowed_endpoints: frozenset[tuple[str, int]] = frozenset()
    """Single addresses with their port, such as our own demo site's."""

    def check(self, address: str, port: int) -> None:
        """Raise BlockedAddressError unless a connection to the address is allowed."""
        if (address, port) in self.allowed_endpoints:
            return
        ip = ipaddress.ip_address(address.partition("%")[0])
        if any(ip in network for network in self.allowed_networks) or all(map(_is_public, _meant_by(ip))):
            return
        raise BlockedAddressError(
            f"{address} is not a public address (WEBSTRATA_ALLOW_PRIVATE_NETWORKS={ip} would allow it)"
        )


def _is_public(ip: Address) -> bool:
    return ip.is_global and not ip.is_multicast and (ip.version == 4 or ip in _IPV6_UNICAST)


def _meant_by(ip: Address) -> list[Address]:
    """Return an address, and the IPv4 address that it contains if it belongs to a tunnel or translator."""
    if isinstance(ip, ipaddress.IPv4Address):
        return [ip]
    if ip.ipv4_mapped is not None:
        return [ip.ipv4_mapped]
    if ip in _NAT64:
        return [ipaddress.IPv4Address(int(ip) & 0xFFFF_FFFF)]
    if ip.sixtofour is not None:
        return [ip, ip.sixtofour]
    return [ip, ip.teredo[1]] if ip.teredo is not None else [ip]
