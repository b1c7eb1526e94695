"""Evidence about the quality of a saved response: phrases and markers, weighed against how much content there is."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from webstrata.content.blocks import CODE, HEADINGS, PARAGRAPH, QUOTE, ROW
from webstrata.content.quality.markers import CAPTCHA_WIDGETS, SOURCE_MARKERS, header_markers
from webstrata.content.quality.phrases import SENTENCES, TITLES, ascii_of, plain, title_parts
from webstrata.content.quality.saved_response import SavedResponse
from webstrata.model.changes.values import PageLine
from webstrata.model.quality import QualityKind

LONG_TEXT = 1_500
"""Bytes of content; pages with more are nearly always good."""

_TINY_TEXT = 400
_MUCH_TEXT = 3_000
"""Bytes of text, including short lines; with more, only a title, a heading or a marker makes a page suspicious."""

_MANY_LINES = 100
"""Lines of content, as in a list of offers; notices shown instead of a page have only a few."""

_CAPTCHA_TEXT = 800
_LONGEST_SENTENCE = 700
"""In characters: longer lines count as paragraphs of content, whatever they mention."""

_SHORTEST_SENTENCE = 8
_SHORTEST_AMONG_MANY = 20
_SEARCHED = 4_000
"""Characters that are searched for sentences, which takes a millisecond or two for a thousand."""

_EVIDENCE_LINE = 200
"""How many bytes of a line with such a sentence do not count as content."""

_MAX_FROM_TEXT = 2.5
_HEADINGS_READ = 3
_HEADING_TEXT = 80
_TITLES_OF_KIND = {kind: tuple(phrase for phrase in TITLES if phrase.kind is kind) for kind in QualityKind}
_CONTENT_KINDS = frozenset({PARAGRAPH, ROW, QUOTE, CODE})
_MIN_CONTENT_LINE = 25
_MIN_OTHER_LINE = 60
_SENTENCE_END = re.compile(r"[.!?;,。、，！？]")


@dataclass(frozen=True)
class Sign:
    """One piece of evidence for a kind of response."""

    kind: QualityKind
    weight: float
    reason: str


class Evidence:
    """The evidence in a response; each part is read when it is first needed."""

    def __init__(self, response: SavedResponse) -> None:
        self.response = response
        self._matched: set[int] = set()
        """The numbers of the lines in which sentences were found."""
        self._sentences: dict[QualityKind, tuple[Sign, ...]] = {}

    @cached_property
    def content_bytes(self) -> int:
        """Return the amount of content: paragraphs, rows, quotes, code, and other lines that are sentences."""
        return sum(_content_bytes(line) for line in self.response.lines if line.is_main)

    @property
    def is_long(self) -> bool:
        """Return whether there is so much content that only the title can make a page suspicious."""
        return self.content_bytes >= LONG_TEXT

    @property
    def is_beyond_doubt(self) -> bool:
        """Return whether there is so much text that sentences in it cannot make the page suspicious."""
        if self.is_long:
            return not any(sign.kind is QualityKind.SOFT_404 for sign in self.titles)
        has_much = self.response.main_bytes >= _MUCH_TEXT or len(self.response.lines) >= _MANY_LINES
        return has_much and not (self.titles or self.headings or self.markers)

    @cached_property
    def text_bytes(self) -> int:
        """Return the amount of text except headings, menus and the like."""
        texts = (line.text for line in self.response.lines if line.is_main and line.kind not in HEADINGS)
        return sum(len(text.encode("utf-8", "replace")) for text in texts)

    @property
    def is_tiny(self) -> bool:
        """Return whether there is hardly any text besides menus and the like."""
        return self.response.main_bytes < _TINY_TEXT

    @cached_property
    def other_bytes(self) -> int:
        """Return the amount of content without the evidence itself."""
        _ = self.from_text
        lines = ((place, _content_bytes(line)) for place, line in enumerate(self.response.lines) if line.is_main)
        return sum(max(0, size - _EVIDENCE_LINE) if place in self._matched else size for place, size in lines)

    @cached_property
    def titles(self) -> tuple[Sign, ...]:
        """Return the phrases that are the title or a whole part of it."""
        return tuple(_title_signs(self.response.title, "its title is"))

    @cached_property
    def headings(self) -> tuple[Sign, ...]:
        """Return the phrases that are a whole heading; one that repeats the title counts half."""
        named = {sign.kind for sign in self.titles}
        signs = [sign for heading in self._heading_texts() for sign in _title_signs(heading, "a heading is")]
        return tuple(
            Sign(sign.kind, sign.weight / 2 if sign.kind in named else sign.weight, sign.reason) for sign in signs
        )

    def _heading_texts(self) -> list[str]:
        """Return the first headings; of a page without any, its first short lines, which look like them."""
        lines = self.response.lines
        headings = [line.text for line in lines if line.kind in HEADINGS]
        return headings[:_HEADINGS_READ] or [line.text for line in lines[:2] if len(line.text) <= _HEADING_TEXT]

    @cached_property
    def from_text(self) -> tuple[Sign, ...]:
        """Return the sentences of all kinds that were found, each once."""
        return tuple(sign for kind in QualityKind for sign in self.sentences(kind))

    def sentences(self, kind: QualityKind) -> tuple[Sign, ...]:
        """Return the sentences that were found for a kind, each once."""
        if kind not in self._sentences:
            self._sentences[kind] = tuple(self._find_sentences(kind))
        return self._sentences[kind]

    @cached_property
    def markers(self) -> tuple[Sign, ...]:
        """Return the markers of firewalls and similar products, in the source and in the headers."""
        return (*self._source_markers(), *self._header_markers())

    def of_kind(self, kind: QualityKind) -> list[Sign]:
        """Return the evidence for a kind, the strongest first."""
        named = (*self._best(self.titles, kind), *self._best(self.headings, kind))
        signs = (*named, *self.markers, *self.sentences(kind))
        return sorted((sign for sign in signs if sign.kind is kind), key=lambda sign: -sign.weight)

    def weight_of(self, kind: QualityKind) -> float:
        """Return the weight of the evidence for a kind, whatever the amount of content."""
        titles = sum(sign.weight for signs in (self.titles, self.headings) for sign in self._best(signs, kind))
        found = sum(sign.weight for sign in self.sentences(kind))
        marked = sorted((sign.weight for sign in self.markers if sign.kind is kind), reverse=True)[:2]
        weight = titles + min(found, _MAX_FROM_TEXT) + sum(marked)
        return weight + 0.5 if weight and self.is_tiny else weight

    def is_only_text(self, kind: QualityKind) -> bool:
        """Return whether the only evidence for a kind are sentences: an article may quote any of them."""
        return not any(sign.kind is kind for sign in (*self.titles, *self.headings, *self.markers))

    @staticmethod
    def _best(signs: tuple[Sign, ...], kind: QualityKind) -> list[Sign]:
        return sorted((sign for sign in signs if sign.kind is kind), key=lambda sign: -sign.weight)[:1]

    @cached_property
    def _texts(self) -> list[tuple[int, str]]:
        """Return the lines that may be evidence, with their numbers; -1 is the noscript text."""
        shortest = _SHORTEST_SENTENCE if self.is_tiny else _SHORTEST_AMONG_MANY
        noscript = self.response.structure.noscript
        texts, size = ([(-1, noscript)] if noscript else []), 0
        for place, line in enumerate(self.response.lines):
            if (line.kind != CODE or self.is_tiny) and shortest <= len(line.text) <= _LONGEST_SENTENCE:
                texts.append((place, line.text))
                size += len(line.text)
                if size > _SEARCHED:
                    break
        # Searching all lines at once takes a third of the time of searching each.
        folded = plain("\n".join(text for _, text in texts)).split("\n")
        return [(place, text) for (place, _), text in zip(texts, folded, strict=False)]

    @cached_property
    def _joined(self) -> str:
        return "\n".join(text for _, text in self._texts)

    @cached_property
    def _ascii(self) -> str:
        return ascii_of(self._joined)

    def _find_sentences(self, kind: QualityKind) -> Iterator[Sign]:
        for phrase in SENTENCES[kind]:
            if not phrase.may_be_in(self._ascii) or not phrase.pattern.search(self._joined):
                continue
            hits = [(place, found) for place, text in self._texts if (found := phrase.pattern.search(text))]
            self._matched.update(place for place, _ in hits)
            if hits:
                yield Sign(kind, phrase.weight, f'it says "{_excerpt(hits[0][1][0])}"')

    def _source_markers(self) -> Iterator[Sign]:
        structure = self.response.structure
        for name in sorted(structure.markers):
            if marker := SOURCE_MARKERS.get(name):
                yield Sign(marker.kind, marker.weight, f"its source has {name}, a marker of {marker.product}")
        widget = next((name for name in CAPTCHA_WIDGETS if name in structure.markers), None)
        # A form with a captcha is an ordinary page; a page with nothing else is not.
        if widget and structure.fields <= 1 and self.content_bytes < _CAPTCHA_TEXT:
            yield Sign(QualityKind.CAPTCHA, 1.0, f"it has a captcha ({widget}) and no other form field")

    def _header_markers(self) -> Iterator[Sign]:
        for name, marker in header_markers(self.response.headers):
            yield Sign(marker.kind, marker.weight, f"its header {name} is a marker of {marker.product}")


def has_title_of(title: str, kind: QualityKind) -> bool:
    """Return whether a part of a title is a phrase of a kind."""
    return any(phrase.pattern.fullmatch(part) for part in title_parts(title) for phrase in _TITLES_OF_KIND[kind])


def _title_signs(title: str, words: str) -> Iterator[Sign]:
    for part in title_parts(title):
        for phrase in TITLES:
            if phrase.pattern.fullmatch(part):
                yield Sign(phrase.kind, phrase.weight, f'{words} "{_excerpt(part)}"')


def content_size(text: str, kind: str) -> int:
    """Return how many bytes of content a line of a kind has: 0 unless it is a sentence, paragraph or row."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    if kind in _CONTENT_KINDS:
        return size if size >= _MIN_CONTENT_LINE else 0
    return size if size >= _MIN_OTHER_LINE and _SENTENCE_END.search(text) else 0


def _content_bytes(line: PageLine) -> int:
    return content_size(line.text, line.kind)


def _excerpt(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 80 else f"{flat[:79]}…"
