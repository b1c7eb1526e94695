"""Conversion from change events to the API's schemas."""

from datetime import datetime

from webstrata.api.change_schemas import (
    ChangeEventSchema,
    ChangeReasonSchema,
    ComparedSnapshotSchema,
    IgnoredLineSchema,
    TemplateChangeSchema,
)
from webstrata.api.feeds import FeedItem
from webstrata.api.present import day, timestamp
from webstrata.db.changes.change_lists import EventView, TemplateChangeView
from webstrata.db.watching.site_events import StoredSiteEvent
from webstrata.model.archive import SnapshotView
from webstrata.model.changes.values import CHANGE_WORDS
from webstrata.model.notifications.messages import compare_path, site_diff_path
from webstrata.model.watching.site_events import SITE_EVENT_WORDS


def change_event(event: EventView) -> ChangeEventSchema:
    """Present a change event; one that is not stored has no number."""
    return ChangeEventSchema(
        changeId=event.id,
        changeType=event.change_type.value,
        summary=event.summary,
        highNoise=event.high_noise,
        diffAvailable=event.has_diff,
        sourceCode=event.source_code,
        sourceName=event.source_name,
        normalizedUrlGroup=event.normalized_url_group,
        fromSnapshotId=event.from_snapshot_id,
        toSnapshotId=event.to_snapshot_id,
        fromCaptureTimestamp=_if_known(event.from_captured_at),
        toCaptureTimestamp=timestamp(event.to_captured_at),
        fromJobId=event.from_job_id,
        toJobId=event.to_job_id,
        addedSections=event.added_sections,
        removedSections=event.removed_sections,
        changedSections=event.changed_sections,
        addedLines=event.added_lines,
        removedLines=event.removed_lines,
        changeRatio=event.change_ratio,
        title=event.title,
        significance=event.significance,
        reasons=[ChangeReasonSchema(code=one.code, text=one.text, weight=one.weight) for one in event.reasons],
        ignored=[IgnoredLineSchema(text=text, reason=reason) for text, reason in event.ignored],
        templateChanged=event.template_changed,
        reviewStatus=event.review.status.value if event.review else None,
    )


def template_change(change: TemplateChangeView) -> TemplateChangeSchema:
    """Present a change of a site's template."""
    return TemplateChangeSchema(
        templateChangeId=change.id,
        sourceCode=change.source_code,
        sourceName=change.source_name,
        fromJobId=change.from_job_id,
        toJobId=change.to_job_id,
        summary=change.summary,
        pages=change.pages,
        addedLines=list(change.added_lines),
        removedLines=list(change.removed_lines),
        computedAt=timestamp(change.computed_at),
    )


def compared_snapshot(snapshot: SnapshotView) -> ComparedSnapshotSchema:
    """Return the schema of one side of a comparison."""
    return ComparedSnapshotSchema(
        snapshotId=snapshot.id,
        title=snapshot.title,
        captureDate=day(snapshot.captured_at),
        captureTimestamp=timestamp(snapshot.captured_at),
        originalUrl=snapshot.url,
        jobId=snapshot.job_id,
        jobName=snapshot.job_name,
    )


def feed_item(event: EventView, site: str) -> FeedItem:
    """Present a change event in a feed: its address contains both snapshots, so it is also the entry's id."""
    title = " ".join((event.title or "").split()) or event.normalized_url_group
    reasons = [reason.text for reason in event.reasons]
    sentences = [event.summary or CHANGE_WORDS[event.change_type], *reasons, event.normalized_url_group]
    return FeedItem(
        address=f"{site}{compare_path(event.from_snapshot_id, event.to_snapshot_id)}",
        title=f"{CHANGE_WORDS[event.change_type]}: {title}",
        summary="; ".join(sentences),
        at=event.to_captured_at,
    )


def site_event_item(stored: StoredSiteEvent, site: str) -> FeedItem:
    """Present a site event in a feed: its address contains both runs and the event, so it is also the entry's id."""
    event = stored.event
    title = " ".join(event.title.split()) or event.page
    return FeedItem(
        address=f"{site}{site_diff_path(stored.source_code, stored.from_job_id, stored.to_job_id)}#{stored.key}",
        title=f"{SITE_EVENT_WORDS[event.kind]}: {title}",
        summary="; ".join(part for part in (event.summary, event.page) if part),
        at=stored.at,
    )


def _if_known(moment: datetime | None) -> str | None:
    return None if moment is None else timestamp(moment)
