"""How results are written down."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Measurement:
    """One rate or size; `ours` marks the one that the others are compared with, `asked` says what ours should be."""

    what: str
    rate: float
    unit: str
    ours: bool = False
    asked: str | None = None


def written(sections: Mapping[str, Sequence[Measurement]], when: datetime, machine: str) -> str:
    """Return the results page: rates, and how many times as fast ours is."""
    lines = [
        "# Results",
        "",
        f"`make bench`, {when:%Y-%m-%d}, {machine}. Only ratios within one run mean anything.",
        "",
    ]
    for name, measurements in sections.items():
        ours = next((m.rate for m in measurements if m.ours), None)
        lines += [f"## {name.capitalize()}", "", "| What | Measured | Ours is |", "|---|---|---|"]
        lines += [f"| {m.what} | {m.rate:,.0f} {m.unit} | {_compared(m, ours)} |" for m in measurements]
        lines.append("")
    return "\n".join(lines)


def _compared(measurement: Measurement, ours: float | None) -> str:
    if measurement.asked is not None:
        return f"asked to be {measurement.asked}"
    return "–" if measurement.ours or ours is None else f"{ours / measurement.rate:.1f} × as fast"
