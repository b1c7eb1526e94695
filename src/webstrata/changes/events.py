"""Change events, computed from a pair of captures and their comparison."""

from dataclasses import asdict
from datetime import datetime

from webstrata.changes.compare_requests import ComparedPages
from webstrata.changes.pages import quality_of
from webstrata.db.changes.changes import CapturePair, NewEvent
from webstrata.db.changes.unchanged import EventStamp
from webstrata.model.changes.values import ChangeType
from webstrata.model.quality import GOOD

DIFF_VERSION = "1"
NORMALIZATION_VERSION = "1"

_FIRST_CAPTURE = "First capture of this page."
_MAX_IGNORED = 20
_MAX_IGNORED_CHARACTERS = 200


def plain_type(pair: CapturePair) -> ChangeType | None:
    """Return the kind of event of a pair that needs no comparison; None when it must be compared."""
    old, new = pair.old, pair.new
    if old is None:
        return ChangeType.NEW_PAGE
    old_good, new_good = (quality_of(one)[0] >= GOOD for one in (old, new))
    if old_good != new_good:
        return None
    is_same = old.content_hash is not None and old.content_hash == new.content_hash
    return ChangeType.UNCHANGED if is_same or not new_good else None


def stamp(computed_by: str, now: datetime) -> EventStamp:
    """Return the fields of events that are computed now."""
    return EventStamp(DIFF_VERSION, NORMALIZATION_VERSION, now, computed_by)


def plain_event(pair: CapturePair, kind: ChangeType, computed_by: str, now: datetime, **more: object) -> NewEvent:
    """Return the event of a given kind for a pair; `more` are further fields of the event."""
    old, new = pair.old, pair.new
    facts: dict[str, object] = {"summary": _FIRST_CAPTURE if kind is ChangeType.NEW_PAGE else None, **more}
    return NewEvent(
        source_id=new.source_id,
        normalized_url_group=new.normalized_url_group,
        from_snapshot_id=old.id if old else None,
        to_snapshot_id=new.id,
        from_job_id=old.job_id if old else None,
        to_job_id=new.job_id,
        from_capture_timestamp=old.capture_timestamp if old else None,
        to_capture_timestamp=new.capture_timestamp,
        change_type=kind.value,
        is_announced=pair.is_announced,
        diff_version=DIFF_VERSION,
        normalization_version=NORMALIZATION_VERSION,
        computed_at=now,
        computed_by=computed_by,
        **facts,  # type: ignore[arg-type]
    )


def compared_event(pair: CapturePair, compared: ComparedPages, computed_by: str, now: datetime) -> NewEvent:
    """Return the event for the comparison of a pair."""
    found = compared.comparison
    is_update = found.change_type is ChangeType.UPDATED
    return plain_event(
        pair,
        found.change_type,
        computed_by,
        now,
        summary=found.summary or None,
        diff_format="html" if is_update else None,
        diff_html=compared.diff_html if is_update else None,
        diff_truncated=compared.diff_truncated,
        added_sections=found.added_sections,
        removed_sections=found.removed_sections,
        changed_sections=found.changed_sections,
        added_lines=found.added_lines,
        removed_lines=found.removed_lines,
        change_ratio=found.change_ratio,
        high_noise=found.high_noise,
        significance=found.verdict.significance,
        reasons=[asdict(reason) for reason in found.verdict.reasons],
        ignored=[
            {"text": (edit.new or edit.old).text[:_MAX_IGNORED_CHARACTERS], "reason": edit.ignored}  # type: ignore[union-attr]
            for edit in found.edits
            if edit.ignored
        ][:_MAX_IGNORED],
        template_changed=found.template_changed,
        error_message=found.limit,
    )
