"""Reasons why a changed line matters: its facts, negations, obligations, warnings, topics, names and other words."""

from collections import Counter
from collections.abc import Collection, Sequence

from webstrata.model.changes import change_words as lists
from webstrata.model.changes import wording
from webstrata.model.changes.availability import compare_statuses
from webstrata.model.changes.change_words import fold
from webstrata.model.changes.evidence import ChangeEvidence, shown, size_weight
from webstrata.model.changes.facts import Fact, facts_in
from webstrata.model.changes.table_rows import changed_cells, row_text
from webstrata.model.changes.values import PageLine
from webstrata.model.changes.wording import WordChange, Wording, changed_windows, content_words, word_change, wording_of

MOST_CHARACTERS = 6_000
"""Characters of one line that are judged."""

_FACTS = {
    "dose": ("a dose", 0.6),
    "age": ("an age", 0.5),
    "percent": ("a percentage", 0.45),
    "price": ("a price", 0.45),
    "measure": ("an amount", 0.45),
    "duration": ("a length of time", 0.45),
    "phone": ("a telephone number", 0.4),
    "date": ("a date", 0.4),
    "email": ("an e-mail address", 0.35),
    "time": ("a time", 0.35),
    "number": ("a number", 0.35),
    "label": ("a reference number", 0.03),
}
"""The name of each kind of fact, and the weight of its change."""

_FEW_WORDS = 7
"""A sentence with at most so many changed words is reworded; with more, rewritten."""
_FEW_OF_A_SENTENCE = 3
"""If more words changed, and these are half of the sentence, it is another sentence."""
_FEW_MORE_WORDS = 5
"""A difference of at most so many words is a rewording; more words are a clause."""
_FEW_NAMED = 3
_SENTENCE_WORDS = 5
_FOCUSED = 6
"""With at most so many changed words, the negation or obligation itself changed; with more, it is part of another
change."""
_HEADINGS = "123456"
_ROLES_LOST_OR_WON = {
    wording.WARNING: ("a warning", "warning_removed", 0.55, "warning_added", 0.5),
    wording.TOPIC: ("a term", "topic", 0.4, "topic", 0.32),
    wording.FREQUENCY: ("how often", "frequency", 0.3, "frequency", 0.3),
    wording.WEEKDAY: ("a day", "date", 0.2, "date", 0.2),
    wording.MONTH: ("a month", "date", 0.1, "date", 0.1),
    wording.QUALIFIER: ("a qualifying word", "qualifier", 0.15, "qualifier", 0.15),
}
_ROLES_REPLACED = {
    wording.WARNING: ("a warning", "warning_changed", 0.2),
    wording.TOPIC: ("a term", "topic", 0.4),
    wording.FREQUENCY: ("how often", "frequency", 0.45),
    wording.WEEKDAY: ("a day", "date", 0.35),
    wording.MONTH: ("a month", "date", 0.35),
    wording.QUALIFIER: ("a qualifying word", "qualifier", 0.2),
}
_TERMS = frozenset({wording.WARNING, wording.TOPIC, wording.QUALIFIER})
_OBLIGATION_WEIGHTS = {"must": 0.42, "forbidden": 0.42, "should": 0.35, "may": 0.3, "can": 0.1}


def judge_changed(
    old: PageLine, new: PageLine, evidence: ChangeEvidence, has_names: bool, most: int = MOST_CHARACTERS
) -> None:
    """Collect the reasons why one changed line matters; of a table's row they name the cells."""
    where = changed_cells(old, new)
    if not where:
        _judge_line(old, new, evidence, has_names, most)
        return
    found = ChangeEvidence()
    _judge_line(old, new, found, has_names, most)
    for reason in found.reasons():
        evidence.add(reason.code, f"{reason.text} ({where})", reason.weight)


def _judge_line(old: PageLine, new: PageLine, evidence: ChangeEvidence, has_names: bool, most: int) -> None:
    before, after = changed_windows(row_text(old), row_text(new), most)
    found = compare_facts(facts_in(before), facts_in(after), evidence)
    was, became = wording_of(before), wording_of(after)
    if "".join(was.words) == "".join(became.words):
        if not found:
            evidence.add("punctuation", "only punctuation, capitals or spaces changed", 0.01)
        return
    change = word_change(was, became)
    _compare_spelled_numbers(was, became, evidence)
    if new.kind not in _HEADINGS:
        _compare_enumerations(was, became, evidence)
    is_negated = _compare_negations(was, became, change, evidence)
    has_other_status = not is_negated and compare_statuses(was, became, change, evidence)
    _compare_obligations(was, became, change, evidence)
    # A term that is only misspelt on one page counts as being on both.
    is_misspelt = change.is_respelled and change.size == 0
    for role in _ROLES_REPLACED:
        if not (is_misspelt and role in _TERMS):
            _compare_role(role, was, became, evidence)
    if change.reversed_words and not has_other_status:
        evidence.add("reversed", f"a word became its opposite: {' → '.join(change.reversed_words)}", 0.45)
    _compare_words(old, new, change, evidence)
    if has_names:
        _compare_names(was, became, change, evidence)


