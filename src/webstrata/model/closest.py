"""Which capture of a URL stands for a moment: the closest one."""

from collections.abc import Iterable
from datetime import datetime

from webstrata.model.captures import ArchivedCapture

_UNKNOWN_STATUS = 200


def by_closeness(
    captures: Iterable[ArchivedCapture], url: str, moment: datetime, since: datetime | None = None
) -> list[ArchivedCapture]:
    """Return captures, the closest to a moment first; with `since`, those of the period that ends there before others.

    Times are compared to the second, as addresses name them. Of two that are as close, the earlier comes first; of
    one second, good responses come before redirects and errors, and the very URL before one with another scheme or
    `www.`.
    """
    asked = moment.replace(microsecond=0)

    def distance(capture: ArchivedCapture) -> tuple[bool, float, bool, int, bool, int]:
        second = capture.captured_at.replace(microsecond=0)
        apart = (second - asked).total_seconds()
        is_outside = since is not None and not since <= second <= asked
        return is_outside, abs(apart), apart > 0, _rank(capture), capture.url != url, -capture.id

    return sorted(captures, key=distance)


def _rank(capture: ArchivedCapture) -> int:
    """Return 2 for a good response, higher numbers for redirects and errors."""
    if capture.record_type == "revisit":
        # What it refers to is a good response, whatever the server answered this time.
        return 2
    return max(2, (capture.status_code or _UNKNOWN_STATUS) // 100)
