"""Parser of Wayback addresses, such as `/web/<timestamp><modifier>/<url>`."""

import re
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import quote, unquote

from webstrata.errors import UsageError
from webstrata.model.timestamps import is_timestamp
from webstrata.model.urls import parse_url, with_scheme

REPLAY_PATH = "/web/"
"""Where replay addresses begin."""


class Modifier(StrEnum):
    """How a capture is replayed; the names are those of the Wayback Machine and pywb."""

    PAGE = ""
    MAIN = "mp_"
    FRAME = "if_"
    IDENTITY = "id_"
    """The archived bytes, unmodified."""
    SCRIPT = "js_"
    STYLE = "cs_"
    IMAGE = "im_"

    @property
    def is_page(self) -> bool:
        """Return whether the capture is viewed as a page, and not loaded by one."""
        return self in {Modifier.PAGE, Modifier.MAIN, Modifier.FRAME}


class ReplayRequest(StrEnum):
    """The kind of request of a replay address."""

    CAPTURE = "capture"
    """The capture closest to a timestamp."""
    TIMEGATE = "timegate"
    """A redirect to the capture closest to the Accept-Datetime header, or to the newest one."""
    LIST = "list"
    """The captures of a URL, or of all URLs that begin alike."""


@dataclass(frozen=True)
class ReplayAddress:
    """A parsed address below `/web/`."""

    request: ReplayRequest
    url: str
    """As written; that of a list may begin with `*.` or end with `*`."""
    timestamp: str = ""
    """1 to 14 digits; for a list the period that is listed; empty when the address has none."""
    modifier: Modifier = Modifier.PAGE


_DIRECTIVE = re.compile(r"(?P<digits>[0-9]*)(?P<star>\*?)(?P<modifier>[a-z]{2}_)?/(?P<url>.*)", re.DOTALL)
_ENCODED = re.compile(r"https?%(?:25)*3a", re.IGNORECASE)
_WITH_PORT_80 = re.compile(r"[^/?#:@]+:80(?=[/?#]|$)")
"""An address without its scheme, which cannot be https."""
_FOLDED = re.compile(r"(https?):/+(?=[^/])", re.IGNORECASE)
_PLAIN = "".join(chr(code) for code in range(0x21, 0x7F) if chr(code) not in '"<>\\^`{|}')
_IS_PLAIN = re.compile(f"[{re.escape(_PLAIN)}]*")
_SAME_AS = {"fw_": Modifier.FRAME, "oe_": Modifier.IMAGE}
"""Further modifiers of the Wayback Machine, which occur in copied addresses."""

_MODIFIERS = ", ".join(modifier for modifier in Modifier if modifier)


def parse_address(path: str, query: str = "") -> ReplayAddress:
    """Parse an address, given the undecoded path after `/web/`; UsageError when it is invalid."""
    written = f"{path}?{query}" if query else path
    found = _DIRECTIVE.fullmatch(written)
    if found is None or not (found["digits"] or found["star"] or found["modifier"]):
        return ReplayAddress(ReplayRequest.TIMEGATE, _require_url(written))
    digits, url = found["digits"], _require_url(found["url"])
    if digits and not is_timestamp(digits):
        raise UsageError(f"{digits[:40]!r} is not a timestamp (expected 1 to 14 digits, such as 20240531120000)")
    if found["star"]:
        return ReplayAddress(ReplayRequest.LIST, url, digits)
    return ReplayAddress(ReplayRequest.CAPTURE, url, digits, _modifier(found["modifier"]))


def _require_url(url: str) -> str:
    if not url:
        raise UsageError("a URL is missing (expected something like /web/2024/https://example.org/)")
    return url


def _modifier(text: str | None) -> Modifier:
    try:
        return _SAME_AS.get(text or "") or Modifier(text or "")
    except ValueError:
        raise UsageError(f"{text!r} is not a modifier (expected one of {_MODIFIERS})") from None


def archived_url(written: str) -> str:
    """Return the archived URL in an address; UsageError when it is not a web address.

    The scheme may be missing, the URL may be percent-encoded, even twice, and proxies may have merged two slashes.
    """
    text = written
    while _ENCODED.match(text):
        text = unquote(text)
    text = _FOLDED.sub(r"\1://", text, count=1)
    if text.startswith("//") or _WITH_PORT_80.match(text):
        text = f"http:{text}" if text.startswith("//") else f"http://{text}"
    return parse_url(with_scheme(text)).href


def replay_path(timestamp: str, url: str, modifier: Modifier = Modifier.PAGE) -> str:
    """Return the path at which a capture is replayed, safe for headers and markup."""
    return f"{REPLAY_PATH}{timestamp}{modifier}/{plain_url(url)}"


def plain_url(url: str) -> str:
    """Return a URL with all characters percent-encoded that are invalid in headers; URLs in WARC files of other tools
    may contain them."""
    return url if _IS_PLAIN.fullmatch(url) else quote(url, safe=_PLAIN)
