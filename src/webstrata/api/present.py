"""Conversion from the archive's values to the API's schemas."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, date, datetime

from webstrata.api.jobs.crawl_schemas import CrawlAttemptSchema, MonitorDecisionSchema
from webstrata.api.jobs.job_schemas import (
    CleanupReportSchema,
    CrawlCountsSchema,
    DeletedSchema,
    HostReportSchema,
    JobDetailSchema,
    JobProgressSchema,
    JobSnapshotSummarySchema,
    JobSummarySchema,
    MovedSchema,
    RecordProblemSchema,
)
from webstrata.api.public_schemas import EditionSchema, LatestSnapshotSchema
from webstrata.api.schemas import (
    AdminSourceSchema,
    ArchiveStatsSchema,
    LastJobSchema,
    SnapshotDetailSchema,
    SnapshotSummarySchema,
    SourceSummarySchema,
    TextRunSchema,
    TimelineEntrySchema,
    TimelineSchema,
)
from webstrata.db.captures.problems import LocatedProblem
from webstrata.db.queue.run_reports import JobProgress
from webstrata.db.sources.editions import Edition
from webstrata.http.browsing import BrowseAddresses
from webstrata.jobs.folders.cleanup import CleanupReport
from webstrata.jobs.progress.crawl_history import CrawlAttempt, MonitorDecision, attempts_of, decisions_of, engine_of
from webstrata.logs import without_secrets
from webstrata.model.archive import ArchiveTotals, JobView, SnapshotView, SourceSummary, latest_good
from webstrata.model.jobs.registry import LastJob, SourceView


def timestamp(moment: datetime) -> str:
    """Return a moment as the API writes it: ISO 8601 in UTC, with its offset."""
    return moment.astimezone(UTC).isoformat()


def day(moment: datetime) -> str:
    """Return the day of a moment in UTC."""
    return moment.astimezone(UTC).date().isoformat()


def raw_url(snapshot_id: int) -> str:
    """Return where a snapshot's archived page is served."""
    return f"/api/snapshots/raw/{snapshot_id}"


def stats(totals: ArchiveTotals, today: date) -> ArchiveStatsSchema:
    """Present the totals of the archive on a day."""
    latest = totals.latest_capture
    return ArchiveStatsSchema(
        snapshotsTotal=totals.snapshots,
        pagesTotal=totals.pages,
        sourcesTotal=totals.sources,
        latestCaptureDate=day(latest) if latest else None,
        latestCaptureAgeDays=max(0, (today - latest.astimezone(UTC).date()).days) if latest else None,
    )


def source(summary: SourceSummary, entry_browse_url: str | None) -> SourceSummarySchema:
    """Present a source and the URL at which its front page is replayed."""
    return SourceSummarySchema(
        sourceCode=summary.code,
        sourceName=summary.name,
        baseUrl=summary.base_url,
        description=summary.description,
        recordCount=summary.record_count,
        firstCapture=day(summary.first_capture),
        lastCapture=day(summary.last_capture),
        latestRecordId=summary.latest_record_id,
        entryRecordId=summary.entry_record_id,
        entryBrowseUrl=entry_browse_url,
        entryPreviewUrl=None,
    )


def search_hit(snapshot: SnapshotView, addresses: BrowseAddresses) -> SnapshotSummarySchema:
    """Present a snapshot that a search found, with the passage that matched."""
    runs = [TextRunSchema(text=run.text, marked=run.marked) for run in snapshot.marked_snippet]
    hit = SnapshotSummarySchema(
        id=snapshot.id,
        title=snapshot.title,
        sourceCode=snapshot.source_code,
        sourceName=snapshot.source_name,
        language=snapshot.language,
        captureDate=day(snapshot.captured_at),
        captureTimestamp=timestamp(snapshot.captured_at),
        jobId=snapshot.job_id,
        originalUrl=snapshot.url,
        snippet="".join(run.text for run in runs) or snapshot.snippet,
        pageSnapshotsCount=snapshot.page_snapshots_count,
        markedSnippet=runs or None,
        rawSnapshotUrl=raw_url(snapshot.id),
        browseUrl=addresses.snapshot(snapshot),
        quality=snapshot.quality,
        qualityKind=snapshot.quality_kind,
    )
    # Fields that older clients do not know are left out where they have no meaning.
    if snapshot.passage_heading:
        hit.snippetHeading = snapshot.passage_heading
    if snapshot.missing_words:
        hit.without = list(snapshot.missing_words)
    return hit


