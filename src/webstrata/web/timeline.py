"""The timeline strip: one tick per capture of a page, taller for more significant changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from webstrata.model.archive import SnapshotView, latest_good
from webstrata.model.changes.values import ChangeType
from webstrata.web.present import answer, is_good
from webstrata.web.quality_texts import quality_words

MAX_TICKS = 120
"""Captures drawn at most, so that a page with thousands of them stays small; the ones around the current are drawn."""

_EDGE = 3.0
_RANGE = 100.0 - 2 * _EDGE
_WIDEST_GAP = 8.0
"""The gap between nearly simultaneous ticks, in per cent: a finger's width on a phone."""

_GAPS_SHARE = 0.5
"""The largest share of the strip for gaps, so that the rest still shows the course of time."""

_SHORT, _TALL = 16, 37
"""Pixels of a tick where nothing changed, and of the most significant change."""

_LEAST_CHANGE = 0.15
"""The least height of a change, so that it is visible."""

_FITTING_TICKS = 28
_SCROLLED_TICK_PIXELS = 14


class Change(StrEnum):
    """The difference between a capture and the one before it."""

    FIRST = "first"
    CHANGED = "changed"
    SAME = "same"
    AWAY = "away"
    UNKNOWN = "unknown"


_OF_EVENTS = {
    ChangeType.NEW_PAGE: Change.FIRST,
    ChangeType.UPDATED: Change.CHANGED,
    ChangeType.RESTORED: Change.CHANGED,
    ChangeType.UNCHANGED: Change.SAME,
    ChangeType.UNAVAILABLE: Change.AWAY,
    ChangeType.ERROR: Change.UNKNOWN,
}
Events = Mapping[int, tuple[ChangeType, float]]
"""Kind and significance of the events of snapshots."""


_CHANGE_WORDS = {
    Change.FIRST: "first capture",
    Change.CHANGED: "different from the previous capture",
    Change.SAME: "same as the previous capture",
    Change.AWAY: "not available",
    Change.UNKNOWN: "not compared",
}


@dataclass(frozen=True)
class Tick:
    """One capture on the strip; `left` is its place in per cent."""

    snapshot: SnapshotView
    change: Change
    left: float
    is_current: bool
    significance: float | None = None
    """How much the change matters; None when the capture has no event."""

    @property
    def is_tall(self) -> bool:
        """Return whether the content differs from the capture before; the first one has none before it."""
        return self.change is Change.CHANGED

    @property
    def is_error(self) -> bool:
        """Return whether the capture does not show the page: an error, a block page, a redirect."""
        return not (self.snapshot.is_good and is_good(self.snapshot.status_code)) or self.change is Change.AWAY

    @property
    def error_words(self) -> str:
        """Return what the capture is instead of the page."""
        status = self.snapshot.status_code
        if status is not None and not is_good(status):
            return answer(status)
        return (quality_words(self.snapshot) or _CHANGE_WORDS[Change.AWAY]).lower()

    @property
    def height(self) -> int:
        """Return how tall the tick is drawn, in pixels."""
        if not self.is_tall:
            return _SHORT
        share = 1.0 if self.significance is None else max(_LEAST_CHANGE, self.significance)
        return round(_SHORT + (_TALL - _SHORT) * share)

    @property
    def words(self) -> str:
        """Return the label of the height of the tick."""
        weight = f", significance {self.significance:.2f}" if self.is_tall and self.significance is not None else ""
        return f"{_CHANGE_WORDS[self.change]}{weight}"


@dataclass(frozen=True)
class Strip:
    """The history of a page for the snapshot page."""

    ticks: tuple[Tick, ...]
    captures: int
    changes: int
    older: SnapshotView | None
    newer: SnapshotView | None
    left_out: int
    gap: float
    """The clickable width of a tick, in per cent of the strip."""
    latest_good: SnapshotView | None = None
    """The newest capture that shows the page."""
    leads_to_good: bool = False
    """Whether that is neither the current nor the next capture."""

    @property
    def has_changes(self) -> bool:
        """Return whether any tick shows a change."""
        return any(tick.is_tall for tick in self.ticks)

    @property
    def is_weighed(self) -> bool:
        """Return whether the height of a tick shows how much a change matters."""
        return any(tick.is_tall and tick.significance is not None for tick in self.ticks)

    @property
    def has_errors(self) -> bool:
        """Return whether a tick of an error is drawn."""
        return any(tick.is_error for tick in self.ticks)

    @property
    def width(self) -> str:
        """Return how wide the strip is drawn: the available width, or more when the ticks would touch."""
        return "100%" if len(self.ticks) <= _FITTING_TICKS else str(len(self.ticks) * _SCROLLED_TICK_PIXELS)


def draw_strip(timeline: Sequence[SnapshotView], current: SnapshotView, events: Events | None = None) -> Strip:
    """Return the strip of a page's captures, given oldest first, around the current one.

    A capture without an event is compared with the one before it by their contents.
    """
    weighed = events or {}
    captures = timeline if current in timeline else (current,)
    at = captures.index(current)
    changes = changes_of(captures, weighed)
    start, end = _window(len(captures), at)
    drawn = captures[start:end]
    good = latest_good(captures)
    gap = min(_WIDEST_GAP, _RANGE * _GAPS_SHARE / max(1, len(drawn) - 1))
    places = spread([capture.captured_at.timestamp() for capture in drawn], gap)
    return Strip(
        ticks=tuple(
            Tick(capture, change, left, capture == current, weighed.get(capture.id, (None, None))[1])
            for capture, change, left in zip(drawn, changes[start:end], places, strict=True)
        ),
        captures=len(captures),
        changes=changes.count(Change.CHANGED),
        older=captures[at - 1] if at > 0 else None,
        newer=captures[at + 1] if at + 1 < len(captures) else None,
        left_out=len(captures) - len(drawn),
        gap=gap,
        latest_good=good,
        leads_to_good=good is not None and good not in captures[at : at + 2],
    )


def changes_of(captures: Sequence[SnapshotView], events: Events | None = None) -> list[Change]:
    """Return the change of each capture from the one before."""
    plain = [Change.FIRST, *(_change(before, after) for before, after in pairwise(captures))][: len(captures)]
    known = events or {}
    return [
        _OF_EVENTS[known[capture.id][0]] if capture.id in known else change
        for capture, change in zip(captures, plain, strict=True)
    ]


def spread(moments: Sequence[float], gap: float) -> list[float]:
    """Return ascending moments as places in per cent, in proportion to time but never closer than the gap."""
    span = moments[-1] - moments[0]
    if span <= 0:
        middle = _EDGE + _RANGE / 2
        places = [middle + gap * (at - (len(moments) - 1) / 2) for at in range(len(moments))]
        return [round(place, 2) for place in places]
    places = [_EDGE + _RANGE * (moment - moments[0]) / span for moment in moments]
    for at in range(1, len(places)):
        places[at] = max(places[at], places[at - 1] + gap)
    limit = _EDGE + _RANGE
    for at in reversed(range(len(places))):
        places[at] = min(places[at], limit)
        limit = places[at] - gap
    return [round(place, 2) for place in places]


def _change(before: SnapshotView, after: SnapshotView) -> Change:
    if before.content_hash is None or after.content_hash is None:
        return Change.UNKNOWN
    return Change.SAME if before.content_hash == after.content_hash else Change.CHANGED


def _window(total: int, at: int) -> tuple[int, int]:
    start = max(0, min(at - MAX_TICKS // 2, total - MAX_TICKS))
    return start, min(total, start + MAX_TICKS)
