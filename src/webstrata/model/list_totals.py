"""Totals of lists: exact for a short list; of a long one only the first rows are counted."""

MOST_COUNTED = 10_000
"""Rows that a total counts: more would be counted anew for every page view, and no one pages that far."""


def is_capped(total: int) -> bool:
    """Return whether a list has more rows than its total: counting ended after one more than MOST_COUNTED."""
    return total > MOST_COUNTED
