"""Queries of the site diff: the runs of a source, and the pages of two runs compared by the database."""

# ruff: noqa: S608 - all parts of the statements are ours

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Row, TextClause, bindparam, func, or_, select, text
from sqlalchemy.orm import Session, defer

from webstrata.db.schema.change_tables import JobTemplate, SnapshotChange
from webstrata.db.schema.crawl_tables import CrawlTask
from webstrata.db.schema.tables import ArchiveJob, Snapshot
from webstrata.db.sql.value_lists import Among
from webstrata.model.changes.values import Reason
from webstrata.model.crawl.tasks import TaskStatus
from webstrata.model.jobs.job import EDITIONS, JobStatus
from webstrata.model.quality import GOOD
from webstrata.model.watching.site_diff import ChangedPage, LastResponse, SitePage, SiteRun
from webstrata.model.words import counted

MOST_RUNS = 200
"""The most runs of a source that are read, newest first."""

MOST_PAGES = 200_000
"""The most pages of only one of two runs that are read."""

_KEYS_AT_ONCE = 2_000


@dataclass(frozen=True)
class CrawlDefaults:
    """The limits of crawls whose jobs do not name their own."""

    max_depth: int
    max_pages: int


class OneSidedPage(NamedTuple):
    """A page with a good capture in only one of two runs."""

    page: str
    old_id: int | None
    new_id: int | None


@dataclass(frozen=True)
class PageContent:
    """The content of a page that is compared to find moved pages."""

    snapshot_id: int
    url: str
    title: str
    document_id: int | None
    text_hash: str | None
    fingerprint: int | None


@dataclass(frozen=True)
class StoredResponse:
    """A run's response for a URL, and the position of its record."""

    url: str
    status_code: int | None
    warc_path: str
    output_dir: str
    offset: int
    length: int


def list_runs(session: Session, source_id: int, defaults: CrawlDefaults, ending: int | None = None) -> list[SiteRun]:
    """Return the runs of a source with captured pages, newest first, including `ending`, which is about to end."""
    return [*iterate_runs(session, source_id, defaults, ending)]


def iterate_runs(
    session: Session, source_id: int, defaults: CrawlDefaults, ending: int | None = None
) -> Iterator[SiteRun]:
    """Yield the runs of a source with captured pages, newest first; each is looked up only when it is read."""
    at = Snapshot.capture_timestamp
    captured = select(at).where(Snapshot.job_id == ArchiveJob.id).correlate(ArchiveJob).limit(1)
    first, last = captured.order_by(at).scalar_subquery(), captured.order_by(at.desc()).scalar_subquery()
    rows = session.execute(
        select(ArchiveJob, first, last)
        .where(
            ArchiveJob.source_id == source_id,
            first.is_not(None),
            or_(ArchiveJob.status.in_(EDITIONS), ArchiveJob.id == ending),
        )
        .order_by(ArchiveJob.id.desc())
        .limit(MOST_RUNS)
    ).all()
    yield from (_run(session, job, begun, ended, defaults) for job, begun, ended in rows)


def _run(session: Session, job: ArchiveJob, first: datetime, last: datetime, defaults: CrawlDefaults) -> SiteRun:
    config = dict(job.config or {})
    crawl = config.get("crawl")
    limits = crawl if isinstance(crawl, Mapping) else {}
    return SiteRun(
        job_id=job.id,
        name=job.name,
        status=JobStatus(job.status),
        started_at=job.started_at or job.created_at,
        first_capture=first,
        last_capture=last,
        snapshots=job.indexed_page_count,
        config=config,
        max_depth=int(limits.get("max_depth", defaults.max_depth)),
        max_pages=int(limits.get("max_pages", defaults.max_pages)),
        waiting=_waiting(session, job),
        deepest=session.scalar(
            # The priority of a page is its depth, which is in the index.
            select(func.max(CrawlTask.priority)).where(
                CrawlTask.job_id == job.id, CrawlTask.status == TaskStatus.FINISHED
            )
        ),
    )


def _waiting(session: Session, job: ArchiveJob) -> int | None:
    """Return how many URLs a job did not fetch: from its tasks, or from its report if these are deleted."""
    known = select(CrawlTask.id).where(CrawlTask.job_id == job.id)
    if session.scalar(known.limit(1)) is not None:
        left = known.where(CrawlTask.status.in_((TaskStatus.PENDING, TaskStatus.IN_PROGRESS))).subquery()
        return session.scalar(select(func.count()).select_from(left)) or 0
    stats = job.last_stats_json or {}
    pending, in_progress = stats.get("pending"), stats.get("in_progress")
    return pending + in_progress if isinstance(pending, int) and isinstance(in_progress, int) else None


