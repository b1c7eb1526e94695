"""How phrases are written down: rows of a kind, a weight and patterns."""

from webstrata.model.quality import QualityKind

PhraseRow = tuple[QualityKind, float, tuple[str, ...]]
"""A kind, how surely a phrase indicates it, and patterns of which one must fit."""


def any_of(*patterns: str) -> str:
    """Return the pattern that fits what any of some patterns fits."""
    return "|".join(patterns)
