"""Chooses the control that dismisses a popup, by label, role, address and place."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from webstrata.audit.age_gates import affirms_age, is_age_gate
from webstrata.audit.popup_words import ACCEPTING, CLOSING, FORBIDDEN, ORDER_PATHS, REJECTING, WHOLE_LABELS

MAX_LABEL = 60
"""Characters of a label; longer ones are texts, such as those of a whole dialog."""

_MAX_WORDS_BESIDE = 3
"""Words that a label may have besides a dismiss text: `Close this dialog`."""

_CLICKED_TAGS = frozenset({"button", "a", "input", "summary"})
_CLICKED_ROLES = frozenset({"button", "link"})
_SAFE_INPUTS = frozenset({"button", "submit", "reset", "image"})
_SPACES = re.compile(r"\s+")
_EDGES = " \t.!…›»→✓✔✕×|-–—"
_MOVES = re.compile(r"location(?:\.href)?\s*=(?!=)|location\.(?:assign|replace)\(|window\.open\(|\.submit\(")
"""Scripts of controls that lead elsewhere or send a form."""

_ORDERS = re.compile(rf"(?<![a-z])(?:{ORDER_PATHS})(?![a-z])", re.IGNORECASE)
_WITHOUT_WORDS = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Scripts that put no space between words."""


class ControlPlace(StrEnum):
    """Where a control is."""

    OVERLAY = "overlay"
    """In a dialog, in a fixed or sticky layer, or in the banner of a consent tool."""
    PAGE = "page"


class DismissalKind(StrEnum):
    """What clicking a control does, the preferred first."""

    REJECT = "reject"
    CLOSE = "close"
    ACCEPT = "accept"


@dataclass(frozen=True)
class PopupControl:
    """A visible control of a page that may dismiss a popup."""

    label: str
    """Its text; without any its `aria-label`, title or value."""
    tag: str = "button"
    role: str = ""
    href: str = ""
    input_type: str = ""
    place: ControlPlace = ControlPlace.OVERLAY
    action: str = ""
    """Its script, its URL and the form that it submits, if the markup shows them."""
    context: str = ""
    """The beginning of the text of its dialog or layer."""
    is_among_secrets: bool = False
    """Whether its form asks for a password or a card."""


@dataclass(frozen=True)
class Dismissal:
    """The control to click, by its position among the candidates, and what that does."""

    position: int
    kind: DismissalKind
    label: str


def choose_dismissal(controls: Sequence[PopupControl], refused: Collection[str] = ()) -> Dismissal | None:
    """Return the control that dismisses a popup: one that rejects, else one that closes, else one that accepts.

    Of several controls of a kind, the first is chosen. Never chosen are controls outside of overlays, links to other
    pages, controls that pay, order, subscribe or sign in, and labels in `refused`. Age gates are affirmed.
    """
    found: dict[DismissalKind, Dismissal] = {}
    for position, control in enumerate(controls):
        kind = dismissal_kind(control)
        if kind is not None and plain_label(control.label) not in refused:
            found.setdefault(kind, Dismissal(position, kind, control.label))
    return next((found[kind] for kind in DismissalKind if kind in found), None)


def dismissal_kind(control: PopupControl) -> DismissalKind | None:
    """Return what a control does to a popup; None when it must not be clicked or does something else."""
    if control.place is not ControlPlace.OVERLAY or not _is_clickable(control) or _does_more(control):
        return None
    label = plain_label(control.label)
    if not label or len(label) > MAX_LABEL or _pattern("forbidden").search(label):
        return None
    if is_age_gate(control.context):
        return DismissalKind.ACCEPT if affirms_age(label) else None
    if label in WHOLE_LABELS:
        return DismissalKind.CLOSE
    return next((kind for kind in DismissalKind if _is_labelled(label, kind)), None)


def plain_label(text: str) -> str:
    """Return a label in lower case with single spaces, without surrounding punctuation, unless it is all
    punctuation."""
    folded = _SPACES.sub(" ", text[: 4 * MAX_LABEL]).strip().casefold().replace("’", "'")
    return folded.strip(_EDGES) or folded


def _is_clickable(control: PopupControl) -> bool:
    if control.tag == "input":
        return control.input_type.lower() in _SAFE_INPUTS
    return control.tag in _CLICKED_TAGS or control.role in _CLICKED_ROLES


def _does_more(control: PopupControl) -> bool:
    """Return whether clicking a control leaves the page, places an order, or sends what a form holds."""
    if control.is_among_secrets or _leads_elsewhere(control.href):
        return True
    return bool(_MOVES.search(control.action) or _ORDERS.search(control.action))


def _leads_elsewhere(href: str) -> bool:
    """Return whether clicking a link leaves the page."""
    address = href.strip().lower()
    return bool(address) and not address.startswith(("#", "javascript:"))


def _is_labelled(label: str, kind: DismissalKind) -> bool:
    match = _pattern(kind.value).search(label)
    if match is None:
        return False
    beside = (label[: match.start()] + " " + label[match.end() :]).split()
    return len(beside) <= _MAX_WORDS_BESIDE


@cache
def _pattern(name: str) -> re.Pattern[str]:
    phrases = {"reject": REJECTING, "close": CLOSING, "accept": ACCEPTING, "forbidden": FORBIDDEN}[name]
    return re.compile("|".join(_whole_words(phrases)))


def _whole_words(phrases: Iterable[str]) -> Iterable[str]:
    """Yield patterns of phrases as whole words, the longest first."""
    for phrase in sorted(phrases, key=lambda one: (-len(one), one)):
        escaped = re.escape(phrase.casefold())
        yield escaped if _WITHOUT_WORDS.search(phrase) else rf"(?<!\w){escaped}(?!\w)"
