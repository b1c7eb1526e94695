"""Builds the response that replays a capture: status, safe headers, and the body, rewritten or as it was sent."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from webstrata.content.charset import text_of
from webstrata.content.decode import decoded, unpacked
from webstrata.content.kinds import PageKind, page_kind
from webstrata.content.rewriting.body_start import body_start
from webstrata.content.rewriting.css_rewriting import rewrite_css
from webstrata.content.rewriting.link_rewriting import Loading, rewrite_page
from webstrata.model.content_types import media_type
from webstrata.model.crawl.fetching import REDIRECT_STATUSES
from webstrata.model.replay.replay_address import REPLAY_PATH, Modifier, plain_url, replay_path
from webstrata.model.urls import join
from webstrata.replay.banner import capture_banner
from webstrata.replay.finding import FoundCapture
from webstrata.replay.markup import Markup
from webstrata.warc.reader import ArchiveRecord

MAX_REWRITTEN_BYTES = 5_000_000
"""Addresses in larger pages and style sheets are not rewritten, which takes up to a second per megabyte."""

ORIGINAL = "X-Archive-Orig-"

_MAX_VALUE = 4_096
_MAX_HEADERS = 16_384
"""The most characters of one archived header, and of all, that are passed on; clients and proxies refuse more."""

_DROPPED = frozenset({"set-cookie", "set-cookie2", "authorization", "proxy-authorization"})
"""Headers that may contain secrets of the session that captured the page."""

_TOKEN = re.compile(r"[a-z0-9!#$%&'*+.^_`|~-]{1,100}")
_UNPRINTABLE = re.compile(r"[^\t\x20-\x7e]")
"""Characters that clients decode differently, or refuse."""
_COMPLETE = re.compile(r"bytes\s+0-(\d{1,18})/(\d{1,18})\s*", re.IGNORECASE)
_PACKED = {"gzip": b"\x1f\x8b", "x-gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd", "br": b""}
_BROTLI_PROBE = 4_096
"""How many bytes are decoded to recognise Brotli, which has no signature."""
"""Content encodings that are passed on, with the first bytes of such bodies; a body without them is mislabelled."""

_MODIFIER_OF = {
    Loading.FRAME: Modifier.FRAME,
    Loading.IMAGE: Modifier.IMAGE,
    Loading.STYLE: Modifier.STYLE,
    Loading.SCRIPT: Modifier.SCRIPT,
    Loading.OTHER: Modifier.IDENTITY,
}

TakesEncoding = Callable[[str], bool]
"""A function that returns whether the client accepts a content encoding."""


@dataclass(frozen=True)
class ReplayedResponse:
    """The response for a capture."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


def replay(found: FoundCapture, modifier: Modifier, takes_encoding: TakesEncoding) -> ReplayedResponse:
    """Return the response that replays a capture; `found` is decoded only if its body is rewritten."""
    record, status = found.record, _status(found.record, found)
    headers = dict(_passed_on(record, status))
    if is_rewritten(modifier):
        body, headers["Content-Type"] = _rewritten(found, modifier)
    else:
        body, encoding = _as_sent(record, takes_encoding)
        headers["Content-Encoding"] = encoding
        headers["Vary"] = "Accept-Encoding" if "content-encoding" in record.headers else ""
    headers = {name: value for name, value in headers.items() if value}
    if found.redirect_target is not None:
        # An archived redirect is a redirect to the capture of its target at the same time.
        headers["Location"] = replay_path(found.capture.timestamp, found.redirect_target, modifier)
    return ReplayedResponse(status, (*headers.items(), *original_headers(record)), body)


def is_rewritten(modifier: Modifier) -> bool:
    """Return whether addresses in the body are rewritten; otherwise its bytes are unchanged."""
    return modifier.is_page or modifier is Modifier.STYLE


