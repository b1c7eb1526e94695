"""Lists of captures: of one URL by year, or of all URLs with a prefix."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby

from fastapi import Request
from fastapi.responses import Response

from webstrata.app import App
from webstrata.db.replay.cdx import CaptureScope, count_captures, list_captures
from webstrata.http.headers import framed_by
from webstrata.model.captures import ArchivedCapture
from webstrata.model.replay.replay_address import REPLAY_PATH, ReplayAddress, archived_url, plain_url, replay_path
from webstrata.model.replay.url_ranges import MatchType, key_range, read_pattern
from webstrata.model.timestamps import earliest_moment, latest_moment
from webstrata.web.pages import render

MOST_CAPTURES = 500
"""The most captures of a URL that a page lists: the newest of all, or of a year."""

MOST_URLS = 300
MOST_READ = 10_000
"""Captures that are read to list the URLs with a prefix."""

MOST_YEARS = 60


@dataclass(frozen=True)
class CapturedYear:
    """A year with its number of captures of a URL, and the link to their list."""

    year: int
    captures: int
    path: str


@dataclass(frozen=True)
class CapturedUrl:
    """A URL in a list: how often it was captured, and its first and last capture."""

    url: str
    captures: int
    first: datetime
    last: datetime
    mime_type: str | None
    path: str


def show_captures(request: Request, app: App, address: ReplayAddress) -> Response:
    """Return the page that lists the captures of an address; UsageError when the address has no URL."""
    written, match_type = read_pattern(address.url)
    scope = CaptureScope(key_range(written, match_type), is_reverse=match_type is MatchType.EXACT)
    if address.timestamp:
        earliest, latest = earliest_moment(address.timestamp), latest_moment(address.timestamp)
        scope = replace(scope, earliest=earliest, latest=latest)
    if match_type is MatchType.EXACT:
        return _show_url(request, app, scope, archived_url(written), address.timestamp)
    return _show_urls(request, app, scope, address)


def _show_url(request: Request, app: App, scope: CaptureScope, url: str, period: str) -> Response:
    with app.database.read() as session:
        listed = list_captures(session, scope, limit=MOST_CAPTURES)
        total = count_captures(session, scope)
    return render(
        request,
        "captures.html",
        status=200 if total else 404,
        headers=framed_by(app.settings.cors_origins),
        url=url,
        period=period,
        total=total,
        listed=[(capture, replay_path(capture.timestamp, capture.url)) for capture in listed],
        years=_years(app, scope, url),
        all_path=f"{REPLAY_PATH}*/{plain_url(url)}",
    )


def _years(app: App, scope: CaptureScope, url: str) -> list[CapturedYear]:
    """Return the years in which a URL was captured, the newest first."""
    whole = CaptureScope(scope.keys)
    with app.database.read() as session:
        first = list_captures(session, whole, limit=1)
        last = list_captures(session, replace(whole, is_reverse=True), limit=1)
        if not first or not last:
            return []
        newest, oldest = last[0].captured_at.year, first[0].captured_at.year
        years = range(newest, max(oldest, newest - MOST_YEARS) - 1, -1)
        counts = {year: count_captures(session, _within(whole, year)) for year in years}
    path = plain_url(url)
    return [CapturedYear(year, count, f"{REPLAY_PATH}{year}*/{path}") for year, count in counts.items() if count]


def _within(scope: CaptureScope, year: int) -> CaptureScope:
    return replace(
        scope,
        earliest=datetime(year, 1, 1, tzinfo=UTC),
        latest=datetime(year, 12, 31, 23, 59, 59, tzinfo=UTC),
    )


def _show_urls(request: Request, app: App, scope: CaptureScope, address: ReplayAddress) -> Response:
    with app.database.read() as session:
        read = list_captures(session, scope, limit=MOST_READ)
    urls = list(_captured_urls(read))
    return render(
        request,
        "captured_urls.html",
        status=200 if urls else 404,
        headers=framed_by(app.settings.cors_origins),
        pattern=address.url,
        urls=urls[:MOST_URLS],
        is_cut=len(urls) > MOST_URLS or len(read) == MOST_READ,
    )


def _captured_urls(captures: Iterable[ArchivedCapture]) -> Iterable[CapturedUrl]:
    for _, group in groupby(captures, key=lambda capture: capture.url_key):
        of_url = list(group)
        last = of_url[-1]
        path = f"{REPLAY_PATH}*/{plain_url(last.url)}"
        yield CapturedUrl(last.url, len(of_url), of_url[0].captured_at, last.captured_at, last.mime_type, path)
