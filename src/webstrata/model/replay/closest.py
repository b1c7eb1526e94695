"""Order of the captures of a URL by closeness to a moment."""

from collections.abc import Iterable
from datetime import datetime

from webstrata.errors import UsageError
from webstrata.model.captures import ArchivedCapture
from webstrata.model.urls import parse_url

_UNKNOWN_STATUS = 200


def by_closeness(
    captures: Iterable[ArchivedCapture], url: str, moment: datetime, since: datetime | None = None
) -> list[ArchivedCapture]:
    """Return captures, the closest to a moment first; with `since`, those of the period that ends there before others.

    Times are compared to the second, as in addresses. Of two equally close ones, the earlier comes first; within a
    second, the exact URL comes before one with another scheme or `www.`, and good responses before redirects and
    errors.
    """
    asked = moment.replace(microsecond=0)

    def distance(capture: ArchivedCapture) -> tuple[bool, float, bool, bool, int, int]:
        second = capture.captured_at.replace(microsecond=0)
        apart = (second - asked).total_seconds()
        is_outside = since is not None and not since <= second <= asked
        return is_outside, abs(apart), apart > 0, not _is_of(capture, url), _rank(capture), -capture.id

    return sorted(captures, key=distance)


def _is_of(capture: ArchivedCapture, url: str) -> bool:
    """Return whether a capture has exactly a URL, after normalisation."""
    try:
        return capture.url == url or parse_url(capture.url).href == url
    except UsageError:
        return False


def _rank(capture: ArchivedCapture) -> int:
    """Return 2 for a good response, higher numbers for redirects, errors and responses without a status."""
    if capture.record_type == "revisit":
        # A revisit counts as good: its original is a good response.
        return 2
    if capture.status_code is None and capture.record_type == "response":
        # Last: a response with an unreadable status line.
        return 3
    return max(2, (capture.status_code or _UNKNOWN_STATUS) // 100)
