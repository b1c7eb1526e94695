"""Whose pages are kept? Every source with what was captured of it."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from webstrata.api.parts import Parts
from webstrata.db import catalog
from webstrata.web.failures import PageRoute
from webstrata.web.pages import render

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@router.get("/sources")
def sources(request: Request, app: Parts) -> HTMLResponse:
    """List the sources by name."""
    with app.database.read() as session:
        return render(request, "sources.html", sources=catalog.sources(session))
