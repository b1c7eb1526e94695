"""Sitemaps: reading a site's list of its own URLs, with limits against hostile files."""

import asyncio
import re
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass
from http import HTTPStatus
from itertools import islice
from xml.parsers import expat

import structlog

from webstrata.content.decode import decoded, unpacked
from webstrata.errors import FetchError, UsageError
from webstrata.model.crawl.fetching import FetchResult
from webstrata.model.domains import normalized_domain
from webstrata.model.urls import MAX_URL_LENGTH, join, parse_url

log = structlog.get_logger()

Fetch = Callable[[str], Awaitable[FetchResult]]

_MAX_REDIRECTS = 5
_MAX_NESTING = 16
_MAX_LAYERS = 2
"""How many layers of compression a file may have: some files are compressed again for the transfer."""

_ELEMENTS_PER_URL = 60
"""An entry may name a page's translations and pictures; more elements would only cost reading time."""

_STEP = 65_536
_GZIP = b"\x1f\x8b"
_UTF8_MARK = b"\xef\xbb\xbf"
_XML_BEGINNINGS = (b"<", b"\xff\xfe", b"\xfe\xff", b"\0<")
_ROOTS = frozenset({"urlset", "sitemapindex"})
_WORD = re.compile(rb"\S+")


@dataclass(frozen=True)
class SitemapLimits:
    """Limits of reading sitemaps; the first two are the sitemap protocol's own."""

    max_bytes: int = 52_428_800
    max_urls: int = 50_000
    max_depth: int = 3
    """How deep sitemaps may be nested: the sitemaps of an index of indexes are still read."""
    max_sitemaps: int = 1_000


DEFAULT_LIMITS = SitemapLimits()


@dataclass(frozen=True)
class Sitemap:
    """The contents of a sitemap: pages, or more sitemaps; and why it is incomplete, if it is."""

    urls: tuple[str, ...] = ()
    children: tuple[str, ...] = ()
    problem: str | None = None


class SitemapError(FetchError):
    """A sitemap cannot be fetched, or not be read to its end."""


