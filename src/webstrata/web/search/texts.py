"""The texts of a search page: how much was found, and how the query was understood."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from webstrata.content.tokens import tokens
from webstrata.model.search.query import Intent, parse_query, wanted_words
from webstrata.model.search.values import Fallback, SearchRequest, SearchResponse, View
from webstrata.search.appearances import Appearances
from webstrata.web import present

_QUOTED = re.compile(r'"([^"]+)"')
_TOP_LEVEL = re.compile(r"\.(?:[^\W\d_]{2,}|xn--[a-z0-9-]+)$")


@dataclass(frozen=True)
class Interpretation:
    """How a query was understood, if that differs from its words; each field is shown to the reader."""

    meant: str | None = None
    """The corrected words that were searched."""
    by_beginnings: bool = False
    """Whether only words with the same beginning were found."""
    by_parts: bool = False
    """Whether only longer words of titles and addresses that contain the words were found."""
    address_unknown: bool = False
    """Whether the query is an address that was never captured, so that its words were searched."""


def heading(asked: SearchRequest, found: SearchResponse) -> str:
    """Return the heading of the search results: `12 pages say “fever”`."""
    noun = "page" if asked.view is View.PAGES else "snapshot"
    if not found.total:
        return _nothing(asked, found, noun)
    things = present.count(found.total, noun)
    if found.total_capped:
        things = f"More than {things}"
    if not asked.q:
        return f"{things}, newest first"
    if found.intent is Intent.URL:
        return f"{things} {'at' if asked.view is View.PAGES else 'of'} {asked.q}"
    if found.total_all_words is not None and found.total_all_words < found.total:
        return (
            f"{things} with words of “{found.instead or asked.q}”, {found.total_all_words or 'none'} with all of them"
        )
    return f"{things} {_holding(asked.q, found, one=found.total == 1 and not found.total_capped)}"


def interpretation(asked: SearchRequest, found: SearchResponse) -> Interpretation:
    """Return how the query was understood."""
    if not asked.q or not found.total:
        return Interpretation()
    return Interpretation(
        meant=found.instead,
        by_beginnings=found.fallback is Fallback.PREFIX,
        by_parts=found.fallback is Fallback.PARTS,
        address_unknown=found.intent is not Intent.URL and site_of(asked.q) is not None,
    )


def as_written(found: SearchResponse) -> SearchResponse:
    """Return the results for the words as written: none if only a fallback found something."""
    if found.fallback is Fallback.NONE:
        return found
    return SearchResponse((), 0, found.page, found.page_size, instead=found.instead, intent=found.intent)


def sentence_of(q: str) -> str | None:
    """Return the first quoted words of a query, as they are written."""
    requested = {part.words for part in wanted_words(parse_query(q, tokens).expression)}
    quoted = (match[1].strip() for match in _QUOTED.finditer(q))
    return next((text for text in quoted if tuple(tokens(text)) in requested), None)


def quote(sentence: str) -> str:
    """Return the query that asks for a sentence word for word."""
    return f'"{" ".join(sentence.replace(chr(34), " ").split())}"'


def how_often(found: Appearances) -> str:
    """Return how many snapshots hold a sentence: `12 snapshots say it`."""
    snapshots = present.count(found.captures, "snapshot")
    verb = "says" if found.captures == 1 and not found.capped else "say"
    return f"{'More than ' if found.capped else ''}{snapshots} {verb} it"


def site_of(q: str) -> str | None:
    """Return the host of a query that is an address, without its `www.`; None for what only has a dot, like `2.5`."""
    requested = parse_query(q, tokens).address
    if requested is None:
        return None
    try:
        host = urlsplit(requested if "://" in requested else f"https://{requested}").hostname
    except ValueError:
        return None
    is_site = host and ("://" in requested or _TOP_LEVEL.search(host))
    return host.removeprefix("www.") if host and is_site else None


def _nothing(asked: SearchRequest, found: SearchResponse, noun: str) -> str:
    if not asked.q:
        return f"No {noun}s here"
    if found.intent is Intent.URL:
        return f"No {noun} {'at' if asked.view is View.PAGES else 'of'} {asked.q}"
    return f"No {noun} {_holding(asked.q, found, one=True)}"


def _holding(q: str, found: SearchResponse, *, one: bool) -> str:
    """Return what the results have in common, as a verb phrase: they contain some words, or match an expression."""
    lone_sentence = _QUOTED.fullmatch(q)
    meant = found.instead if found.total else None
    if found.intent is Intent.ADVANCED and not lone_sentence:
        return f"{'matches' if one else 'match'} {meant or q}"
    return f"{'says' if one else 'say'} “{meant or (lone_sentence[1] if lone_sentence else q)}”"
