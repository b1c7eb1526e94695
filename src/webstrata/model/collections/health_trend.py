"""Health trend of a source: whether its runs are improving, stable or declining."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import median

SUCCESS = "success"
"""The name of the success rate among the series that are compared."""

TREND_RUNS = 10
"""The number of runs that a trend is computed from, the newest."""

_RECENT_RUNS = 3
_SUCCESS_STEP = 0.05
_FIELD_STEP = 0.15
"""Smaller differences are noise, as the pages of two runs are never exactly the same."""


class TrendDirection(StrEnum):
    """The direction of a source's health."""

    IMPROVING = "improving"
    STABLE = "stable"
    DECLINING = "declining"


@dataclass(frozen=True)
class RunRates:
    """The rates of one run, from 0 to 1; the success rate is None for a run without requests."""

    success: float | None
    fields: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class HealthTrend:
    """The trend of a source, and the rates it is computed from."""

    direction: TrendDirection
    because: tuple[str, ...] = ()


def health_trend(runs: Sequence[RunRates]) -> HealthTrend:
    """Return the trend of runs, given oldest first: compares the median of the newest with the median of those before.

    Because of the median a single bad run is not a trend. If any rate falls, the trend is declining, even if others
    rise.
    """
    series = _series(runs[-TREND_RUNS:])
    steps = {name: _step(values) for name, values in series.items()}
    falling = tuple(name for name, step in steps.items() if step <= -_least(name))
    rising = tuple(name for name, step in steps.items() if step >= _least(name))
    if falling:
        return HealthTrend(TrendDirection.DECLINING, falling)
    return HealthTrend(TrendDirection.IMPROVING, rising) if rising else HealthTrend(TrendDirection.STABLE)


def _series(runs: Sequence[RunRates]) -> dict[str, list[float]]:
    success = [run.success for run in runs if run.success is not None]
    names = sorted({name for run in runs for name in run.fields})
    fields = {name: [run.fields[name] for run in runs if name in run.fields] for name in names}
    return {SUCCESS: success, **fields}


def _step(values: Sequence[float]) -> float:
    """Return the difference between the newest values and those before; 0 for a single value."""
    if len(values) < 2:
        return 0.0
    recent = min(_RECENT_RUNS, (len(values) + 1) // 2)
    return median(values[-recent:]) - median(values[:-recent])


def _least(name: str) -> float:
    return _SUCCESS_STEP if name == SUCCESS else _FIELD_STEP
