"""Input and output values of comparing two captures of a page."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

SIGNIFICANT = 0.3
"""From this significance on, a person who watches the page would want to know of a change."""


class ChangeType(StrEnum):
    """The kind of event that a capture is, compared with the capture before it."""

    NEW_PAGE = "new_page"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    UNAVAILABLE = "unavailable"
    """An error, a block page or an empty page after a good capture."""
    RESTORED = "restored"
    """A good capture after one that was not."""
    ERROR = "error"
    """The comparison could not be made, or not within its limits."""


CHANGE_WORDS = {
    ChangeType.NEW_PAGE: "New page",
    ChangeType.UPDATED: "Changed",
    ChangeType.UNCHANGED: "Unchanged",
    ChangeType.UNAVAILABLE: "Unavailable",
    ChangeType.RESTORED: "Available again",
    ChangeType.ERROR: "Not compared",
}
"""The label of each kind of change, as feeds and pages show it."""


class PageLine(NamedTuple):
    """One line of a page's text: one block as a reader sees it.

    A named tuple, like edits: pages have thousands, and making a frozen dataclass takes three times as long.
    """

    text: str
    kind: str
    """A heading's level as a digit, or a letter of `content/blocks.py`."""
    region: str = "o"
    """A letter of `content/blocks.py` Region."""
    is_main: bool = True
    """False for navigation, page headers and footers, and the like."""
    cells: tuple[str, ...] = ()
    """The cells of a table's row that has several."""
    columns: tuple[str, ...] = ()
    """The headers of the row's columns, where the table has any."""


@dataclass(frozen=True)
class PageText:
    """A captured page in the form for comparison."""

    title: str
    lines: tuple[PageLine, ...]
    status_code: int | None = 200
    language: str | None = None
    links: frozenset[str] = frozenset()
    """Link targets of the page, as URL groups."""
    images: frozenset[str] = frozenset()
    quality: float = 1.0
    """1 for a good capture, 0 for a worthless one."""
    quality_kind: str = "page"
    """What kind of capture it is, such as `page`, `error`, `blocked`, `soft_404`, `empty`."""


class EditKind(StrEnum):
    """How a line changed."""

    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    MOVED = "moved"


class WordEdit(NamedTuple):
    """A run of words inside a changed line."""

    kind: EditKind
    """SAME, ADDED or REMOVED."""
    text: str


class LineEdit(NamedTuple):
    """The change of one line: `old` is None for an added line, `new` for a removed one."""

    kind: EditKind
    old: PageLine | None
    new: PageLine | None
    words: tuple[WordEdit, ...] = ()
    """The words of a changed line, and of a moved one whose text changed too."""
    section: str = ""
    """The heading that the line is under; empty before the first one."""
    ignored: str | None = None
    """Why the edit does not count (template, volatile text, …); None when it does."""


@dataclass(frozen=True)
class Reason:
    """Why a change matters, or why it does not."""

    code: str
    """A code for programs, such as `dose`, `date`, `negation`, `warning_removed` or `section_added`."""
    text: str
    """A sentence for people: "a dose changed: 200 mg → 400 mg"."""
    weight: float
    """Between 0 and 1."""


@dataclass(frozen=True)
class Verdict:
    """How much a change matters: 0.3 and above means that a person who watches this page would want to know."""

    significance: float
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True)
class SiteKnowledge:
    """What is known of a page's site and of its earlier captures; without it the page's own structure decides."""

    old_template: frozenset[str] = frozenset()
    """Lines that most pages of the source shared in the older job, normalised by `normalized_line` of
    `content/comparing/ignoring.py`."""
    new_template: frozenset[str] = frozenset()
    volatile: frozenset[str] = frozenset()
    """Lines of this page that changed in most of its earlier captures, as masks (`content/comparing/volatile.py`)."""
    is_known: bool = False
    """Whether there is any knowledge of the site."""
    old_template_links: frozenset[str] = frozenset()
    """Links that most pages of the source shared in the older job."""
    new_template_links: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Limits:
    """Limits of one comparison; a limit that was reached is stated in the comparison."""

    max_lines: int = 20_000
    """Lines of one page that are compared."""
    max_line_characters: int = 20_000
    """Longer changes inside a line are shown as a whole, not word by word."""
    max_word_pairs: int = 2_000
    """Changed lines that are compared word by word."""
    max_html_characters: int = 200_000


@dataclass(frozen=True)
class Comparison:
    """What changed between two captures of a page."""

    change_type: ChangeType
    edits: tuple[LineEdit, ...] = ()
    """Every line of both pages, in reading order."""
    verdict: Verdict = field(default_factory=lambda: Verdict(0.0))
    summary: str = ""
    added_sections: int = 0
    removed_sections: int = 0
    changed_sections: int = 0
    added_lines: int = 0
    removed_lines: int = 0
    change_ratio: float = 0.0
    """The share of the compared lines that changed."""
    high_noise: bool = False
    """Whether most differences were ignored, or nearly all lines differ."""
    template_changed: bool = False
    """Whether lines that most pages of the site share differ."""
    limit: str | None = None
    """The limit that cut the comparison short, if any."""
    title_changed: bool = False
    added_links: tuple[str, ...] = ()
    """Added links, without those of the site's template."""
    removed_links: tuple[str, ...] = ()
