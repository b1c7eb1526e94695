"""Parser of search queries: an address, an expression of the query language, or plain words.

There are no syntax errors: a query that does not parse is searched as plain words.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

MAX_TOKENS = 128
MAX_DEPTH = 12
"""No one types expressions that are nested deeper, and the depth of SQLite's parser is limited."""

Fold = Callable[[str], list[str]]
"""Splits a text into words, folded as in the full-text index."""


class Intent(StrEnum):
    """What kind of question a query is."""

    URL = "url"
    ADVANCED = "advanced"
    PLAIN = "plain"


class Field(StrEnum):
    """A part of a document that can be searched alone."""

    TITLE = "title"
    URL = "url"
    TEXT = "snippet"


@dataclass(frozen=True)
class Words:
    """Consecutive words in one part of a document or in any; the last one may be a prefix."""

    words: tuple[str, ...]
    field: Field | None = None
    prefix: bool = False
    is_quoted: bool = False
    """Whether the words are in quotes: other forms of them do not match."""


@dataclass(frozen=True)
class All:
    """Matches when every part does."""

    parts: tuple["Expression", ...]


@dataclass(frozen=True)
class AnyOf:
    """Matches when one of the parts does."""

    parts: tuple["Expression", ...]


@dataclass(frozen=True)
class Without:
    """Matches when its part does not."""

    part: "Expression"


Expression = Words | All | AnyOf | Without


@dataclass(frozen=True)
class Query:
    """A parsed query: its kind, its address or expression, and its words as plain text."""

    intent: Intent
    plain: tuple[str, ...]
    expression: Expression | None = None
    address: str | None = None


def parse_query(q: str, fold: Fold) -> Query:
    """Parse a query."""
    plain = tuple(dict.fromkeys(fold(q)))[:MAX_TOKENS]
    if (address := _address(q.strip())) is not None:
        return Query(Intent.URL, plain, address=address)
    if (expression := _advanced(q, fold)) is not None:
        return Query(Intent.ADVANCED, plain, expression)
    return Query(Intent.PLAIN, plain, plain_expression(plain))


def plain_expression(words: Sequence[str], *, prefix: bool = False) -> Expression | None:
    """Return the expression that matches all words; with `prefix`, longer words may continue in the document."""
    return all_of(Words((word,), prefix=prefix and len(word) >= _SHORTEST_PREFIX) for word in words)


def all_of(parts: Iterable[Expression]) -> Expression | None:
    """Return the expression that matches when every part does; None without parts."""
    requested = tuple(parts)
    return (requested[0] if len(requested) == 1 else All(requested)) if requested else None


def with_word_replaced(expression: Expression, replaced: dict[str, str]) -> Expression:
    """Return an expression with some of its words replaced."""
    if isinstance(expression, Words):
        return replace(expression, words=tuple(replaced.get(word, word) for word in expression.words))
    if isinstance(expression, Without):
        return expression
    return replace(expression, parts=tuple(with_word_replaced(part, replaced) for part in expression.parts))


def query_text(expression: Expression) -> str:
    """Return an expression in the query language."""
    if isinstance(expression, Words):
        words = " ".join(expression.words)
        field = f"{expression.field}:" if expression.field else ""
        quoted = expression.is_quoted or len(expression.words) > 1
        return f'{field}"{words}"' if quoted else f"{field}{words}{'*' if expression.prefix else ''}"
    if isinstance(expression, Without):
        return f"NOT {query_text(expression.part)}"
    sign = " AND " if isinstance(expression, All) else " OR "
    return f"({sign.join(map(query_text, expression.parts))})"


def in_title(expression: Expression) -> Expression | None:
    """Return the expression that matches the same words in the title; None when there is no such expression."""
    if isinstance(expression, Words):
        return replace(expression, field=Field.TITLE) if expression.field in {None, Field.TITLE} else None
    if isinstance(expression, Without):
        return None
    parts = tuple(part for part in map(in_title, expression.parts) if part is not None)
    return replace(expression, parts=parts) if parts else None


def needs_positions(expression: Expression) -> bool:
    """Return whether an expression needs the positions of words, as phrases and words in one field do."""
    if isinstance(expression, Words):
        return expression.field is Field.TEXT or len(expression.words) > 1
    parts = (expression.part,) if isinstance(expression, Without) else expression.parts
    return any(needs_positions(part) for part in parts)


def ignoring_positions(expression: Expression) -> Expression:
    """Return a wider expression that ignores positions: it matches all documents of the given one, and maybe others."""
    if isinstance(expression, Words):
        field = None if expression.field is Field.TEXT else expression.field
        *others, last = (Words((word,), field) for word in expression.words)
        return All((*others, replace(last, prefix=expression.prefix)))
    if isinstance(expression, Without):
        return All(()) if needs_positions(expression.part) else expression
    parts = tuple(map(ignoring_positions, expression.parts))
    return replace(
        expression, parts=parts if isinstance(expression, AnyOf) else tuple(p for p in parts if p != All(()))
    )


def wanted_words(expression: Expression | None) -> Iterator[Words]:
    """Yield the words that an expression looks for, without those that it excludes."""
    if isinstance(expression, Words):
        yield expression
    elif isinstance(expression, All | AnyOf):
        for part in expression.parts:
            yield from wanted_words(part)