def compare_facts(old: Sequence[Fact], new: Sequence[Fact], evidence: ChangeEvidence, one_sided: float = 0.8) -> bool:
    """Collect the facts that differ, the old and the new value together; return whether any did."""
    lost, won = _not_in(old, new), _not_in(new, old)
    for kind in dict.fromkeys(fact.kind for fact in (*lost, *won)):
        gone = [fact.shown for fact in lost if fact.kind == kind]
        come = [fact.shown for fact in won if fact.kind == kind]
        name, weight = _FACTS[kind]
        _add_exchange(evidence, kind, name, (gone, come), (weight, weight * one_sided))
    return bool(lost or won)


def _not_in(facts: Sequence[Fact], others: Sequence[Fact]) -> list[Fact]:
    """Return the facts that one text has more often than another."""
    left = Counter(fact[:2] for fact in others)
    found = []
    for fact in facts:
        if left[fact[:2]] > 0:
            left[fact[:2]] -= 1
        else:
            found.append(fact)
    return found


def _add_exchange(
    evidence: ChangeEvidence,
    code: str,
    name: str,
    values: tuple[Collection[str], Collection[str]],
    weights: tuple[float, float],
) -> None:
    """Add that values were replaced (first weight), or were only added or removed (second weight)."""
    gone, come = (shown(", ".join(list(side)[:3])) for side in values)
    if gone and come:
        evidence.add(code, f"{name} changed: {gone} → {come}", weights[0])
    elif gone or come:
        evidence.add(code, f"{name} was {'removed' if gone else 'added'}: {gone or come}", weights[1])


def _names_of(role: str, more: Wording, less: Wording) -> list[str]:
    """Return the words of a role that one text has more often than another, as they are shown."""
    return [
        more.shown[key]
        for key, count in more.roles.items()
        if key[0] == role and count > less.roles.get(key, 0) and key in more.shown
    ]


def _compare_spelled_numbers(was: Wording, became: Wording, evidence: ChangeEvidence) -> None:
    """Collect numbers in words that replaced others; a word for the same number in digits is not a change."""
    lost, won = (
        [word for word in (Counter(more.words) - Counter(less.words)) if lists.NUMBER_WORDS.get(word, 1) > 1]
        for more, less in ((was, became), (became, was))
    )
    if lost and won:
        _add_exchange(evidence, "number", "a number", (lost, won), (0.35, 0.0))


def _compare_enumerations(was: Wording, became: Wording, evidence: ChangeEvidence) -> None:
    """Collect items that were added to or removed from an enumeration: `dogs and cats` became `dogs`."""
    lost, won = (list((Counter(a.words) - Counter(b.words)).elements()) for a, b in ((was, became), (became, was)))
    words = lost or won
    named = content_words(words)
    if (lost and won) or not 0 < len(named) <= _FEW_NAMED or lists.CONJUNCTIONS.isdisjoint(words):
        return
    if min(len(was.words), len(became.words)) >= _SENTENCE_WORDS:
        _add_exchange(evidence, "enumeration", "a part of an enumeration", (lost and named, won and named), (0.0, 0.3))


def _compare_negations(was: Wording, became: Wording, change: WordChange, evidence: ChangeEvidence) -> bool:
    """Collect a negation that was added or removed; return whether one was."""
    before, after = (
        sum(count for (role, _), count in side.roles.items() if role == wording.NEGATION) for side in (was, became)
    )
    if before == after:
        return False
    words = _names_of(wording.NEGATION, *((was, became) if before > after else (became, was)))
    weight = 0.55 if change.size <= _FOCUSED else 0.3
    event = "removed" if before > after else "added"
    evidence.add("negation", f"a negation was {event}: {', '.join(words)}", weight)
    return True