def one_sided_pages(session: Session, older: int, newer: int) -> list[OneSidedPage]:
    """Return the pages with a good capture in only one of two runs, sorted by address."""
    rows = session.execute(_ONE_SIDED, {"older": older, "newer": newer, "most": MOST_PAGES + 1})
    return [OneSidedPage(*row) for row in rows]


def changed_pages(session: Session, source_id: int, older: SiteRun, newer: SiteRun, most: int) -> list[ChangedPage]:
    """Return the pages of both runs that changed between them, the most significant first."""
    rows = session.execute(_CHANGED, {**_between(source_id, older, newer), "most": most}).all()
    events = _events(session, [row.new_id for row in rows])
    return [_changed_page(row, events.get(row.new_id)) for row in rows]


def count_changed(session: Session, source_id: int, older: SiteRun, newer: SiteRun) -> int:
    """Return how many pages of both runs changed between them."""
    return int(session.execute(_COUNT_CHANGED, _between(source_id, older, newer)).scalar_one())


def _between(source_id: int, older: SiteRun, newer: SiteRun) -> dict[str, object]:
    return {
        "source_id": source_id,
        "older": older.job_id,
        "newer": newer.job_id,
        "after": older.first_capture,
        "until": newer.last_capture,
    }


def _changed_page(row: Row[Any], event: SnapshotChange | None) -> ChangedPage:
    page = SitePage(row.page, row.new_id, row.title or "")
    is_whole = event is not None and event.from_snapshot_id == row.old_id
    summary = (event.summary if event is not None and is_whole else None) or counted(int(row.changes), "change")
    reasons = event.reasons if event is not None and is_whole else None
    return ChangedPage(
        page,
        row.old_id,
        float(row.significance),
        int(row.changes),
        summary,
        tuple(Reason(**reason) for reason in reasons or ()),
    )


def _events(session: Session, snapshot_ids: Collection[int]) -> dict[int, SnapshotChange]:
    found: dict[int, SnapshotChange] = {}
    for ids in _batches([*snapshot_ids]):
        query = (
            select(SnapshotChange)
            .where(SnapshotChange.to_snapshot_id.in_(ids))
            .options(defer(SnapshotChange.diff_html))
        )
        found |= {event.to_snapshot_id: event for event in session.scalars(query)}
    return found


