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
"""The `wbits` value with which zlib writes gzip files."""

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
    Column("snapshot_id", "integer", "Id of the snapshot; it never changes, and no other snapshot ever gets it."),
    Column("source_code", "text", "Code of the source of the capture."),
    Column("source_name", "text", "Name of the source."),
    Column("captured_url", "text", "The captured URL."),
    Column("normalized_url_group", "text", "The page that the URL belongs to, the same for all captures of a page."),
    Column("capture_timestamp_utc", "time", "Time of the capture, in ISO 8601 and UTC."),
    Column("language", "text or empty", "The language of the page's text, as a code such as en or fr."),
    Column("status_code", "integer or empty", "HTTP status of the response."),
    Column("mime_type", "text or empty", "Content type, such as text/html."),
    Column("title", "text or empty", "The page's title."),
    Column("job_id", "integer or empty", "Number of the job that made the capture."),
    Column("job_name", "text or empty", "Name of the job."),
    Column("snapshot_url", "text", "URL of the snapshot's page."),
)

CHANGE_COLUMNS = (
    Column("change_id", "integer", "The change's number."),
    Column("source_code", "text", "The code of the source whose page changed."),
    Column("source_name", "text", "Name of the source."),
    Column("normalized_url_group", "text", "The page that changed."),
    Column("from_snapshot_id", "integer or empty", "Id of the older snapshot; empty for a new page."),
    Column("to_snapshot_id", "integer", "Id of the newer snapshot."),
    Column("from_capture_timestamp_utc", "time or empty", "Time of the older capture."),
    Column("to_capture_timestamp_utc", "time", "Time of the newer capture."),
    Column("from_job_id", "integer or empty", "Number of the job that made the older capture."),
    Column("to_job_id", "integer or empty", "Number of the job that made the newer capture."),
    Column("change_type", "text", "The kind of change: new_page, updated, unchanged, unavailable, restored or error."),
    Column("summary", "text or empty", "The change in a sentence."),
    Column("added_sections", "integer or empty", "Number of added sections."),
    Column("removed_sections", "integer or empty", "Number of removed sections."),
    Column("changed_sections", "integer or empty", "Number of changed sections."),
    Column("added_lines", "integer or empty", "Number of added lines."),
    Column("removed_lines", "integer or empty", "Number of removed lines."),
    Column("change_ratio", "number or empty", "Share of the page that changed, from 0 to 1."),
    Column("high_noise", "true or false", "Whether the change is probably noise, such as a new date only."),
    Column("diff_truncated", "true or false", "Whether the comparison was cut short because of its length."),
    Column("diff_version", "text or empty", "Version of the comparison."),
    Column("normalization_version", "text or empty", "Version of the normalisation of texts."),
    Column("computed_at_utc", "time", "Time when the change was computed."),
    Column("compare_url", "text", "URL of the comparison of the two captures."),
    Column("significance", "number", "Significance of the change, from 0 to 1."),
    Column("review_status", "text or empty", "The mark of a reviewer: reviewed, important or noise."),
    Column("review_note", "text or empty", "The reviewer's note; only in exports for administrators."),
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
    """Yield a list as a file, part by part; only one part is in memory."""
    texts = _csv(parts, columns) if form is Format.CSV else _json_lines(parts, columns)
    data = (text.encode() for text in texts)
    return gzip_pieces(data) if compressed else data


def _json_lines(parts: Iterable[Sequence[tuple[Value, ...]]], columns: Sequence[Column]) -> Iterator[str]:
    names = [column.name for column in columns]
    write: Callable[[object], str] = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    for part in parts:
        yield "".join(write(dict(zip(names, row, strict=True))) + "\n" for row in part)


def _csv(parts: Iterable[Sequence[tuple[Value, ...]]], columns: Sequence[Column]) -> Iterator[str]:
    """Write values unchanged, even those that begin like a spreadsheet formula: an export must not alter titles."""
    text = StringIO(newline="")
    table = csv.writer(text)
    table.writerow([column.name for column in columns])
    yield text.getvalue()
    for part in parts:
        text.seek(0)
        text.truncate()
        table.writerows(part)
        yield text.getvalue()


def gzip_pieces(data: Iterable[bytes]) -> Iterator[bytes]:
    """Yield data as a gzip file, part by part."""
    packing = isal_zlib.compressobj(_FAST, isal_zlib.DEFLATED, _GZIP)
    for some in data:
        if packed := packing.compress(some):
            yield packed
    yield packing.flush()
