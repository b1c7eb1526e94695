"""Name resolution: every address is checked by the network guard before a connection is made."""

import asyncio
import ipaddress
import socket
import time
from functools import partial

from webstrata.errors import BlockedAddressError, FetchError, TransientFetchError
from webstrata.fetch.guard import NetworkGuard

_SECONDS_KEPT = 60
_MOST_NAMES = 10_000
_LOOKUP_SECONDS = 5.0


def literal_address(host: str) -> str | None:
    """Return the IP address in a URL's host; None when it is a name."""
    address = host.strip("[]")
    try:
        ipaddress.ip_address(address)
    except ValueError:
        return None
    return address


class GuardedResolver:
    """Resolves a name once for all requests within a minute, and returns only addresses that the guard allows."""

    def __init__(self, guard: NetworkGuard) -> None:
        """Prepare a resolver with an empty cache."""
        self._guard = guard
        self._lookups: dict[str, tuple[float, asyncio.Task[list[str]]]] = {}

    async def passing(self, host: str, port: int) -> list[str]:
        """Return the addresses of a host that may be connected to; BlockedAddressError when there is none."""
        addresses = await self._addresses(host)
        passing, refusal = [], None
        for address in addresses:
            try:
                self._guard.check(address, port)
                passing.append(address)
            except BlockedAddressError as error:
                refusal = error
        if refusal is not None and not passing:
            raise refusal
        return passing

    async def check_all(self, host: str, port: int) -> None:
        """Raise BlockedAddressError when any address of a host is refused; names that are unknown here pass.

        This is for hosts that a proxy resolves again: it may choose any of the addresses, and may know names of its own
        network, which we cannot check.
        """
        try:
            addresses = await self._addresses(host)
        except FetchError:
            return
        for address in addresses:
            self._guard.check(address, port)

    async def _addresses(self, host: str) -> list[str]:
        literal = literal_address(host)
        if literal is not None:
            return [literal]
        now = time.monotonic()
        expires, lookup = self._lookups.get(host, (0.0, None))
        if lookup is None or expires < now:
            self._forget_old(now)
            lookup = asyncio.create_task(_looked_up(host))
            lookup.add_done_callback(partial(self._drop_if_failed, host))
            self._lookups[host] = (now + _SECONDS_KEPT, lookup)
        # Shielded: other requests may wait for the same lookup.
        return await asyncio.shield(lookup)

    def _drop_if_failed(self, host: str, lookup: asyncio.Task[list[str]]) -> None:
        if lookup.cancelled() or lookup.exception() is not None:
            self._lookups.pop(host, None)

    def _forget_old(self, now: float) -> None:
        if len(self._lookups) >= _MOST_NAMES:
            self._lookups = {host: entry for host, entry in self._lookups.items() if entry[0] >= now}
        if len(self._lookups) >= _MOST_NAMES:
            self._lookups.clear()


def check_host(host: str, port: int, guard: NetworkGuard) -> bool:
    """Raise BlockedAddressError when all addresses of a host are refused; return whether the name resolves."""
    try:
        asyncio.run(asyncio.wait_for(GuardedResolver(guard).passing(host, port), _LOOKUP_SECONDS))
    except BlockedAddressError:
        raise
    except (FetchError, TimeoutError):
        return False
    return True


async def _looked_up(host: str) -> list[str]:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except socket.gaierror as error:
        raise TransientFetchError("the host's name does not resolve (is the network up?)", kind="dns") from error
    except (UnicodeError, ValueError) as error:
        raise FetchError("the host name is not valid", kind="dns") from error
    return list(dict.fromkeys(str(address[0]) for *_, address in found))
