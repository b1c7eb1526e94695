"""`extract`: the text and metadata of a saved page, and its offers if it is a product's or a property's page."""

from typing import TYPE_CHECKING, Annotated

import typer

from webstrata.cli.help_pages import command
from webstrata.cli.options import AsJson
from webstrata.cli.pages.saved_pages import UNKNOWN_URL, checked_url, saved_html
from webstrata.cli.start import print_json
from webstrata.errors import UnreadablePageError, UsageError

if TYPE_CHECKING:
    from webstrata.content.extraction import PageExtract
    from webstrata.model.collections.listing import Listing

verbs = typer.Typer()

_LABELS = {"regularPrice": "regular price", "salePrice": "sale price", "highPrice": "highest price"}


@command(verbs, example="webstrata extract kettle.html --url https://shop.example/kettle --json")
def extract(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="Saved HTML page, gzipped or not; - reads standard input.", show_default=False
        ),
    ],
    url: Annotated[
        str,
        typer.Option(
            metavar="URL", help="URL of the page: the base of its links; its domain decides which currency $ means."
        ),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Extract the text of a saved page, and the price, availability and codes of a product or property."""
    extracted = _extract_page(file, checked_url(url) or UNKNOWN_URL)
    if as_json:
        print_json(as_json_object(extracted))
    else:
        print(_for_people(extracted))


def as_json_object(extracted: "PageExtract") -> dict[str, object]:
    """Return what was extracted as scripts get it."""
    from webstrata.model.collections.listing_json import listing_as_json

    return {
        "listing": listing_as_json(extracted.listing) if extracted.listing else None,
        "page": {
            "title": extracted.title,
            "text": extracted.text,
            "mainText": extracted.main_text,
            "language": extracted.language,
            "published": extracted.published,
        },
    }


def _extract_page(file: str, url: str) -> "PageExtract":
    from webstrata.content.reader.page_reader import PageReader
    from webstrata.content.reader.page_requests import ReadExtract
    from webstrata.content.reading import Body

    content = saved_html(file, url)
    reader = PageReader()
    try:
        return reader.extract(ReadExtract(Body(url, content, None, None)))
    except UnreadablePageError as error:
        raise UsageError(f"{file} cannot be read: {error}") from error
    finally:
        reader.close()


def _for_people(extracted: "PageExtract") -> str:
    from webstrata.content.html import make_snippet
    from webstrata.logs import harmless

    lines = [extracted.title or "(no title)"]
    about = [part for part in (extracted.language, extracted.published) if part]
    lines += [", ".join(about)] if about else []
    lines += ["", *_listing_lines(extracted.listing)]
    lines += ["", make_snippet(extracted.main_text)] if extracted.main_text else []
    return "\n".join(harmless(line) for line in lines)


def _listing_lines(listing: "Listing | None") -> list[str]:
    if listing is None:
        return ["This page offers no product or property."]
    lines = [f"{listing.kind.value.capitalize()}, quality {listing.quality:g}"]
    for name, found in listing.found_fields():
        sources = ", ".join(source.value for source in found.sources)
        lines.append(f"  {_LABELS.get(name, name):<14} {found.value}  ({found.confidence:.0%}: {sources})")
    return lines
