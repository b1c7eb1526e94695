"""Scrape records: the result of one attempt to fetch a URL, with its blocked and JS-only flags."""

from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus

from webstrata.model.quality import QualityKind

_REFUSALS = frozenset({HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.UNAVAILABLE_FOR_LEGAL_REASONS})
_REFUSING_PAGES = frozenset({QualityKind.BLOCKED, QualityKind.CAPTCHA})
_HTTP_ERROR = "http_"
"""The prefix of the error kind of a transient error response, followed by its status code."""

NOT_FETCHED = frozenset({"robots", "blocked"})
"""Error kinds of URLs that were not requested at all: robots.txt or the network guard did not allow it."""


@dataclass(frozen=True)
class ScrapeRecord:
    """One attempt to fetch a URL."""

    created_at: datetime | None
    url: str
    status_code: int | None
    size_bytes: int | None
    elapsed_ms: int | None
    payload_digest: str | None
    is_blocked: bool
    is_js_only: bool
    error_kind: str | None


def status_of_error(error_kind: str | None) -> int | None:
    """Return the status code of a response that counts as an error; None when there was no response."""
    if error_kind is None or not error_kind.startswith(_HTTP_ERROR):
        return None
    digits = error_kind.removeprefix(_HTTP_ERROR)
    return int(digits) if digits.isdecimal() else None


def is_refusal(status_code: int | None, kind: QualityKind | None) -> bool:
    """Return whether the site refused the crawler: by its status code, or by the text of the page."""
    return status_code in _REFUSALS or kind in _REFUSING_PAGES


def is_js_only(kind: QualityKind | None) -> bool:
    """Return whether a page has no content until its scripts have run."""
    return kind is QualityKind.EMPTY
