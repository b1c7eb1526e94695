"""Kinds of pages: decides from content type and bytes whether a capture is a page, and of which kind."""

import codecs
import re
from enum import StrEnum
from urllib.parse import urlsplit

from webstrata.model.content_types import HTML_TYPES, PDF_TYPES, TEXT_TYPES, UNSTATED_TYPES, XML_TYPES, media_type

_LOOKED_AT = 4_096
_PDF_WITHIN = 1_024
"""How many bytes are searched for the signature of a PDF: as many as PDF readers search."""

_BEFORE_MARKUP = ((b"<?xml", b">"), (b"<!--", b"-->"))
"""What may precede a page's first tag: the start and the end of each."""

_HTML_ROOT = re.compile(rb"(?:<!doctype\s+html|<html)[\s>]", re.IGNORECASE)
_HTML_TAG = re.compile(
    rb"<(?:!doctype\s+html|html|head|title|body|script|style|iframe|h1|div|font|table|a|b|br|p)[\s/>]", re.IGNORECASE
)
_NO_TEXT = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]")
"""Control characters that do not occur in texts; ESC is left out, as some Japanese charsets use it."""

_STRAY = 0.01
"""The largest share of control characters in a text; random bytes have 10 percent, programs and images more."""

_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_BINARY = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"PK\x03\x04", b"\x1f\x8b", b"RIFF", b"wOFF", b"wOF2", b"\0\0\1\0")
_FOR_PROGRAMS = re.compile(
    r"\.(?:js|mjs|css|json|xml|rss|atom|svg|map|csv|ts|vtt|srt|m3u8?|webmanifest|yml|yaml)$"
    r"|^/(?:robots|ads|app-ads)\.txt$",
    re.IGNORECASE,
)
"""File types that servers often declare as plain text, but that are not pages for readers."""


_ASSET_FILES = re.compile(
    r"\.(?:css|m?js|json|map|woff2?|ttf|otf|eot|png|jpe?g|jpe|gif|webp|avif|svgz?|ico|bmp|tiff?"
    r"|mp[34]|m4[av]|og[agv]|web[ma]|wav|flac|mov|vtt|srt|webmanifest)$",
    re.IGNORECASE,
)
"""File names of images, style sheets, scripts, fonts, sounds and films."""


class PageKind(StrEnum):
    """How a page is written."""

    HTML = "html"
    PDF = "pdf"
    TEXT = "text"


def page_kind(content_type: str | None, body: bytes, url: str) -> PageKind | None:
    """Return what kind of page a body is; None when it is not a page."""
    declared = media_type(content_type)
    head = body[:_LOOKED_AT]
    if not body or not url.lower().startswith(("http:", "https:")):
        return None
    if b"%PDF-" in head[:_PDF_WITHIN] and declared in HTML_TYPES | PDF_TYPES | TEXT_TYPES | UNSTATED_TYPES:
        return PageKind.PDF
    if declared in PDF_TYPES:
        return PageKind.HTML if _HTML_ROOT.match(_markup(head)) else PageKind.PDF
    if declared in HTML_TYPES:
        return None if head.startswith(_BINARY) else PageKind.HTML
    if declared in XML_TYPES:
        return PageKind.HTML if _HTML_ROOT.match(_markup(head)) else None
    return _kind_of_text(declared, head, urlsplit(url).path)


def is_asset_file(url: str) -> bool:
    """Return whether a URL names an image, a style sheet or another file that is never a page itself."""
    try:
        path = urlsplit(url).path
    except ValueError:
        return False
    return _ASSET_FILES.search(path) is not None


def is_binary(body: bytes) -> bool:
    """Return whether the first bytes show that a body is neither a text nor a page nor a PDF.

    A page in UTF-16 has a zero in every second byte; a text has a stray control character at most.
    """
    head = body[:_LOOKED_AT]
    if head.startswith(_BINARY):
        return True
    if head.startswith(_UTF16) or b"%PDF-" in head[:_PDF_WITHIN] or _HTML_TAG.search(head.replace(b"\0", b"")):
        return False
    return len(_NO_TEXT.findall(head)) > len(head) * _STRAY


def _kind_of_text(declared: str, head: bytes, path: str) -> PageKind | None:
    """Return the kind of a body that is declared as text, or not declared at all."""
    if declared in UNSTATED_TYPES and _HTML_TAG.match(_markup(head)):
        return PageKind.HTML
    if declared not in TEXT_TYPES and not (declared == "" and path.lower().endswith((".txt", ".text"))):
        return None
    if _HTML_ROOT.match(_markup(head)):
        return PageKind.HTML
    return PageKind.TEXT if _is_text(head) and not _FOR_PROGRAMS.search(path) else None


def _is_text(head: bytes) -> bool:
    return head.startswith(_UTF16) or (not _NO_TEXT.search(head) and not head.startswith(_BINARY))


def _markup(head: bytes) -> bytes:
    """Return what begins with the first tag, if that is where a page begins."""
    rest = head.removeprefix(codecs.BOM_UTF8).lstrip()
    while begun := next((pair for pair in _BEFORE_MARKUP if rest.startswith(pair[0])), None):
        _, ended, rest = rest[len(begun[0]) :].partition(begun[1])
        rest = rest.lstrip() if ended else b""
    return rest