_SHORTEST_PREFIX = 3
_ADDRESS_PREFIX = "url:"
_SCHEME = "://"
_WWW = "www."
_OPERATORS = frozenset({"AND", "OR", "NOT"})
_LEXEME = re.compile(
    r"""\s*(?:
      (?P<minus>(?<![^\s(])-(?=[\w"(]))
    | (?P<field>(?<![^\s(-])(?:title|snippet|url):(?=[\w"]))
    | "(?P<phrase>[^"]*)"
    | (?P<open>\()
    | (?P<close>\))
    | (?P<word>[^\s()"]+)
    )""",
    re.VERBOSE | re.IGNORECASE,
)


def _address(q: str) -> str | None:
    """Return the query as an address; None when it is not an address."""
    named = q[: len(_ADDRESS_PREFIX)].lower() == _ADDRESS_PREFIX
    bare = q[len(_ADDRESS_PREFIX) :].strip() if named else q
    if not bare or any(c.isspace() or c in '"()' for c in bare):
        return None
    lower = bare.lower()
    if named:
        return bare if lower.startswith(("http", _WWW)) else None
    plain_name = ":" not in bare.partition(".")[0] and not bare.startswith("-")
    return bare if _SCHEME in bare or lower.startswith(_WWW) or ("." in bare.strip(".") and plain_name) else None


class _UnparsedError(Exception):
    """The query is no expression; this error never leaves this module."""


def _advanced(q: str, fold: Fold) -> Expression | None:
    """Return a query parsed as an expression; None when it is plain words or cannot be parsed."""
    try:
        lexemes = _lexemes(q)
        if not any(_marks_expression(lexeme) for lexeme in lexemes) or len(lexemes) > MAX_TOKENS:
            return None
        return _Parser(lexemes, fold).parsed()
    except _UnparsedError:
        return None


@dataclass(frozen=True)
class _Lexeme:
    kind: str
    text: str


def _lexemes(q: str) -> list[_Lexeme]:
    found, position, end = [], 0, len(q.rstrip())
    while position < end:
        match = _LEXEME.match(q, position)
        if match is None or match.lastgroup is None:
            raise _UnparsedError
        kind, text = match.lastgroup, match[match.lastgroup]
        found.append(_Lexeme("operator" if kind == "word" and text in _OPERATORS else kind, text))
        position = match.end()
    return found


def _marks_expression(lexeme: _Lexeme) -> bool:
    """Return whether a query is more than plain words; parentheses alone do not count."""
    return lexeme.kind in {"operator", "minus", "field", "phrase"}


class _Parser:
    """Parses an expression: OR binds weakest, then AND (also between adjacent words), then NOT and `-`."""

    def __init__(self, lexemes: list[_Lexeme], fold: Fold) -> None:
        self._lexemes = lexemes
        self._fold = fold
        self._position = 0

    def parsed(self) -> Expression | None:
        """Return the whole expression, or None when there are no words in it."""
        expression = self._any(0)
        if self._position < len(self._lexemes):
            raise _UnparsedError
        return expression

    def _any(self, depth: int) -> Expression | None:
        parts = [self._all(depth)]
        while self._taken("operator", "OR"):
            parts.append(self._all(depth))
        return _joined(AnyOf, parts)

    def _all(self, depth: int) -> Expression | None:
        parts = [self._one(depth)]
        while True:
            explicit = self._taken("operator", "AND")
            if not explicit and not self._begins_part():
                return _joined(All, parts)
            parts.append(self._one(depth))

    def _one(self, depth: int) -> Expression | None:
        if depth > MAX_DEPTH:
            raise _UnparsedError
        if self._taken("minus") or self._taken("operator", "NOT"):
            part = self._one(depth + 1)
            return part.part if isinstance(part, Without) else Without(part) if part else None
        if self._taken("open"):
            inner = self._any(depth + 1)
            if not self._taken("close"):
                raise _UnparsedError
            return inner
        return self._term()

    def _term(self) -> Expression | None:
        field = Field(name.text[:-1].lower()) if (name := self._taken("field")) else None
        quoted = self._taken("phrase")
        term = quoted or self._taken("word")
        if term is None:
            raise _UnparsedError
        words = tuple(self._fold(term.text))[:MAX_TOKENS]
        return Words(words, field, is_quoted=quoted is not None) if words else None

    def _begins_part(self) -> bool:
        if self._position >= len(self._lexemes):
            return False
        lexeme = self._lexemes[self._position]
        return lexeme.kind != "close" and (lexeme.kind != "operator" or lexeme.text == "NOT")

    def _taken(self, kind: str, text: str | None = None) -> _Lexeme | None:
        if self._position >= len(self._lexemes):
            return None
        lexeme = self._lexemes[self._position]
        if lexeme.kind != kind or (text is not None and lexeme.text != text):
            return None
        self._position += 1
        return lexeme


def _joined(kind: type[All] | type[AnyOf], parts: list[Expression | None]) -> Expression | None:
    """Return one expression for some parts, without empty parts and needless nesting."""
    flat: dict[Expression, None] = {}
    for part in parts:
        for inner in part.parts if isinstance(part, kind) else (part,):
            if inner is not None:
                flat[inner] = None
    found = tuple(flat)
    return found[0] if len(found) == 1 else kind(found) if found else None
