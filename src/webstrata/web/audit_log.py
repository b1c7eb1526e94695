"""The audit log page for administrators: who changed what."""

import json
from collections.abc import Mapping
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse

from webstrata.db.operations.audit_log import ChangeFilter, LoggedChange, entries
from webstrata.http.dependencies import Parts, Text
from webstrata.model.list_totals import is_capped
from webstrata.web.failures import PageRoute
from webstrata.web.list_pages import count_pages
from webstrata.web.pages import render
from webstrata.web.visitor import require_admin_visitor

ON_A_PAGE = 50
MAX_PAGE = 1_000_000

router = APIRouter(route_class=PageRoute, include_in_schema=False, dependencies=[Depends(require_admin_visitor)])


@router.get("/audit-log")
def audit_log(
    request: Request, app: Parts, target: Text = "", page: Annotated[int, Query(ge=1, le=MAX_PAGE)] = 1
) -> HTMLResponse:
    """List changes, newest first: all, or those of one target."""
    requested = target.strip()
    with app.database.read() as session:
        found, total = entries(
            session, ChangeFilter(target=requested or None), limit=ON_A_PAGE, offset=(page - 1) * ON_A_PAGE
        )
    return render(
        request,
        "audit_log.html",
        changes=[(change, page_of(change.target), details_of(change)) for change in found],
        total=total,
        target=requested,
        here=page,
        pages=count_pages(total, ON_A_PAGE, page, len(found)),
        capped=is_capped(total),
        older=_address(requested, page + 1),
        newer=_address(requested, page - 1),
    )


def page_of(target: str) -> str | None:
    """Return the address of a target's page, if it has one."""
    kind, _, name = target.partition(":")
    return {"job": f"/jobs/{name}", "source": f"/sources/{name}"}.get(kind) if name else None


def details_of(change: LoggedChange) -> list[tuple[str, str]]:
    """Return the details of a change: the old and new value of each field, then further facts."""
    before, after = (change.details.get(part) for part in ("before", "after"))
    was, now = (part if isinstance(part, Mapping) else {} for part in (before, after))
    different = [(name, f"{_format_value(was.get(name))} → {_format_value(now.get(name))}") for name in {**was, **now}]
    others = [(name, _format_value(value)) for name, value in change.details.items() if name not in {"before", "after"}]
    return different + others


def _format_value(value: object) -> str:
    if value is None:
        return "none"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _address(target: str, page: int) -> str:
    fields = {"target": target, "page": str(page) if page > 1 else ""}
    query = urlencode({name: value for name, value in fields.items() if value})
    return f"/audit-log?{query}" if query else "/audit-log"
