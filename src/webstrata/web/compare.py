"""Two captures of a page side by side."""

from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from webstrata.app import App
from webstrata.db.operations import catalog
from webstrata.http.browsing import site_url
from webstrata.http.comparing import ComparedCaptures, compare_captures
from webstrata.http.dependencies import Parts, SnapshotId, SnapshotNumber
from webstrata.model.archive import SnapshotView
from webstrata.model.changes.values import SIGNIFICANT
from webstrata.model.notifications.messages import compare_path
from webstrata.web.diff_view import view_diff
from webstrata.web.failures import PageRoute
from webstrata.web.pages import render

MAX_CHOICES = 60
"""How many captures of the page can be selected: the newest, and the two that are compared."""

router = APIRouter(route_class=PageRoute, include_in_schema=False)


class DiffLayout(StrEnum):
    """How the two captures are shown."""

    SPLIT = "split"
    INLINE = "inline"


Layout = Annotated[DiffLayout, Query(alias="view")]
Whole = Annotated[bool, Query(alias="all")]


@router.get("/compare")
def compare(
    request: Request,
    app: Parts,
    to_id: Annotated[SnapshotNumber, Query(alias="to")],
    from_id: Annotated[SnapshotNumber | None, Query(alias="from")] = None,
    layout: Layout = DiffLayout.SPLIT,
    whole: Whole = False,
) -> HTMLResponse:
    """Show what changed between two captures."""
    return _show(request, app, from_id, to_id, layout, whole=whole)


@router.get("/compare/{snapshot_id}")
def compare_with_previous(
    request: Request,
    app: Parts,
    snapshot_id: SnapshotId,
    layout: Layout = DiffLayout.SPLIT,
    whole: Whole = False,
) -> HTMLResponse:
    """Show what a capture changed since the capture before it."""
    return _show(request, app, None, snapshot_id, layout, whole=whole)


def _show(
    request: Request, app: App, from_id: int | None, to_id: int, layout: DiffLayout, *, whole: bool
) -> HTMLResponse:
    compared = compare_captures(app, request, from_id, to_id, wants_edits=True)
    with app.database.read() as session:
        captures = catalog.timeline(session, compared.new)
    path = compare_path(compared.old.id if compared.old else None, to_id)
    return render(
        request,
        "compare.html",
        old=compared.old,
        new=compared.new,
        event=compared.event,
        diff=view_diff(compared.edits, whole=whole),
        is_inline=layout is DiffLayout.INLINE,
        significant=SIGNIFICANT,
        choices=choices(captures, compared),
        left_out=max(0, len(captures) - MAX_CHOICES),
        compare_path=path,
        joined="&" if "?" in path else "?",
        permalink=f"{site_url(request, app.settings)}{path}",
    )


def choices(captures: tuple[SnapshotView, ...], compared: ComparedCaptures) -> list[SnapshotView]:
    """Return the captures to choose from, newest first, among them the two that are shown."""
    shown = {one.id for one in (compared.old, compared.new) if one is not None}
    newest = captures[-MAX_CHOICES:]
    older = [one for one in captures[: -len(newest)] if one.id in shown]
    return [*reversed(newest), *reversed(older)]