def unlinked_pages(session: Session, older: int, newer: int, unseen: Collection[int] = ()) -> list[SitePage]:
    """Return the pages of both runs that pages of the older run link to, but none of the newer, sorted by address.

    `unseen` are snapshots of the older run whose pages may still exist without a good capture in the newer one: their
    link targets may still be linked. Links that both runs share are read only for pages that may have lost their last
    link.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(_IN_MEMORY)
    lost = [*session.execute(_LOST_TARGETS, {"older": older, "newer": newer}).scalars()]
    both: dict[int, SitePage] = {}
    for ids in _batches(lost):
        names = {row.page: row.id for row in _NAMES.execute(session, {"targets": ids})}
        before, after = (pages_of_run(session, run, names) for run in (older, newer))
        both |= {names[page]: after[page] for page in before if page in after}
    if not both:
        return []
    # At once: in batches, every batch would go through all links of both runs.
    linked = {*_STILL_LINKED.execute(session, {"targets": [*both]}, older=older, newer=newer).scalars()}
    linked |= {*_LINKED_FROM.execute(session, {"ids": [*unseen], "targets": [*both]}).scalars()}
    return sorted((page for number, page in both.items() if number not in linked), key=lambda page: page.page)


def page_contents(session: Session, snapshot_ids: Collection[int]) -> dict[int, PageContent]:
    """Return what is compared of pages, by snapshot."""
    found: dict[int, PageContent] = {}
    for ids in _batches([*snapshot_ids]):
        rows = _CONTENTS.execute(session, {"ids": ids})
        found |= {row.id: PageContent(*row) for row in rows}
    return found


def bad_responses(session: Session, job_id: int, pages: Collection[str]) -> dict[str, LastResponse]:
    """Return which of some pages a run captured only as an error, a block page, a soft 404 or the like."""
    found: dict[str, LastResponse] = {}
    for some in _batches([*pages]):
        rows = _BAD.execute(session, {"pages": some}, job_id=job_id)
        found |= {row.page: LastResponse(row.status_code, row.quality_kind) for row in rows}
    return found


def pages_of_run(session: Session, job_id: int, pages: Collection[str]) -> dict[str, SitePage]:
    """Return the last good capture by a run of each of some pages."""
    found: dict[str, SitePage] = {}
    for some in _batches([*pages]):
        rows = _OF_RUN.execute(session, {"pages": some}, job_id=job_id)
        found |= {row.page: SitePage(row.page, row.id, row.title or "") for row in rows}
    return found


def failed_urls(session: Session, job_id: int) -> dict[str, str]:
    """Return the URLs without a response in a run, and why."""
    rows = session.execute(
        select(CrawlTask.url, CrawlTask.last_error)
        .where(CrawlTask.job_id == job_id, CrawlTask.status == TaskStatus.ERROR)
        .limit(MOST_PAGES)
    )
    return {row.url: (row.last_error or "no response").removeprefix(f"{row.url}: ") for row in rows}


def responses_of(session: Session, job_id: int, url_keys: Collection[str]) -> dict[str, StoredResponse]:
    """Return the last response that a run got from URLs, by URL."""
    found: dict[str, StoredResponse] = {}
    for keys in _batches([*url_keys]):
        rows = _RESPONSES.execute(session, {"keys": keys}, job_id=job_id)
        found |= {row.url: StoredResponse(*row) for row in rows}
    return found


def good_urls(session: Session, job_id: int) -> Iterator[list[str]]:
    """Yield the URLs that a run has good captures of, some at a time."""
    last = 0
    while rows := session.execute(_GOOD_URLS, {"job_id": job_id, "last": last, "most": _KEYS_AT_ONCE}).all():
        yield [row.url for row in rows]
        last = rows[-1].id


def template_pages(session: Session, job_id: int) -> int:
    """Return the number of pages that the template of a run was computed from."""
    return session.scalar(select(JobTemplate.pages).where(JobTemplate.job_id == job_id)) or 0


def _batches(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(values), _KEYS_AT_ONCE):
        yield values[start : start + _KEYS_AT_ONCE]


IS_GOOD = (
    f"CASE WHEN s.quality IS NOT NULL THEN s.quality >= {GOOD}"
    " ELSE s.status_code IS NULL OR s.status_code BETWEEN 200 AND 299 END"
)
# The last good capture of each page by each of the two runs, in one pass over their snapshots. Grouped by an
# expression, as with an index SQLite would read all pages of the archive.
_PAGES = f"""WITH pages AS MATERIALIZED (
  SELECT coalesce(s.normalized_url_group, '') AS page, max(CASE WHEN s.job_id = :older THEN s.id END) AS old_id,
    max(CASE WHEN s.job_id = :newer THEN s.id END) AS new_id
  FROM snapshots s
  WHERE s.job_id IN (:older, :newer) AND {IS_GOOD}
  GROUP BY coalesce(s.normalized_url_group, ''))"""

_GOOD_URLS = text(
    f"SELECT s.id, s.url FROM snapshots s WHERE s.job_id = :job_id AND s.id > :last AND {IS_GOOD}"
    " ORDER BY s.id LIMIT :most"
)
_ONE_SIDED = text(
    f"{_PAGES} SELECT page, old_id, new_id FROM pages"
    " WHERE (old_id IS NULL OR new_id IS NULL) AND page <> '' ORDER BY page LIMIT :most"
)


def _with_moments(query: str) -> TextClause:
    moment = Snapshot.capture_timestamp.type
    return text(query).bindparams(bindparam("after", type_=moment), bindparam("until", type_=moment))


# The second condition on the type is that of the index of events without the unchanged captures.
_EDITED = """WITH edited AS MATERIALIZED (
  SELECT c.id AS id, c.normalized_url_group AS page, c.to_capture_timestamp AS at, c.significance AS significance
  FROM snapshot_changes c
  WHERE c.source_id = :source_id AND c.change_type = 'updated' AND c.change_type <> 'unchanged'
    AND c.to_capture_timestamp > :after AND c.to_capture_timestamp <= :until)"""
# CROSS JOIN makes SQLite go from the edits to the captures of their pages by both runs; the sum keeps it from using
# another index than that of pages. A page that has its old content again is not changed.
_CHANGED_PAGES = f""", changed AS (
  SELECT e.page AS page, max(o.id) AS old_id, max(s.id) AS new_id, count(DISTINCT e.id) AS changes,
    max(e.significance) AS significance
  FROM edited e CROSS JOIN snapshots o CROSS JOIN snapshots s
  WHERE o.normalized_url_group = e.page AND o.job_id + 0 = :older AND {IS_GOOD.replace("s.", "o.")}
    AND s.normalized_url_group = e.page AND s.job_id + 0 = :newer AND {IS_GOOD}
    AND e.at > o.capture_timestamp AND e.at <= s.capture_timestamp
    AND coalesce(o.content_hash, '') <> coalesce(s.content_hash, '-')
  GROUP BY e.page)"""
_CHANGED = _with_moments(
    f"{_EDITED}{_CHANGED_PAGES} SELECT c.page, c.old_id, c.new_id, n.title, c.changes, c.significance"
    " FROM changed c JOIN snapshots n ON n.id = c.new_id ORDER BY c.significance DESC, c.page LIMIT :most"
)
_COUNT_CHANGED = _with_moments(f"{_EDITED}{_CHANGED_PAGES} SELECT count(*) FROM changed")

# Sets of links, which pages share while their links stay the same: those of one run only, and those of both.
_SETS = f"""WITH old_sets AS MATERIALIZED (
  SELECT DISTINCT s.outlinks_from AS id FROM snapshots s WHERE s.job_id = :older AND {IS_GOOD}),
