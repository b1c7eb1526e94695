"""Marking changes as reviewed, important or noise; the marks are also written beside the WARC folders."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import structlog

from webstrata.db.engine import Database
from webstrata.db.notifications import reviews
from webstrata.errors import NotFoundError, StorageError
from webstrata.model.notifications.values import MAX_NOTE, ChangeReview, MarkedChange, ReviewStatus, SavedReview
from webstrata.storage.disk import write_atomically

log = structlog.get_logger()

REVIEWS_FILE = "reviews.json"
_KIND, _VERSION = "webstrata-reviews", 1
_EVENT = re.compile(r"change-[0-9]{1,18}-[1-9][0-9]{0,17}")
_MAX_NAME = 1_000


def mark_change(
    database: Database, archive_root: Path, change_id: int, status: ReviewStatus | None, note: str | None
) -> MarkedChange:
    """Mark a change event, or remove its mark; without a note the old one remains. NotFoundError when there is no such
    event."""
    with database.write() as session:
        event = reviews.review_change(session, change_id, status, note, datetime.now(UTC))
        review = ChangeReview(status, event.review_note, event.reviewed_at, event.reviewed_by) if status else None
        marked = MarkedChange(event.id, event.from_snapshot_id, event.to_snapshot_id, review)
    write_reviews(database, archive_root)
    return marked


def write_reviews(database: Database, archive_root: Path) -> None:
    """Write all marks to the archive's folder; a failure to write is only logged."""
    with database.read() as session:
        saved = reviews.list_reviews(session)
    content = {"version": _VERSION, "kind": _KIND, "reviews": [_as_json(one) for one in saved]}
    path = archive_root / REVIEWS_FILE
    try:
        write_atomically(path, json.dumps(content, indent=1, ensure_ascii=False).encode("utf-8", "replace"))
    except (StorageError, NotFoundError) as error:
        log.error("manifest.failed", file=str(path), reason=str(error))


def restore_reviews(database: Database, archive_root: Path) -> list[str]:
    """Restore the marks from the archive's folder, and return the problems of its file.

    A mark whose event does not exist yet is applied when the changes are computed.
    """
    path = archive_root / REVIEWS_FILE
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        return []
    except (OSError, ValueError, RecursionError) as error:
        return [f"{path}: {error}"]
    listed = content.get("reviews") if isinstance(content, dict) and content.get("kind") == _KIND else None
    if not isinstance(listed, list) or content.get("version") != _VERSION:
        return [f"{path}: it is not a list of reviews that this program reads"]
    found, problems = [], []
    for entry in listed:
        try:
            found.append(_read(entry))
        except (KeyError, TypeError, ValueError) as error:
            problems.append(f"{path}: a review cannot be restored: {error}")
    with database.write() as session:
        reviews.restore_reviews(session, found)
    return problems


def _as_json(saved: SavedReview) -> dict[str, object]:
    return {
        "event": saved.event_key,
        "status": saved.status,
        "note": saved.note,
        "reviewed_at": saved.reviewed_at.isoformat(),
        "reviewed_by": saved.reviewed_by,
    }


def _read(entry: Mapping[str, Any]) -> SavedReview:
    key, note, at = str(entry["event"]), entry.get("note"), datetime.fromisoformat(str(entry["reviewed_at"]))
    if not _EVENT.fullmatch(key) or at.tzinfo is None:
        raise ValueError(f"{key!r:.60} of {at} is no event with a time zone")
    if note is not None and (not isinstance(note, str) or len(note) > MAX_NOTE or "\0" in note):
        raise ValueError(f"the note of {key} is no text of at most {MAX_NOTE:,} characters")
    by = str(entry.get("reviewed_by") or "")[:_MAX_NAME].replace("\0", "")
    return SavedReview(key, ReviewStatus(str(entry["status"])).value, note, at, by)
