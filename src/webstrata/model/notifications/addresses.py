"""Addresses of notification targets: webhooks and apprise services."""

import re
from urllib.parse import urlsplit

from webstrata.errors import UsageError
from webstrata.model.notifications.values import TargetAddress, TargetKind
from webstrata.model.urls import parse_url

MAX_ADDRESS_LENGTH = 2_000

APPRISE_SCHEMES = {
    "mailto": True,
    "mailtos": True,
    "matrix": True,
    "matrixs": True,
    "gotify": True,
    "gotifys": True,
    "mmost": True,
    "mmosts": True,
    "rocket": True,
    "rockets": True,
    "nctalk": True,
    "nctalks": True,
    "json": True,
    "jsons": True,
    "ntfy": False,
    "ntfys": False,
    "slack": False,
    "discord": False,
    "tgram": False,
    "msteams": False,
    "workflows": False,
    "gchat": False,
    "pover": False,
    "signal": True,
    "signals": True,
}
"""Schemes of apprise, with whether the part after :// is a host; for others it may be a secret."""

_WEB = frozenset({"http", "https"})
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x20\x7f]")


def read_address(text: str) -> TargetAddress:
    """Return a notification target's address; UsageError names what is wrong with it, without repeating it."""
    address = text.strip()
    scheme = _SCHEME.match(address)
    if scheme is None or len(address) > MAX_ADDRESS_LENGTH or _CONTROL.search(address):
        raise UsageError(
            "a notification address looks like https://example.org/hook or mailto://user:password@example.org"
            f" (at most {MAX_ADDRESS_LENGTH:,} characters, no spaces)"
        )
    name = scheme[1].lower()
    return _webhook(address) if name in _WEB else _apprise(name, address)


def endpoint_of(address: TargetAddress) -> tuple[str, int] | None:
    """Return host and port of an address; None for a service with a fixed host."""
    scheme, _, _ = address.shown.partition("://")
    if scheme not in _WEB and not APPRISE_SCHEMES.get(scheme):
        return None
    parts = urlsplit(address.address)
    try:
        port = parts.port
    except ValueError:
        port = None
    return (parts.hostname, port or 0) if parts.hostname else None


def _webhook(address: str) -> TargetAddress:
    if "@" in urlsplit(address).netloc:
        raise UsageError("a webhook's address cannot hold a user name or password; put a token in its path or query")
    try:
        parts = parse_url(address)
    except UsageError:
        raise UsageError("the webhook's address is not a web address such as https://example.org/hook") from None
    port = f":{parts.port}" if parts.port else ""
    return TargetAddress(TargetKind.WEBHOOK, parts.href, f"{parts.scheme}://{parts.hostname}{port}")


def _apprise(scheme: str, address: str) -> TargetAddress:
    if scheme not in APPRISE_SCHEMES:
        known = ", ".join(sorted(("http", "https", *APPRISE_SCHEMES)))
        raise UsageError(f"notifications cannot be sent to {scheme}:// (possible: {known})")
    try:
        host = urlsplit(address).hostname
    except ValueError:
        raise UsageError(f"the {scheme}:// address has no valid host") from None
    shown = f"{scheme}://{host}" if APPRISE_SCHEMES[scheme] and host else f"{scheme}://…"
    return TargetAddress(TargetKind.APPRISE, address, shown)
