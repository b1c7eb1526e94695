"""Links and resources of a captured page, and the capture of each that is closest in time; no WARC file is read."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Row, ScalarSelect, func, or_, select
from sqlalchemy.orm import Session

from webstrata.content.link_record import stored_requisites
from webstrata.db.captures.snapshots import is_ok
from webstrata.db.links import capture_links
from webstrata.db.links.capture_links import LinksKey, links_key
from webstrata.db.operations.catalog import HIDDEN_SOURCE, snapshot_rows, to_view
from webstrata.db.queue import jobs
from webstrata.db.schema.crawl_tables import CrawlTask
from webstrata.db.schema.link_tables import PageSignal, SnapshotOutlink
from webstrata.db.schema.tables import Capture, Snapshot, Source
from webstrata.db.sql.planner_hints import unindexed
from webstrata.errors import UsageError
from webstrata.model.archive import SnapshotView
from webstrata.model.captures import PageResource, PageResources, why_unusable
from webstrata.model.content_types import CSS_TYPE
from webstrata.model.crawl.tasks import MAX_NESTING, TaskStatus
from webstrata.model.crawl.traps import without_session_id
from webstrata.model.jobs.job import JobConfig
from webstrata.model.urls import surt, url_key

MOST_RESOURCES = 1_000
"""The most resources of one page that are looked up."""

_NEAR = timedelta(days=1)
"""Captures of the same job within this time of the page are looked up first, all in one query."""

_MOST_ELSEWHERE = 200
"""The most resources that are looked up one by one, in other jobs and at any time."""

_AT_ONCE = 400
_CAPTURES = select(
    *(Capture.id, Capture.url, Capture.url_key, Capture.capture_timestamp, Capture.status_code, Capture.mime_type),
    *(Capture.job_id, Capture.warc_file_id, Capture.warc_offset, Capture.refers_to),
)
_Found = Row[*tuple[object, ...]]


@dataclass(frozen=True)
class PageLink:
    """A page that another one links to."""

    address: str
    """The name of the page: its address without the parts that do not distinguish pages."""
    capture: SnapshotView | None
    """The good capture closest in time; None without one."""


@dataclass(frozen=True)
class CapturedLinks:
    """Some links of a captured page, archived ones first, and their total number."""

    shown: tuple[PageLink, ...]
    total: int


def links_of(session: Session, of: SnapshotView, *, most: int) -> CapturedLinks:
    """Return the pages that a capture links to, each with its capture closest in time."""
    holder = select(Snapshot.outlinks_from).where(Snapshot.id == of.id).scalar_subquery()
    linked = SnapshotOutlink.snapshot_id == holder
    total = session.scalar(select(func.count()).select_from(SnapshotOutlink).where(linked)) or 0
    rows = session.execute(
        select(PageSignal.normalized_url_group, _nearest(of, before=True), _nearest(of, before=False))
        .join(SnapshotOutlink, SnapshotOutlink.target_id == PageSignal.id)
        .where(linked)
        .order_by(PageSignal.snapshot_id.is_(None), PageSignal.normalized_url_group)
        .limit(most)
    ).all()
    views = _views(session, {number for row in rows for number in row[1:]})
    shown = (PageLink(row[0], closest(of.captured_at, [views[n] for n in row[1:] if n in views])) for row in rows)
    return CapturedLinks(tuple(shown), total)


def closest(moment: datetime, captures: Sequence[SnapshotView]) -> SnapshotView | None:
    """Return the capture that is closest to a moment."""
    return min(captures, key=lambda capture: abs(capture.captured_at - moment), default=None)


def _nearest(of: SnapshotView, *, before: bool) -> ScalarSelect[int]:
    """Select a page's last good capture before a capture, or its first one after."""
    at = Snapshot.capture_timestamp
    return (
        select(Snapshot.id)
        .where(
            Snapshot.normalized_url_group == PageSignal.normalized_url_group,
            at <= of.captured_at if before else at > of.captured_at,
            is_ok(),
            _is_public_beside(of),
        )
        .order_by(at.desc() if before else at)
        .limit(1)
        .correlate(PageSignal)
        .scalar_subquery()
    )


