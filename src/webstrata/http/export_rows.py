"""Formats of exports: their columns, with explanations, written as CSV or JSON lines."""

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from io import StringIO

from isal import isal_zlib

from webstrata.db.changes.change_lists import EventView
from webstrata.db.operations.exporting import ExportedSnapshot
from webstrata.http.browsing import snapshot_page_url
from webstrata.model.notifications.messages import compare_path

DATA_DICTIONARY = "/exports/data-dictionary"
SNAPSHOTS = "/api/exports/snapshots"
CHANGES = "/api/exports/changes"

Value = str | int | float | bool | None

_GZIP = 31
"""The window of zlib's that writes a gzip file."""

_FAST = 1


class Format(StrEnum):
    """How rows are written; JSON Lines has two names."""

    JSONL = "jsonl"
    NDJSON = "ndjson"
    CSV = "csv"


@dataclass(frozen=True)
class Column:
    """One column of an export, with its description."""

    name: str
    kind: str
    meaning: str


SNAPSHOT_COLUMNS = (
    Column("snapshot_id", "integer", "The snapshot's number. It never changes and is never given again."),
    Column("source_code", "text", "The code of the source it was captured for."),
    Column("source_name", "text", "The name of that source."),
    Column("captured_url", "text", "The address that was captured."),
    Column("normalized_url_group", "text", "The page that the address belongs to; captures of one page share it."),
    Column("capture_timestamp_utc", "time", "When it was captured: ISO 8601, in UTC."),
    Column("language", "text or nothing", "The language of the page's text, as a code such as en or fr."),
    Column("status_code", "integer or nothing", "The HTTP status that the site answered with."),
    Column("mime_type", "text or nothing", "The kind of file, such as text/html."),
    Column("title", "text or nothing", "The page's title."),
    Column("job_id", "integer or nothing", "The number of the job that captured it."),
    Column("job_name", "text or nothing", "The name of that job."),
    Column("snapshot_url", "text", "Where the snapshot is read."),
)

CHANGE_COLUMNS = (
    Column("change_id", "integer", "The change's number."),
    Column("source_code", "text", "The code of the source whose page changed."),
    Column("source_name", "text", "The name of that source."),
    Column("normalized_url_group", "text", "The page that changed."),
    Column("from_snapshot_id", "integer or nothing", "The capture before; nothing for a page that is new."),
    Column("to_snapshot_id", "integer", "The capture after."),
    Column("from_capture_timestamp_utc", "time or nothing", "When the capture before was made."),
    Column("to_capture_timestamp_utc", "time", "When the capture after was made."),
    Column("from_job_id", "integer or nothing", "The job that made the capture before."),
    Column("to_job_id", "integer or nothing", "The job that made the capture after."),
    Column("change_type", "text", "The kind of change: new_page, updated, unchanged, unavailable, restored or error."),
    Column("summary", "text or nothing", "The change in a sentence."),
    Column("added_sections", "integer or nothing", "Sections that came."),
    Column("removed_sections", "integer or nothing", "Sections that went."),
    Column("changed_sections", "integer or nothing", "Sections that read differently."),
    Column("added_lines", "integer or nothing", "Lines that came."),
    Column("removed_lines", "integer or nothing", "Lines that went."),
    Column("change_ratio", "number or nothing", "How much of the page changed, from 0 to 1."),
    Column("high_noise", "true or false", "Whether it is likely to mean little, such as a new date alone."),
    Column("diff_truncated", "true or false", "Whether the comparison was cut off for its length."),
    Column("diff_version", "text or nothing", "The version of what compared."),
    Column("normalization_version", "text or nothing", "The version of what made the texts comparable."),
    Column("computed_at_utc", "time", "When the change was worked out."),
    Column("compare_url", "text", "Where the two captures are seen side by side."),
    Column("significance", "number", "How much the change matters, from 0 to 1."),
    Column("review_status", "text or nothing", "The mark of a reviewer: reviewed, important or noise."),
    Column("review_note", "text or nothing", "The reviewer's note; only in exports for administrators."),
)


def snapshot_row(snapshot: ExportedSnapshot, site: str) -> tuple[Value, ...]:
    """Return a snapshot in the order of its columns; links begin with the site's address."""
    return (
        snapshot.id,
        snapshot.source_code,
        snapshot.source_name,
        snapshot.url,
        snapshot.normalized_url_group or snapshot.url,
        snapshot.captured_at.astimezone(UTC).isoformat(),
        snapshot.language,
        snapshot.status_code,
        snapshot.mime_type,
        snapshot.title,
        snapshot.job_id,
        snapshot.job_name,
        snapshot_page_url(snapshot.id, site),
    )


def change_row(event: EventView, site: str, *, with_notes: bool = False) -> tuple[Value, ...]:
    """Return a change event in the order of its columns; links begin with the site's address."""
    review = event.review
    return (
        event.id,
        event.source_code,
        event.source_name,
        event.normalized_url_group,
        event.from_snapshot_id,
        event.to_snapshot_id,
        _utc(event.from_captured_at),
        _utc(event.to_captured_at),
        event.from_job_id,
        event.to_job_id,
        event.change_type.value,
        event.summary,
        event.added_sections,
        event.removed_sections,
        event.changed_sections,
        event.added_lines,
        event.removed_lines,
        event.change_ratio,
        event.high_noise,
        event.diff_truncated,
        event.diff_version,
        event.normalization_version,
        _utc(event.computed_at),
        f"{site}{compare_path(event.from_snapshot_id, event.to_snapshot_id)}",
        event.significance,
        review.status.value if review else None,
        review.note if review and with_notes else None,
    )


def _utc(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).isoformat()


def written(
    parts: Iterable[Sequence[tuple[Value, ...]]], columns: Sequence[Column], form: Format, *, compressed: bool
) -> Iterator[bytes]:
    """Yield a list as a file, part by part, and no more of it in memory than one part."""
    texts = _csv(parts, columns) if form is Format.CSV else _json_lines(parts, columns)
    data = (text.encode() for text in texts)
    return gzipped(data) if compressed else data


def _json_lines(parts: Iterable[Sequence[tuple[Value, ...]]], columns: Sequence[Column]) -> Iterator[str]:
    names = [column.name for column in columns]
    write: Callable[[object], str] = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    for part in parts:
        yield "".join(write(dict(zip(names, row, strict=True))) + "\n" for row in part)


def _csv(parts: Iterable[Sequence[tuple[Value, ...]]], columns: Sequence[Column]) -> Iterator[str]:
    """Write values as they are, even those that begin like a formula: a list that alters titles is no record."""
    text = StringIO(newline="")
    table = csv.writer(text)
    table.writerow([column.name for column in columns])
    yield text.getvalue()
    for part in parts:
        text.seek(0)
        text.truncate()
        table.writerows(part)
        yield text.getvalue()


def gzipped(data: Iterable[bytes]) -> Iterator[bytes]:
    """Yield data as a gzip file, part by part."""
    packing = isal_zlib.compressobj(_FAST, isal_zlib.DEFLATED, _GZIP)
    for some in data:
        if packed := packing.compress(some):
            yield packed
    yield packing.flush()