def _compare_obligations(was: Wording, became: Wording, change: WordChange, evidence: ChangeEvidence) -> None:
    lost, won = (_forces(*sides) for sides in ((was, became), (became, was)))
    if not lost and not won:
        return
    heaviest = max(_OBLIGATION_WEIGHTS[force] for force in (*lost, *won))
    replaced = 0.05 if {*lost, *won} <= {"may", "can"} else 0.5
    single = heaviest if change.size <= _FOCUSED else heaviest / 2
    _add_exchange(evidence, "obligation", "an obligation", (lost.values(), won.values()), (replaced, single))


def _forces(more: Wording, less: Wording) -> dict[str, str]:
    """Return the forces of obligation that one text has more often, each with its word."""
    return {
        name: more.shown[role, name]
        for (role, name), count in more.roles.items()
        if role == wording.OBLIGATION and count > less.roles.get((role, name), 0)
    }


def _compare_role(role: str, was: Wording, became: Wording, evidence: ChangeEvidence) -> None:
    lost, won = _names_of(role, was, became), _names_of(role, became, was)
    if lost and won:
        name, code, weight = _ROLES_REPLACED[role]
        _add_exchange(evidence, code, name, (lost, won), (weight, weight))
    elif lost or won:
        name, lost_code, lost_weight, won_code, won_weight = _ROLES_LOST_OR_WON[role]
        code, weight = (lost_code, lost_weight) if lost else (won_code, won_weight)
        is_still_there = all((role, word) in was.roles and (role, word) in became.roles for word in lost or won)
        _add_exchange(evidence, code, name, (lost, won), (weight, weight / 4 if is_still_there else weight))


def _compare_words(old: PageLine, new: PageLine, change: WordChange, evidence: ChangeEvidence) -> None:
    """Collect the reason for the other words of a changed line, by the kind of line and their number."""
    size, more = change.size, len(change.added) - len(change.removed)
    before, after = shown(" ".join(change.removed)), shown(" ".join(change.added))
    if size == 0:
        evidence.add("spelling", "only spelling, endings or small words changed", 0.01)
    elif new.kind in _HEADINGS:
        weight = 0.32 if size > 1 or new.kind == "1" else 0.2
        evidence.add("heading", f"a heading changed: {shown(old.text)} → {shown(new.text)}", weight)
    elif (value := _changed_value(old.text, new.text)) is not None:
        evidence.add("value", f"a value changed: {value}", 0.32)
    elif new.kind == "t":
        evidence.add("table", f"a table's row changed: {shown(new.text)}", min(0.5, 0.2 + 0.035 * size))
    elif abs(more) > _FEW_MORE_WORDS:
        code, words = ("text_added", after) if more > 0 else ("text_removed", before)
        event = code.removeprefix("text_")
        evidence.add(code, f"text was {event}: {words}", 0.3 + size_weight(abs(more) - _FEW_MORE_WORDS, 20, 0.4))
    elif size > _FEW_WORDS or (size > _FEW_OF_A_SENTENCE and size * 2 >= _content_size(new)):
        evidence.add("rewritten", f"a sentence was rewritten: {shown(new.text)}", _rewritten_weight(size))
    elif new.kind == "l" and size > 1 and size * 2 >= _content_size(new):
        evidence.add("item_changed", f"a list item changed: {shown(old.text)} → {shown(new.text)}", 0.3)
    else:
        evidence.add("wording", f"words changed: {before or '–'} → {after or '–'}", 0.035 * size)


def _content_size(line: PageLine) -> int:
    return len(content_words(fold(line.text[:MOST_CHARACTERS]).split()))


def _rewritten_weight(size: int) -> float:
    return 0.3 + size_weight(max(0, size - _FEW_OF_A_SENTENCE), 25, 0.4)


def _changed_value(old: str, new: str) -> str | None:
    """Return what changed after the colon of a line such as `Director: Ann Lee`, None for other lines."""
    label, colon, before = old.partition(": ")
    other_label, _, after = new.partition(": ")
    if not colon or label != other_label or len(label.split()) > 4 or max(before.count(" "), after.count(" ")) > 6:
        return None
    return f"{shown(before)} → {shown(after)}"


def _compare_names(was: Wording, became: Wording, change: WordChange, evidence: ChangeEvidence) -> None:
    """Collect the proper names that were replaced."""
    lost = [word for word in change.removed if word in was.names]
    won = [word for word in change.added if word in became.names]
    if lost or won:
        lost, won = ([word.capitalize() for word in names] for names in (lost, won))
        _add_exchange(evidence, "name", "a name", (lost, won), (0.32, 0.12))