def _is_public_beside(of: SnapshotView) -> ColumnElement[bool]:
    """Select captures that readers may see beside a given one: those of the hidden source only with one of its own."""
    hidden = select(Source.id).where(Source.code == HIDDEN_SOURCE, Source.code != of.source_code).scalar_subquery()
    return or_(hidden.is_(None), Snapshot.source_id != hidden)


def _views(session: Session, ids: Collection[int]) -> dict[int, SnapshotView]:
    rows = session.execute(snapshot_rows().where(Snapshot.id.in_(ids)))
    return {view.id: view for view in map(to_view, rows)}


@dataclass(frozen=True)
class _Page:
    """The capture of a page whose resources are looked for."""

    job_id: int | None
    source_code: str
    captured_at: datetime


def resources_of(session: Session, snapshot_id: int) -> PageResources:
    """Return the resources of a captured page, and which of them are archived."""
    row = session.execute(
        _CAPTURES.add_columns(Source.code)
        .join(Snapshot, Snapshot.capture_id == Capture.id)
        .join(Source, Source.id == Snapshot.source_id)
        .where(Snapshot.id == snapshot_id)
    ).one_or_none()
    needed = None if row is None else _needed_urls(session, [row])
    if row is None or needed is None:
        return PageResources(is_known=False)
    return _Search(session, _Page(row.job_id, row.code, row.capture_timestamp)).run(needed)


class _Search:
    """Looks up the resources of one page, including those of its style sheets."""

    def __init__(self, session: Session, page: _Page) -> None:
        self._session = session
        self._page = page
        self._found: dict[str, _Found | None] = {}
        self._elsewhere = 0

    def run(self, needed: Sequence[str]) -> PageResources:
        for _ in range(MAX_NESTING):
            fresh = [url for url in dict.fromkeys(needed) if url not in self._found]
            room = MOST_RESOURCES - len(self._found)
            self._found |= self._captures(fresh[:room])
            if not fresh or len(fresh) > room:
                break
            sheets = [row for url in fresh if (row := self._found[url]) is not None and row.mime_type == CSS_TYPE]
            needed = _needed_urls(self._session, sheets) or ()
        else:
            fresh = []
        reasons = self._reasons([url for url, row in self._found.items() if row is None])
        listed = tuple(_resource(url, row, reasons) for url, row in self._found.items())
        return PageResources(listed, is_cut=len(listed) == MOST_RESOURCES)

    def _captures(self, urls: Sequence[str]) -> dict[str, _Found | None]:
        near: dict[str, list[_Found]] = {}
        page = self._page
        for start in range(0, len(urls), _AT_ONCE):
            asked = list(map(without_session_id, urls[start : start + _AT_ONCE]))
            statement = _CAPTURES.where(
                Capture.url_key.in_([surt(url) for url in asked]),
                Capture.capture_timestamp.between(page.captured_at - _NEAR, page.captured_at + _NEAR),
                unindexed(Capture.job_id) == page.job_id,
            )
            for row in self._session.execute(statement):
                near.setdefault(row.url, []).append(row)
        return {url: self._closest(near.get(without_session_id(url), ())) or self._other(url) for url in urls}

    def _closest(self, rows: Iterable[_Found]) -> _Found | None:
        at = self._page.captured_at
        return min(
            rows,
            key=lambda row: (why_unusable(row.status_code) is not None, abs(row.capture_timestamp - at)),
            default=None,
        )

    def _other(self, url: str) -> _Found | None:
        """Return the capture closest in time by any job whose captures the readers of the page may see."""
        self._elsewhere += 1
        if self._elsewhere > _MOST_ELSEWHERE:
            return None
        at, url = Capture.capture_timestamp, without_session_id(url)
        hidden = select(Source.id).where(Source.code == HIDDEN_SOURCE, Source.code != self._page.source_code)
        is_public = or_(hidden.scalar_subquery().is_(None), Capture.source_id != hidden.scalar_subquery())
        of_url = _CAPTURES.where(Capture.url_key == surt(url), Capture.url == url, is_public)
        before = of_url.where(at <= self._page.captured_at).order_by(at.desc()).limit(1)
        after = of_url.where(at > self._page.captured_at).order_by(at).limit(1)
        return self._closest([row for one in (before, after) for row in self._session.execute(one)])

    def _reasons(self, urls: Sequence[str]) -> dict[str, str]:
        """Return why URLs were not captured: by their tasks, else by the settings of the job."""
        job_id = self._page.job_id
        if job_id is None or not urls:
            return {}
        tasks = _tasks(self._session, job_id, urls)
        config = _config(self._session, job_id)
        return {url: tasks.get(url_key(without_session_id(url))) or _why_left_out(url, config) for url in urls}


