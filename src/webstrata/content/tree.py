"""The tree of an HTML page; the only module that knows the parser, turbohtml."""

from collections import defaultdict
from collections.abc import Iterable

from turbohtml import Document, DocumentFragment, Element, Namespace, Node, Text, Token, TokenType, parse, tokenize
from turbohtml.extract import MicrodataItem, RdfaItem
from turbohtml.rewrite import Element as EditedTag
from turbohtml.rewrite import rewrite

__all__ = [
    "Document",
    "DocumentFragment",
    "EditedTag",
    "Element",
    "MicrodataItem",
    "Node",
    "RdfaItem",
    "Text",
    "Token",
    "TokenType",
    "by_tag",
    "is_html",
    "parse_html",
    "rewrite",
    "tokenize",
]


def parse_html(source: str) -> Document:
    """Parse a page's source into a tree, without the contents of its templates.

    Time and memory can grow with the square of the size, so larger pages are parsed in a process with limits, see
    `content/reader/page_process.py`.
    """
    # The tree contains templates only as source text. Of these, browsers show declarative shadow roots, which are read
    # with the element around them; other templates are not part of the visible page.
    tree = parse(source, positions=False, allow_declarative_shadow_roots=False)
    if next(tree.iter_elements("template"), None) is not None:
        tree.remove("template:not([shadowrootmode])")
    return tree


def by_tag(elements: Iterable[Element]) -> defaultdict[str, list[Element]]:
    """Return elements by their tags, those of each tag in the same order."""
    named: defaultdict[str, list[Element]] = defaultdict(list)
    for element in elements:
        named[element.tag].append(element)
    return named


def is_html(element: Element) -> bool:
    """Return whether an element is an HTML element, and not one of SVG or MathML with the same name."""
    return element.namespace is Namespace.HTML
