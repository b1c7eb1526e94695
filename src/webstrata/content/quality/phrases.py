"""Phrases, in several languages, of the pages that sites show instead of the requested one.

`TITLES` match a whole part of a title or a heading, `SENTENCES` are found within a line. They are in lower case and
without accents, as `plain` returns texts. The weight is how surely a phrase indicates its kind;
`content/quality/assessment.py` adds up the evidence for each kind, so that no phrase in an article decides alone.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from webstrata.content.quality import absence_phrases, refusal_phrases, substitute_phrases
from webstrata.content.quality.phrase_rows import PhraseRow, any_of
from webstrata.content.quality.required_literals import required_literals
from webstrata.model.quality import QualityKind

MAX_TITLE_PART = 120

_ACCENTED = "àáâãäåçèéêëìíîïñòóôõöøùúûüýÿăąćčęěğłńňřśşšťůźżžőű’"
_PLAIN = "aaaaaaceeeeiiiinoooooouuuuyyaacceeglnnrssstuzzzou'"
_LETTERS = dict(zip(_ACCENTED, _PLAIN, strict=True))
_ASCII = bytes(range(128))
_SEPARATORS = re.compile(r"\s*[|·•»«‹›]\s*|\s+[-–—:/~]+\s+|\s*—\s*")
_APOLOGY = re.compile(
    r"^(?:oops|sorry|oh no|whoops|woops|uh[- ]?oh|ups|oups|hoppla|ooops|desole|error)[\s,!.:…]+(?=\w)"
)
_AROUND = " \t!.?¿¡:;,…\"'()[]-–"


@dataclass(frozen=True)
class Phrase:
    """A pattern, what it indicates and how surely."""

    kind: QualityKind
    weight: float
    written: str
    """The uncompiled pattern: most processes need few patterns or none, and compiling all takes 0.05 seconds."""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Return the pattern, compiled when it is first needed."""
        return re.compile(self.written, re.MULTILINE)

    @cached_property
    def literals(self) -> frozenset[str]:
        """Return texts (as `ascii_of` returns them) of which every match contains at least one; empty when unknown."""
        return frozenset(map(ascii_of, required_literals(self.written)))

    def may_be_in(self, ascii_text: str) -> bool:
        """Return whether a text (from `ascii_of`) may contain the phrase; takes a tenth of the time of a search."""
        return not self.literals or any(literal in ascii_text for literal in self.literals)


def plain(text: str) -> str:
    """Return a text in lower case and without the accents of European languages."""
    lowered = text.lower()
    if lowered.isascii():
        return lowered
    # Deleting all ASCII bytes is the fastest way to find the few accents.
    beyond = lowered.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass")
    for accented in _LETTERS.keys() & set(beyond):
        lowered = lowered.replace(accented, _LETTERS[accented])
    return lowered


def ascii_of(text: str) -> str:
    """Return a text with a question mark for each other character: Python searches ASCII several times as fast."""
    return text if text.isascii() else text.encode("ascii", "replace").decode("ascii")


def title_parts(title: str) -> list[str]:
    """Return a title as a whole and its parts, such as the page's and the site's name, ready for `TITLES`."""
    whole = plain(title)[: 2 * MAX_TITLE_PART]
    stripped = (part.strip(_AROUND) for part in (whole, *_SEPARATORS.split(whole)))
    parts = (_APOLOGY.sub("", part).strip(_AROUND) for part in stripped)
    return [part for part in dict.fromkeys(parts) if 0 < len(part) <= MAX_TITLE_PART]


def _phrases(rows: Iterable[PhraseRow]) -> tuple[Phrase, ...]:
    return tuple(Phrase(kind, weight, any_of(*patterns)) for kind, weight, patterns in rows)


_TABLES = (refusal_phrases, absence_phrases, substitute_phrases)
TITLES = tuple(phrase for table in _TABLES for phrase in _phrases(table.TITLES))
_ALL_SENTENCES = tuple(phrase for table in _TABLES for phrase in _phrases(table.SENTENCES))
SENTENCES = {kind: tuple(phrase for phrase in _ALL_SENTENCES if phrase.kind is kind) for kind in QualityKind}
