"""Failed visits of a crawl, for its log and its monitor."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

TIMEOUT = "timeout"
HTTP = "http"
FAILURE_KINDS = (TIMEOUT, HTTP)
"""The kinds of failures that a monitor counts: timeouts; and transient error responses or failed connections."""

_OUR_OWN = frozenset({"robots", "blocked", "internal"})
"""Kinds of errors that are not the fault of the site or the network."""


@dataclass(frozen=True)
class VisitFailure:
    """A failed visit, and the number of failures of its kind that it represents, including itself."""

    url: str
    kind: str
    reason: str
    count: int = 1


def failure_kind(error_kind: str | None) -> str | None:
    """Return the kind under which an error of a visit is counted; None when the site is not to blame."""
    if error_kind is None or error_kind in _OUR_OWN:
        return None
    return TIMEOUT if error_kind == TIMEOUT else HTTP


def summed_up(failures: Iterable[VisitFailure], most: int) -> list[VisitFailure]:
    """Return at most `most` failures of each kind; the last of a kind also counts those that are left out."""
    kept: list[VisitFailure] = []
    places: dict[str, list[int]] = {}
    for failure in failures:
        of_kind = places.setdefault(failure.kind, [])
        if len(of_kind) < most:
            of_kind.append(len(kept))
            kept.append(failure)
        else:
            last = kept[of_kind[-1]]
            kept[of_kind[-1]] = replace(last, count=last.count + failure.count)
    return kept
