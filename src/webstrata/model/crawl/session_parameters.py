"""Session parameters: query parameters for which a site makes up a new value in every response.

Such a site has endless addresses: each page links to all others with new URLs. A parameter counts as one of a session
when page after page has links with values that are new, look random, and lead to paths that are known with other
values. Numbers never count, nor do lists, in which one path has several values on a page; so neither `?page=7` nor
`?id=x81c` of a catalogue counts as a session.
"""

import re
from collections import Counter, OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from webstrata.model.urls import origin_of

Pairs = tuple[tuple[str, str], ...]

_RANDOM = re.compile(r"(?=.*[0-9])(?=.*[a-zA-Z]).{4,}|[0-9]{9,}|0\.[0-9]{4,}")
"""Values that look random: letters mixed with digits, or a very long number."""

_ADDRESSES_KEPT = 50_000
_MOST_PARAMETERS = 20
_DOMINATES = 3
"""How many times more pages must indicate a session than contradict it."""


@dataclass(frozen=True)
class _Address:
    site: str
    path: str
    pairs: Pairs


@dataclass(frozen=True)
class _Use:
    """One use of a parameter in a link: its value, and the link's target without it."""

    group: int
    value: str


@dataclass(eq=False)
class _Parameter:
    """The observed values of one parameter of one site."""

    values: set[int] = field(default_factory=set)
    groups: set[int] = field(default_factory=set)
    renewals: int = 0
    """The number of pages with a new value in links to several places."""
    chains: Counter[int] = field(default_factory=Counter)
    """The number of pages with a new value in their only such link, by the link's path."""
    refutations: int = 0

    @property
    def size(self) -> int:
        """Return the number of cached entries."""
        return len(self.values) + len(self.groups) + len(self.chains)


class SessionParameters:
    """Detects session parameters from the links of pages, and removes them from URLs."""

    def __init__(self, max_renewals: int, max_chain: int, room: int = 200_000) -> None:
        """Decide after `max_renewals` (or in chains `max_chain`) pages with new values; `room` limits the stored values
        and paths."""
        self._max_renewals = max_renewals
        self._max_chain = max_chain
        self._room = room
        self._kept = 0
        self._parameters: OrderedDict[tuple[str, str], _Parameter] = OrderedDict()
        self._sessions: set[tuple[str, str]] = set()
        self._read = lru_cache(_ADDRESSES_KEPT)(_address)

    def learn(self, page: str, links: Iterable[str]) -> None:
        """Add the links of a page to other pages, without its requisites."""
        links = list(links)
        if not any("?" in link for link in links):
            return
        own = self._read(page)
        addresses = [address for address in map(self._read, links) if address.site == own.site]
        uses: dict[str, list[_Use]] = {}
        for address in addresses:
            for name, value in address.pairs:
                others = tuple(pair for pair in address.pairs if pair[0] != name)
                uses.setdefault(name, []).append(_Use(hash((address.path, others)), value))
        values = dict(own.pairs)
        for name, used in uses.items():
            self._learn(
                own.site, name, [use for use in used if use.value != values.get(name)], name in values, addresses
            )
        self._make_room()

    def without(self, href: str) -> str:
        """Return an address without known session parameters."""
        if not self._sessions or "?" not in href:
            return href
        base, _, query = href.partition("?")
        site = origin_of(href)
        kept = [pair for pair in query.split("&") if (site, pair.partition("=")[0].lower()) not in self._sessions]
        return f"{base}?{'&'.join(kept)}" if kept else base

    def _learn(self, site: str, name: str, uses: list[_Use], is_in_page: bool, addresses: list[_Address]) -> None:
        if (site, name) in self._sessions or not uses:
            return
        parameter = self._parameters.setdefault((site, name), _Parameter())
        self._parameters.move_to_end((site, name))
        before = parameter.size
        _weigh(parameter, uses, is_in_page, len(addresses))
        parameter.values.update(hash(use.value) for use in uses)
        parameter.groups.update(use.group for use in uses)
        self._kept += parameter.size - before
        if self._is_session(parameter):
            self._sessions.add((site, name))
            self._forget(site, name)

    def _is_session(self, parameter: _Parameter) -> bool:
        longest = max(parameter.chains.values(), default=0)
        against = _DOMINATES * parameter.refutations
        return parameter.renewals > max(self._max_renewals, against) or longest > max(self._max_chain, against)

    def _forget(self, site: str, name: str) -> None:
        self._kept -= self._parameters.pop((site, name)).size

    def _make_room(self) -> None:
        while self._kept > self._room:
            self._forget(*next(iter(self._parameters)))


def _weigh(parameter: _Parameter, uses: list[_Use], is_in_page: bool, links: int) -> None:
    """Count whether a page indicates a session: all values new, one per target, and known targets among them."""
    groups = {use.group for use in uses}
    values = {use.value for use in uses}
    known = len(groups & parameter.groups)
    are_new = all(hash(value) not in parameter.values and _RANDOM.fullmatch(value) for value in values)
    if not are_new or len({(use.group, use.value) for use in uses}) > len(groups):
        parameter.refutations += is_in_page
    elif not is_in_page:
        # A page without a session in its URL may begin one: then all of its links have the same value.
        parameter.renewals += known > 1 and len(values) == 1 and 10 * len(uses) >= 9 * links
    elif known > 1 and 2 * len(uses) >= links:
        parameter.renewals += 1
    elif len(groups) == known == 1:
        parameter.chains[next(iter(groups))] += 1


def _address(href: str) -> _Address:
    site = origin_of(href)
    path, _, query = href[len(site) :].partition("?")
    parts = [part.partition("=") for part in query.split("&") if part] if query else []
    pairs = tuple(sorted((name.lower(), value) for name, _, value in parts))
    return _Address(site, path, pairs if len(pairs) <= _MOST_PARAMETERS else ())
