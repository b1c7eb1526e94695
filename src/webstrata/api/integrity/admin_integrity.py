"""Admin API of integrity checks: `/admin/api/integrity`."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query

from webstrata.api.integrity.integrity_schemas import IntegrityCheckSchema, IntegrityProblemSchema, IntegritySchema
from webstrata.api.present import timestamp
from webstrata.app import App
from webstrata.db.operations import integrity_checks
from webstrata.http.audit_trail import ActingParts
from webstrata.http.auth import ADMIN_RESPONSES, require_admin
from webstrata.http.dependencies import Parts
from webstrata.http.same_origin import refuse_other_sites
from webstrata.jobs.packages.integrity_schedule import request_check
from webstrata.model.integrity.checks import StoredCheck

INTEGRITY_PATH = "/admin/api/integrity"

router = APIRouter(
    prefix=INTEGRITY_PATH, tags=["retention"], dependencies=[Depends(require_admin)], responses=ADMIN_RESPONSES
)


@router.get("")
def show(app: Parts, limit: Annotated[int, Query(ge=1, le=integrity_checks.MOST_STORED)] = 100) -> IntegritySchema:
    """Return the last check of the archive's files, its problems, and the check under way."""
    return _status(app, limit)


@router.post("", dependencies=[Depends(refuse_other_sites)], status_code=202)
def check(app: ActingParts) -> IntegritySchema:
    """Start a check of all files by the workers; a running check continues."""
    request_check(app.database, datetime.now(UTC))
    return _status(app, 100)


def _status(app: App, limit: int) -> IntegritySchema:
    with app.database.read() as session:
        last = integrity_checks.last_check(session)
        running = integrity_checks.running_check(session)
        found = integrity_checks.problems_of(session, last.id, limit) if last else []
    return IntegritySchema(
        intervalDays=app.settings.verify_interval_days,
        lastCheck=_check(last) if last else None,
        problems=[IntegrityProblemSchema(path=one.path, offset=one.offset, reason=one.reason) for one in found],
        running=_check(running) if running else None,
    )


def _check(check: StoredCheck) -> IntegrityCheckSchema:
    return IntegrityCheckSchema(
        id=check.id,
        trigger="schedule" if check.trigger == "schedule" else "manual",
        beganAt=timestamp(check.began_at),
        endedAt=timestamp(check.ended_at) if check.ended_at else None,
        files=check.files,
        records=check.records,
        bytesRead=check.bytes_read,
        problemCount=check.problem_count,
    )
