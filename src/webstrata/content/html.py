"""A page, parsed once: title, text, language."""

import codecs
import re
from dataclasses import dataclass
from functools import cached_property

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import detect_encoding, map_encoding_to_html5
from resiliparse.parse.html import HTMLTree

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

_NEWLINES = re.compile(r"\n{3,}")
_MAX_TITLE = 500
_MAX_SNIPPET = 280


@dataclass(frozen=True)
class Page:
    """What one parse of an HTML page yields."""

    tree: HTMLTree

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
        text = extract_plain_text(self.tree, preserve_formatting=True, list_bullets=False, alt_texts=True)
        return _NEWLINES.sub("\n\n", text).strip()

    def language(self, content_language: str | None) -> str | None:
        """Return the page's language: as it says, as the server says, or as it reads."""
        root = self.tree.document.query_selector("html")
        declared = root.getattr("lang") if root else None
        return tag_to_language(declared) or tag_to_language(content_language) or detect_language(self.text)


def parse_page(body: bytes, content_type: str | None = None) -> Page:
    """Return a page from its bytes, read in the charset it was written in."""
    return Page(HTMLTree.parse(page_text(body, content_type)))


def page_text(body: bytes, content_type: str | None = None) -> str:
    """Return a page's source in the charset it was written in."""
    charset = charset_of(body, content_type)
    return defused(body.decode(_WIDER.get(charset, charset), "replace").removeprefix(_BOM))


def charset_of(body: bytes, content_type: str | None) -> str:
    """Return the charset of a page: from its byte order mark, HTTP, its own meta, then from the bytes themselves."""
    for mark, encoding in _BOMS:
        if body.startswith(mark):
            return encoding
    for known in (_known_charset(_charset_parameter(content_type)), _charset_within(body)):
        if known:
            return known
    return _known_charset(detect_encoding(body)) or "utf-8"


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


def make_snippet(text: str) -> str:
    """Return the beginning of a text, cut at a word."""
    flat = " ".join(text.split())
    if len(flat) <= _MAX_SNIPPET:
        return flat
    return flat[:_MAX_SNIPPET].rsplit(" ", 1)[0] + " …"
