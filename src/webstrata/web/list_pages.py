"""Pages of a list: how many there are, also of a list that is too long to be counted."""

from webstrata.model.list_totals import MOST_COUNTED, is_capped
from webstrata.web import present


def count_pages(total: int, size: int, here: int, shown: int) -> int:
    """Return the number of the last page; after a full page of a list that was not counted there may be another."""
    pages = -(-total // size)
    return max(pages, here + (shown == size)) if is_capped(total) else pages


def total_words(total: int, singular: str, plural: str | None = None) -> str:
    """Return a total with its noun: `1 change`, `more than 10,000 changes`."""
    if is_capped(total):
        return f"more than {present.count(MOST_COUNTED, singular, plural)}"
    return present.count(total, singular, plural)
