"""The edits that lead from the first edition of the demo site to the second: the lines that only one of them has."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from html import unescape

from webstrata.content.blocks import without_cells
from webstrata.content.kinds import page_kind
from webstrata.content.reading import Body, read_page
from webstrata.demo.site import DEMO_ORIGIN, DemoResponse, build_site
from webstrata.model.urls import url_group

STAMP = re.compile(r"(Last updated|Dernière mise à jour)\s?: \S+ \S+ \d{4}")

_LINE = re.compile(r'<div class="diff-line diff-(added|removed|changed|moved)(?: diff-heading)?">(.*?)</div>')
_ADDED, _REMOVED = (
    re.compile(r'<ins class="diff-added">(.*?)</ins>'),
    re.compile(r'<del class="diff-removed">(.*?)</del>'),
)


@dataclass(frozen=True)
class PageEdits:
    """The lines of a page that were removed and added; a changed line is both."""

    removed: frozenset[str]
    added: frozenset[str]


def made_edits() -> dict[str, PageEdits]:
    """Return the edits of all pages that both editions have, by the groups of their URLs; a date stamp is no edit."""
    first, second = (_texts(build_site(number)) for number in (1, 2))
    found = {group: _edits(first[group], second[group]) for group in first.keys() & second.keys()}
    return {group: edits for group, edits in found.items() if edits.removed or edits.added}


def shown_edits(diff_html: str) -> PageEdits:
    """Return the edits that a stored comparison shows."""
    removed, added = set(), set()
    for kind, line in _LINE.findall(diff_html):
        is_changed = kind in ("changed", "moved") and ("<ins" in line or "<del" in line)
        if kind == "removed" or is_changed:
            removed.add(unescape(_REMOVED.sub(r"\1", _ADDED.sub("", line))))
        if kind == "added" or is_changed:
            added.add(unescape(_ADDED.sub(r"\1", _REMOVED.sub("", line))))
    return PageEdits(frozenset(removed), frozenset(added))


def _texts(site: Mapping[str, DemoResponse]) -> dict[str, list[str]]:
    texts: dict[str, list[str]] = {}
    for path, response in site.items():
        content_type = dict(response.headers)["Content-Type"]
        kind = page_kind(content_type, response.body, DEMO_ORIGIN + path)
        if kind is not None and response.status == 200:
            body = Body(DEMO_ORIGIN + path, response.body, content_type, None)
            texts[url_group(DEMO_ORIGIN + path)] = read_page(kind, body, url_group).text.split("\n")
    return {group: [*map(without_cells, lines)] for group, lines in texts.items()}


def _edits(old: list[str], new: list[str]) -> PageEdits:
    removed, added = Counter(old) - Counter(new), Counter(new) - Counter(old)
    return PageEdits(*(frozenset(line for line in lines if not STAMP.fullmatch(line)) for lines in (removed, added)))
