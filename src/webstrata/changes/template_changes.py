"""Changes of a site's template between two runs: lines that most of their common pages gained or lost."""

from collections import Counter

from webstrata.changes.templates import MAX_SAMPLED, MIN_PAGES
from webstrata.content.comparing.ignoring import normalized_line
from webstrata.db.changes import changes
from webstrata.db.engine import Session
from webstrata.db.watching.paired_pages import paired_texts
from webstrata.model.watching.site_diff import TemplateDifference

_SHARE = 0.5


def template_difference(
    session: Session, older: int, newer: int, old: frozenset[str], new: frozenset[str], pages: int
) -> TemplateDifference | None:
    """Return the template lines that most common pages of both runs gained or lost; None without any.

    Common pages are counted because a run that was limited, or of a part of the site, has other template lines.
    """
    if not old or not new or old == new:
        return None
    gained, lost = new - old, old - new
    pairs = paired_texts(session, older, newer, MAX_SAMPLED)
    if len(pairs) < MIN_PAGES:
        return None
    by_pages_gained: Counter[str] = Counter()
    by_pages_lost: Counter[str] = Counter()
    for before, after in pairs:
        had, has = _lines(before), _lines(after)
        by_pages_gained.update((has - had) & gained)
        by_pages_lost.update((had - has) & lost)
    least = _SHARE * len(pairs)
    added, removed = _of_most(by_pages_gained, least), _of_most(by_pages_lost, least)
    return TemplateDifference(added, removed, pages) if added or removed else None


def load_difference(session: Session, older: int, newer: int, pages: int) -> TemplateDifference | None:
    """Return what changed between the stored templates of two runs."""
    old, new = changes.load_template(session, older), changes.load_template(session, newer)
    return template_difference(session, older, newer, old, new, pages)


def _lines(text: str) -> set[str]:
    return {normalized_line(line) for line in text.split("\n")}


def _of_most(counted: Counter[str], least: float) -> tuple[str, ...]:
    return tuple(sorted(line for line, count in counted.items() if count >= least))
