"""The CDX server: runs queries for captures in parts and writes the results line by line."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import structlog

from webstrata.db.engine import Database
from webstrata.db.replay import closest
from webstrata.db.replay.cdx import CaptureScope, count_captures, list_captures, position_of
from webstrata.errors import UsageError
from webstrata.model.captures import ArchivedCapture
from webstrata.model.replay import cdx
from webstrata.model.replay.cdx import CdxDialect, CdxOutput, CdxQuery, ListPosition
from webstrata.model.replay.cdx_filters import Collapse
from webstrata.model.replay.closest import by_closeness

log = structlog.get_logger()

MOST_READ = 1_000_000
"""The most captures that are read for one query; longer lists continue with pages or a resume key."""

_PART = 2_000
_FIRST_PART = 200


@dataclass(frozen=True)
class CdxLine:
    """A capture and its fields."""

    capture: ArchivedCapture
    values: Mapping[str, str]


def page_count(database: Database, query: CdxQuery) -> int:
    """Return how many pages a query has, before its filters: at least one."""
    with database.read() as session:
        captures = count_captures(session, _scope(query))
    return max(1, -(-captures // query.page_lines))


def find_lines(database: Database, query: CdxQuery) -> Iterator[CdxLine]:
    """Yield the lines of a query in its order; UsageError, before the first, when there is no such page."""
    if query.closest is not None:
        return _limit_lines(_filter_lines(_closest_captures(database, query), query), query)
    after = query.resume_after
    if query.page:
        with database.read() as session:
            after = position_of(session, _scope(query), query.page * query.page_lines)
            if after is None or not list_captures(session, _scope(query), after=after, limit=1):
                raise UsageError(f"page must be below the number of pages, {page_count(database, query)}")
    most = MOST_READ if query.page is None else query.page_lines
    if query.limit is not None and query.limit < 0:
        return _last_lines(database, query, after, most)
    return _limit_lines(_filter_lines(_captures(database, _scope(query), after, most, query.limit), query), query)


def _scope(query: CdxQuery) -> CaptureScope:
    return CaptureScope(query.keys, query.earliest, query.latest, query.is_reverse)


def _captures(
    database: Database, scope: CaptureScope, after: ListPosition | None, most: int, limit: int | None = None
) -> Iterator[ArchivedCapture]:
    """Yield captures, read in parts; the first part is small, as most queries need few."""
    size = min(_FIRST_PART if limit is None else max(1, limit), _PART)
    while most > 0:
        with database.read() as session:
            part = list_captures(session, scope, after=after, limit=min(size, most))
        yield from part
        if len(part) < min(size, most):
            return
        after, most, size = ListPosition.after(part[-1]), most - len(part), _PART
    log.info("cdx.list.cut", start=scope.keys.start)


def _closest_captures(database: Database, query: CdxQuery) -> list[ArchivedCapture]:
    """Return the captures of a URL around a moment, the closest first."""
    assert query.closest is not None
    with database.read() as session:
        near = closest.captures_near(session, query.keys.start, query.closest)
    within = (
        capture
        for capture in near
        if (query.earliest is None or capture.captured_at >= query.earliest)
        and (query.latest is None or capture.captured_at.replace(microsecond=0) <= query.latest)
    )
    return by_closeness(within, query.url, query.closest)


def _last_lines(database: Database, query: CdxQuery, after: ListPosition | None, most: int) -> Iterator[CdxLine]:
    """Yield the last lines of a list, in its order."""
    count = -(query.limit or 0)
    scope = _scope(query)
    if query.collapses or after is not None or query.page is not None:
        # Which of several equal neighbours is listed depends on the start of the list, so all lines before are read.
        return iter(deque(_filter_lines(_captures(database, scope, after, most), query), maxlen=count))
    reverse = CaptureScope(scope.keys, scope.earliest, scope.latest, not scope.is_reverse)
    found = list(islice(_filter_lines(_captures(database, reverse, None, most, count), query), count))
    return reversed(found)


def _filter_lines(captures: Iterable[ArchivedCapture], query: CdxQuery) -> Iterator[CdxLine]:
    """Yield the lines that pass the filters, and only the first of equal neighbours."""
    lines = (CdxLine(capture, cdx.field_values(capture)) for capture in captures)
    found: Iterator[CdxLine] = (line for line in lines if all(one.accepts(line.values) for one in query.filters))
    for collapse in query.collapses:
        found = _collapse_lines(found, collapse)
    return found


def _collapse_lines(lines: Iterable[CdxLine], collapse: Collapse) -> Iterator[CdxLine]:
    last: str | None = None
    for line in lines:
        part = collapse.part_of(line.values)
        if part != last:
            yield line
        last = part


def _limit_lines(lines: Iterator[CdxLine], query: CdxQuery) -> Iterator[CdxLine]:
    return islice(lines, query.offset, None if query.limit is None else query.offset + query.limit)


Write = Callable[[Mapping[str, str], Sequence[str]], str]


def write_lines(lines: Iterable[CdxLine], query: CdxQuery) -> Iterator[str]:
    """Yield the response to a query, a line at a time, in its dialect; at its end a resume key if requested."""
    names = query.fields or cdx.DEFAULT_FIELDS[query.dialect]
    if query.dialect is CdxDialect.IA and query.output is CdxOutput.JSON:
        yield from _lists(lines, query, names)
        return
    write, last = _writer(query), None
    for line in lines:
        yield f"{write(line.values, names)}\n"
        last = line
    if query.shows_resume_key and last is not None and _has_more(query):
        yield f"\n{ListPosition.after(last.capture).text}\n"


def _writer(query: CdxQuery) -> Write:
    if query.output is CdxOutput.JSON:
        return cdx.line_object
    is_cdxj = query.dialect is CdxDialect.PYWB and not query.fields
    return cdx.line_cdxj if query.output is CdxOutput.CDXJ or is_cdxj else cdx.line_text


def _lists(lines: Iterable[CdxLine], query: CdxQuery, names: Sequence[str]) -> Iterator[str]:
    """Yield a JSON list of lists, the first with the names of the fields; an empty list when there are no lines."""
    last = None
    for line in lines:
        before = f"[{cdx.json_list(names)},\n" if last is None else ",\n"
        yield f"{before}{cdx.line_list(line.values, names)}"
        last = line
    if last is None:
        yield "[]\n"
        return
    if query.shows_resume_key and _has_more(query):
        yield f",\n[],\n{cdx.json_list([ListPosition.after(last.capture).text])}"
    yield "]\n"


def _has_more(query: CdxQuery) -> bool:
    """Return whether a list may continue; one without a limit was read to its end."""
    return query.limit is not None and query.limit > 0
