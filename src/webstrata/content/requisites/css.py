"""URLs in style sheets (`@import`, `url()`, `src()`, `image-set()`), parsed with tinycss2; only this module imports it.

tinycss2 takes one to two seconds for a megabyte, some four for nested brackets, and does not recurse. The time grows
with the size of a style sheet, which `MAX_SHEET_BYTES` limits.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import tinycss2
from tinycss2.bytes import decode_stylesheet_bytes

from webstrata.content.charset import charset_parameter

MAX_SHEET_BYTES = 1_000_000
"""How many bytes of a style sheet are read."""

MAX_REFERENCES = 2_000
"""The most URLs that are read from one style sheet."""

# An escape may be part of any name, and NUL may mean UTF-16: such a style sheet is always parsed.
_MAY_REFER = re.compile(r"url\(|@import|src\(|image-set\(|\\", re.IGNORECASE)
_MAY_REFER_BYTES = re.compile(rb"url\(|@import|src\(|image-set\(|\\|\0", re.IGNORECASE)
_ADDRESS_FUNCTIONS = frozenset({"url", "src"})
_IMAGE_SETS = frozenset({"image-set", "-webkit-image-set"})
_BLOCKS = frozenset({"() block", "[] block", "{} block"})
_NOT_LOADED = frozenset({"document", "-moz-document", "namespace"})
"""Rules whose URLs are names (namespaces, for example), which no browser loads."""

_Node = Any
"""A node of tinycss2, which has no type annotations."""


def may_refer(sheet: bytes) -> bool:
    """Return whether a style sheet may refer to anything, without parsing it."""
    return _MAY_REFER_BYTES.search(sheet, 0, MAX_SHEET_BYTES) is not None


def sheet_references(sheet: bytes, content_type: str | None) -> list[str]:
    """Return the URLs that a style sheet loads, as they are written, each once and in order.

    The charset is that of the byte order mark, else of the header, else of the `@charset` rule, else UTF-8.
    """
    if not may_refer(sheet):
        return []
    css, _ = decode_stylesheet_bytes(sheet[:MAX_SHEET_BYTES], charset_parameter(content_type))
    return text_references(css)


def text_references(css: str) -> list[str]:
    """Return the URLs that the text of a style sheet or a style attribute loads, as they are written."""
    if _MAY_REFER.search(css) is None:
        return []
    found: dict[str, None] = {}
    for written in _loaded(tinycss2.parse_component_value_list(css[:MAX_SHEET_BYTES], skip_comments=True)):
        address = written.strip()
        # A fragment is a part of the page itself.
        if address and not address.startswith("#"):
            found[address] = None
        if len(found) == MAX_REFERENCES:
            break
    return list(found)


def _loaded(nodes: Iterable[_Node]) -> Iterator[str]:
    """Yield the URLs that nodes load, in order. Uses a stack, as blocks may be nested to any depth."""
    stack = [_addresses(nodes)]
    while stack:
        found = next(stack[-1], None)
        if found is None:
            stack.pop()
        elif isinstance(found, str):
            yield found
        else:
            stack.append(found)


def _addresses(nodes: Iterable[_Node], *, strings: bool = False) -> Iterator[Any]:
    """Yield the addresses among some nodes, and iterators over the nodes inside others; with `strings`, strings are
    addresses."""
    rule = ""
    is_next = False
    for node in nodes:
        kind = node.type
        if kind == "whitespace":
            continue
        if kind == "at-keyword":
            rule, is_next = node.lower_value, True
            continue
        if rule not in _NOT_LOADED or kind == "{} block":
            address = _address(node, strings or (is_next and rule == "import"))
            yield _inside(node) if address is None else address
        is_next = False
        rule = "" if kind == "{} block" or node == ";" else rule


def _address(node: _Node, is_string_address: bool) -> str | None:
    if node.type == "url" or (node.type == "string" and is_string_address):
        return str(node.value)
    if node.type == "function" and node.lower_name in _ADDRESS_FUNCTIONS:
        return next((str(part.value) for part in node.arguments if part.type == "string"), None)
    return None


def _inside(node: _Node) -> Iterator[Any]:
    if node.type == "function":
        return _addresses(node.arguments, strings=node.lower_name in _IMAGE_SETS)
    return _addresses(node.content if node.type in _BLOCKS else ())
