"""A plot of a crawl over time: crawled, pending and failed URLs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from webstrata.storage.combined_log import Statistics
from webstrata.web import present

WIDTH, HEIGHT = 1_000, 160
"""The picture's own units; it is scaled to the available width."""

ROWS = 12
"""The most rows of the table with the same values."""

_SERIES = (("crawled", "Crawled"), ("pending", "Waiting"), ("failed", "Failed"))


@dataclass(frozen=True)
class PlotLine:
    """One of the lines; its kind decides how it looks."""

    kind: str
    name: str
    points: str
    last: int


@dataclass(frozen=True)
class Plot:
    """The lines over one stretch of time, and the same in words and in a table."""

    lines: tuple[PlotLine, ...]
    marks: tuple[int, ...]
    """The positions at which further attempts began."""
    highest: int
    begins: datetime
    ends: datetime
    summary: str
    rows: tuple[Statistics, ...]


def draw_plot(statistics: Sequence[Statistics], began: Sequence[datetime] = ()) -> Plot | None:
    """Return the plot of a crawl with the starts of its attempts; None when there is too little to draw.

    The lines span all attempts, as each continues the crawl.
    """
    moments = sorted(statistics, key=lambda seen: seen.at)
    if len(moments) < 2 or moments[0].at == moments[-1].at:
        return None
    highest = max(max(seen.crawled, seen.pending, seen.failed) for seen in moments)
    return Plot(
        lines=tuple(_line(moments, kind, name, highest) for kind, name in _SERIES),
        marks=tuple(_place(at, moments) for at in began if moments[0].at < at < moments[-1].at),
        highest=highest,
        begins=moments[0].at,
        ends=moments[-1].at,
        summary=_summary(moments),
        rows=tuple(_sample(moments, ROWS)),
    )


def _line(moments: Sequence[Statistics], kind: str, name: str, highest: int) -> PlotLine:
    return PlotLine(kind, name, _points(moments, kind, highest), _value(moments[-1], kind))


def _place(at: datetime, moments: Sequence[Statistics]) -> int:
    return round(WIDTH * (at - moments[0].at) / (moments[-1].at - moments[0].at))


def _points(moments: Sequence[Statistics], kind: str, highest: int) -> str:
    """Return a line's points as SVG writes them, without those that lie on a level stretch."""
    begins = moments[0].at
    seconds = (moments[-1].at - begins).total_seconds()
    values = [_value(seen, kind) for seen in moments]
    places = []
    for at, (seen, value) in enumerate(zip(moments, values, strict=True)):
        is_bend = at in {0, len(values) - 1} or not values[at - 1] == value == values[at + 1]
        if is_bend:
            x = WIDTH * (seen.at - begins).total_seconds() / seconds
            y = HEIGHT - (HEIGHT - 2) * max(0, value) / max(1, highest) - 1
            places.append(f"{x:.0f},{y:.1f}")
    return " ".join(places)


def _value(seen: Statistics, kind: str) -> int:
    value = getattr(seen, kind)
    assert isinstance(value, int)
    return value


def _summary(moments: Sequence[Statistics]) -> str:
    last = moments[-1]
    took = present.duration(last.at - moments[0].at)
    return (
        f"{present.count(last.crawled, 'page')} crawled within {took}, {present.number(last.failed)} failed, "
        f"{present.number(last.pending)} waiting at the end."
    ).capitalize()


def _sample(moments: Sequence[Statistics], most: int) -> list[Statistics]:
    """Return at most `most` evenly spaced moments, including the first and the last."""
    if len(moments) <= most:
        return list(moments)
    return [moments[round(at * (len(moments) - 1) / (most - 1))] for at in range(most)]
