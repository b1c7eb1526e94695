"""Ranges of URL keys: one URL, a prefix, a host, or a domain with its subdomains."""

import re
from dataclasses import dataclass
from enum import StrEnum

from webstrata.errors import UsageError
from webstrata.model.replay.replay_address import archived_url
from webstrata.model.urls import MAX_URL_LENGTH, surt, surt_host

_MAY_BE_ESCAPED = re.compile(r"[|'\[\]^`{}]")
_NEEDLESS = re.compile(r"%(2[1789AaCcDdEe]|3[0-9ABab]|4[0-9A-Fa-f]|5[0-9AaBbDdEeFf]|6[0-9A-Fa-f]|7[0-9AaBbCcDdEe])")
"""Escapes of characters that need not be escaped, so not those of `#`, `%`, `&`, `+`, `/`, `=`, `?` and spaces."""
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_LONGEST_PREFIX = MAX_URL_LENGTH - 33
"""Longer keys end in a hash, which no prefix matches."""


class MatchType(StrEnum):
    """The match type of a query."""

    EXACT = "exact"
    PREFIX = "prefix"
    HOST = "host"
    DOMAIN = "domain"


@dataclass(frozen=True)
class KeyRange:
    """A range of URL keys in byte order, excluding the end; without an end, only the first key."""

    start: str
    end: str | None = None

    def __contains__(self, key: str) -> bool:
        """Return whether a key is one of them."""
        return key == self.start if self.end is None else self.start <= key < self.end


def read_pattern(written: str, match_type: MatchType | None = None) -> tuple[str, MatchType]:
    """Return the URL and the match type of a query; `*.host` and `url*` name the type themselves."""
    if written.startswith("*."):
        return written[2:].removesuffix("/*").removesuffix("*"), MatchType.DOMAIN
    if written.endswith("*"):
        return written[:-1], MatchType.PREFIX
    return written, match_type or MatchType.EXACT


def key_range(url: str, match_type: MatchType) -> KeyRange:
    """Return the range of URL keys of a query; UsageError when its URL is invalid."""
    if not url:
        raise UsageError("url must be a web address, such as example.org, example.org/path/* or *.example.org")
    address = archived_url(url)
    if match_type is MatchType.EXACT:
        return KeyRange(surt(address))
    if match_type is MatchType.PREFIX:
        return _beginning_with(surt(address)[:_LONGEST_PREFIX])
    host = surt_host(address)
    if match_type is MatchType.HOST or ":" in host:
        return _beginning_with(f"{host})")
    # In byte order, `)` and `,` are adjacent, apart from characters that hosts cannot contain.
    return KeyRange(f"{host})", f"{host}-")


def other_keys(key: str) -> tuple[str, ...]:
    """Return other keys under which a URL may have been captured: with or without its trailing slash, with other
    characters escaped, and with escapes in the other case."""
    variants = dict.fromkeys([_other_slash(key), *_other_escapes(key)])
    return tuple(other for other in variants if other != key)


def _other_slash(key: str) -> str:
    path, mark, query = key.partition("?")
    if path.endswith(")/"):
        return key
    return f"{path.removesuffix('/') if path.endswith('/') else path + '/'}{mark}{query}"


def _other_escapes(key: str) -> list[str]:
    host, mark, path = key.partition(")")
    forms = [_MAY_BE_ESCAPED.sub(lambda found: f"%{ord(found[0]):02X}", path)]
    if "%" in path:
        capitals = _ESCAPE.sub(lambda found: found[0].upper(), path)
        forms += [_NEEDLESS.sub(lambda found: chr(int(found[1], 16)), path), capitals]
        forms.append(_ESCAPE.sub(lambda found: found[0].lower(), path))
    return [f"{host}{mark}{form}" for form in forms]


def _beginning_with(prefix: str) -> KeyRange:
    return KeyRange(prefix, prefix[:-1] + chr(ord(prefix[-1]) + 1))
