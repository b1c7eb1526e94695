"""robots.txt by RFC 9309: finds the rules for our user agent, and decides which URLs they allow."""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import quote

from webstrata.model.crawl.scope import PathPattern
from webstrata.model.urls import MAX_URL_LENGTH, origin_of

MAX_BYTES = 500 * 1024
"""How many bytes of a robots.txt are read: the minimum that the standard demands."""

_EVERYONE = "*"
_KINDS = {
    **dict.fromkeys(("user-agent", "useragent", "user agent"), "agent"),
    **dict.fromkeys(("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"), "disallow"),
    **dict.fromkeys(("sitemap", "site-map"), "sitemap"),
    **dict.fromkeys(("crawl-delay", "crawldelay"), "delay"),
    "allow": "allow",
}
"""The known records, with common misspellings."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_MARKS = "\ufeff\udcef\udcbb\udcbf"
"""A byte order mark or a part of one, at the beginning of the file and wherever files were concatenated."""

_RECORD = re.compile(r"(user[- ]?agent|[a-z-]+)[ \t]*[: \t][ \t]*(.*)", re.IGNORECASE)
_PRODUCT = re.compile(r"[a-z0-9_.-]*")
_COMPATIBLE = re.compile(r"\(compatible;\s*([a-z0-9_.-]+)")
_PLAIN = re.compile(r"[!-$&-~]*")
_ESCAPE = re.compile(r"%[0-9a-fA-F]{2}")
_PRINTABLE = "".join(map(chr, range(0x21, 0x7F)))
_KEPT_IN_PATH = frozenset("%/?#")
_KEPT_IN_QUERY = frozenset("%#")

_Record = tuple[str, str]


def product_token(user_agent: str) -> str:
    """Return the product token of a user agent: `webstrata` for `webstrata/1.0 (+https://example.org)`."""
    named = _COMPATIBLE.search(user_agent.lower())
    return named[1] if named else _token(user_agent)


@dataclass(frozen=True)
class Rule:
    """One line that allows or disallows."""

    allows: bool
    pattern: PathPattern
    length: int
    """The length of the normalised pattern in octets: the longest matching rule decides."""


@dataclass(frozen=True)
class RobotsTxt:
    """The rules of a robots.txt for one crawler."""

    rules: tuple[Rule, ...] = ()
    """The most specific first; of equally specific rules, those that allow."""
    crawl_delay: float = 0.0
    sitemaps: tuple[str, ...] = ()

    @classmethod
    def parse(cls, content: bytes, user_agent: str, *, is_cut: bool = False) -> "RobotsTxt":
        """Return the rules of a file for a user agent; every file can be parsed."""
        records = list(_records(_whole_lines(content) if is_cut or len(content) > MAX_BYTES else content))
        ours = _said_to(product_token(user_agent), records)
        return cls(
            rules=tuple(sorted(_rules(ours), key=lambda rule: (rule.length, rule.allows), reverse=True)),
            crawl_delay=max((_seconds(value) for kind, value in ours if kind == "delay"), default=0.0),
            sitemaps=tuple(_readable(value) for kind, value in records if kind == "sitemap" and value),
        )

    def allows(self, href: str) -> bool:
        """Return whether a URL, normalised by `parse_url`, may be fetched."""
        if not self._forbids:
            return True
        path = "*".join(_pieces(href[len(origin_of(href)) :]))
        if path == "/robots.txt":
            return True
        prefix = next((path[:size] for size in self._sizes if path[:size] in self._prefixes), "")
        plain = (len(prefix), self._prefixes.get(prefix, True))
        odd = next(((rule.length, rule.allows) for rule in self._odd if rule.pattern.fits(path)), (0, True))
        return max(plain, odd)[1]

    @cached_property
    def _forbids(self) -> bool:
        return any(not rule.allows for rule in self.rules)

    @cached_property
    def _prefixes(self) -> dict[str, bool]:
        """Return the rules without wildcards, which are looked up by prefix, as some sites have thousands."""
        return {rule.pattern.pieces[0]: rule.allows for rule in reversed(self.rules) if _is_prefix(rule)}

    @cached_property
    def _sizes(self) -> list[int]:
        return sorted({len(prefix) for prefix in self._prefixes}, reverse=True)

    @cached_property
    def _odd(self) -> list[Rule]:
        return [rule for rule in self.rules if not _is_prefix(rule)]


def _whole_lines(content: bytes) -> bytes:
    """Return a truncated file without its last line: half a rule would have another meaning."""
    content = content[:MAX_BYTES]
    return content[: max(content.rfind(b"\n"), content.rfind(b"\r"), 0)]


def _records(content: bytes) -> Iterator[_Record]:
    """Yield the kind and the value of each line that is a rule or a user agent; other lines are skipped."""
    # Octets that are not UTF-8 are left as they are: a path may be in another charset.
    for line in _LINE_END.split(content.decode("utf-8", "surrogateescape")):
        record = _RECORD.fullmatch(line.partition("#")[0].lstrip(_MARKS).strip())
        kind = _KINDS.get(record[1].lower()) if record else None
        if record and kind:
            yield kind, record[2]


def _said_to(token: str, records: Iterable[_Record]) -> list[_Record]:
    """Return the records of all groups that name a crawler; without such a group, those of the groups for all
    crawlers."""
    found: dict[str, list[_Record]] = {}
    named: set[str] = set()
    in_rules = False
    for kind, value in records:
        if kind == "agent":
            named = set() if in_rules else named
            in_rules = False
            agent = _EVERYONE if value.startswith(_EVERYONE) else _token(value)
            if agent in (token, _EVERYONE) and agent:
                named.add(agent)
                found.setdefault(agent, [])
        elif kind != "sitemap":
            in_rules = True
            for agent in named:
                found[agent].append((kind, value))
    return found.get(token, found.get(_EVERYONE, []))


def _token(text: str) -> str:
    match = _PRODUCT.match(text.lower())
    return match[0] if match else ""


def _rules(records: Iterable[_Record]) -> Iterator[Rule]:
    for kind, value in records:
        if kind in ("allow", "disallow") and value.startswith(("/", "*")) and len(value) <= MAX_URL_LENGTH:
            yield _rule(kind == "allow", value)


def _rule(allows: bool, text: str) -> Rule:
    ends = text.endswith("$")
    pieces = _pieces(text[:-1] if ends else f"{text}*")
    return Rule(allows, PathPattern(text, pieces), len("*".join(pieces)) + (1 if ends else -1))


def _is_prefix(rule: Rule) -> bool:
    return "*" not in rule.pattern.text and not rule.pattern.text.endswith("$")


def _pieces(text: str) -> tuple[str, ...]:
    """Return the pieces of a pattern between its asterisks, normalised: escaped only where necessary."""
    path, mark, query = text.partition("?")
    in_path = [_unescaped(piece, _KEPT_IN_PATH) for piece in path.split("*")]
    in_query = [_unescaped(piece, _KEPT_IN_QUERY) for piece in query.split("*")]
    return (*in_path[:-1], f"{in_path[-1]}{mark}{in_query[0]}", *in_query[1:])


def _unescaped(text: str, kept: frozenset[str]) -> str:
    # Fast path: nearly all paths are plain, and this runs for every URL of a crawl.
    if _PLAIN.fullmatch(text):
        return text

    def octet(match: re.Match[str]) -> str:
        character = chr(int(match[0][1:], 16))
        return character if character in _PRINTABLE and character not in kept else match[0].upper()

    return _ESCAPE.sub(octet, quote(text, _PRINTABLE, errors="surrogateescape"))


def _seconds(text: str) -> float:
    """Return the seconds of a crawl delay; 0 when the value is invalid."""
    try:
        seconds = float(text.split(maxsplit=1)[0])
    except (ValueError, IndexError):
        return 0.0
    return seconds if math.isfinite(seconds) and seconds > 0 else 0.0


def _readable(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
