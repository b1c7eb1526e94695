"""Small plots of values over time, drawn as SVG on the server: prices and rates."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

WIDTH, HEIGHT = 1_000, 160
_MARGIN = 8
"""Space above the highest and below the lowest value."""


@dataclass(frozen=True)
class PlottedValue:
    """A value from a moment on."""

    at: datetime
    value: float


@dataclass(frozen=True)
class ValuePlot:
    """A line, its first and last time, and its lowest and highest value."""

    points: str
    begins: datetime
    ends: datetime
    lowest: float
    highest: float


def draw_values(
    values: Sequence[PlottedValue], *, is_stepped: bool, bounds: tuple[float, float] | None = None
) -> ValuePlot | None:
    """Return the line through values, oldest first; None when there is too little to draw.

    A stepped line stays at each value until the next one, like a price.
    """
    if len(values) < 2 or values[0].at >= values[-1].at:
        return None
    numbers = [one.value for one in values]
    low, high = bounds or (min(numbers), max(numbers))
    places: list[str] = []
    y = _height(numbers[0], low, high)
    for one in values:
        x = WIDTH * (one.at - values[0].at) / (values[-1].at - values[0].at)
        if is_stepped and places:
            places.append(f"{x:.0f},{y:.1f}")
        y = _height(one.value, low, high)
        places.append(f"{x:.0f},{y:.1f}")
    return ValuePlot(" ".join(places), values[0].at, values[-1].at, min(numbers), max(numbers))


def _height(value: float, low: float, high: float) -> float:
    if high <= low:
        return HEIGHT / 2
    return HEIGHT - _MARGIN - (HEIGHT - 2 * _MARGIN) * (value - low) / (high - low)
