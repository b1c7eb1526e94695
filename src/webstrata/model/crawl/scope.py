"""Scope of a crawl: which URLs belong to a job, by domain and by allowed and denied paths.

A domain is a host, `example.org` (every port, with and without `www.`), a host and port, `example.org:8080`, or a host
and all below it, `*.example.org` or `.example.org`. A path pattern is one of robots.txt (RFC 9309): it matches
a path and query that begin with it; `*` matches anything, a `$` at its end matches the end.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from urllib.parse import quote

from webstrata.errors import UsageError
from webstrata.model.urls import MAX_URL_LENGTH, host_of, origin_of, parse_url

MAX_RULES = 1_000
"""The most domains or patterns, as every link of every page is compared with all of them."""

_ORIGINS_KEPT = 4_096
_PORTS = {"http": "80", "https": "443"}
_DOMAIN = re.compile(r"(?P<wide>(?:\*?\.)?)(?P<host>\[[0-9a-fA-F:.]+\]|[^\[\]:/?#@\\\s*]+)(?::(?P<port>\d{1,5}))?")
_ESCAPE = re.compile(r"%[0-9a-fA-F]{2}")
_PRINTABLE = "".join(map(chr, range(0x21, 0x7F)))
_SAME_UNESCAPED = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~*$")


@dataclass(frozen=True)
class ScopeRules:
    """The addresses that a job follows: on one of its domains, on no denied path, on an allowed one if any is named."""

    allowed_domains: tuple[str, ...]
    allow_paths: tuple[str, ...] = ()
    deny_paths: tuple[str, ...] = ()
    states_domains: bool = True
    """Whether the domains were stated, and not derived from the seeds; then requisites must also be on them."""

    def __post_init__(self) -> None:
        """Refuse rules that make no sense, by name."""
        if not self.allowed_domains:
            raise UsageError("a job needs a domain to stay on")
        if max(map(len, (self.allowed_domains, self.allow_paths, self.deny_paths))) > MAX_RULES:
            raise UsageError(f"a job cannot have more than {MAX_RULES} domains or path patterns of a kind")
        _ = self._includes, self._allowed, self._denied

    @classmethod
    def of(
        cls,
        seeds: Iterable[str],
        allowed_domains: Iterable[str] = (),
        allow_paths: Iterable[str] = (),
        deny_paths: Iterable[str] = (),
    ) -> "ScopeRules":
        """Return a job's rules; one that names no domains stays on the hosts and ports of its seeds."""
        stated = tuple(allowed_domains)
        return cls(stated or domains_of(seeds), tuple(allow_paths), tuple(deny_paths), bool(stated))

    def stated(self) -> dict[str, tuple[str, ...]]:
        """Return the rules for a job's configuration: without domains that its seeds imply."""
        paths = {"allow_paths": self.allow_paths, "deny_paths": self.deny_paths}
        return {"allowed_domains": self.allowed_domains, **paths} if self.states_domains else paths

    def admits(self, href: str) -> bool:
        """Return whether a URL, normalised by `parse_url`, belongs to the job."""
        return self.why_not(href) is None

    def why_not(self, href: str) -> str | None:
        """Return why a URL, normalised by `parse_url`, does not belong to the job, or None when it does."""
        origin = origin_of(href)
        if not self._includes(origin):
            return f"{host_of(href)} is not one of the job's domains"
        if not self._denied and not self._allowed:
            return None
        path = _comparable(href[len(origin) :])
        denied = self._why_denied(path)
        if denied is not None:
            return denied
        if self._allowed and not any(pattern.fits(path) for pattern in self._allowed):
            return "its path is none of the allowed ones"
        return None

    def why_not_requisite(self, href: str) -> str | None:
        """Return why a URL may not be captured as a part of one of the job's pages, or None when it may.

        Parts of a page may be on any host, unless the job states its domains, and on every path that is not denied.
        """
        origin = origin_of(href)
        if self.states_domains and not self._includes(origin):
            return f"{host_of(href)} is not one of the job's domains"
        return self._why_denied(_comparable(href[len(origin) :])) if self._denied else None

    def _why_denied(self, path: str) -> str | None:
        denied = next((pattern for pattern in self._denied if pattern.fits(path)), None)
        return None if denied is None else f"its path is denied by {denied.text}"

    def covers(self, href: str) -> bool:
        """Return whether a URL, normalised by `parse_url`, is on one of the job's domains, whatever its path."""
        return self._includes(origin_of(href))

    def allowed_prefix_length(self, href: str) -> int:
        """Return the length of the longest matching allowed path; -1 when none matches."""
        path = _comparable(href[len(origin_of(href)) :])
        return max((len(pattern.pieces[0]) for pattern in self._allowed if pattern.fits(path)), default=-1)

    @cached_property
    def _includes(self) -> Callable[[str], bool]:
        """Return whether an origin is on one of the domains; cached, as most of a page's links share one."""
        domains = frozenset(map(canonical_domain, self.allowed_domains))
        return lru_cache(_ORIGINS_KEPT)(lambda origin: any(name in domains for name in _names(origin)))

    @cached_property
    def _allowed(self) -> tuple["PathPattern", ...]:
        return tuple(map(PathPattern.parse, self.allow_paths))

    @cached_property
    def _denied(self) -> tuple["PathPattern", ...]:
        return tuple(map(PathPattern.parse, self.deny_paths))


