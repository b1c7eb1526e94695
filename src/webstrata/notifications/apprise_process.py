"""A process that sends one notification through apprise: it connects only to addresses that the network guard permits.

It reads a request as JSON from its standard input and writes `{"error": …}` to its standard output. Apprise opens its
own connections; an audit hook of the interpreter lets the guard check each address before.
"""

import ipaddress
import json
import logging
import re
import socket
import sys
from collections.abc import Callable

import apprise

from webstrata.errors import BlockedAddressError
from webstrata.fetch.guard import NetworkGuard

_CONNECTING = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
_STATUS = re.compile(r"error=(\d{3})\b")


def main() -> None:
    """Send the notification of the request on standard input."""
    request = json.load(sys.stdin)
    guard = NetworkGuard(tuple(map(ipaddress.ip_network, request["networks"])))
    refusals: list[str] = []
    sys.addaudithook(_guarding(guard, refusals))
    notes = _Notes()
    logging.getLogger("apprise").addHandler(notes)
    was_sent = _send(request["address"], request["title"], request["text"])
    error = None if was_sent else next(iter(refusals), notes.reason)
    print(json.dumps({"error": error, "is_final": bool(refusals)}))  # noqa: T201 - its parent reads this


def _send(address: str, title: str, text: str) -> bool:
    asset = apprise.AppriseAsset(
        http_redirects=False, async_mode=False, storage_mode=apprise.PersistentStoreMode.MEMORY
    )
    sender = apprise.Apprise(asset=asset)
    return bool(sender.add(address)) and bool(sender.notify(body=text, title=title, body_format="text"))


def _guarding(guard: NetworkGuard, refusals: list[str]) -> Callable[[str, tuple[object, ...]], None]:
    """Return an audit hook that refuses connections to addresses that the guard does not permit."""

    def check(event: str, arguments: tuple[object, ...]) -> None:
        if event not in _CONNECTING:
            return
        connecting, address = arguments[0], arguments[-1]
        assert isinstance(connecting, socket.socket)
        try:
            _check(guard, connecting, address)
        except BlockedAddressError as error:
            refusals.append(str(error))
            raise ConnectionRefusedError(str(error)) from error

    return check


def _check(guard: NetworkGuard, connecting: socket.socket, address: object) -> None:
    if connecting.family not in (socket.AF_INET, socket.AF_INET6) or not isinstance(address, tuple):
        raise BlockedAddressError("only connections over IP are possible")
    guard.check(str(address[0]), int(address[1]))


class _Notes(logging.Handler):
    """Log handler that stores only the status of the service's response; other parts of a log line may contain
    secrets."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.reason = "the service could not be reached, or refused the message"

    def emit(self, record: logging.LogRecord) -> None:
        """Note the status in a log line."""
        if found := _STATUS.search(record.getMessage()):
            self.reason = f"the service responded with status {found[1]}"


if __name__ == "__main__":
    main()
