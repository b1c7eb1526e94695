"""The template of a site: lines that most pages of one job share, such as menus, headers and footers."""

from collections import Counter
from collections.abc import Sequence

from webstrata.content.comparing.ignoring import normalized_line

MIN_PAGES = 5
"""The fewest pages for a template: two pages share many lines that are not a template."""

MAX_SAMPLED = 300
_SHARE = 0.6
"""The share of pages with a template line: parts of a site, such as a shop in a portal, may have another menu."""

_MAX_LINES = 2_000


def learn_template(texts: Sequence[str]) -> frozenset[str]:
    """Return the lines that most pages share; empty when there are too few pages."""
    if len(texts) < MIN_PAGES:
        return frozenset()
    counted: Counter[str] = Counter()
    for text in texts:
        counted.update({normalized_line(line) for line in text.split("\n")})
    least = _SHARE * len(texts)
    return frozenset(line for line, count in counted.most_common(_MAX_LINES) if count >= least and line)
