"""The form of phrase tables: rows of a kind, a weight and patterns."""

from webstrata.model.quality import QualityKind

PhraseRow = tuple[QualityKind, float, tuple[str, ...]]
"""A kind, the weight of a phrase for it, and patterns of which one must match."""


def any_of(*patterns: str) -> str:
    """Return the pattern that matches any of some patterns."""
    return "|".join(patterns)
