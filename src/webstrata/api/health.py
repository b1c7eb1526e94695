"""API of health and statistics: whether the archive works, and its totals."""

from datetime import UTC, datetime
from time import perf_counter
from typing import Annotated

import structlog
from fastapi import APIRouter, Query, Response
from fastapi.responses import JSONResponse

from webstrata import __version__
from webstrata.api import present
from webstrata.api.schemas import (
    ArchiveStatsSchema,
    HealthChecksSchema,
    HealthDetailsSchema,
    HealthSchema,
    SnapshotCountSchema,
    UnhealthyChecksSchema,
    UnhealthySchema,
)
from webstrata.app import App
from webstrata.db import migrate
from webstrata.db.operations import catalog, integrity_checks
from webstrata.errors import DatabaseError
from webstrata.http.caching import A_MINUTE, NEVER
from webstrata.http.dependencies import Parts
from webstrata.http.error_schemas import ErrorSchema
from webstrata.http.storage_health import storage_trouble

log = structlog.get_logger()
router = APIRouter(tags=["health"])

_DATABASE_AWAY = UnhealthySchema(status="error", checks=UnhealthyChecksSchema(db="error")).model_dump()


@router.get(
    "/api/health",
    response_model=HealthSchema,
    response_model_exclude_none=True,
    responses={
        500: {
            "model": UnhealthySchema | ErrorSchema,
            "description": "The database cannot be reached, or an internal error.",
        }
    },
)
def health(
    app: Parts,
    response: Response,
    details: Annotated[bool, Query(description="Add versions and the time that the database took.")] = False,
) -> HealthSchema | JSONResponse:
    """Return whether the archive works."""
    response.headers["Cache-Control"] = NEVER
    try:
        return _run_checks(app, details)
    except DatabaseError as error:
        log.error("health.database", error=str(error))
        return JSONResponse(_DATABASE_AWAY, status_code=500, headers={"Cache-Control": NEVER})


@router.get("/api/stats")
def stats(app: Parts, response: Response) -> ArchiveStatsSchema:
    """Return the numbers of sources, snapshots and pages in the archive."""
    response.headers["Cache-Control"] = A_MINUTE
    with app.database.read() as session:
        return present.stats(catalog.totals(session), datetime.now(UTC).date())


def _run_checks(app: App, details: bool) -> HealthSchema:
    began = perf_counter()
    with app.database.read() as session:
        jobs = catalog.job_status_counts(session, public=True)
        snapshots = catalog.totals(session).snapshots
        checked = integrity_checks.last_check(session)
    elapsed = round((perf_counter() - began) * 1000, 1)
    trouble = storage_trouble(app)
    is_damaged = checked is not None and checked.problem_count > 0
    checks = HealthChecksSchema(
        db="ok",
        jobs=jobs,
        snapshots=SnapshotCountSchema(total=snapshots),
        storage="error" if trouble else None,
        integrity=None if checked is None else "problems" if is_damaged else "ok",
        integrityCheckedAt=present.timestamp(checked.ended_at) if checked and checked.ended_at else None,
    )
    status = "degraded" if trouble or is_damaged else "ok"
    return HealthSchema(status=status, checks=checks, details=_details(app, elapsed) if details else None)


def _details(app: App, database_ms: float) -> HealthDetailsSchema:
    return HealthDetailsSchema(
        version=__version__,
        schemaVersion=migrate.current(app.database),
        database="sqlite" if app.database.is_sqlite else "postgresql",
        databaseMs=database_ms,
    )
