"""Word-by-word comparison of two texts, to show what was replaced inside a line."""

import re
from collections.abc import Iterable, Iterator, Sequence

from rapidfuzz.distance import LCSseq, Postfix, Prefix

from webstrata.model.changes.values import EditKind, Limits, WordEdit

_PUNCTUATION = r"!-/:-@\[-`{-~¡-©«-®°-±´¶-¸»¿‐-⁞、-〿！-／：-＠"
_IDEOGRAPHS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Scripts without spaces between words: each character is compared by itself."""

_LETTERS = rf"[^\s{_PUNCTUATION}{_IDEOGRAPHS}]+"
_JOINED = rf"{_LETTERS}(?:(?:['’.@&_/‐‑-]|(?<=\d)[,:–](?=\d)){_LETTERS})*"
_THOUSANDS = r"\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?![\d.])(?:,\d+)?"
_WORD = rf"\w+://[^\s<>]+|(?:[$€£¥]|(?<!\S)[+−-](?=\d))?(?:{_THOUSANDS}|{_JOINED})(?:(?<=\d)%)?"
"""An address, or a word with its parts: a date, a price, a phone number, a hyphenated word."""

_TOKEN = re.compile(rf"(\s*)({_WORD}|\S)")
_PLAIN_WORD = re.compile(rf"{_WORD}|[{_IDEOGRAPHS}]")
_DIGIT = re.compile(r"\d")
_MAX_WORDS_BETWEEN = 3
"""So few unchanged words between two changes are shown as changed, too, because many small marks are hard to read."""

Token = tuple[str, str]
"""The white space before a word or a punctuation mark, and the word or mark."""
Piece = tuple[EditKind, str]


class _Hunk:
    """A removed text, the text that replaced it, and the unchanged text before them."""

    __slots__ = ("added", "before", "removed", "words")

    def __init__(self, before: str, removed: str, added: str) -> None:
        self.before, self.removed, self.added = before, removed, added
        self.words = max(_word_count(removed), _word_count(added))
        """How many words changed."""

    def absorb(self, later: "_Hunk") -> bool:
        """Merge a later hunk if the unchanged text between both is too short, unless it contains a number; return
        whether it was."""
        between = later.before
        words = _word_count(between)
        is_enough = words > _MAX_WORDS_BETWEEN or 2 * words >= self.words + later.words
        if is_enough or not (self.removed and self.added and later.removed and later.added) or _DIGIT.search(between):
            return False
        self.removed += between + later.removed
        self.added += between + later.added
        self.words += words + later.words
        return True

    def edits(self) -> Iterator[WordEdit]:
        """Yield the hunk's texts that are not empty; common white space before them is not part of the change."""
        space = 0
        while self.removed[space : space + 1].isspace() and self.removed[space] == self.added[space : space + 1]:
            space += 1
        pieces = (
            (EditKind.SAME, self.before + self.removed[:space]),
            (EditKind.REMOVED, self.removed[space:]),
            (EditKind.ADDED, self.added[space:]),
        )
        return (WordEdit(kind, text) for kind, text in pieces if text)


def word_marks(old: str, new: str, limits: Limits) -> tuple[WordEdit, ...]:
    """Return the words of two texts with marks: SAME and REMOVED ones are the old text, SAME and ADDED ones the new.

    Of texts longer than the limit, only the part between their common start and end is compared; if that is still too
    long, it counts as replaced.
    """
    longest = limits.max_line_characters
    if max(len(old), len(new)) <= longest:
        return _tidy(_compare(_tokens(old), _tokens(new)))
    head = _common_head(old, new)
    tail = _common_tail(old[head:], new[head:])
    removed, added = old[head : len(old) - tail], new[head : len(new) - tail]
    if max(len(removed), len(added)) <= longest:
        pieces = _compare(_tokens(removed), _tokens(added))
    else:
        pieces = iter(((EditKind.REMOVED, removed), (EditKind.ADDED, added)))
    return _tidy([(EditKind.SAME, old[:head]), *pieces, (EditKind.SAME, old[len(old) - tail :])])


def plain_words(text: str) -> list[str]:
    """Return the words of a text in lower case, without punctuation."""
    return _PLAIN_WORD.findall(text.lower())


def _tokens(text: str) -> list[Token]:
    """Return the tokens of a text, and last the white space that it ends with."""
    tokens: list[Token] = _TOKEN.findall(text)
    tokens.append((text[len(text.rstrip()) :], ""))
    return tokens


def _compare(old: Sequence[Token], new: Sequence[Token]) -> Iterator[Piece]:
    # White space is not compared: matching it would cost matches of words.
    for code in LCSseq.opcodes([word for _, word in old[:-1]], [word for _, word in new[:-1]]):
        removed, added = old[code.src_start : code.src_end], new[code.dest_start : code.dest_end]
        if code.tag == "equal":
            yield from _compare_spaces(removed, added)
        else:
            yield EditKind.REMOVED, _text_of(removed)
            yield EditKind.ADDED, _text_of(added)
    yield from _compare_spaces(old[-1:], new[-1:])


def _compare_spaces(old: Sequence[Token], new: Sequence[Token]) -> Iterator[Piece]:
    for (old_space, word), (new_space, _) in zip(old, new, strict=True):
        if old_space == new_space:
            yield EditKind.SAME, old_space + word
        else:
            yield EditKind.REMOVED, old_space
            yield EditKind.ADDED, new_space
            yield EditKind.SAME, word


def _text_of(tokens: Sequence[Token]) -> str:
    return "".join([space + word for space, word in tokens])


def _tidy(pieces: Iterable[Piece]) -> tuple[WordEdit, ...]:
    """Return pieces as edits: each change once as removed and once as added text."""
    hunks: list[_Hunk] = []
    for hunk in _hunks(pieces):
        if not (hunks and hunks[-1].absorb(hunk)):
            hunks.append(hunk)
    return tuple(edit for hunk in hunks for edit in hunk.edits())


def _hunks(pieces: Iterable[Piece]) -> Iterator[_Hunk]:
    """Yield the changes of a text; the text after the last change is a hunk without a change."""
    texts: dict[EditKind, list[str]] = {kind: [] for kind in (EditKind.SAME, EditKind.REMOVED, EditKind.ADDED)}
    same, removed, added = texts.values()
    for kind, text in pieces:
        if text and kind is EditKind.SAME and (removed or added):
            yield _Hunk(*("".join(texts_of_kind) for texts_of_kind in texts.values()))
            for texts_of_kind in texts.values():
                texts_of_kind.clear()
        if text:
            texts[kind].append(text)
    yield _Hunk("".join(same), "".join(removed), "".join(added))


def _word_count(text: str) -> int:
    words = text.strip()
    return words.count(" ") + 1 if words else 0


def _common_head(old: str, new: str) -> int:
    """Return the length of the common start of both texts, up to its last space."""
    return old.rfind(" ", 0, int(Prefix.similarity(old, new))) + 1


def _common_tail(old: str, new: str) -> int:
    """Return the length of the common end of both texts, from its first space."""
    start = old.find(" ", len(old) - int(Postfix.similarity(old, new)))
    return len(old) - start if start >= 0 else 0
