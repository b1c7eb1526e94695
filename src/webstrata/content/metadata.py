"""What a page states about itself: canonical address, publication date, images, structured data."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from html import unescape

from webstrata.content.tree import Document, Element, MicrodataItem, RdfaItem
from webstrata.content.written_dates import written_dates

JsonValue = str | int | float | bool | list["JsonValue"] | dict[str, "JsonValue"] | None

MAX_IMAGES = 500
MAX_ADDRESS = 2_000
MAX_STRUCTURED_CHARACTERS = 200_000
"""The most characters of JSON; the rest is left out. Shops list hundreds of variants in some tens of kilobytes."""

MAX_META_CHARACTERS = 2_000
_PREFIXES = ("og:", "twitter:", "product:", "article:", "dc.", "dcterms.")
_NAMES = frozenset({"description", "author", "date", "keywords", "generator", "last-modified"})
_PUBLISHED = (
    *("article:published_time", "og:article:published_time", "datepublished", "dcterms.issued", "dc.date.issued"),
    *("dcterms.created", "dc.date", "dcterms.date", "publish-date", "publish_date", "pubdate", "date"),
)
"""Names of meta elements that state when a page was published, the most exact first."""

_PUBLISHED_LOCALLY = (
    *("parsely-pub-date", "sailthru.date", "citation_publication_date", "citation_date", "publication_date"),
    *("publication-date", "article.published", "article:published", "dc.date.created", "datecreated"),
)
"""Names whose dates often have no time zone, so structured data is preferred."""

_LONGEST_DATE = 60
_DATE = re.compile(r"\s*(?:19|20)\d\d-?\d\d(?:-?\d\d)?")
_NEXT_VALUE = re.compile(r"[\s,;]*+[\[{]")
_MOST_IN_A_ROW = 50
_OPENED = re.compile(r"\s*+(?://\s*+)?(?:<!--|<!\[CDATA\[)")
_CLOSING = ("-->", "]]>")
_TRAILING_COMMA = re.compile(r",(\s*+[}\]])")
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*+"?|/\*(?!.*?\*/).*+)|/\*.*?\*/|(?<!:)//[^\n]*+', re.DOTALL)
"""The first group is not removed: a string, or a comment that is never closed. Possessive, as a page may open
thousands."""


@dataclass(frozen=True)
class HtmlMetadata:
    """The metadata that a page states, with URLs as they are written."""

    canonical: str | None = None
    published: str | None = None
    images: tuple[str, ...] = ()
    metas: Mapping[str, str] = field(default_factory=dict)
    """Its meta elements: the description, and properties for feeds, shops and social networks."""
    json_ld: tuple[JsonValue, ...] = ()
    microdata: tuple[JsonValue, ...] = ()
    rdfa: tuple[JsonValue, ...] = ()

    def as_json(self) -> str:
        """Return what is stated as JSON; empty when nothing is."""
        stated = {one.name: value for one in fields(self) if (value := getattr(self, one.name))}
        return json.dumps(stated, ensure_ascii=False, separators=(",", ":")) if stated else ""


def page_metadata(tree: Document, named: Mapping[str, Sequence[Element]]) -> HtmlMetadata:
    """Return what a page states, from its tree and its links, images, scripts and meta elements by tag."""
    metas = _metas(named.get("meta", ()))
    json_ld = _json_ld(named.get("script", ()))
    return HtmlMetadata(
        canonical=_canonical(named.get("link", ())),
        published=_published(metas, json_ld),
        images=_images(named.get("img", ())),
        metas={name: value for name, value in metas.items() if name in _NAMES or name.startswith(_PREFIXES)},
        json_ld=json_ld,
        microdata=_items(tree.microdata),
        rdfa=_items(tree.rdfa),
    )


def _metas(elements: Iterable[Element]) -> dict[str, str]:
    """Return the first value of each meta element, by its name in lower case."""
    metas: dict[str, str] = {}
    for element in elements:
        if content := element.attr("content"):
            name = element.attr("property") or element.attr("name") or element.attr("itemprop")
            if name and len(content) <= MAX_META_CHARACTERS:
                metas.setdefault(name.strip().lower(), content.strip())
    return metas


def _canonical(links: Iterable[Element]) -> str | None:
    for element in links:
        if "canonical" in (element.attr("rel") or "").lower().split():
            written = element.attr("href")
            if written and len(written) <= MAX_ADDRESS:
                return written.strip()
    return None


def _images(images: Iterable[Element]) -> tuple[str, ...]:
    written = [element.attr("src") for element in images]
    kept = dict.fromkeys(one for one in written if one and len(one) <= MAX_ADDRESS and not one.startswith("data:"))
    return tuple(kept)[:MAX_IMAGES]


def _published(metas: Mapping[str, str], json_ld: Iterable[JsonValue]) -> str | None:
    """Return the publication date that a page states, as it writes it."""
    values = list(json_ld)
    candidates = [
        *(metas[name] for name in _PUBLISHED if name in metas),
        *_dates(values, "datePublished"),
        *(metas[name] for name in _PUBLISHED_LOCALLY if name in metas),
        *_dates(values, "dateCreated"),
    ]
    if exact := next((date.strip() for date in candidates if _DATE.match(date)), None):
        return exact
    written = (found for date in candidates for found in written_dates(date[:_LONGEST_DATE]))
    return next((day for _, _, day in written), None)


def _dates(value: JsonValue, name: str, depth: int = 4) -> Iterable[str]:
    """Yield the dates of a property in JSON-LD, of the page or its main entity."""
    items = value if isinstance(value, list) else [value]
    for item in items:
        if isinstance(item, list) and depth:
            yield from _dates(item, name, depth - 1)
        elif isinstance(item, dict) and depth:
            date = item.get(name)
            if isinstance(date, str):
                yield date
            for inner in ("@graph", "mainEntity", "mainEntityOfPage"):
                if isinstance(item.get(inner), list | dict):
                    yield from _dates(item[inner], name, depth - 1)


def _json_ld(scripts: Iterable[Element]) -> tuple[JsonValue, ...]:
    """Return the JSON-LD of a page: as much of it as fits."""
    texts = (one.text for one in scripts if _is_json_ld(one))
    decoded = (_decode(text) for text in _first_characters(texts))
    return tuple(value for value in decoded if value is not None)


def _first_characters(texts: Iterable[str]) -> Iterator[str]:
    room = MAX_STRUCTURED_CHARACTERS
    for text in texts:
        if len(text) <= room:
            room -= len(text)
            yield text


def _is_json_ld(script: Element) -> bool:
    return (script.attr("type") or "").partition(";")[0].strip().lower() == "application/ld+json"


def _decode(text: str) -> JsonValue:
    """Parse JSON as pages write it: with comments, CDATA sections and trailing commas."""
    bare = text.lstrip("\ufeff")
    for as_attempted in (str, _repaired):
        attempt = as_attempted(bare)
        try:
            value: JsonValue = json.loads(attempt, strict=False, parse_constant=lambda _name: None)
        except json.JSONDecodeError as error:
            if error.msg == "Extra data" and len(several := _in_a_row(attempt)) > 1:
                return several
        except (ValueError, RecursionError):
            continue
        else:
            return value
    return None


def _in_a_row(text: str) -> list[JsonValue]:
    """Return the values of a text with several JSON values; empty when one of them is invalid."""
    decoder = json.JSONDecoder(strict=False, parse_constant=lambda _name: None)
    found: list[JsonValue] = []
    at = 0
    while len(found) < _MOST_IN_A_ROW and (match := _NEXT_VALUE.match(text, at)):
        try:
            value, at = decoder.raw_decode(text, match.end() - 1)
        except (ValueError, RecursionError):
            return []
        found.append(value)
    return found


def _repaired(text: str) -> str:
    unwrapped = _unwrapped(text)
    if unwrapped.startswith(("{&quot;", "[{&quot;", "{ &quot;", "{\n&quot;")):
        unwrapped = unescape(unwrapped)
    return _TRAILING_COMMA.sub(r"\1", _COMMENT.sub(lambda found: found[1] or "", unwrapped))


def _unwrapped(text: str) -> str:
    """Return a script without the comment or the CDATA section that hides it from old browsers."""
    opened = _OPENED.match(text)
    bare = text[opened.end() :] if opened else text
    closed = bare.rstrip().removesuffix(";").rstrip()
    if closed.endswith(_CLOSING):
        bare = closed[: -len(_CLOSING[0])].rstrip().removesuffix("//")
    return bare.strip().removesuffix(";")


def _items(read: Callable[[], Sequence[MicrodataItem | RdfaItem]]) -> tuple[JsonValue, ...]:
    """Return microdata or RDFa as JSON; empty for a page that nests it too deeply for the parser or Python."""
    try:
        return _bounded([_plain(item) for item in read()])
    except (ValueError, RecursionError):
        return ()


def _plain(value: object) -> JsonValue:
    """Return a value of the parser's own types as JSON."""
    if isinstance(value, MicrodataItem | RdfaItem):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, dict):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value if isinstance(value, str | int | float | bool) else None


def _bounded(values: Sequence[JsonValue]) -> tuple[JsonValue, ...]:
    """Return as many of the values as fit."""
    kept, room = [], MAX_STRUCTURED_CHARACTERS
    for value in values:
        room -= len(json.dumps(value, ensure_ascii=False))
        if room < 0:
            break
        kept.append(value)
    return tuple(kept)
