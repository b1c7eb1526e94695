"""Calendars: the days of a year on which a page or a source was captured."""

import calendar
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from webstrata.db.operations import catalog
from webstrata.db.retention.tombstones import missing_snapshot
from webstrata.errors import NotFoundError
from webstrata.http.dependencies import Code, Parts, SnapshotId
from webstrata.web.failures import PageRoute
from webstrata.web.pages import render

router = APIRouter(route_class=PageRoute, include_in_schema=False)

Year = Annotated[int | None, Query(ge=1, le=9999)]


@dataclass(frozen=True)
class CalendarDay:
    """A day of a month; without a date it is a day of the month before or after."""

    day: date | None
    captures: int = 0
    path: str | None = None


@dataclass(frozen=True)
class CalendarMonth:
    """A month with captures, in weeks from Monday to Sunday."""

    name: str
    captures: int
    weeks: tuple[tuple[CalendarDay, ...], ...]


@router.get("/calendar/page/{snapshot_id}")
def page_calendar(snapshot_id: SnapshotId, request: Request, app: Parts, year: Year = None) -> HTMLResponse:
    """Show on which days a snapshot's page was captured."""
    with app.database.read() as session:
        found = catalog.snapshot(session, snapshot_id)
        if found is None:
            raise missing_snapshot(session, snapshot_id, "There is no such snapshot in this archive")
        captures = catalog.timeline(session, found)
    days = Counter(one.captured_at.astimezone(UTC).date() for one in captures)
    last = {one.captured_at.astimezone(UTC).date(): f"/snapshot/{one.id}" for one in captures}
    shown = year or found.captured_at.astimezone(UTC).year
    return _show(
        request,
        days,
        last,
        shown,
        title=found.title or found.url,
        back=("Back to the snapshot", f"/snapshot/{snapshot_id}"),
    )


@router.get("/calendar/source/{code}")
def source_calendar(code: Code, request: Request, app: Parts, year: Year = None) -> HTMLResponse:
    """Show on which days pages of a source were captured."""
    with app.database.read() as session:
        source = next((one for one in catalog.sources(session) if one.code == code), None)
        if source is None:
            raise NotFoundError("There is no such source in this archive")
        days = catalog.captures_by_day(session, code)
    pages = {day: f"/search?source={code}&from={day}&to={day}&view=snapshots" for day in days}
    shown = year or max(days, default=date(1, 1, 1)).year
    return _show(request, days, pages, shown, title=source.name, back=("Search this source", f"/search?source={code}"))


def months_of(year: int, days: Mapping[date, int], paths: Mapping[date, str]) -> list[CalendarMonth]:
    """Return the months of a year that have captures."""
    months = sorted({day.month for day in days if day.year == year})
    return [_month(year, month, days, paths) for month in months]


def _month(year: int, month: int, days: Mapping[date, int], paths: Mapping[date, str]) -> CalendarMonth:
    weeks = tuple(
        tuple(_calendar_day(date(year, month, number) if number else None, days, paths) for number in week)
        for week in calendar.monthcalendar(year, month)
    )
    captures = sum(day.captures for week in weeks for day in week)
    return CalendarMonth(calendar.month_name[month], captures, weeks)


def _calendar_day(day: date | None, days: Mapping[date, int], paths: Mapping[date, str]) -> CalendarDay:
    return CalendarDay(None) if day is None else CalendarDay(day, days.get(day, 0), paths.get(day))


def _show(
    request: Request,
    days: Mapping[date, int],
    paths: Mapping[date, str],
    year: int,
    *,
    title: str,
    back: tuple[str, str],
) -> HTMLResponse:
    return render(
        request,
        "calendar.html",
        name=title,
        back_words=back[0],
        back=back[1],
        year=year,
        years=_by_year(days),
        months=months_of(year, days, paths),
        week=tuple(calendar.day_name),
    )


def _by_year(days: Mapping[date, int]) -> list[tuple[int, int]]:
    """Return the years with captures and how many each has, the newest first."""
    counted: Counter[int] = Counter()
    for day, captures in days.items():
        counted[day.year] += captures
    return sorted(counted.items(), reverse=True)
