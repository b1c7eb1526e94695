"""Regrouping: assigns every snapshot of a source to the page that it belongs to under the current rules."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from webstrata.db.captures import regrouping
from webstrata.db.captures.regrouping import GroupedSource
from webstrata.db.collections.listing_regrouping import regroup_listings
from webstrata.db.engine import Database
from webstrata.db.operations import audit_log
from webstrata.db.sources.sources import source_view
from webstrata.errors import ConflictError

BATCH = 200
"""Snapshots in one transaction: a fraction of a second, in which other writers wait."""


@dataclass(frozen=True)
class RegroupReport:
    """The result of regrouping a source, or of a dry run."""

    source: str
    snapshots: int
    moved: int
    relinked: int
    """How many snapshots did not move, but link to pages with new names."""


def regroup(
    database: Database,
    code: str | None = None,
    *,
    dry_run: bool = False,
    progress: Callable[[str, int], None] = lambda _source, _seen: None,
) -> list[RegroupReport]:
    """Regroup one source, or all that need it; after a kill, a second run continues with the rest."""
    with database.read() as session:
        if code is not None:
            source_view(session, code)
        sources = regrouping.sources_to_regroup(session, code)
        for source in sources:
            _refuse_while_indexed(source, regrouping.jobs_being_indexed(session, source.id))
    return [_regroup_source(database, source, dry_run, progress) for source in sources]


def _refuse_while_indexed(source: GroupedSource, jobs: list[int]) -> None:
    if jobs:
        raise ConflictError(
            f"job {jobs[0]} of {source.code} is running with the old page parameters:"
            f" wait for its end or stop it, webstrata stop-job --id {jobs[0]}"
        )


def _regroup_source(
    database: Database, source: GroupedSource, dry_run: bool, progress: Callable[[str, int], None]
) -> RegroupReport:
    seen = moved = relinked = 0
    last_id: int | None = 0
    while last_id is not None:
        with database.read() if dry_run else database.write() as session:
            part = regrouping.regroup_snapshots(session, source, last_id, BATCH, dry_run=dry_run)
        seen, moved, relinked = seen + part.seen, moved + part.moved, relinked + part.relinked
        last_id = part.last_id
        progress(source.code, seen)
    if not dry_run:
        with database.write() as session:
            group_of = partial(regrouping.group_of, source)
            regroup_listings(session, source.id, group_of, datetime.now(UTC))
        with database.write() as session:
            regrouping.mark_regrouped(session, source)
            audit_log.record(session, "source.regroup", f"source:{source.code}", snapshots=seen, moved=moved)
    return RegroupReport(source.code, seen, moved, relinked)
