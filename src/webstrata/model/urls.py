"""URLs: normalised for fetching, as a sort key, and as the group that a page's captures share."""

import re
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from urllib.parse import parse_qsl, urlencode

import ada_url
import can_ada
import xxhash

from webstrata.errors import UsageError

URL_GROUP_VERSION = 1
"""Increase it with any change of `url_group`, so that stored groups of older versions are recognised and recomputed."""

MAX_URL_LENGTH = 2_048
"""Longer addresses are not crawled: they come from traps, and databases cannot index them."""

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:(?!\d)")
_FETCHABLE = frozenset({"http:", "https:"})
_HTTPS_PORTS = frozenset({"", "443"})
_ABSOLUTE = ("http://", "https://")
_SEGMENT = "[A-Za-z0-9_~-][A-Za-z0-9_.~%+,=-]*+"
_PLAIN_PATH = re.compile(rf"(?=[/A-Za-z0-9])/?(?:{_SEGMENT}/)*+(?:{_SEGMENT})?(?:\?[A-Za-z0-9_.~%+,=&/-]*+)?")
"""A path that is already normalised: without dot segments and characters to be escaped or removed."""

_PLAIN_URL = re.compile(
    r"https?://(?P<host>(?:(?!xn--)[a-z0-9-]+\.)+[a-z]{2,})"
    rf"(?P<path>/(?:{_SEGMENT}/)*+(?:{_SEGMENT})?)(?P<query>\?[A-Za-z0-9_.~%+,=&/-]*+)?"
)
"""A URL that is already normalised; its last label is a name, so that the host is not an IP address."""

_MAX_SHOWN = 200
_GROUPS_KEPT = 16_384
"""The size of the cache of groups: pages of a site mostly have the same links, and caching is ten times as fast."""


@dataclass(frozen=True)
class UrlParts:
    """The parts of a URL that our rules use."""

    href: str
    scheme: str
    hostname: str
    port: str
    path: str
    query: str


def with_scheme(text: str) -> str:
    """Add https:// to a text such as `example.org/page`; other texts are returned unchanged."""
    host = re.split(r"[/?#:]", text.strip(), maxsplit=1)[0]
    is_host = ("." in host.strip(".") or host == "localhost") and not _SCHEME.match(text.strip())
    return f"https://{text.strip()}" if is_host else text


def parse_url(text: str) -> UrlParts:
    """Return a URL as the URL standard parses it, without credentials and fragment; UsageError if it is invalid."""
    try:
        url = can_ada.parse(text.strip())
    except (ValueError, TypeError):  # TypeError: a lone surrogate, which URLs cannot contain
        raise _not_a_web_address(text) from None
    if url.protocol not in _FETCHABLE or not url.hostname:
        raise _not_a_web_address(text)
    url.username = url.password = url.hash = ""
    return UrlParts(url.href, url.protocol[:-1], url.hostname, url.port, url.pathname, url.search)


def _not_a_web_address(text: str) -> UsageError:
    shown = text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"
    return UsageError(f"{shown!r} is not a web address (expected something like https://example.org/)")


def url_key(href: str) -> str:
    """Return a short key of a URL, as `parse_url` normalises it, within one crawl."""
    return xxhash.xxh3_128_hexdigest(href.encode())


def bounded(url: str) -> str:
    """Return a URL that a database can index: the end of a very long one is replaced by its hash."""
    return url if len(url) <= MAX_URL_LENGTH else f"{url[: MAX_URL_LENGTH - 33]}#{url_key(url)}"


def host_of(href: str) -> str:
    """Return the host of a URL normalised by `parse_url`, with its port unless it is the default one."""
    # String operations instead of parsing, as this runs for every link of every page.
    start = href.index("//") + 2
    return href[start : href.index("/", start)]


def origin_of(href: str) -> str:
    """Return scheme, host and port of a URL normalised by `parse_url`: the part that one robots.txt covers."""
    return href[: href.index("/", href.index("//") + 2)]


