"""Finds the start of an archived page's body in its bytes, without building a tree.

Comments, scripts and elements of the head are skipped, as in the HTML standard's insertion modes before "in body". The
first other token opens the body, with or without a `<body>` tag.
"""

from collections.abc import Iterator
from itertools import islice

from webstrata.content.tree import Token, TokenType, tokenize

MAX_HEAD_BYTES = 2_000_000
"""How many bytes of a page are searched for its body; tokenising them takes some hundredths of a second."""

MAX_HEAD_TOKENS = 50_000
"""How many tags and texts are looked at: a page of nothing but empty titles has hundreds of thousands."""

_BOM = b"\xef\xbb\xbf"
_SPACE = "\t\n\f\r "
_HEAD_TAGS = frozenset({"html", "head", "base", "basefont", "bgsound", "link", "meta", "noscript", "template"})
_TEXT_TAGS = frozenset({"title", "style", "noframes", "script"})
_ENCLOSING = frozenset({"noscript", "template"})
"""Elements of the head whose content is not always shown: if the body begins inside one, the position before it is
returned."""

_END_TAGS_OF_THE_BODY = frozenset({"body", "html", "br"})


def body_start(html: bytes) -> int:
    """Return the offset of the body's first byte in a page whose markup is ASCII."""
    skipped = len(_BOM) if html.startswith(_BOM) else 0
    # In Latin-1 every byte is one character, so positions in the text are positions in the page.
    source = html[skipped : skipped + MAX_HEAD_BYTES].decode("latin-1")
    text = source.replace("\r\n", "\n").replace("\r", "\n") if "\r" in source else source
    return skipped + _place_in(source, _Head().body_of(text))


class _Head:
    """State of the tokenisation of a page up to its body."""

    def __init__(self) -> None:
        self._open: list[tuple[str, int]] = []
        """The open noscript and template elements, and their positions."""
        self._is_closed = False

    def body_of(self, text: str) -> int:
        """Return where the body begins in a text whose line ends are normalised."""
        position = 0
        raw_tag: int | None = None
        """The position of the title, style or script that is open."""
        for token, start in islice(_tokens(text), MAX_HEAD_TOKENS):
            if raw_tag is not None:
                if token.type is TokenType.END_TAG:
                    position, raw_tag = _end(token, start), None
                continue
            if _is_unfinished(token):
                return self._outermost(start)
            if self._opens_body(token):
                if token.type is TokenType.START_TAG and token.tag == "body" and not self._open:
                    return _end(token, start)
                return self._outermost(start + _leading_space(token))
            if token.type is TokenType.START_TAG and token.tag in _TEXT_TAGS:
                raw_tag = start
            self._follow(token, start)
            position = _end(token, start)
        return self._outermost(position if raw_tag is None else raw_tag)

    def _outermost(self, position: int) -> int:
        return self._open[0][1] if self._open else position

    def _opens_body(self, token: Token) -> bool:
        if token.type in (TokenType.COMMENT, TokenType.DOCTYPE, TokenType.PROCESSING_INSTRUCTION):
            return False
        if self._open and self._open[-1][0] == "template":
            return False
        if token.type is TokenType.TEXT:
            return self._text_opens_body(token.data or "")
        if token.type is TokenType.END_TAG:
            return token.tag in _END_TAGS_OF_THE_BODY
        if token.tag == "noscript":
            return self._is_closed
        return token.tag not in _HEAD_TAGS and token.tag not in _TEXT_TAGS

    def _text_opens_body(self, text: str) -> bool:
        if not self._open or not text.lstrip(_SPACE).startswith("<"):
            return bool(text.strip(_SPACE))
        return _markup_opens_body(text)

    def _follow(self, token: Token, start: int) -> None:
        """Note which elements of the head are open after a tag."""
        tag = token.tag
        if token.type is TokenType.END_TAG:
            if self._open and self._open[-1][0] == tag:
                self._open.pop()
            self._is_closed = self._is_closed or (tag == "head" and not self._open)
        elif token.type is TokenType.START_TAG and tag in _ENCLOSING and not (self._open and tag == "noscript"):
            self._open.append((tag or "", start))


def _is_unfinished(token: Token) -> bool:
    """Return whether a comment is not closed, so that it includes the rest of the page."""
    source = token.source or ""
    ends = ("-->", "--!>") if source.startswith("<!--") else (">",)
    return token.type is TokenType.COMMENT and not source.endswith(ends)


def _markup_opens_body(markup: str) -> bool:
    """Return whether the content of a noscript, which the tokeniser returns as text, opens the body."""
    is_raw = False
    for token, _ in _tokens(markup):
        if token.type is TokenType.START_TAG:
            if token.tag not in _HEAD_TAGS and token.tag not in _TEXT_TAGS:
                return True
            is_raw = token.tag in _TEXT_TAGS or token.tag == "noscript"
        elif token.type is TokenType.END_TAG:
            is_raw = False
        elif token.type is TokenType.TEXT and not is_raw and (token.data or "").strip(_SPACE):
            return True
    return False


def _tokens(text: str) -> Iterator[tuple[Token, int]]:
    """Yield the tokens of a text with their positions."""
    line, line_start = 1, 0
    # Attributes are not read: looking for duplicates takes quadratic time.
    for token in tokenize(text, resolve_references=False, capture_source=True, capture_attributes=False):
        while line < token.line:
            line, line_start = line + 1, text.index("\n", line_start) + 1
        yield token, line_start + token.col


def _end(token: Token, start: int) -> int:
    return start + len(token.source or token.data or "")


def _leading_space(token: Token) -> int:
    data = token.data or ""
    return len(data) - len(data.lstrip(_SPACE)) if token.type is TokenType.TEXT else 0


def _place_in(source: str, position: int) -> int:
    """Convert a position in the text with normalised line ends to a position in the source."""
    at = source.find("\r\n")
    shift = 0
    while 0 <= at < position + shift:
        shift += 1
        at = source.find("\r\n", at + 2)
    return position + shift
