"""How results are written down."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

_TINY, _SMALL = 2, 20


@dataclass(frozen=True)
class Measurement:
    """One rate or size; `ours` marks the one that the others are compared with, `asked` says what ours should be."""

    what: str
    rate: float
    unit: str
    ours: bool = False
    asked: str | None = None


def written(before: str, sections: Mapping[str, Sequence[Measurement]], when: datetime, machine: str) -> str:
    """Return the results page with some sections anew: rates, and how many times as fast ours is."""
    parts = dict(part.split("\n", 1) for part in before.split("\n## ")[1:])
    for name, measurements in sections.items():
        parts[name.capitalize()] = _section(name, measurements, when, machine)
    kept = "\n".join(f"## {title}\n{text.rstrip()}\n" for title, text in sorted(parts.items()))
    return f"# Results\n\nOnly ratios within one run mean anything.\n\n{kept}"


def _section(name: str, measurements: Sequence[Measurement], when: datetime, machine: str) -> str:
    ours = next((m.rate for m in measurements if m.ours), None)
    lines = ["", f"`python -m bench {name}`, {when:%Y-%m-%d}, {machine}.", ""]
    lines += ["| What | Measured | Ours is |", "|---|---|---|"]
    lines += [f"| {m.what} | {shown(m.rate)} {m.unit} | {_compared(m, ours)} |" for m in measurements]
    return "\n".join(lines)


def shown(rate: float) -> str:
    """Return a number with as many digits after the point as mean something."""
    digits = 2 if rate < _TINY else 1 if rate < _SMALL else 0
    return f"{rate:,.{digits}f}"


def _compared(measurement: Measurement, ours: float | None) -> str:
    if measurement.asked is not None:
        return f"asked to be {measurement.asked}"
    return "–" if measurement.ours or ours is None else f"{ours / measurement.rate:.1f} × as fast"
