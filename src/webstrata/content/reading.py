"""What a capture says, whatever kind of page it is."""

from dataclasses import dataclass

from webstrata.content.blocks import main_text
from webstrata.content.fingerprint import fingerprint
from webstrata.content.html import MAX_TITLE, parse_page
from webstrata.content.kinds import PageKind
from webstrata.content.language import detect_language, tag_to_language
from webstrata.content.links import Grouping, outlinks
from webstrata.content.pdf import Pdf, read_pdf
from webstrata.content.plain import parse_text, title_of_text


@dataclass(frozen=True)
class Reading:
    """What one page says."""

    title: str
    text: str
    """What a reader sees, a block a line."""
    blocks: str
    """A letter for every line of the text, see `content/blocks.py`."""
    language: str | None
    outlinks: tuple[str, ...] = ()
    """The other pages that it leads to, as their groups."""
    trouble: str | None = None
    """Why it could not be read, or not to its end; None when it could."""

    @property
    def fingerprint(self) -> int | None:
        """Return what the page's own text has in common with texts like it."""
        return fingerprint(main_text(self.text, self.blocks))


@dataclass(frozen=True)
class Body:
    """An answer's body and what came with it."""

    url: str
    content: bytes
    content_type: str | None
    content_language: str | None


def read_page(kind: PageKind, body: Body, group: Grouping) -> Reading:
    """Return what a page says, from one pass over it."""
    if kind is PageKind.HTML:
        return _of_html(body, group)
    return _of_pdf(body) if kind is PageKind.PDF else _of_text(body)


def _of_html(body: Body, group: Grouping) -> Reading:
    page = parse_page(body.content, body.content_type)
    return Reading(
        title=page.title,
        text=page.text,
        blocks=page.blocks,
        language=page.language(body.content_language),
        outlinks=outlinks(page.references, page.base, body.url, group),
    )


def _of_text(body: Body) -> Reading:
    text, blocks = parse_text(body.content, body.content_type)
    return Reading(title_of_text(text, body.url), text, blocks, _language(text, body))


def _of_pdf(body: Body) -> Reading:
    pdf: Pdf = read_pdf(body.content)
    title = pdf.title[:MAX_TITLE] or title_of_text(pdf.text, body.url)
    return Reading(title, pdf.text, pdf.blocks, _language(pdf.text, body), trouble=pdf.trouble)


def _language(text: str, body: Body) -> str | None:
    return tag_to_language(body.content_language) or detect_language(text)