def join(base: str, reference: str) -> str | None:
    """Return the absolute URL of a link on a page; None when it cannot be fetched."""
    if len(reference) > MAX_URL_LENGTH:
        return None
    try:
        href = parse_url(ada_url.join_url(base, reference)).href
    except (ValueError, UsageError):
        return None
    return href if len(href) <= MAX_URL_LENGTH else None


@dataclass(frozen=True)
class BaseUrl:
    """The base of a page's references: a URL normalised by `parse_url`, and the parts they can depend on."""

    href: str
    site: str
    folder: str

    @classmethod
    def of(cls, href: str) -> "BaseUrl":
        """Return a URL as the base of references."""
        return cls(href, origin_of(href), href[: href.partition("?")[0].rfind("/") + 1])

    def part_for(self, reference: str) -> str:
        """Return the part of the base that a reference depends on: it is equal for many pages, so `resolve` can be
        cached."""
        first = reference[:1]
        if first == "/" or reference.startswith(_ABSOLUTE):
            return self.site
        # With a colon, `https:?page=2` is a reference to the page itself.
        return self.folder if (first.isalnum() or first == ".") and ":" not in reference else self.href


def resolve(part: str, reference: str) -> str | None:
    """Return what `join` gives for a reference and the part of its base that it depends on."""
    # String operations instead of parsing: nearly all links are plain and need no normalisation.
    if len(reference) <= MAX_URL_LENGTH:
        path = reference.removeprefix(part)
        if _PLAIN_PATH.fullmatch(path) and path.startswith("/") != part.endswith("/"):
            href = part + path
            return href if len(href) <= MAX_URL_LENGTH else None
        if _PLAIN_URL.fullmatch(reference):
            return reference
    return join(part, reference)


@lru_cache(_GROUPS_KEPT)
def url_group(url: str, page_parameters: tuple[str, ...] = ()) -> str:
    """Return the group of a URL: https, without `www.`, trailing slash, and query parameters other than page
    parameters."""
    plain = _PLAIN_URL.fullmatch(url)
    # String operations take a quarter of the time of parsing; this runs for every new link of every page.
    if plain is not None and not (page_parameters and plain["query"]):
        return bounded(f"https://{_without_www(plain['host'])}{plain['path'].rstrip('/') or '/'}")
    return _parsed_group(url, page_parameters)


def _parsed_group(url: str, page_parameters: tuple[str, ...]) -> str:
    parts = parse_url(url)
    host = _without_www(parts.hostname)
    port = f":{parts.port}" if parts.port not in _HTTPS_PORTS else ""
    query = _kept_of(parts.query, page_parameters) if page_parameters and parts.query else ""
    return bounded(f"https://{host}{port}{parts.path.rstrip('/') or '/'}{query}")


def _kept_of(query: str, page_parameters: tuple[str, ...]) -> str:
    """Return the parameters of a query that distinguish pages, in a normalised order and form."""
    # Bytes that are not UTF-8 are preserved, so that two pages of an old site remain different.
    found = parse_qsl(query[1:], keep_blank_values=True, errors="surrogateescape")
    kept = sorted((pair for pair in found if pair[0] in page_parameters), key=itemgetter(0))
    return f"?{urlencode(kept, errors='surrogateescape')}" if kept else ""


def surt(url: str) -> str:
    """Return the key of a URL's captures: host reversed, so that a domain's pages sort together."""
    parts = parse_url(url)
    return bounded(f"{_reversed_host(parts)}){parts.path}{parts.query}")


def surt_host(url: str) -> str:
    """Return the part of a URL's key for its host."""
    return _reversed_host(parse_url(url))


def _reversed_host(parts: UrlParts) -> str:
    host = _without_www(parts.hostname)
    reversed_host = host if _is_address(host) else ",".join(reversed(host.split(".")))
    return f"{reversed_host}:{parts.port}" if parts.port else reversed_host


def _without_www(host: str) -> str:
    return host.removeprefix("www.") or host


def _is_address(host: str) -> bool:
    """Return whether a host is an IP address: IPv6 has brackets, and the last part of a name is not a number."""
    return host.startswith("[") or host.rpartition(".")[2].isdecimal()