def original_headers(record: ArchiveRecord) -> list[tuple[str, str]]:
    """Return the archived headers with a prefix in their names, without those that may contain secrets."""
    if record.record_type == "resource":
        return []
    found, room = [], _MAX_HEADERS
    for name, value in record.headers.items():
        if name in _DROPPED or not _TOKEN.fullmatch(name) or len(value) > min(room, _MAX_VALUE):
            continue
        found.append((f"{ORIGINAL}{name}", _UNPRINTABLE.sub("?", value)))
        room -= len(value)
    return found


def _status(record: ArchiveRecord, found: FoundCapture) -> int:
    """Return the archived status, or 200 for one that needs something which is not archived."""
    status = record.status_code or 200
    if status in REDIRECT_STATUSES and found.redirect_target is None:
        return 200
    if status == 206:
        complete = _COMPLETE.fullmatch(record.headers.get("content-range", ""))
        return 200 if complete is None or int(complete[1]) + 1 == int(complete[2]) else 206
    return status if 200 <= status <= 599 and status != 304 else 200


def _passed_on(record: ArchiveRecord, status: int) -> list[tuple[str, str]]:
    """Return the headers that only describe the body."""
    names = ["Content-Type", "Content-Language", "Content-Disposition"]
    if status == 206:
        names.append("Content-Range")
    given = ((name, record.headers.get(name.lower(), "")) for name in names)
    return [(name, _UNPRINTABLE.sub("?", value)) for name, value in given if value and len(value) <= _MAX_VALUE]


def _as_sent(record: ArchiveRecord, takes_encoding: TakesEncoding) -> tuple[bytes, str]:
    """Return the archived body and its content encoding; decoded if the client does not accept that."""
    stated = record.headers.get("content-encoding", "")
    encoding = stated.strip().lower()
    if encoding in _PACKED and takes_encoding(encoding) and _is_packed(record.body_bytes, encoding):
        return record.body_bytes, encoding.removeprefix("x-")
    return decoded(record.body_bytes, stated), ""


def _is_packed(body: bytes, encoding: str) -> bool:
    """Return whether a body has the encoding that its header states: some crawlers store it decoded."""
    if encoding == "br":
        return unpacked(body, encoding, _BROTLI_PROBE) is not body
    return body.startswith(_PACKED[encoding])


def _rewritten(found: FoundCapture, modifier: Modifier) -> tuple[bytes, str]:
    """Return the rewritten body and its content type; rewritten pages and style sheets are UTF-8."""
    body, stated = found.record.body_bytes, found.record.headers.get("content-type", "")
    is_page = modifier.is_page and page_kind(stated, body, found.capture.url) is PageKind.HTML
    is_style = not is_page and (media_type(stated) == "text/css" or (modifier is Modifier.STYLE and not stated))
    if not (is_page or is_style) or len(body) > MAX_REWRITTEN_BYTES:
        return body, _UNPRINTABLE.sub("?", stated[:_MAX_VALUE])
    text = text_of(body, stated)
    if is_style:
        return _utf8(rewrite_css(text, _in_style(found))), "text/css; charset=utf-8"
    page = _utf8(rewrite_page(text, found.capture.url, _new_address(found, modifier)))
    return (_with_banner(page, found) if modifier is Modifier.PAGE else page), "text/html; charset=utf-8"


def _new_address(found: FoundCapture, modifier: Modifier) -> Callable[[str, Loading], str]:
    timestamp = found.capture.timestamp
    return lambda url, loading: replay_path(timestamp, url, _MODIFIER_OF.get(loading, modifier))


def _in_style(found: FoundCapture) -> Callable[[str, bool], str | None]:
    def address(written: str, is_sheet: bool) -> str | None:
        target = join(found.capture.url, written) if written and not written.startswith("#") else None
        modifier = Modifier.STYLE if is_sheet else Modifier.IMAGE
        return None if target is None else replay_path(found.capture.timestamp, target, modifier)

    return address


def _with_banner(page: bytes, found: FoundCapture) -> bytes:
    markup = Markup(page, "utf-8")
    list_path = f"{REPLAY_PATH}*/{plain_url(found.capture.url)}"
    return markup.insert(body_start(markup.ascii), capture_banner(found.capture, list_path))


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")
