"""The words of a text with their roles (negation, obligation, warning, topic), and the words that differ between two
texts."""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from webstrata.model.changes import change_words as lists
from webstrata.model.changes.change_words import fold
from webstrata.model.search.similarity import distance

_NO_SPACES = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
"""Letters of scripts without spaces between words: each counts as a word."""
_WORD = re.compile(rf"[{_NO_SPACES}]|[^\W\d_{_NO_SPACES}]{{1,60}}(?:[-'’][^\W\d_]{{1,60}}){{0,4}}")
_NUMBERED = re.compile(r"\bno\.? ?\d")
"""In "No. 5", the word is no negation."""
_CALLS_ATTENTION = re.compile(r"\W{0,3}attention ?[:!]")
"""The word warns only at the beginning of a text: "pay attention to" does not."""
_SPLIT_NEGATION = 4
"""The most words between the two parts of a negation such as `ne sera plus`."""
_COMPARED_CLOSELY = 12
_CONTEXT = 60
"""How many characters around a change are read with it, for the units and labels of numbers."""

NEGATION, OBLIGATION, WARNING, TOPIC, QUALIFIER, FREQUENCY, WEEKDAY, MONTH = (
    *("negation", "obligation", "warning", "topic", "qualifier"),
    *("frequency", "weekday", "month"),
)


class _Entry(NamedTuple):
    """What a word or phrase does."""

    words: tuple[str, ...]
    role: str
    name: str
    """The same for words of the same force, such as must and shall."""


@dataclass(frozen=True)
class Wording:
    """The words of a text."""

    words: tuple[str, ...]
    """Folded, in order."""
    roles: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often each role is played, as pairs of role and name."""
    names: frozenset[str] = frozenset()
    """Words with a capital letter, not at the beginning of a sentence."""
    shown: dict[tuple[str, str], str] = field(default_factory=dict)
    """The words that play a role, as the text has them."""


@dataclass(frozen=True)
class WordChange:
    """The words that one text has and another does not; without those that differ only in spelling."""

    removed: tuple[str, ...]
    added: tuple[str, ...]
    reversed_words: tuple[str, str] | None = None
    """A word and its opposite that took its place."""
    is_respelled: bool = False
    """Whether words differ by their spelling or ending."""

    @property
    def size(self) -> int:
        """Return how many words with content changed."""
        return max(len(self.removed), len(self.added))


def wording_of(text: str) -> Wording:
    """Return the words of a text and their roles."""
    found = _WORD.findall(text)
    plain = _split_words(_WORD.findall(fold(text)))
    roles, shown = _roles(plain)
    _discount_may(found, roles)
    _count_split_negations(plain, roles, shown)
    if _CALLS_ATTENTION.match(fold(text)):
        roles[WARNING, "attention"] += 1
        shown[WARNING, "attention"] = "attention"
    if (NEGATION, "no") in roles and _NUMBERED.search(fold(text)):
        del roles[NEGATION, "no"]
    return Wording(tuple(plain), roles, _names(text, found), shown)


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text, folded, in order."""
    return tuple(_split_words(_WORD.findall(fold(text))))


def changed_windows(old: str, new: str, most: int) -> tuple[str, str]:
    """Return the differing parts of two texts with some words around them, at most `most` characters of each."""
    shorter = min(len(old), len(new))
    begin = _common_length(shorter, lambda size: old.startswith(new[:size]))
    end = _common_length(shorter - begin, lambda size: size == 0 or old.endswith(new[-size:]))
    first = old.rfind(" ", 0, max(0, begin - _CONTEXT)) + 1
    kept = max(0, end - _CONTEXT)
    return _head(old, first, kept, most), _head(new, first, kept, most)


def word_change(old: Wording, new: Wording) -> WordChange:
    """Return which words with content differ between two texts."""
    before, after = Counter(old.words), Counter(new.words)
    removed, added = list((before - after).elements()), list((after - before).elements())
    opposite = _opposite(removed, added)
    removed = [word for word in removed if word not in lists.STOP_WORDS]
    added = [word for word in added if word not in lists.STOP_WORDS]
    is_respelled = False
    if 0 < len(removed) <= _COMPARED_CLOSELY and 0 < len(added) <= _COMPARED_CLOSELY:
        is_respelled = _drop_respelled(removed, added)
    return WordChange(tuple(removed), tuple(added), opposite, is_respelled)


def content_words(words: Iterable[str]) -> list[str]:
    """Return the words that carry content."""
    return [word for word in words if word not in lists.STOP_WORDS]


def _split_words(found: list[str]) -> list[str]:
    """Split words at apostrophes: don't becomes do not, l'eau becomes eau."""
    words: list[str] = []
    for word in found:
        if "'" in word:
            words += _parts_of(word)
        elif word == "cannot":
            words += ("can", "not")
        else:
            words.append(word)
    return words


def _parts_of(word: str) -> list[str]:
    if word.endswith("n't"):
        stem = {"ca": "can", "wo": "will", "sha": "shall"}.get(word[:-3], word[:-3])
        return [stem, "not"]
    if word.endswith("'s"):
        return [word[:-2]]
    first, _, rest = word.partition("'")
    if len(first) <= 2:
        return ["ne", rest] if first == "n" else [rest]
    return [first, *rest.split("'")]