def snapshot_detail(snapshot: SnapshotView, addresses: BrowseAddresses) -> SnapshotDetailSchema:
    """Present one snapshot."""
    return SnapshotDetailSchema(
        **search_hit(snapshot, addresses).model_dump(
            exclude={"pageSnapshotsCount", "markedSnippet", "snippetHeading", "without"}
        ),
        mimeType=snapshot.mime_type,
        statusCode=snapshot.status_code,
        qualityReasons=(snapshot.quality_reasons or "").splitlines(),
    )


def latest(snapshot: SnapshotView | None) -> LatestSnapshotSchema:
    """Present the newest capture of a page, if there is one."""
    return LatestSnapshotSchema(
        found=snapshot is not None,
        snapshotId=snapshot.id if snapshot else None,
        captureTimestamp=timestamp(snapshot.captured_at) if snapshot else None,
        mimeType=snapshot.mime_type if snapshot else None,
    )


def edition(found: Edition, entry_browse_url: str | None) -> EditionSchema:
    """Present a source as one job captured it, and the URL at which its front page is replayed."""
    return EditionSchema(
        jobId=found.job_id,
        jobName=found.job_name,
        recordCount=found.record_count,
        firstCapture=day(found.first_capture),
        lastCapture=day(found.last_capture),
        entryBrowseUrl=entry_browse_url,
    )


def timeline(of: SnapshotView, captures: Sequence[SnapshotView], addresses: BrowseAddresses) -> TimelineSchema:
    """Present all captures of a page."""
    good = latest_good(captures)
    return TimelineSchema(
        sourceCode=of.source_code,
        sourceName=of.source_name,
        normalizedUrlGroup=of.normalized_url_group,
        latestGoodSnapshotId=good.id if good else None,
        snapshots=list(_timeline_entries(captures, addresses)),
    )


def _timeline_entries(captures: Sequence[SnapshotView], addresses: BrowseAddresses) -> Iterator[TimelineEntrySchema]:
    previous: int | None = None
    for capture in captures:
        yield TimelineEntrySchema(
            snapshotId=capture.id,
            captureDate=day(capture.captured_at),
            captureTimestamp=timestamp(capture.captured_at),
            jobId=capture.job_id,
            jobName=capture.job_name,
            title=capture.title,
            statusCode=capture.status_code,
            compareFromSnapshotId=previous,
            browseUrl=addresses.snapshot(capture),
            quality=capture.quality,
            qualityKind=capture.quality_kind,
        )
        previous = capture.id


def job_summary(job: JobView) -> JobSummarySchema:
    """Present a job in a list."""
    return JobSummarySchema(
        id=job.id,
        sourceCode=job.source_code,
        sourceName=job.source_name,
        name=job.name,
        status=job.status,
        statusReason=job.status_reason,
        retryCount=job.retry_count,
        createdAt=timestamp(job.created_at),
        queuedAt=_if_known(job.queued_at),
        startedAt=_if_known(job.started_at),
        finishedAt=_if_known(job.finished_at),
        cleanupStatus=job.cleanup_status,
        cleanedAt=_if_known(job.cleaned_at),
        crawlerExitCode=job.crawler_exit_code,
        crawlerStatus=job.crawler_status,
        warcFileCount=job.warc_file_count,
        warcBytesTotal=job.warc_bytes_total,
        indexedPageCount=job.indexed_page_count,
        indexProblemCount=job.index_problem_count,
        storageScannedAt=_if_known(job.storage_scanned_at),
    )


def job_detail(job: JobView, secrets: Collection[str] = ()) -> JobDetailSchema:
    """Present the details of a job, with its crawl history from its logs and its state."""
    return JobDetailSchema(
        **job_summary(job).model_dump(),
        outputDir=job.output_dir,
        crawlerStage=job.crawler_stage,
        pagesCrawled=job.pages_crawled,
        pagesTotal=job.pages_total,
        pagesFailed=job.pages_failed,
        outputBytesTotal=job.output_bytes_total,
        tmpBytesTotal=job.tmp_bytes_total,
        tmpNonWarcBytesTotal=job.tmp_non_warc_bytes_total,
        finalZimPath=job.final_zim_path,
        combinedLogPath=job.combined_log_path,
        stateFilePath=job.state_file_path,
        config=None if job.config is None else without_secrets(job.config),
        lastStats=None if job.last_stats is None else dict(job.last_stats),
        stopRequestedAt=_if_known(job.stop_requested_at),
        engine=engine_of(job),
        attempts=[_attempt(attempt) for attempt in attempts_of(job)],
        monitorDecisions=[_decision(decision) for decision in decisions_of(job, secrets)],
    )