new_sets AS MATERIALIZED (
  SELECT DISTINCT s.outlinks_from AS id FROM snapshots s WHERE s.job_id = :newer AND {IS_GOOD})"""
_IN_MEMORY = text("SELECT set_config('work_mem', '64MB', true)")
"""More memory until the transaction ends; otherwise PostgreSQL would write the links of a large run to disk."""
_LOST_TARGETS = text(
    f"{_SETS}"
    " SELECT DISTINCT l.target_id FROM (SELECT id FROM old_sets EXCEPT SELECT id FROM new_sets) o"
    " CROSS JOIN snapshot_outlinks l WHERE l.snapshot_id = o.id"
    " EXCEPT SELECT DISTINCT l.target_id FROM (SELECT id FROM new_sets EXCEPT SELECT id FROM old_sets) n"
    " CROSS JOIN snapshot_outlinks l WHERE l.snapshot_id = n.id"
)
_STILL_LINKED = Among(
    f"{_SETS}"
    " SELECT DISTINCT l.target_id FROM (SELECT id FROM old_sets INTERSECT SELECT id FROM new_sets) b"
    " CROSS JOIN snapshot_outlinks l WHERE l.snapshot_id = b.id AND l.target_id IN <targets>",
    (("targets", "bigint"),),
)
_LINKED_FROM = Among(
    "SELECT DISTINCT l.target_id FROM snapshots s CROSS JOIN snapshot_outlinks l"
    " WHERE s.id IN <ids> AND l.snapshot_id = s.outlinks_from AND l.target_id IN <targets>",
    (("ids", "bigint"), ("targets", "bigint")),
)
_NAMES = Among(
    "SELECT g.id, g.normalized_url_group AS page FROM page_signals g WHERE g.id IN <targets>",
    (("targets", "bigint"),),
    few=True,
)
_CONTENTS = Among(
    "SELECT s.id, s.url, coalesce(s.title, '') AS title, s.document_id, d.text_hash, d.fingerprint"
    " FROM snapshots s LEFT JOIN documents d ON d.id = s.document_id WHERE s.id IN <ids>",
    (("ids", "bigint"),),
)
# The sign keeps the databases from reading all snapshots of the job for each page.
_BAD = Among(
    "SELECT s.normalized_url_group AS page, s.status_code, s.quality_kind FROM snapshots s"
    " WHERE s.normalized_url_group IN <pages> AND s.job_id + 0 = :job_id ORDER BY s.capture_timestamp, s.id",
    (("pages", "text"),),
)
_OF_RUN = Among(
    "SELECT s.normalized_url_group AS page, s.id, s.title FROM snapshots s"
    f" WHERE s.normalized_url_group IN <pages> AND s.job_id + 0 = :job_id AND {IS_GOOD}"
    " ORDER BY s.capture_timestamp, s.id",
    (("pages", "text"),),
)
_RESPONSES = Among(
    "SELECT c.url, c.status_code, f.path, j.output_dir, c.warc_offset, c.warc_length FROM captures c"
    " JOIN warc_files f ON f.id = c.warc_file_id JOIN archive_jobs j ON j.id = c.job_id"
    " WHERE c.url_key IN <keys> AND c.job_id + 0 = :job_id ORDER BY c.capture_timestamp, c.id",
    (("keys", "text"),),
)
