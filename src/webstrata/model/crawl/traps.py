"""Crawler traps: URLs that a site generates without end, recognised by their form.

A false positive loses a page, but a missed trap only costs requests until the job's limits end it. So these rules
refuse only URLs that hardly any normal site has; everything else is left to `max_pages` and `max_depth`.
"""

import re
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import lru_cache

from webstrata.model.crawl.session_parameters import SessionParameters
from webstrata.model.urls import origin_of

Pairs = Sequence[tuple[str, str]]

_VERDICTS_KEPT = 50_000


@dataclass(frozen=True)
class TrapLimits:
    """Limits above which a URL counts as a trap."""

    max_segments: int = 20
    max_repeats: int = 3
    """How often a segment may occur in a path."""
    max_parameters: int = 20
    max_combinations: int = 500
    """How many queries a path may have when its parameters have few values; see `QueryCombinations`."""
    max_renewals: int = 10
    """How many pages may have a parameter with a new value in all their links; see `SessionParameters`."""
    max_chain: int = 100
    """How many pages may link to one path with a new parameter value each, if they have only one such link."""
    past_years: int = 30
    future_years: int = 5


DEFAULT_LIMITS = TrapLimits()


class TrapGuard:
    """Checks the URLs that one run finds."""

    def __init__(self, today: date, limits: TrapLimits = DEFAULT_LIMITS) -> None:
        """Begin without any URLs."""
        self._today = today
        self._limits = limits
        self._combinations = QueryCombinations(limits.max_combinations)
        self._sessions = SessionParameters(limits.max_renewals, limits.max_chain)
        self._judged = lru_cache(_VERDICTS_KEPT)(self._judge)

    def verdict(self, href: str) -> str | None:
        """Return why a URL, normalised by `parse_url`, looks like a trap, or None when it does not."""
        # Verdicts on queries depend on earlier URLs, so they are cached: the same URL must get the same verdict.
        return self._judged(href) if "?" in href else self._judge(href)

    def learn(self, page: str, links: Iterable[str]) -> None:
        """Learn from the links of a page, to detect session parameters."""
        self._sessions.learn(page, links)

    def cleaned(self, href: str) -> str:
        """Return the URL without the session id in it."""
        return self._sessions.without(without_session_id(href))

    def remember(self, hrefs: Iterable[str]) -> None:
        """Count addresses that an earlier run accepted, so that this run continues with the same state."""
        for href in hrefs:
            if "?" in href:
                path, _, query = href.partition("?")
                self._combinations.explodes(path, pairs_of(query))

    def _judge(self, href: str) -> str | None:
        site = origin_of(href)
        path, _, query = href[len(site) :].partition("?")
        segments, pairs, limits = segments_of(path), pairs_of(query) if query else (), self._limits
        reason = (
            session_id(path, pairs)
            or endless_path(segments, limits)
            or endless_query(query, pairs, limits)
            or calendar_loop(path, pairs, self._today, limits)
        )
        if reason is None and self._combinations.explodes(site + path, pairs):
            return "its path has too many combinations of parameters"
        return reason


def segments_of(path: str) -> list[str]:
    """Return the parts of a path."""
    return path[1:].rstrip("/").split("/")


def pairs_of(query: str) -> Pairs:
    """Return the parameters of a query, names in lower case, as they are escaped."""
    return [_name_and_value(pair) for pair in query.split("&") if pair]


def _name_and_value(pair: str) -> tuple[str, str]:
    name, _, value = pair.partition("=")
    return name.lower(), value


def endless_path(segments: Sequence[str], limits: TrapLimits) -> str | None:
    """Return why a path looks as if relative links were appended repeatedly."""
    if len(segments) > limits.max_segments:
        return f"its path has more than {limits.max_segments} segments"
    if len(set(segments)) == len(segments):
        return None
    for segment, times in Counter(segments).items():
        # Numbered files are spread over folders such as /000/000/000/000/012.
        if times > (2 * limits.max_repeats if segment.isdecimal() else limits.max_repeats):
            return f"its path repeats {segment!r} {times} times"
    cycle = _cycle(segments, limits.max_repeats)
    return f"its path goes round in {'/'.join(cycle)!r}" if cycle else None