@dataclass(frozen=True)
class PathPattern:
    """A path pattern, matched without regular expressions, so that no path makes it slow."""

    text: str
    pieces: tuple[str, ...]
    """The texts that must follow in this order: the first at the beginning, the last at the end."""

    @classmethod
    def parse(cls, text: str) -> "PathPattern":
        """Parse a pattern; UsageError when it cannot match any path."""
        if not text.startswith(("/", "*")):
            raise UsageError(f"{text!r} is not a path pattern (expected something like /news/ or *.pdf$)")
        if len(text) > MAX_URL_LENGTH:
            raise UsageError(f"a path pattern cannot be longer than {MAX_URL_LENGTH} characters")
        whole = text[:-1] if text.endswith("$") else f"{text}*"
        return cls(text, tuple(_comparable(quote(piece, _PRINTABLE, errors="replace")) for piece in whole.split("*")))

    def fits(self, path: str) -> bool:
        """Return whether the pattern matches a normalised path with its query."""
        first, *rest = self.pieces
        if not rest or not path.startswith(first):
            return not rest and path == first
        *middle, last = rest
        position = len(first)
        for piece in middle:
            found = path.find(piece, position)
            if found < 0:
                return False
            position = found + len(piece)
        return path.endswith(last) and len(path) - len(last) >= position


def domains_of(seeds: Iterable[str]) -> tuple[str, ...]:
    """Return the domains of seeds: their hosts, with the port that they name or else the two usual ones."""
    found: dict[str, None] = {}
    for seed in seeds:
        parts = parse_url(seed)
        for port in (parts.port,) if parts.port else _PORTS.values():
            found[canonical_domain(f"{parts.hostname}:{port}")] = None
    return tuple(found)


def canonical_domain(text: str) -> str:
    """Return the normal form of a domain; UsageError when it is invalid."""
    match = _DOMAIN.fullmatch(text.strip())
    try:
        host = parse_url(f"http://{match['host']}/").hostname.removesuffix(".") if match else ""
    except UsageError:
        host = ""
    # Only one final dot is removed: `0..` must not become the address `0.`.
    if match is None or not all(host.split(".")) or int(match["port"] or 1) not in range(1, 65_536):
        raise UsageError(f"{text!r} is not a domain (expected example.org, example.org:8080 or *.example.org)")
    port = f":{int(match['port'])}" if match["port"] else ""
    return f"*.{host}{port}" if match["wide"] else f"{_without_www(host)}{port}"


def _names(origin: str) -> Iterator[str]:
    """Yield all domain rules that would match an origin."""
    scheme, _, netloc = origin.partition("://")
    host, colon, port = netloc.rpartition(":")
    if not colon or port.endswith("]"):
        host, port = netloc, _PORTS[scheme]
    host = host.removesuffix(".")
    plain = _without_www(host)
    yield plain
    yield f"{plain}:{port}"
    while host:
        yield f"*.{host}"
        yield f"*.{host}:{port}"
        host = host.partition(".")[2]


def _without_www(host: str) -> str:
    """Remove `www.`, but not from `www.org`, as the rest must be a domain."""
    while host.startswith("www.") and "." in host.removeprefix("www."):
        host = host.removeprefix("www.")
    return host


def _comparable(path: str) -> str:
    """Return a path normalised for comparison: escaped only where necessary."""
    return _ESCAPE.sub(_escape, path) if "%" in path else path


def _escape(match: re.Match[str]) -> str:
    character = chr(int(match[0][1:], 16))
    return character if character in _SAME_UNESCAPED else match[0].upper()
