"""Reasons why a change matters, and how they add up to one number."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from webstrata.model.changes.values import Reason

_MOST_REASONS = 5
"""The most reasons of one kind that count and are shown."""
_SHOWN_CHARACTERS = 80


@dataclass
class ChangeEvidence:
    """The reasons found so far, by their code."""

    by_code: dict[str, list[Reason]] = field(default_factory=dict)

    def add(self, code: str, text: str, weight: float) -> None:
        """Add one reason."""
        self.by_code.setdefault(code, []).append(Reason(code, text, weight))

    def reasons(self) -> list[Reason]:
        """Return the strongest reasons, strongest first; each further reason of a kind counts half as much."""
        reasons: list[Reason] = []
        for found in self.by_code.values():
            distinct = {reason.text: reason for reason in sorted(found, key=lambda reason: reason.weight)}
            strongest = sorted(distinct.values(), key=lambda reason: -reason.weight)[:_MOST_REASONS]
            reasons += (
                Reason(reason.code, reason.text, round(reason.weight / 2**place, 3))
                for place, reason in enumerate(strongest)
            )
        return sorted(reasons, key=lambda reason: -reason.weight)


def combined(weights: Iterable[float]) -> float:
    """Return the combined weight of independent reasons: more than each, but at most 1."""
    return 1 - math.prod(1 - weight for weight in weights)


def size_weight(size: float, half: float, most: float) -> float:
    """Return a weight that grows with a size: half of the most at the size `half`, never more than the most."""
    return most * (1 - math.exp2(-size / half))


def shown(text: str) -> str:
    """Return a text short enough for a sentence."""
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…"
