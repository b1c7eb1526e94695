"""Marking changes as reviewed, important or noise, from the list of changes and the compare page."""

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Path
from fastapi.responses import RedirectResponse, Response

from webstrata.errors import UsageError
from webstrata.http.audit_trail import ActingParts
from webstrata.http.dependencies import SnapshotNumber, Text
from webstrata.http.same_origin import require_same_origin
from webstrata.model.notifications.messages import compare_path
from webstrata.model.notifications.values import ReviewStatus
from webstrata.notifications.reviewing import mark_change
from webstrata.web.failures import PageRoute
from webstrata.web.visitor import require_admin_visitor

router = APIRouter(route_class=PageRoute, include_in_schema=False, dependencies=[Depends(require_admin_visitor)])

CHANGES = "/changes"


@router.post("/changes/{change_id}/review", dependencies=[Depends(require_same_origin)])
def review(
    app: ActingParts,
    change_id: Annotated[SnapshotNumber, Path()],
    status: Annotated[Text, Form()] = "",
    note: Annotated[Text | None, Form()] = None,
    back: Annotated[Text, Form()] = "",
) -> Response:
    """Mark a change, or remove its mark, and show the same page again."""
    if status and status not in set(ReviewStatus):
        raise UsageError("choose reviewed, important or noise")
    mark = ReviewStatus(status) if status else None
    marked = mark_change(app.database, app.archive_root, change_id, mark, note)
    shown = compare_path(marked.from_snapshot_id, marked.to_snapshot_id)
    return RedirectResponse(_list_address(back) or shown, status_code=303)


def _list_address(back: str) -> str | None:
    """Return the address of the list from which a change was marked; None for addresses of other sites."""
    path, _, query = back.partition("?")
    if path != CHANGES or any(mark in query for mark in "\r\n\\"):
        return None
    return back