def _attempt(attempt: CrawlAttempt) -> CrawlAttemptSchema:
    return CrawlAttemptSchema(
        stage=attempt.stage,
        number=attempt.number,
        beganAt=timestamp(attempt.began_at),
        endedAt=_if_known(attempt.ended_at),
        crawled=attempt.crawled,
        total=attempt.total,
        failed=attempt.failed,
    )


def _decision(decision: MonitorDecision) -> MonitorDecisionSchema:
    return MonitorDecisionSchema(
        at=_if_known(decision.at),
        trouble=decision.trouble,
        reason=decision.reason,
        answer=decision.answer,
        workers=decision.workers,
        waitSeconds=int(decision.wait.total_seconds()),
    )


def job_progress(progress: JobProgress, now: datetime) -> JobProgressSchema:
    """Present the progress of a job at a moment."""
    job, counts, report = progress.job, progress.counts, progress.report
    took = (job.finished_at or now) - job.started_at if job.started_at else None
    return JobProgressSchema(
        id=job.id,
        status=job.status,
        statusReason=job.status_reason,
        startedAt=_if_known(job.started_at),
        finishedAt=_if_known(job.finished_at),
        stopRequestedAt=_if_known(job.stop_requested_at),
        seconds=None if took is None else max(0, int(took.total_seconds())),
        indexedPageCount=job.indexed_page_count,
        counts=CrawlCountsSchema(
            pending=counts.pending,
            inProgress=counts.in_progress,
            finished=counts.finished,
            failed=counts.error,
            total=counts.total,
        ),
        responses=report.responses,
        requisites=report.requisites,
        bytes=report.bytes,
        rate=report.rate,
        errors=dict(report.errors),
        hosts=[HostReportSchema(host=host, **asdict(seen)) for host, seen in report.hosts.items()],
    )


def job_snapshot(snapshot: SnapshotView) -> JobSnapshotSummarySchema:
    """Present a snapshot in the list of its job."""
    return JobSnapshotSummarySchema(
        id=snapshot.id,
        url=snapshot.url,
        captureTimestamp=timestamp(snapshot.captured_at),
        statusCode=snapshot.status_code,
        language=snapshot.language,
        title=snapshot.title,
    )


def record_problem(problem: LocatedProblem) -> RecordProblemSchema:
    """Present a place in a file that could not be indexed."""
    return RecordProblemSchema(warcPath=problem.warc_path, offset=problem.offset, reason=problem.reason)


def cleanup_report(report: CleanupReport) -> CleanupReportSchema:
    """Present what a clean-up did, or would do."""
    return CleanupReportSchema(
        jobId=report.job_id,
        mode=report.mode,
        dryRun=report.dry_run,
        nothingToDo=report.nothing_to_do,
        freedBytes=report.freed_bytes,
        deleted=[DeletedSchema(path=str(part.path), bytes=part.bytes) for part in report.deleted],
        moved=[MovedSchema(before=str(part.before), after=str(part.after), bytes=part.bytes) for part in report.moved],
        warcsDeleted=report.warcs_deleted,
        snapshotsLost=report.snapshots_lost,
        notes=list(report.notes),
    )


def admin_source(view: SourceView) -> AdminSourceSchema:
    """Present a source for its operators, without secrets."""
    return AdminSourceSchema(
        sourceCode=view.code,
        sourceName=view.name,
        baseUrl=view.base_url,
        description=view.description,
        enabled=view.enabled,
        schedule=view.schedule,
        schedulePaused=view.schedule_paused,
        scheduleError=view.schedule_error,
        nextRunAt=_if_known(view.next_run_at),
        pageParameters=list(view.page_parameters),
        needsRegrouping=view.needs_regrouping,
        jobConfig=None if view.job_config is None else without_secrets(view.job_config),
        lastJob=None if view.last_job is None else _last_job(view.last_job),
        jobCount=view.jobs,
        snapshotCount=view.snapshots,
    )


def _last_job(job: LastJob) -> LastJobSchema:
    return LastJobSchema(
        id=job.id,
        name=job.name,
        status=job.status,
        statusReason=job.status_reason,
        createdAt=timestamp(job.created_at),
    )


def _if_known(moment: datetime | None) -> str | None:
    return None if moment is None else timestamp(moment)
