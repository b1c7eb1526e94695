"""API of readers' reports: problems of a snapshot, and requests to take it down."""

from datetime import UTC, datetime

import structlog
from fastapi import APIRouter, Request

from webstrata.api import present
from webstrata.api.public_schemas import NewReportSchema, ReportReceiptSchema
from webstrata.db.operations.readers_reports import NewReport, add_report
from webstrata.http.dependencies import Parts
from webstrata.http.metrics.usage_counts import Event, count_event

log = structlog.get_logger()
router = APIRouter(tags=["reports"])


@router.post("/api/reports", status_code=201)
def report(app: Parts, request: Request, body: NewReportSchema) -> ReportReceiptSchema:
    """Store a report for the archive's operators."""
    now = datetime.now(UTC)
    if body.website:
        # People do not see that field. The bot that filled it in gets the usual response.
        log.info("report.honeypot")
        return ReportReceiptSchema(reportId=None, status="received", receivedAt=present.timestamp(now))
    with app.database.write() as session:
        report_id = add_report(session, _as_report(body), now)
    count_event(request, Event.REPORT_SUBMISSIONS)
    log.info("report.received", report_id=report_id, category=body.category.value)
    return ReportReceiptSchema(reportId=report_id, status="new", receivedAt=present.timestamp(now))


def _as_report(body: NewReportSchema) -> NewReport:
    return NewReport(
        category=body.category.value,
        description=body.description,
        snapshot_id=body.snapshotId,
        original_url=body.originalUrl,
        reporter_email=body.reporterEmail,
        page_url=body.pageUrl,
    )
