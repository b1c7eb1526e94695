"""Comparisons of two captures: from the stored event of the newer one, or computed on request."""

from dataclasses import dataclass

from fastapi import FastAPI, Request

from webstrata.app import App
from webstrata.changes.on_request import PairComparison, PairComparisons
from webstrata.changes.pages import PageLoader
from webstrata.content.reader.page_reader import PageReader
from webstrata.db.changes import change_lists
from webstrata.db.changes.change_lists import EventView
from webstrata.errors import NotFoundError
from webstrata.http.lookups import known_snapshot
from webstrata.index.version import INDEX_VERSION
from webstrata.model.archive import SnapshotView
from webstrata.model.changes.values import ChangeType, LineEdit, Reason

NOT_STORED = 0
"""The number of an event that was computed on request."""


@dataclass(frozen=True)
class ComparedCaptures:
    """Two captures and what changed between them; without an older one the newer is the first of its page."""

    old: SnapshotView | None
    new: SnapshotView
    event: EventView
    diff_html: str | None
    edits: tuple[LineEdit, ...] = ()
    """Every line of both pages, if requested."""


def pair_comparisons(app: App) -> PairComparisons:
    """Return the comparer of one serving process; the caller closes it."""
    return PairComparisons(PageLoader(app.database, app.archive_root, PageReader(), INDEX_VERSION))


def close_comparisons(api: FastAPI) -> None:
    """End the process that compares for an application, if there is one."""
    comparisons = api.state.comparisons
    assert isinstance(comparisons, PairComparisons)
    comparisons.close()


def compare_captures(
    app: App, request: Request, from_snapshot_id: int | None, to_snapshot_id: int, *, wants_edits: bool = False
) -> ComparedCaptures:
    """Return the comparison of a capture with another one, or with the capture of the page before it."""
    if not app.settings.change_tracking_enabled:
        raise NotFoundError("Change tracking is switched off in this archive")
    new = known_snapshot(app, to_snapshot_id)
    with app.database.read() as session:
        before = change_lists.previous_snapshot(session, to_snapshot_id)
        event = change_lists.event_of_snapshot(session, to_snapshot_id)
        from_id = before if from_snapshot_id is None else from_snapshot_id
        is_stored = event is not None and event.from_snapshot_id == from_id
        diff = change_lists.diff_of_event(session, event.id) if event is not None and is_stored else None
    old = None if from_id is None else known_snapshot(app, from_id)
    if event is not None and is_stored and not (wants_edits and event.has_diff):
        return ComparedCaptures(old, new, event, diff)
    compared = comparisons_of(request).compare(from_id, to_snapshot_id)
    if event is not None and is_stored:
        return ComparedCaptures(old, new, event, diff, compared.edits)
    return ComparedCaptures(old, new, _view(compared, new), compared.event.diff_html, compared.edits)


def comparisons_of(request: Request) -> PairComparisons:
    """Return the comparer of the application of a request."""
    comparisons = request.app.state.comparisons
    assert isinstance(comparisons, PairComparisons)
    return comparisons


def _view(compared: PairComparison, new: SnapshotView) -> EventView:
    event = compared.event
    return EventView(
        id=NOT_STORED,
        change_type=ChangeType(event.change_type),
        summary=event.summary,
        high_noise=event.high_noise,
        has_diff=event.diff_format is not None,
        source_code=new.source_code,
        source_name=new.source_name,
        normalized_url_group=event.normalized_url_group,
        title=new.title,
        from_snapshot_id=event.from_snapshot_id,
        to_snapshot_id=event.to_snapshot_id,
        from_captured_at=event.from_capture_timestamp,
        to_captured_at=event.to_capture_timestamp,
        from_job_id=event.from_job_id,
        to_job_id=event.to_job_id,
        added_sections=event.added_sections,
        removed_sections=event.removed_sections,
        changed_sections=event.changed_sections,
        added_lines=event.added_lines,
        removed_lines=event.removed_lines,
        change_ratio=event.change_ratio,
        significance=event.significance,
        reasons=tuple(Reason(**reason) for reason in event.reasons),  # type: ignore[arg-type]
        ignored=tuple((str(one["text"]), str(one["reason"])) for one in event.ignored),
        template_changed=event.template_changed,
        diff_truncated=event.diff_truncated,
        diff_version=event.diff_version,
        normalization_version=event.normalization_version,
        computed_at=event.computed_at,
        error_message=event.error_message,
    )
