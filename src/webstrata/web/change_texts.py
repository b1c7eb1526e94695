"""Texts for change events: kinds, reasons as chips, significance, groups by day."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC
from itertools import groupby

from webstrata.db.changes.change_lists import EventView
from webstrata.model.changes.values import CHANGE_WORDS, ChangeType, Reason
from webstrata.model.notifications.messages import compare_path
from webstrata.web import present

_MAX_CHIP = 48
_MAX_CHIPS = 3
_LONG_RUN = 4
"""The number of consecutive new pages from which on they are folded."""

_ARTICLES = ("a ", "an ", "the ")
_SIGNS = {
    ChangeType.NEW_PAGE: ("new", "+"),
    ChangeType.UPDATED: ("changed", "±"),
    ChangeType.UNCHANGED: ("same", "="),
    ChangeType.UNAVAILABLE: ("failed", "✕"),
    ChangeType.RESTORED: ("done", "✓"),
    ChangeType.ERROR: ("failed", "✕"),
}


@dataclass(frozen=True)
class ChangeChip:
    """A few words on a change, with a sign beside the colour."""

    kind: str
    sign: str
    words: str


def chips(event: EventView) -> list[ChangeChip]:
    """Return the reasons why a change matters as chips, the weightiest first; without reasons, its kind."""
    labels = dict.fromkeys(reason_label(reason) for reason in by_weight(event.reasons))
    if event.change_type is ChangeType.UPDATED and labels:
        return [ChangeChip("reason", "±", label) for label in list(labels)[:_MAX_CHIPS]]
    kind, sign = _SIGNS[event.change_type]
    return [ChangeChip(kind, sign, CHANGE_WORDS[event.change_type])]


def by_weight(reasons: Iterable[Reason]) -> list[Reason]:
    """Return reasons, the weightiest first."""
    return sorted(reasons, key=lambda reason: -reason.weight)


def reason_label(reason: Reason) -> str:
    """Return a reason in a few words: `dose changed`."""
    label = reason.text.partition(": ")[0]
    article = next((one for one in _ARTICLES if label.startswith(one)), "")
    label = label.removeprefix(article)
    return label if len(label) <= _MAX_CHIP else f"{label[: _MAX_CHIP - 1].rstrip()}…"


def summary_sentence(event: EventView) -> str:
    """Return what changed as a sentence."""
    words = event.summary or CHANGE_WORDS[event.change_type]
    return f"{present.capitalised(words).rstrip('.')}."


def top_detail(event: EventView) -> str:
    """Return the detail of the weightiest reason: `200 mg → 400 mg`; empty when it has none."""
    if event.change_type is not ChangeType.UPDATED:
        return ""
    top = max(event.reasons, key=lambda reason: reason.weight, default=None)
    return "" if top is None else top.text.partition(": ")[2]


def significance_words(event: EventView) -> str:
    """Return how much a change matters: `significance 0.62`."""
    return f"significance {event.significance:.2f}"


def compare_address(event: EventView) -> str:
    """Return the page that shows a change."""
    return compare_path(event.from_snapshot_id, event.to_snapshot_id)


def by_day(events: Iterable[EventView]) -> Iterator[tuple[EventView, list[EventView]]]:
    """Yield the events of each UTC day, with the first of them."""
    for _, some in groupby(events, key=lambda event: event.to_captured_at.astimezone(UTC).date()):
        of_day = list(some)
        yield of_day[0], of_day


def runs(events: Iterable[EventView]) -> Iterator[tuple[bool, list[EventView]]]:
    """Yield events in order, with long runs of new pages separated so that they can be folded: a first crawl has
    hundreds."""
    for is_new, some in groupby(events, key=lambda event: event.change_type is ChangeType.NEW_PAGE):
        run = list(some)
        yield is_new and len(run) >= _LONG_RUN, run
