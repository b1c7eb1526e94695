"""Admin API for readers' reports: list them, and set the status and notes of each."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path

from webstrata.api.operations.admin_schemas import (
    ReportChangeSchema,
    ReportDetailSchema,
    ReportListSchema,
    ReportSummarySchema,
)
from webstrata.api.present import timestamp
from webstrata.db.operations import report_review
from webstrata.db.operations.report_review import ReviewedReport
from webstrata.errors import NotFoundError
from webstrata.http.audit_trail import ActingParts
from webstrata.http.auth import ADMIN_RESPONSES, require_admin
from webstrata.http.dependencies import LARGEST_OFFSET, Limit, Offset, Parts, RowId, TextFilter
from webstrata.http.error_schemas import ErrorSchema
from webstrata.http.headers import ADMIN_PATH
from webstrata.http.same_origin import refuse_other_sites

ReportId = Annotated[int, RowId, Path(description="A report's number.")]

_Responses = dict[int | str, dict[str, Any]]
_UNKNOWN: _Responses = {404: {"model": ErrorSchema}}

router = APIRouter(
    prefix=ADMIN_PATH + "/reports",
    tags=["admin"],
    dependencies=[Depends(require_admin)],
    responses=ADMIN_RESPONSES,
)


@router.get("")
def reports(
    app: Parts, status: TextFilter = None, category: TextFilter = None, limit: Limit = 50, offset: Offset = 0
) -> ReportListSchema:
    """List readers' reports, newest first."""
    with app.database.read() as session:
        found, total = report_review.reports(
            session, status=status, category=category, limit=limit, offset=min(offset, LARGEST_OFFSET)
        )
    return ReportListSchema(items=[_summary(report) for report in found], total=total, limit=limit, offset=offset)


@router.get("/{report_id}", responses=_UNKNOWN)
def report(app: Parts, report_id: ReportId) -> ReportDetailSchema:
    """Return the details of a report."""
    with app.database.read() as session:
        return _detail(report_review.report(session, report_id))


@router.patch("/{report_id}", responses=_UNKNOWN, dependencies=[Depends(refuse_other_sites)])
def change(app: ActingParts, report_id: ReportId, body: ReportChangeSchema) -> ReportDetailSchema:
    """Set the status of a report, or add notes to it."""
    given = {"status": body.status, "internal_notes": body.internalNotes}
    with app.database.write() as session:
        changes = {name: value for name, value in given.items() if value is not None}
        return _detail(report_review.change_report(session, report_id, changes))


def _summary(report: ReviewedReport) -> ReportSummarySchema:
    return ReportSummarySchema(
        id=report.id,
        category=report.category,
        status=report.status,
        snapshotId=report.snapshot_id,
        originalUrl=report.original_url,
        pageUrl=report.page_url,
        createdAt=timestamp(report.created_at),
    )


def _detail(report: ReviewedReport | None) -> ReportDetailSchema:
    if report is None:
        raise NotFoundError("Report not found")
    return ReportDetailSchema(
        **_summary(report).model_dump(),
        updatedAt=timestamp(report.updated_at),
        reporterEmail=report.reporter_email,
        description=report.description,
        internalNotes=report.internal_notes,
    )
