"""Views of the archive for readers: snapshots, timelines, sources, jobs, totals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from webstrata.model.captures import DateSource
from webstrata.model.quality import GOOD


@dataclass(frozen=True)
class SnapshotView:
    """A snapshot for display."""

    id: int
    url: str
    normalized_url_group: str
    title: str | None
    snippet: str | None
    language: str | None
    captured_at: datetime
    mime_type: str | None
    status_code: int | None
    content_hash: str | None
    source_code: str
    source_name: str
    job_id: int | None
    job_name: str | None
    quality: float | None = None
    """1 for a good capture, 0 for a worthless one; None when an earlier version indexed it."""
    quality_kind: str | None = None
    """The kind of capture: a page, an error, a block page, a soft 404, …"""
    quality_reasons: str | None = None
    """Why its quality is below 1, one sentence per line."""
    page_snapshots_count: int | None = None
    """How many captures the page has, where the view counts them."""
    marked_snippet: tuple["TextRun", ...] = ()
    """The passage that matched, with the hits marked; empty when nothing was searched."""
    passage_heading: str | None = None
    """The heading that the passage is under."""
    missing_words: tuple[str, ...] = ()
    """The words of the question that the page does not have."""

    @property
    def is_good(self) -> bool:
        """Return whether the capture shows its page: by its quality, or by its status when no quality was stored."""
        if self.quality is not None:
            return self.quality >= GOOD
        return self.status_code is None or 200 <= self.status_code <= 299


def latest_good(captures: Sequence[SnapshotView]) -> SnapshotView | None:
    """Return the newest capture that shows its page, of captures given oldest first."""
    return next((capture for capture in reversed(captures) if capture.is_good), None)


@dataclass(frozen=True)
class TextRun:
    """A piece of a snippet; `marked` if it matches the search."""

    text: str
    marked: bool


@dataclass(frozen=True)
class RecordPlace:
    """The location of a snapshot's record; the length is None when it is unknown."""

    warc_path: str
    offset: int | None
    length: int | None
    record_id: str | None
    url: str
    captured_at: datetime
    output_dir: str | None = None
    """The folder of its job; an absolute path must be inside of it."""
    cleaned_at: datetime | None = None
    """When its job's temporary files were deleted, if they were."""
    snapshot_id: int | None = None
    capture_id: int | None = None
    content_hash: str | None = None
    """The SHA-256 of its decoded body, if the index has read it."""
    date_source: DateSource | None = None
    """Where its time comes from if not from the record's own date."""


@dataclass(frozen=True)
class SourceSummary:
    """A source with its counts and dates of captures."""

    code: str
    name: str
    base_url: str | None
    description: str | None
    record_count: int
    page_count: int
    first_capture: datetime
    last_capture: datetime
    latest_record_id: int | None
    entry_record_id: int | None


@dataclass(frozen=True)
class ArchiveTotals:
    """The totals of the archive."""

    snapshots: int
    pages: int
    sources: int
    latest_capture: datetime | None


@dataclass(frozen=True)
class JobView:
    """A job for display to operators."""

    id: int
    source_code: str
    source_name: str
    name: str
    status: str
    status_reason: str | None
    retry_count: int
    created_at: datetime
    queued_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    cleanup_status: str
    cleaned_at: datetime | None
    crawler_exit_code: int | None
    crawler_status: str | None
    crawler_stage: str | None
    warc_file_count: int
    warc_bytes_total: int | None
    indexed_page_count: int
    storage_scanned_at: datetime | None
    output_dir: str
    pages_crawled: int | None
    pages_total: int | None
    pages_failed: int | None
    output_bytes_total: int | None
    tmp_bytes_total: int | None
    tmp_non_warc_bytes_total: int | None
    final_zim_path: str | None
    combined_log_path: str | None
    state_file_path: str | None
    config: Mapping[str, object] | None
    last_stats: Mapping[str, object] | None
    stop_requested_at: datetime | None = None
    index_problem_count: int = 0
    not_before: datetime | None = None

    @property
    def how_far(self) -> str:
        """Return in words how many of the job's URLs were captured, and how many can be searched."""
        crawled, known, failed = (count or 0 for count in (self.pages_crawled, self.pages_total, self.pages_failed))
        captured = f"{crawled:,} of {known:,} URLs fetched, {failed:,} failed"
        searched = f"{self.indexed_page_count:,} snapshots can be searched"
        return searched if self.was_registered else f"{captured}; {searched}"

    @property
    def was_registered(self) -> bool:
        """Return whether its WARC files were registered or imported: only crawls have seeds."""
        return self.config is not None and not self.config.get("seeds")
