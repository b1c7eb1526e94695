"""Memento (RFC 7089): the Link header of a capture, and TimeMaps as links and as JSON."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from webstrata.db.engine import Database
from webstrata.db.replay.cdx import CaptureScope, list_captures
from webstrata.db.replay.closest import Neighbours
from webstrata.model.captures import ArchivedCapture
from webstrata.model.replay.cdx import ListPosition
from webstrata.model.replay.replay_address import REPLAY_PATH, plain_url, replay_path
from webstrata.model.replay.url_ranges import KeyRange
from webstrata.model.timestamps import fourteen_digits, http_date
from webstrata.model.urls import surt

TIMEMAP_PATH = f"{REPLAY_PATH}timemap/"
MEMENTOS_PER_PAGE = 5_000
"""The most captures in one TimeMap, which links to further ones with the rest."""

_PART = 1_000


@dataclass(frozen=True)
class MementoAddresses:
    """The addresses of a URL's TimeGate, TimeMaps and mementos on a site."""

    site: str
    url: str

    @property
    def timegate(self) -> str:
        """Return the address that redirects to the capture closest to a time."""
        return f"{self.site}{REPLAY_PATH}{plain_url(self.url)}"

    def timemap(self, form: str = "link", start: str = "") -> str:
        """Return the address of a TimeMap, which begins at a timestamp or with the first capture."""
        place = f"{start}/" if start else ""
        return f"{self.site}{TIMEMAP_PATH}{form}/{place}{plain_url(self.url)}"

    def memento(self, capture: ArchivedCapture) -> str:
        """Return the address of a capture."""
        return f"{self.site}{replay_path(capture.timestamp, capture.url)}"


def link_header(addresses: MementoAddresses, capture: ArchivedCapture | None, around: Neighbours | None = None) -> str:
    """Return the Link header of a TimeGate or of a capture, with the captures around it where they are known."""
    links = [
        f'<{plain_url(addresses.url)}>; rel="original"',
        f'<{addresses.timegate}>; rel="timegate"',
        f'<{addresses.timemap()}>; rel="timemap"; type="application/link-format"',
    ]
    if capture is not None:
        named = _relations(capture, around)
        links += [_memento_link(addresses, one, relations) for one, relations in named]
    return ", ".join(links)


def _relations(capture: ArchivedCapture, around: Neighbours | None) -> list[tuple[ArchivedCapture, str]]:
    """Return captures with their link relations; a capture with two relations is listed once."""
    found: dict[str, tuple[ArchivedCapture, list[str]]] = {capture.timestamp: (capture, [])}
    if around is not None:
        for one, name in (
            (around.first, "first"),
            (around.previous, "prev"),
            (around.next, "next"),
            (around.last, "last"),
        ):
            if one is not None:
                found.setdefault(one.timestamp, (one, []))[1].append(name)
    return [(one, " ".join([*names, "memento"])) for one, names in sorted(found.values(), key=_time_of)]


def _time_of(found: tuple[ArchivedCapture, list[str]]) -> datetime:
    return found[0].captured_at


def _memento_link(addresses: MementoAddresses, capture: ArchivedCapture, relations: str) -> str:
    when = http_date(capture.captured_at)
    return f'<{addresses.memento(capture)}>; rel="{relations}"; datetime="{when}"'


@dataclass(frozen=True)
class TimeMap:
    """One page of a URL's captures, oldest first; only one capture per second."""

    addresses: MementoAddresses
    mementos: Sequence[ArchivedCapture]
    start: str
    """Where it begins; empty for the first page."""
    next_start: str | None
    """Where the next page begins; None when this is the last."""
    first: ArchivedCapture | None
    last: ArchivedCapture | None


def read_timemap(
    database: Database, addresses: MementoAddresses, start: datetime | None, most: int = MEMENTOS_PER_PAGE
) -> TimeMap:
    """Return a page of the captures of a URL, from a moment on."""
    keys = KeyRange(surt(addresses.url))
    found: list[ArchivedCapture] = []
    for capture in _each_second(database, CaptureScope(keys, earliest=start)):
        if len(found) == most:
            return _page(database, addresses, found, start, capture.timestamp)
        found.append(capture)
    return _page(database, addresses, found, start, None)


