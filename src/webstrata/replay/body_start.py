"""Where a page's body begins, as a browser would see it.

What belongs before a body (comments, scripts, the head's elements) is stepped over as the HTML standard's tokeniser and
its insertion modes before "in body" do; the first thing that does not belong there opens the body, with or without a
`<body>` tag. A tag in a comment, a script or an attribute is therefore never taken for one. Each byte is looked at a
constant number of times, however hostile the page.
"""

import re

_BOM = b"\xef\xbb\xbf"
_SPACE = re.compile(rb"[\t\n\f\r ]*")
_TAG_NAME = re.compile(rb"</?([A-Za-z][^\t\n\f\r />]*)")
_BETWEEN_ATTRIBUTES = re.compile(rb"[\t\n\f\r /]*")
_ATTRIBUTE_NAME = re.compile(rb"[^\t\n\f\r />][^\t\n\f\r />=]*[\t\n\f\r ]*")
_ATTRIBUTE_VALUE = re.compile(rb"=[\t\n\f\r ]*(?:\"[^\"]*\"|'[^']*'|(?![\"'])[^\t\n\f\r >]*)")
_COMMENT_END = re.compile(rb"--!?>")
_SCRIPT_STEP = re.compile(rb"<!--|-->|<(/?)script[\t\n\f\r />]", re.IGNORECASE)

_HEAD_TAGS = frozenset((b"html", b"head", b"base", b"basefont", b"bgsound", b"link", b"meta", b"noscript", b"template"))
_TEXT_TAGS = {
    name: re.compile(rb"</" + name + rb"(?=[\t\n\f\r />])", re.IGNORECASE)
    for name in (b"title", b"style", b"noframes", b"script")
}
_ENCLOSING = frozenset((b"noscript", b"template"))
"""Elements of the head whose content is not shown, or not always: a body that begins in one is begun before it."""
_END_TAGS_OF_THE_BODY = frozenset((b"body", b"html", b"br"))


def body_start(html: bytes) -> int:
    """Return the offset of the body's first byte in a page whose markup is ASCII."""
    position = len(_BOM) if html.startswith(_BOM) else 0
    opened: list[tuple[bytes, int]] = []
    head_closed = False
    while True:
        position = _end(_SPACE, html, position)
        name, closing, after = _token(html, position)
        outermost = opened[0][1] if opened else position
        if position >= len(html) or after > len(html):
            return outermost
        if name is not None and _opens_body(name, closing, opened, head_closed):
            return after if name == b"body" and not closing and not opened else outermost
        if name in _ENCLOSING:
            _follow(opened, name, closing, position)
        head_closed = head_closed or (name == b"head" and closing and not opened)
        position = after


def _opens_body(name: bytes, closing: bool, opened: list[tuple[bytes, int]], head_closed: bool) -> bool:
    if opened and opened[-1][0] == b"template":
        return False
    if closing:
        return name in _END_TAGS_OF_THE_BODY
    if name == b"noscript":
        return head_closed
    return name not in _HEAD_TAGS and name not in _TEXT_TAGS


def _follow(opened: list[tuple[bytes, int]], name: bytes, closing: bool, position: int) -> None:
    if not closing and not (opened and name == b"noscript"):
        opened.append((name, position))
    elif closing and opened and opened[-1][0] == name:
        opened.pop()


def _token(html: bytes, at: int) -> tuple[bytes | None, bool, int]:
    """Return the tag at an offset, whether it closes, and where what follows it begins.

    A comment or a doctype has no name; text has the empty one. What never ends is followed by something behind the
    page's end.
    """
    closing = html.startswith(b"</", at)
    tag = _TAG_NAME.match(html, at)
    if tag is None:
        if html.startswith((b"<!", b"<?"), at) or (closing and at + 2 < len(html)):
            return None, False, _end_of_declaration(html, at)
        following = html.find(b"<", at + 1)
        return b"", False, following if following >= 0 else len(html)
    name = tag[1].lower()
    after = _end_of_tag(html, tag.end())
    if closing or name not in _TEXT_TAGS:
        return name, closing, after
    return name, False, _end_of_script(html, after) if name == b"script" else _end_of_text(html, name, after)


def _end_of_declaration(html: bytes, at: int) -> int:
    if not html.startswith(b"<!--", at):
        return html.find(b">", at) + 1 or _never(html)
    end = _COMMENT_END.search(html, at + 2)
    if end and end.start() < at + 4 and end[0] == b"--!>":
        end = _COMMENT_END.search(html, at + 4)
    return end.end() if end else _never(html)


def _end_of_tag(html: bytes, at: int) -> int:
    """Return where a tag ends; a `>` in a quoted value does not end it."""
    while True:
        at = _end(_BETWEEN_ATTRIBUTES, html, at)
        if html.startswith(b">", at):
            return at + 1
        name = _ATTRIBUTE_NAME.match(html, at)
        if name is None:
            return _never(html)
        at = name.end()
        if html.startswith(b"=", at):
            value = _ATTRIBUTE_VALUE.match(html, at)
            if value is None:
                return _never(html)
            at = value.end()


def _end_of_text(html: bytes, name: bytes, at: int) -> int:
    closing = _TEXT_TAGS[name].search(html, at)
    return _end_of_tag(html, closing.end()) if closing else _never(html)


def _end_of_script(html: bytes, at: int) -> int:
    """Return where a script ends; `</script>` inside `<!-- <script>` does not end it."""
    commented = nested = False
    while step := _SCRIPT_STEP.search(html, at):
        at = step.start() + 2 if step[0] == b"<!--" else step.end()
        if step[0] == b"<!--":
            commented = True
        elif step[0] == b"-->":
            commented = nested = False
        elif not step[1]:
            nested = commented
        elif not nested:
            return _end_of_tag(html, step.end() - 1)
        else:
            nested = False
    return _never(html)


def _never(html: bytes) -> int:
    return len(html) + 1


def _end(pattern: re.Pattern[bytes], html: bytes, at: int) -> int:
    found = pattern.match(html, at)
    assert found is not None
    return found.end()