def _needed_urls(session: Session, rows: Sequence[_Found]) -> list[str] | None:
    """Return what captured pages and style sheets load, in order; None when this is not stored for any of them."""
    holders = _holders(session, {str(row.refers_to) for row in rows if row.refers_to})
    keys: list[LinksKey] = []
    for row in rows:
        file_id, offset = holders.get(row.refers_to or "", (row.warc_file_id, row.warc_offset))
        if file_id is not None and offset is not None:
            keys.append(links_key(file_id, offset, row.url))
    stored = capture_links.stored_links(session, keys)
    known = [urls for key in keys if key in stored and (urls := stored_requisites(stored[key])) is not None]
    return [url for urls in known for url in urls] if known else None


def _holders(session: Session, record_ids: Collection[str]) -> dict[str, tuple[int, int]]:
    """Return where the payloads lie that revisit records refer to."""
    if not record_ids:
        return {}
    held = select(Capture.warc_record_id, Capture.warc_file_id, Capture.warc_offset)
    rows = session.execute(held.where(Capture.warc_record_id.in_(record_ids), Capture.record_type == "response"))
    return {row.warc_record_id: (row.warc_file_id, row.warc_offset) for row in rows}


def _tasks(session: Session, job_id: int, urls: Sequence[str]) -> dict[str, str]:
    """Return the results of a job's tasks for URLs, in words, by their keys."""
    found: dict[str, str] = {}
    columns = select(CrawlTask.url, CrawlTask.url_key, CrawlTask.status, CrawlTask.last_error)
    for start in range(0, len(urls), _AT_ONCE):
        keys = [url_key(without_session_id(url)) for url in urls[start : start + _AT_ONCE]]
        for row in session.execute(columns.where(CrawlTask.job_id == job_id, CrawlTask.url_key.in_(keys))):
            reason = (row.last_error or "").removeprefix(f"{row.url}: ")
            waits = row.status in (TaskStatus.PENDING, TaskStatus.IN_PROGRESS)
            found[row.url_key] = (
                f"not fetched yet{f': {reason}' if reason else ''}" if waits else reason or "not stored"
            )
    return found


def _config(session: Session, job_id: int) -> JobConfig | None:
    try:
        return jobs.load_job(session, job_id).config
    except UsageError:
        # The settings may be from another version of the program and unknown to this one.
        return None


def _why_left_out(url: str, config: JobConfig | None) -> str:
    if config is None or not config.seeds:
        return "not captured"
    if config.crawl.get("capture_requisites") is False:
        return "the job captured no page requisites"
    outside = config.rules.why_not_requisite(url)
    return "not fetched" if outside is None else f"out of scope: {outside}"


def _resource(url: str, row: _Found | None, reasons: dict[str, str]) -> PageResource:
    if row is None:
        return PageResource(url, reason=reasons.get(url, "not captured"))
    return PageResource(url, row.status_code, row.capture_timestamp, why_unusable(row.status_code), row.id)