def _page(
    database: Database,
    addresses: MementoAddresses,
    mementos: list[ArchivedCapture],
    start: datetime | None,
    next_start: str | None,
) -> TimeMap:
    scope = CaptureScope(KeyRange(surt(addresses.url)))
    with database.read() as session:
        first = list_captures(session, scope, limit=1)
        last = list_captures(session, CaptureScope(scope.keys, is_reverse=True), limit=1)
    began = "" if start is None else fourteen_digits(start)
    return TimeMap(addresses, mementos, began, next_start, next(iter(first), None), next(iter(last), None))


def _each_second(database: Database, scope: CaptureScope) -> Iterator[ArchivedCapture]:
    """Yield the captures of a URL, only the first of each second, as addresses have no fractions of seconds."""
    after: ListPosition | None = None
    second: datetime | None = None
    while True:
        with database.read() as session:
            part = list_captures(session, scope, after=after, limit=_PART)
        for capture in part:
            if second is None or capture.captured_at - second >= timedelta(seconds=1):
                yield capture
                second = capture.captured_at.replace(microsecond=0)
        if len(part) < _PART:
            return
        after = ListPosition.after(part[-1])


def timemap_links(timemap: TimeMap) -> Iterator[str]:
    """Yield a TimeMap in link format, a line at a time."""
    addresses = timemap.addresses
    yield f'<{plain_url(addresses.url)}>; rel="original",\n'
    yield f'<{addresses.timegate}>; rel="timegate",\n'
    yield f'<{addresses.timemap(start=timemap.start)}>; rel="self"; type="application/link-format"{_span(timemap)}'
    if timemap.start:
        yield f',\n<{addresses.timemap()}>; rel="timemap"; type="application/link-format"'
    if timemap.next_start is not None:
        until = "" if timemap.last is None else f'; until="{http_date(timemap.last.captured_at)}"'
        further = addresses.timemap(start=timemap.next_start)
        yield f',\n<{further}>; rel="timemap"; type="application/link-format"{until}'
    for capture in timemap.mementos:
        yield f",\n{_memento_link(addresses, capture, _place(timemap, capture))}"
    yield "\n"


def memento_lines(site: str, captures: Iterable[ArchivedCapture]) -> Iterator[str]:
    """Yield captures of any URLs in link format, a line at a time."""
    for number, capture in enumerate(captures):
        link = _memento_link(MementoAddresses(site, capture.url), capture, "memento")
        yield f",\n{link}" if number else link
    yield "\n"


def _span(timemap: TimeMap) -> str:
    if not timemap.mementos:
        return ""
    first, last = timemap.mementos[0], timemap.mementos[-1]
    return f'; from="{http_date(first.captured_at)}"; until="{http_date(last.captured_at)}"'


def _place(timemap: TimeMap, capture: ArchivedCapture) -> str:
    ends = ((timemap.first, "first"), (timemap.last, "last"))
    names = [name for end, name in ends if end is not None and end.timestamp == capture.timestamp]
    return " ".join([*names, "memento"])


def timemap_json(timemap: TimeMap) -> Iterator[str]:
    """Yield a TimeMap as JSON with the names that Memento aggregators use, a capture at a time."""
    addresses = timemap.addresses
    head = {"original_uri": plain_url(addresses.url), "self": addresses.timemap("json", timemap.start)}
    yield json.dumps(head)[:-1] + ', "mementos": {"list": ['
    yield from _join_with_commas(json.dumps(_memento(addresses, capture)) for capture in timemap.mementos)
    ends = {name: _memento(addresses, one) for name, one in (("first", timemap.first), ("last", timemap.last)) if one}
    yield "]" + (f", {json.dumps(ends)[1:-1]}" if ends else "") + "}, "
    tail: dict[str, object] = {
        "timegate_uri": addresses.timegate,
        "timemap_uri": {form: addresses.timemap(form) for form in ("link", "json")},
    }
    if timemap.next_start is not None:
        tail["next"] = addresses.timemap("json", timemap.next_start)
    yield json.dumps(tail)[1:] + "\n"


def _memento(addresses: MementoAddresses, capture: ArchivedCapture) -> dict[str, str]:
    return {"datetime": f"{capture.captured_at:%Y-%m-%dT%H:%M:%SZ}", "uri": addresses.memento(capture)}


def _join_with_commas(texts: Iterable[str]) -> Iterator[str]:
    for number, text in enumerate(texts):
        yield f", {text}" if number else text