def sitemap_roots(origin: str, announced: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the URLs of a site's sitemaps: those of its robots.txt, else the usual location."""
    joined = (join(f"{origin}/", address) for address in announced if address.strip())
    return tuple(dict.fromkeys(url for url in joined if url)) or (f"{origin}/sitemap.xml",)


async def sitemap_urls(
    fetch: Fetch, roots: Iterable[str], limits: SitemapLimits = DEFAULT_LIMITS
) -> AsyncIterator[str]:
    """Yield the URLs in sitemaps, possibly several times; a broken sitemap is logged and skipped.

    `fetch` must be polite, guard the network and not follow redirects; `roots` are URLs normalised by `parse_url`.
    """
    walk = _Walk(roots, limits)
    while (url := walk.next()) is not None:
        sitemap = await _read(fetch, url, limits)
        if sitemap.problem is not None:
            _log_skipped(url, sitemap.problem)
        for listed in sitemap.urls:
            yield listed
        walk.go_on_to(sitemap.children)


class _Walk:
    """The sitemaps still to be read, each once, level by level."""

    def __init__(self, roots: Iterable[str], limits: SitemapLimits) -> None:
        self._limits = limits
        self._queue = deque((root, 1) for root in islice(dict.fromkeys(roots), limits.max_sitemaps))
        self._known = {url for url, _ in self._queue}
        # A sitemap may only name sitemaps of its own site.
        self._sites = {normalized_domain(url) for url in self._known}
        self._at = ("", 0)

    def next(self) -> str | None:
        """Return the sitemap to read now."""
        if not self._queue:
            return None
        self._at = self._queue.popleft()
        return self._at[0]

    def go_on_to(self, children: Iterable[str]) -> None:
        """Queue the sitemaps that the current one lists, within the limits."""
        parent, depth = self._at
        new = [child for child in dict.fromkeys(children) if child not in self._known]
        own = [child for child in new if normalized_domain(child) in self._sites]
        room = self._limits.max_sitemaps - len(self._known) if depth < self._limits.max_depth else 0
        if len(own) < len(new):
            _log_skipped(parent, f"{len(new) - len(own)} of the sitemaps it leads to are on other sites")
        if len(own) > room:
            _log_skipped(
                parent, f"{len(own) - room} of the sitemaps it leads to are too many or too far from the first"
            )
        self._known.update(own[:room])
        self._queue.extend((child, depth + 1) for child in own[:room])


def _log_skipped(url: str, reason: str) -> None:
    log.info("crawl.sitemap.skipped", url=url, reason=reason)


async def _read(fetch: Fetch, url: str, limits: SitemapLimits) -> Sitemap:
    try:
        result = await _fetch_sitemap(fetch, url)
    except FetchError as error:
        return Sitemap(problem=str(error))
    # In a thread, as fifty megabytes take seconds and would block the event loop.
    return await asyncio.to_thread(_parse_result, result, limits)


def _parse_result(result: FetchResult, limits: SitemapLimits) -> Sitemap:
    body = result.body
    if not body.startswith(_GZIP):
        body = decoded(body, result.header("content-encoding"), limits.max_bytes + 1)
    return parse_sitemap(body, result.url, limits)


async def _fetch_sitemap(fetch: Fetch, url: str) -> FetchResult:
    for _ in range(_MAX_REDIRECTS + 1):
        result = await fetch(url)
        if result.status == HTTPStatus.OK:
            return result
        target = join(url, result.redirect_target) if result.redirect_target is not None else None
        if target is None:
            raise SitemapError(f"{url}: the server answered {result.status} {result.reason}".rstrip())
        # Its body must be freed before the next one waits for memory.
        del result
        url = target
    raise SitemapError(f"{url}: more than {_MAX_REDIRECTS} redirects")


def parse_sitemap(body: bytes, url: str, limits: SitemapLimits = DEFAULT_LIMITS) -> Sitemap:
    """Return the contents of the sitemap at a URL, XML or text, compressed or not; entries before a damaged part are
    used."""
    collected = _Collected(limits)
    try:
        # One byte more shows that there is more.
        whole = _decompress(body, limits.max_bytes + 1)
        text = whole[: limits.max_bytes].removeprefix(_UTF8_MARK).lstrip()
        read = _read_xml if text.startswith(_XML_BEGINNINGS) else _read_lines
        read(text, collected)
        if len(whole) > limits.max_bytes:
            raise SitemapError(f"it is larger than {limits.max_bytes} bytes")
    except SitemapError as error:
        return collected.sitemap(f"{url}: {error}")
    return collected.sitemap(f"{url}: {collected.refused} entries are not web addresses" if collected.refused else None)


def _decompress(body: bytes, most: int) -> bytes:
    for _ in range(_MAX_LAYERS):
        if not body.startswith(_GZIP):
            break
        packed, body = body, unpacked(body, "gzip", most)
        if body is packed:
            raise SitemapError("its compression is damaged")
    return body


class _Collected:
    """The entries found so far."""

    def __init__(self, limits: SitemapLimits) -> None:
        self.limits = limits
        self.refused = 0
        self._urls: list[str] = []
        self._children: list[str] = []

    def add(self, loc: str, *, is_sitemap: bool = False) -> None:
        """Add a URL; relative and invalid URLs are only counted."""
        if len(self._urls) + len(self._children) + self.refused >= self.limits.max_urls:
            raise SitemapError(f"it lists more than {self.limits.max_urls} URLs")
        href = _href(loc)
        if href is None:
            self.refused += 1
        else:
            (self._children if is_sitemap else self._urls).append(href)

    def sitemap(self, problem: str | None) -> Sitemap:
        """Return what was found."""
        return Sitemap(tuple(self._urls), tuple(self._children), problem)


def _href(loc: str) -> str | None:
    try:
        href = parse_url(loc).href if len(loc) <= MAX_URL_LENGTH else ""
    except UsageError:
        return None
    return href if 0 < len(href) <= MAX_URL_LENGTH else None


def _read_lines(text: bytes, collected: _Collected) -> None:
    """Read a text sitemap: an address a line, nothing else."""
    for word in _WORD.finditer(text):
        collected.add(word[0].decode("utf-8", "replace"))
        if word.start() == 0 and collected.refused:
            raise SitemapError("it is neither XML nor a list of URLs")


def _read_xml(text: bytes, collected: _Collected) -> None:
    reader = _XmlReader(collected)
    try:
        reader.parse(text)
    except expat.ExpatError as error:
        raise SitemapError(f"it is not well-formed XML ({error})") from None
    except (ValueError, LookupError) as error:
        raise SitemapError(f"its encoding cannot be read ({error})") from None


class _XmlReader:
    """Reads `urlset` and `sitemapindex`; elements of other namespaces are left out."""

    def __init__(self, collected: _Collected) -> None:
        self._collected = collected
        self._most_elements = _ELEMENTS_PER_URL * collected.limits.max_urls
        self._prefix = ""
        self._open: list[str] = []
        self._elements = 0
        self._loc: str | None = None

    def parse(self, text: bytes) -> None:
        """Read a whole document; document types are not allowed in a sitemap, so entities cannot expand."""
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._begin
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = _refuse_document_type
        for start in range(0, len(text), _STEP):
            parser.Parse(text[start : start + _STEP], False)
            # The length of tags is limited, as a tag with a million attributes would block this process.
            if start - parser.CurrentByteIndex > _STEP:
                raise SitemapError("one of its tags or comments is too long")
        parser.Parse(b"", True)

    def _begin(self, name: str, _attributes: dict[str, str]) -> None:
        self._elements += 1
        if not self._open:
            self._prefix = name[: name.rfind(":") + 1]
            if name.removeprefix(self._prefix) not in _ROOTS:
                raise SitemapError(f"it is no sitemap but <{name[:40]}>")
        if len(self._open) >= _MAX_NESTING or self._elements > self._most_elements:
            raise SitemapError("it has too many elements, or too many in each other")
        self._open.append(name.removeprefix(self._prefix))
        if len(self._open) == 2:
            self._loc = None

    def _characters(self, data: str) -> None:
        so_far = self._loc or ""
        if len(self._open) == 3 and self._open[2] == "loc" and len(so_far) <= MAX_URL_LENGTH:
            self._loc = so_far + data[: MAX_URL_LENGTH + 1]

    def _end(self, _name: str) -> None:
        entry = self._open.pop()
        if len(self._open) == 1 and entry in {"url", "sitemap"} and self._loc is not None:
            self._collected.add(self._loc.strip(), is_sitemap=entry == "sitemap")


def _refuse_document_type(_name: str, _system: str | None, _public: str | None, _internal: bool) -> None:
    raise SitemapError("it has a document type, which no sitemap needs")
