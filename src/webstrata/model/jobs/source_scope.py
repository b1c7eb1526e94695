"""Decides to which source an address belongs: the most specific one whose jobs follow it. http and https, `www.`,
default ports and trailing slashes make no difference."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from webstrata.errors import UsageError
from webstrata.model.crawl.scope import ScopeRules, canonical_domain
from webstrata.model.urls import parse_url

_FILE = re.compile(r"(?:/(?:index|default))?\.[A-Za-z0-9]{1,5}$")
"""The file ending of an address: `/en/health.html` means the folder `/en/health/`, `/a/index.php` means `/a/`."""


@dataclass(frozen=True)
class SourceScope:
    """Where a source's jobs begin and which URLs they follow."""

    code: str
    addresses: tuple[str, ...]
    """Its base URL and its seeds, normalised by `parse_url`."""
    rules: ScopeRules | None
    """None for a source without any address, to which none belongs."""

    @classmethod
    def of(cls, code: str, addresses: Iterable[str], scope: Mapping[str, Sequence[str]]) -> "SourceScope":
        """Return the scope of a source; invalid addresses are ignored."""
        known = tuple(dict.fromkeys(href for address in addresses if (href := _href(address))))
        domains = scope.get("allowed_domains")
        return cls(code, known, ScopeRules.of(known, **scope) if known or domains else None)

    def begins_at(self, urls: Collection[str]) -> bool:
        """Return whether the source begins at all of some URLs, in whichever spelling."""
        return bool(urls) and address_keys(urls) <= address_keys(self.addresses)

    def includes(self, url: str) -> bool:
        """Return whether a URL lies in the source's scope."""
        return self.begins_at((url,)) or (self.rules is not None and self.rules.admits(parse_url(url).href))

    def prefix_length(self, url: str) -> int:
        """Return the length of the longest prefix of a URL's path among the source's addresses and allowed paths; -1
        without any."""
        site, path = _site(url), _path(url)
        opened = [_folder_of(address) for address in self.addresses if _site(address) == site]
        named = [len(start) for start in opened if path == start or path.startswith(f"{start}/")]
        allowed = self.rules.allowed_prefix_length(parse_url(url).href) if self.rules else -1
        return max([allowed, *named])

    def shares_domain(self, other: "SourceScope") -> bool:
        """Return whether one of two sources begins on a domain of the other, whatever the paths."""
        return _covers(self.rules, other.addresses) or _covers(other.rules, self.addresses)


def owning_source(urls: Sequence[str], sources: Iterable[SourceScope]) -> SourceScope | None:
    """Return the source whose scope contains all of some URLs; of several, the one with the longest path prefix."""
    owners = [source for source in sources if urls and all(map(source.includes, urls))]
    return max(owners, key=lambda source: source.prefix_length(urls[0]), default=None)


def source_beginning_at(urls: Sequence[str], sources: Iterable[SourceScope]) -> SourceScope | None:
    """Return the first source that begins at all of some URLs, in whichever spelling."""
    return next((source for source in sources if source.begins_at(urls)), None)


def others_on_domain(code: str, sources: Sequence[SourceScope]) -> tuple[str, ...]:
    """Return the codes of the other sources that share a domain with a source."""
    own = [source for source in sources if source.code == code]
    others = [source for source in sources if source.code != code]
    return tuple(other.code for other in others if any(map(other.shares_domain, own)))


def address_keys(urls: Iterable[str]) -> frozenset[str]:
    """Return the keys of addresses, which are equal for all spellings of an address."""
    return frozenset(f"{_site(url)}{_path(url)}{parse_url(url).query}" for url in urls)


def _covers(rules: ScopeRules | None, addresses: Iterable[str]) -> bool:
    return rules is not None and any(map(rules.covers, addresses))


def _href(address: str) -> str | None:
    try:
        return parse_url(address).href
    except UsageError:
        return None


def _site(url: str) -> str:
    parts = parse_url(url)
    return canonical_domain(f"{parts.hostname}:{parts.port}" if parts.port else parts.hostname)


def _path(url: str) -> str:
    return parse_url(url).path.rstrip("/")


def _folder_of(url: str) -> str:
    """Return the folder of the pages that belong to an address."""
    return _FILE.sub("", _path(url))
