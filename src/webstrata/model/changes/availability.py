"""Reasons from a changed status: available or sold out, open or closed, valid or expired."""

from collections import Counter
from collections.abc import Sequence

from webstrata.model.changes.evidence import ChangeEvidence
from webstrata.model.changes.status_words import FILLERS, Status, statuses_in
from webstrata.model.changes.wording import WordChange, Wording, content_words

_CODE = "availability"
_REVERSED, _OTHER, _ALONE = 0.45, 0.35, 0.35
"""Weights: of a status replaced by its opposite, by another status, and of one that was only added or removed."""
_FOCUSED = 8
"""With at most so many changed words, the status itself changed; with more, it is part of another change."""
_LONGEST_STATUS_LINE = 6


def compare_statuses(was: Wording, became: Wording, change: WordChange, evidence: ChangeEvidence) -> bool:
    """Collect a status that changed within a line; return whether one did."""
    if change.size > _FOCUSED:
        return False
    old, new = statuses_in(was.words), statuses_in(became.words)
    lost, won = _not_among(old, new), _not_among(new, old)
    if lost and won:
        return _add_exchange(lost, won, evidence)
    alone = [status for status in (*lost, *won) if not status.is_good]
    changed = change.removed if lost else change.added
    if alone and _reports_only(changed, lost or won):
        _add_alone(alone[0], "removed" if lost else "added", evidence)
        return True
    return False


def judge_status_lines(removed: Sequence[Wording], added: Sequence[Wording], evidence: ChangeEvidence) -> None:
    """Collect lines that report nothing but a status, and that came or went as a whole."""
    old, new = ([status for line in side for status in _status_of_line(line)] for side in (removed, added))
    lost, won = _not_among(old, new), _not_among(new, old)
    if lost and won and _add_exchange(lost, won, evidence):
        return
    for event, side in (("removed", lost), ("added", won)):
        for status in side:
            if not status.is_good:
                _add_alone(status, event, evidence)


def _status_of_line(line: Wording) -> list[Status]:
    if len(line.words) > _LONGEST_STATUS_LINE:
        return []
    found = statuses_in(line.words)
    return found if _reports_only(line.words, found) else []


def _reports_only(words: Sequence[str], statuses: Sequence[Status]) -> bool:
    """Return whether words are only statuses and fillers."""
    known = {word for status in statuses for word in status.shown.split()}
    return bool(statuses) and all(word in known or word in FILLERS for word in content_words(words))


def _not_among(statuses: Sequence[Status], others: Sequence[Status]) -> list[Status]:
    """Return the statuses that one text reports more often than another."""
    left = Counter(status.name for status in others)
    found = []
    for status in statuses:
        if left[status.name] > 0:
            left[status.name] -= 1
        else:
            found.append(status)
    return found


def _add_exchange(lost: Sequence[Status], won: Sequence[Status], evidence: ChangeEvidence) -> bool:
    """Add that one status replaced another, unless both are good."""
    pairs = [(old, new) for old in lost for new in won if not (old.is_good and new.is_good)]
    if not pairs:
        return False
    old, new = max(pairs, key=lambda pair: pair[0].is_good != pair[1].is_good)
    weight = _REVERSED if old.is_good != new.is_good else _OTHER
    evidence.add(_CODE, f"a status changed: {old.shown} → {new.shown}", weight)
    return True


def _add_alone(status: Status, event: str, evidence: ChangeEvidence) -> None:
    evidence.add(_CODE, f"a status was {event}: {status.shown}", _ALONE)
