"""A page, parsed once: title, text, language."""

import codecs
import re
from dataclasses import dataclass
from functools import cached_property

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import detect_encoding, map_encoding_to_html5
from resiliparse.parse.html import DOMNode, HTMLTree

from webstrata.content.defuse import defused
from webstrata.content.language import detect_language, tag_to_language

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_BOM = "\ufeff"
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_META_CHARSET = re.compile(
    rb"""(?:<meta[^>]{0,200}?charset|<\?xml[^>]{0,100}?encoding)\s*=\s*["']?\s*([a-zA-Z0-9_:.\-]{1,40})""",
    re.IGNORECASE,
)
_META_WITHIN = 4096
"""Where browsers look for a charset, and some more: the standard's 1,024 bytes miss many real pages."""

_WIDER = {"big5": "big5hkscs", "euc_kr": "cp949", "gbk": "gb18030", "shift_jis": "cp932"}
"""What browsers understand by a charset of which Python, by the same name, knows only a part."""

_VAST = 10_000_000_000
"""Tags times characters. For every block, resiliparse looks through all the text before it: with this many that takes
a second or two, but 76 for 7 MB in 16,000 paragraphs."""

_BLOCKS = (
    "address, article, aside, blockquote, br, caption, dd, details, dialog, div, dl, dt, fieldset, figcaption, figure, "
    "footer, form, h1, h2, h3, h4, h5, h6, header, hr, li, main, nav, ol, p, pre, section, summary, table, tr, ul"
)
_UNSEEN = "button, iframe, label, noframes, noscript, script, select, style, template, textarea"
_BREAK = "\u2029"

_NEWLINES = re.compile(r"\n{3,}")
_MAX_TITLE = 500
_MAX_SNIPPET = 280


@dataclass(frozen=True)
class Page:
    """What one parse of an HTML page yields."""

    tree: HTMLTree
    is_vast: bool = False
    """So large, of so many elements, that only the simplest reading ends in time."""

    @cached_property
    def title(self) -> str:
        """Return what the page calls itself: its title, else its first heading."""
        found = self.tree.title or ""
        if not found.strip():
            heading = self.tree.document.query_selector("h1, h2")
            found = heading.text if heading else ""
        return " ".join(found.split())[:_MAX_TITLE]

    @cached_property
    def text(self) -> str:
        """Return what a reader sees, a block a line."""
        if self.tree.body is None:
            return ""
        # Cells that touch in the source would run together: "10" and "mg" in two cells are not "10mg".
        for cell in self.tree.body.query_selector_all("td, th"):
            cell.append_child(self.tree.create_text_node(" "))
        if self.is_vast:
            return _text_of_vast(self.tree, self.tree.body)
        text = extract_plain_text(self.tree, preserve_formatting=True, list_bullets=False, alt_texts=True)
        return _NEWLINES.sub("\n\n", text).strip()

    def language(self, content_language: str | None) -> str | None:
        """Return the page's language: as it says, as the server says, or as it reads."""
        root = self.tree.document.query_selector("html")
        declared = root.getattr("lang") if root else None
        return tag_to_language(declared) or tag_to_language(content_language) or detect_language(self.text)


def parse_page(body: bytes, content_type: str | None = None) -> Page:
    """Return a page from its bytes, read in the charset it was written in."""
    source = page_text(body, content_type)
    return Page(HTMLTree.parse(source), is_vast=source.count("<") * len(source) > _VAST)


def page_text(body: bytes, content_type: str | None = None) -> str:
    """Return a page's source in the charset it was written in."""
    charset = _stated_charset(body, content_type)
    if charset is None:
        charset = "utf-8" if _is_plain(body) else _detected_charset(body)
    return defused(body.decode(_WIDER.get(charset, charset), "replace").removeprefix(_BOM))


def charset_of(body: bytes, content_type: str | None) -> str:
    """Return the charset of a page: from its byte order mark, HTTP, its own meta, then from the bytes themselves."""
    return _stated_charset(body, content_type) or _detected_charset(body)


def _stated_charset(body: bytes, content_type: str | None) -> str | None:
    for mark, encoding in _BOMS:
        if body.startswith(mark):
            return encoding
    return _known_charset(_charset_parameter(content_type)) or _charset_within(body)


def _detected_charset(body: bytes) -> str:
    return _known_charset(detect_encoding(body)) or "utf-8"


def _is_plain(body: bytes) -> bool:
    """Tell whether a body reads the same in every charset that it could be in; ESC may switch to another alphabet."""
    return body.isascii() and b"\x1b" not in body and b"\0" not in body


def _charset_within(body: bytes) -> str | None:
    """Return the charset that a page declares itself; UTF-16 cannot be it, or the declaration would not be readable."""
    declared = _META_CHARSET.search(_COMMENT.sub(b"", body[:_META_WITHIN]))
    known = _known_charset(declared.group(1).decode("ascii")) if declared else None
    return "utf-8" if known and known.startswith("utf-16") else known


def _charset_parameter(content_type: str | None) -> str | None:
    for parameter in (content_type or "").split(";")[1:]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return value.strip(" \t\"'")
    return None


def _known_charset(name: str | None) -> str | None:
    """Return the charset that browsers use for a name; Latin-1, for one, means windows-1252 to them."""
    if not name:
        return None
    mapped = map_encoding_to_html5(name, fallback_utf8=False)
    try:
        return codecs.lookup(mapped).name if mapped else None
    except LookupError:
        return None


def _text_of_vast(tree: HTMLTree, body: DOMNode) -> str:
    """Return what a reader sees, a block a line, in one pass over the page."""
    for unseen in body.query_selector_all(_UNSEEN):
        unseen.parent.remove_child(unseen)
    for image in body.query_selector_all("img[alt]"):
        image.parent.insert_before(tree.create_text_node(f" {image.getattr('alt')} "), image)
    for block in body.query_selector_all(_BLOCKS):
        block.parent.insert_before(tree.create_text_node(_BREAK), block)
        block.append_child(tree.create_text_node(_BREAK))
    lines = (" ".join(line.split()) for line in body.text.split(_BREAK))
    return "\n".join(line for line in lines if line)


def make_snippet(text: str) -> str:
    """Return the beginning of a text, cut at a word."""
    flat = " ".join(text.split())
    if len(flat) <= _MAX_SNIPPET:
        return flat
    return flat[:_MAX_SNIPPET].rsplit(" ", 1)[0] + " …"
