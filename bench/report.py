"""How results are written down."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Measurement:
    """One rate; `ours` marks the one that the others are compared with."""

    what: str
    rate: float
    unit: str
    ours: bool = False


def written(sections: Mapping[str, Sequence[Measurement]], when: datetime, machine: str) -> str:
    """Return the results page: rates, and how many times as fast ours is."""
    lines = [
        "# Results",
        "",
        f"`make bench`, {when:%Y-%m-%d}, {machine}. Only ratios within one run mean anything.",
        "",
    ]
    for name, measurements in sections.items():
        ours = next(m.rate for m in measurements if m.ours)
        lines += [f"## {name.capitalize()}", "", "| What | Rate | Ours is |", "|---|---|---|"]
        lines += [
            f"| {m.what} | {m.rate:,.0f} {m.unit} | {'–' if m.ours else f'{ours / m.rate:.1f} × as fast'} |"
            for m in measurements
        ]
        lines.append("")
    return "\n".join(lines)