def _cycle(segments: Sequence[str], rounds: int) -> Sequence[str]:
    """Return two or more segments that are repeated in this order at least `rounds` times."""
    for length in range(2, len(segments) // rounds + 1):
        same = 0
        for position in range(length, len(segments)):
            same = same + 1 if segments[position] == segments[position - length] else 0
            if same == length * (rounds - 1):
                return segments[position - length + 1 : position + 1]
    return ()


def endless_query(query: str, pairs: Pairs, limits: TrapLimits) -> str | None:
    """Return why a query looks as if parameters were added repeatedly."""
    if len(pairs) > limits.max_parameters:
        return f"its query has more than {limits.max_parameters} parameters"
    if "%2525" in query:
        return "its query holds an address in an address in an address"
    if len(pairs) > limits.max_repeats:
        (name, value), times = Counter(pairs).most_common(1)[0]
        if times > limits.max_repeats:
            return f"its query repeats {f'{name}={value}'!r} {times} times"
    return None


class QueryCombinations:
    """Detects paths whose parameters are combined without end, such as the filters of a shop.

    A path with articles by number has one query per number, but a path with filters has many queries with few values.
    So the number of queries is divided by the number of values of the parameter with the most values.
    """

    _FACTOR = 8
    """Queries for each value that are still normal: a forum's thread has pages, a wiki's page has versions."""

    def __init__(self, limit: int, room: int = 200_000, most_paths: int = 20_000) -> None:
        """Decide on a path once it has `limit` queries; store up to `room` queries and values of `most_paths` paths."""
        self._limit = limit
        self._room = room
        self._most_paths = most_paths
        self._paths: OrderedDict[int, _Variety] = OrderedDict()
        self._kept = 0

    def explodes(self, path: str, pairs: Pairs) -> bool:
        """Count a query and return whether its path has too many; paths dropped to save memory start at 0."""
        if len(pairs) < 2:
            return False
        key = hash(path)
        variety = self._paths.setdefault(key, _Variety())
        self._paths.move_to_end(key)
        if variety.settled is None:
            self._kept += variety.add(pairs)
            self._settle(variety)
        self._make_room()
        return variety.settled is True

    def _settle(self, variety: "_Variety") -> None:
        """Decide on a path with enough queries, and delete the queries and values."""
        queries = len(variety.queries)
        if queries > self._limit and queries > self._FACTOR * variety.most_values:
            variety.settled = True
        elif variety.most_values > self._limit:
            variety.settled = False
        if variety.settled is not None:
            self._kept -= variety.clear()

    def _make_room(self) -> None:
        while self._kept > self._room or len(self._paths) > self._most_paths:
            _, oldest = self._paths.popitem(last=False)
            self._kept -= oldest.clear()


@dataclass(eq=False, slots=True)
class _Variety:
    """The queries of one path and the values of each parameter, as hashes."""

    queries: set[int] = field(default_factory=set)
    values: dict[str, set[int]] = field(default_factory=dict)
    most_values: int = 0
    size: int = 0
    settled: bool | None = None

    def add(self, pairs: Pairs) -> int:
        """Add a query and return how many entries that added."""
        before = self.size
        self.size += _add(self.queries, hash(tuple(sorted(pairs))))
        for name, value in pairs:
            known = self.values.setdefault(name, set())
            self.size += _add(known, hash(value))
            self.most_values = max(self.most_values, len(known))
        return self.size - before

    def clear(self) -> int:
        """Delete everything except the decision and return how much was deleted."""
        size, self.size = self.size, 0
        self.queries.clear()
        self.values.clear()
        return size


def _add(known: set[int], key: int) -> int:
    """Add to a set and return by how much it grew."""
    before = len(known)
    known.add(key)
    return len(known) - before


_SESSION_IN_PATH = re.compile(r";(?:jsessionid|phpsessid)=[^/;]*|/\([a-z]\([a-z0-9]{20,}\)\)(?=/)", re.IGNORECASE)
_SESSION_NAME = re.compile(r"(?:jsessionid|phpsessid|aspsessionid\w*|cfid|cftoken|oscsid|zenid|xtcsid)\Z")
_MAYBE_SESSION_NAME = frozenset({"sess", "sessid", "session", "session_id", "sessionid", "sid"})
_TOKEN = re.compile(r"(?=.*\d)(?=.*[a-zA-Z])[a-zA-Z0-9,_-]{20,}\Z")
"""Names of session parameters: the value is long, of letters and digits; a short `sid=12` may be a section."""


def session_id(path: str, pairs: Pairs) -> str | None:
    """Return why a URL looks as if it was generated for one visitor."""
    if _may_hold_session(path) and _SESSION_IN_PATH.search(path):
        return "its path holds a session id"
    named = next((name for name, value in pairs if _is_session(name, value)), None)
    return f"its {named} is a session id" if named else None


def without_session_id(href: str) -> str:
    """Return the URL without the session id in it."""
    base, question, query = href.partition("?")
    if _may_hold_session(base):
        base = _SESSION_IN_PATH.sub("", base)
    if not query:
        return base + question
    kept = [pair for pair in query.split("&") if not _is_session(*_name_and_value(pair))]
    return f"{base}{question}{'&'.join(kept)}" if kept else base


def _may_hold_session(path: str) -> bool:
    """Return whether a path may contain a session id: a quick check, as nearly none does."""
    return ";" in path or "(" in path


def _is_session(name: str, value: str) -> bool:
    return bool(_SESSION_NAME.match(name)) or (name in _MAYBE_SESSION_NAME and bool(_TOKEN.match(value)))


_WALKED_YEARS = range(1900, 2200)
"""Years that count as part of a date; a crawler reaches others only month by month, through these."""

_FOUR_DIGITS = re.compile(r"\d{4}")
_CALENDAR = re.compile(r"(?<![a-z])(?:calend|kalend|tribe-bar|tx_cal|cal(?![a-z]))")
_AGENDA = re.compile(
    r"(?<![a-z])(?:agenda|events?(?![a-z])|eventos?|eventi|evenements?|veranstaltung|termine)|" + _CALENDAR.pattern
)
_DATE = re.compile(r"(?<!\d)(\d{4})([-/])(\d{1,2})(?:\2(\d{1,2}))?(?!\d)")
_COMPACT_DATE = re.compile(r"(\d{4})(\d{2})(\d{2})?\Z")
_SECONDS = re.compile(r"\d{9,10}\Z")
_DATE_NAME = re.compile(r"(?:date|day|month|datum|monat)\]?\Z|(?<![a-z])(?:mois|mes|mese|jour|ym|cal)\]?\Z")
_TIME_NAME = re.compile(r"(?:time|stamp)\]?\Z")
_YEAR_NAME = re.compile(r"(?:year|jahr|annee)\]?\Z|(?<![a-z])(?:yr?|anno|ano)\]?\Z")
_MONTH_NAME = re.compile(r"(?:month|monat)\]?\Z|(?<![a-z])(?:m|mon|mois|mes|mese)\]?\Z")
_SLASH = re.compile("%2f", re.IGNORECASE)


@dataclass(frozen=True)
class _Month:
    """A month in a URL; `plain` if it is almost certainly a date."""

    year: int
    month: int
    plain: bool


def calendar_loop(path: str, pairs: Pairs, today: date, limits: TrapLimits) -> str | None:
    """Return why a URL looks like a calendar page too far in the past or future.

    Articles and records may be of any age, so only calendars end in the past; nothing is dated far in the future.
    """
    if not _FOUR_DIGITS.search(path) and not any(len(value) > 3 and _FOUR_DIGITS.search(value) for _, value in pairs):
        return None
    words = "&".join((path.lower(), *(name for name, _ in pairs)))
    for month in (*_months_in_path(path), *_months_in_query(pairs)):
        away = (month.year - today.year) * 12 + month.month - today.month
        if away > 12 * limits.future_years and (month.plain or _AGENDA.search(words)):
            return f"it is dated {month.year}-{month.month:02}, more than {limits.future_years} years ahead"
        if away < -12 * limits.past_years and _CALENDAR.search(words):
            return f"it is a calendar of {month.year}-{month.month:02}, more than {limits.past_years} years ago"
    return None


def _months_in_path(path: str) -> Iterator[_Month]:
    for year, _, month, day in _DATE.findall(path):
        yield from _month(year, month, day, plain=len(month) == len(day) == 2)


def _months_in_query(pairs: Pairs) -> Iterator[_Month]:
    years = [value for name, value in pairs if _YEAR_NAME.search(name)]
    months = [value for name, value in pairs if _MONTH_NAME.search(name)]
    if len(years) == len(months) == 1:
        yield from _month(years[0], months[0], "", plain=True)
    for name, value in pairs:
        yield from _months_in_parameter(name, _SLASH.sub("/", value))


def _months_in_parameter(name: str, value: str) -> Iterator[_Month]:
    is_date = bool(_DATE_NAME.search(name))
    for year, _, month, day in _DATE.findall(value):
        yield from _month(year, month, day, plain=is_date or len(month) == len(day) == 2)
    if is_date and (compact := _COMPACT_DATE.match(value)):
        yield from _month(compact[1], compact[2], compact[3] or "", plain=True)
    elif (is_date or _TIME_NAME.search(name)) and _SECONDS.match(value):
        moment = datetime.fromtimestamp(int(value), UTC)
        yield _Month(moment.year, moment.month, plain=False)


def _month(year: str, month: str, day: str, *, plain: bool) -> Iterator[_Month]:
    """Yield a month if the digits can be one."""
    digits = (year, month, day or "1")
    if not all(text.isascii() and text.isdecimal() and len(text) <= 4 for text in digits):
        return
    if int(year) in _WALKED_YEARS and int(month) in range(1, 13) and int(digits[2]) in range(1, 32):
        yield _Month(int(year), int(month), plain)
