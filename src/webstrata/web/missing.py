"""Administrators fetch what a captured page lacks."""

import structlog
from fastapi import APIRouter, Depends
from fastapi.responses import RedirectResponse, Response

from webstrata.api.audit_trail import ActingParts
from webstrata.api.parts import SnapshotId
from webstrata.api.same_origin import require_same_origin
from webstrata.jobs.missing import queue_missing
from webstrata.web.failures import PageRoute
from webstrata.web.visitor import require_admin_visitor

log = structlog.get_logger()

router = APIRouter(route_class=PageRoute, include_in_schema=False, dependencies=[Depends(require_admin_visitor)])


@router.post("/snapshot/{snapshot_id}/fetch-missing", dependencies=[Depends(require_same_origin)])
def fetch_missing(snapshot_id: SnapshotId, app: ActingParts) -> Response:
    """Queue a job that captures the page again with all that it shows, and show the job."""
    queued = queue_missing(app.database, app.archive_root, snapshot_id)
    log.info("admin.fetch_missing", snapshot_id=snapshot_id, job_id=queued.job_id)
    return RedirectResponse(f"/jobs/{queued.job_id}", status_code=303)