def _lexicon() -> dict[str, list[_Entry]]:
    """Return the words and phrases with their roles, by first word, the longest first."""
    named = (
        *((word, NEGATION, name) for word, name in lists.NEGATIONS.items()),
        *((word, OBLIGATION, name) for word, name in lists.OBLIGATIONS.items()),
        *((word, WARNING, word) for word in sorted(lists.WARNINGS)),
        *((word, TOPIC, word) for word in sorted(lists.TOPICS)),
        *((word, QUALIFIER, word) for word in sorted(lists.QUALIFIERS)),
        *((word, FREQUENCY, word) for word in sorted(lists.FREQUENCIES)),
        *((word, WEEKDAY, word) for word in sorted(lists.WEEKDAYS) if word.endswith(("day", "di", "manche"))),
        *((word, MONTH, str(number)) for word, number in lists.MONTHS.items() if word in lists.MONTH_NAMES),
    )
    lexicon: dict[str, list[_Entry]] = {}
    for phrase, role, name in named:
        words = tuple(_split_words(_WORD.findall(phrase)))
        lexicon.setdefault(words[0], []).append(_Entry(words, role, name))
    for entries in lexicon.values():
        entries.sort(key=lambda entry: -len(entry.words))
    return lexicon


_LEXICON = _lexicon()


def _roles(words: list[str]) -> tuple[Counter[tuple[str, str]], dict[tuple[str, str], str]]:
    """Count the roles that words play; a phrase hides the shorter one of the same role at the same place."""
    roles: Counter[tuple[str, str]] = Counter()
    shown: dict[tuple[str, str], str] = {}
    for place, word in enumerate(words):
        played: set[str] = set()
        for entry in _LEXICON.get(word, ()):
            size = len(entry.words)
            if entry.role in played or (size > 1 and tuple(words[place : place + size]) != entry.words):
                continue
            played.add(entry.role)
            roles[entry.role, entry.name] += 1
            shown.setdefault((entry.role, entry.name), " ".join(entry.words))
    return roles, shown


def _discount_may(found: list[str], roles: Counter[tuple[str, str]]) -> None:
    """Remove the months that were counted as permissions."""
    months = found[1:].count("May")
    if months and (OBLIGATION, "may") in roles:
        roles[OBLIGATION, "may"] -= months
        if roles[OBLIGATION, "may"] <= 0:
            del roles[OBLIGATION, "may"]


def _count_split_negations(
    words: list[str], roles: Counter[tuple[str, str]], shown: dict[tuple[str, str], str]
) -> None:
    """Count French negations by `plus`, which alone is no negation: `n'est plus`, `ne sera plus`."""
    for place, word in enumerate(words):
        if word == "ne" and "plus" in words[place + 1 : place + _SPLIT_NEGATION]:
            roles[NEGATION, "plus"] += 1
            shown[NEGATION, "plus"] = "ne … plus"


def _names(text: str, found: list[str]) -> frozenset[str]:
    """Return the capitalised words inside sentences; empty for a text in which nearly all words are capitalised."""
    capitals = [word for word in found if word[0].isupper()]
    if len(found) < 5 or len(capitals) * 10 > len(found) * 7:
        return frozenset()
    starts = {text[:_CONTEXT].split(" ", 1)[0]} | set(re.findall(r"[.!?:;•|–] {1,2}([^\W\d_]+)", text))
    return frozenset(fold(word) for word in capitals if word not in starts and word != "I")


def _opposite(removed: list[str], added: list[str]) -> tuple[str, str] | None:
    """Return a removed word and the added word of opposite meaning, if there are such."""
    before, after = set(removed), set(added)
    for one, other in lists.OPPOSITES:
        for these, those in ((one, other), (other, one)):
            if (lost := before & these) and (won := after & those):
                return min(lost), min(won)
    for word in sorted(before):
        for other_word in sorted(after):
            if _negates(word, other_word) or _negates(other_word, word):
                return word, other_word
    return None


def _negates(word: str, other: str) -> bool:
    """Return whether a word is another one with a negating prefix."""
    return len(other) > 3 and word.endswith(other) and word[: -len(other)].rstrip("-") in lists.NEGATING_PREFIXES


def _drop_respelled(removed: list[str], added: list[str]) -> bool:
    """Remove the words that have the same meaning on both sides; return whether there were any."""
    found = False
    for word in tuple(removed):
        twin = next((other for other in added if _is_respelled(word, other)), None)
        if twin is not None:
            removed.remove(word)
            added.remove(twin)
            found = True
    return found


def _is_respelled(one: str, other: str) -> bool:
    """Return whether two words differ only by a typing error, a spelling variant or an ending."""
    if one.replace("-", "") == other.replace("-", ""):
        return True
    longer, shorter = max(len(one), len(other)), min(len(one), len(other))
    if shorter < 4 or one[0] != other[0] or _negates(one, other) or _negates(other, one):
        return False
    alike = next((place for place in range(shorter) if one[place] != other[place]), shorter)
    return (longer - alike <= 3 and alike >= 4) or (longer - shorter <= 1 and distance(one, other, 1) <= 1)


def _common_length(most: int, is_common: Callable[[int], bool]) -> int:
    """Return the greatest size for which two texts agree."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if is_common(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _head(text: str, first: int, kept: int, most: int) -> str:
    """Return the text between two positions, up to the end of a word."""
    end = text.find(" ", len(text) - kept)
    return text[first : min(first + most, end if end >= 0 else len(text))]
