"""Reading a page of any kind: HTML, PDF or plain text."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from webstrata.content.blocks import main_text
from webstrata.content.charset import text_of
from webstrata.content.fingerprint import fingerprint
from webstrata.content.html import MAX_TITLE, page_of_tree
from webstrata.content.kinds import PageKind
from webstrata.content.language import detect_language, tag_to_language
from webstrata.content.links import Grouping, outlinks
from webstrata.content.listing.page_listing import listing_of_page, metadata_with_listing
from webstrata.content.plain import parse_text, title_of_text
from webstrata.content.quality.assessment import judge_page, judge_quality
from webstrata.content.quality.saved_response import response_of_other, response_of_text
from webstrata.content.reader.pdf import Pdf, read_pdf
from webstrata.content.tree import parse_html
from webstrata.model.quality import Quality


@dataclass(frozen=True)
class Reading:
    """The contents of one page."""

    title: str
    text: str
    """The visible text, one block per line."""
    blocks: str
    """The kind of each line, one letter per line; see `content/blocks.py`."""
    language: str | None
    outlinks: tuple[str, ...] = ()
    """Link targets of the page, as URL groups, without itself."""
    trouble: str | None = None
    """Why it could not be read, or not completely; None when it was read."""
    regions: str = ""
    """The region of each line, one letter per line; empty for kinds of pages without regions."""
    metadata: str = ""
    """What the page states about itself, as JSON, and its listing; see `content/metadata.py`, `content/listing/`."""
    fingerprint: int | None = None
    """The fingerprint of the page's main text; see `content/fingerprint.py`."""
    quality: Quality | None = None
    """The quality of the capture."""


@dataclass(frozen=True)
class Body:
    """A response body, with the headers and the status that are needed to read it and to judge its quality."""

    url: str
    content: bytes
    content_type: str | None
    content_language: str | None
    status: int | None = None
    """None when it is unknown; then the quality depends only on the content."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """All headers of the response, by their names in lower case."""

    @classmethod
    def of_response(cls, url: str, content: bytes, status: int | None, headers: Mapping[str, str]) -> "Body":
        """Return the body of a response; the names of `headers` are in lower case."""
        return cls(url, content, headers.get("content-type"), headers.get("content-language"), status, headers)


def read_page(kind: PageKind, body: Body, group: Grouping) -> Reading:
    """Return the contents of a page, from one pass over it."""
    if kind is PageKind.HTML:
        return _of_html(body, group)
    return _of_pdf(body) if kind is PageKind.PDF else _of_text(body)


def _of_html(body: Body, group: Grouping) -> Reading:
    source = text_of(body.content, body.content_type)
    tree = parse_html(source)
    page = page_of_tree(tree, source)
    return Reading(
        title=page.title,
        text=page.text,
        blocks=page.blocks,
        language=page.language(body.content_language),
        regions=page.regions,
        metadata=metadata_with_listing(page.metadata.as_json(), listing_of_page(tree, page, body.url)),
        fingerprint=_fingerprint(page.text, page.blocks),
        outlinks=outlinks(page.references.links, page.references.base, body.url, group),
        quality=judge_page(body.url, body.status, body.headers, page, len(body.content)),
    )


def _of_text(body: Body) -> Reading:
    text, blocks = parse_text(body.content, body.content_type)
    title, print_of_text = title_of_text(text, body.url), _fingerprint(text, blocks)
    response = response_of_text(body.url, body.status, body.headers, text, title, len(body.content))
    language, quality = _language(text, body), judge_quality(response)
    return Reading(title, text, blocks, language, fingerprint=print_of_text, quality=quality)


def _of_pdf(body: Body) -> Reading:
    pdf: Pdf = read_pdf(body.content)
    title = pdf.title[:MAX_TITLE] or title_of_text(pdf.text, body.url)
    print_of_text = _fingerprint(pdf.text, pdf.blocks)
    return Reading(
        title,
        pdf.text,
        pdf.blocks,
        _language(pdf.text, body),
        trouble=pdf.trouble,
        fingerprint=print_of_text,
        quality=judge_quality(response_of_other(body.url, body.status, body.headers, len(body.content))),
    )


def _fingerprint(text: str, blocks: str) -> int | None:
    return fingerprint(main_text(text, blocks))


def _language(text: str, body: Body) -> str | None:
    return tag_to_language(body.content_language) or detect_language(text)
