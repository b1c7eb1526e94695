"""The exports page: which lists can be downloaded, and what their columns mean."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from webstrata.http.dependencies import Parts
from webstrata.http.export_rows import CHANGE_COLUMNS, CHANGES, DATA_DICTIONARY, SNAPSHOT_COLUMNS, SNAPSHOTS
from webstrata.web.failures import PageRoute
from webstrata.web.pages import render

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@router.get(DATA_DICTIONARY)
def data_dictionary(request: Request, app: Parts) -> HTMLResponse:
    """Explain the columns of every list."""
    return render(
        request,
        "data_dictionary.html",
        lists=(("Snapshots", SNAPSHOTS, SNAPSHOT_COLUMNS), ("Changes", CHANGES, CHANGE_COLUMNS)),
        enabled=app.settings.exports_enabled,
        limit=min(app.settings.exports_default_limit, app.settings.exports_max_limit),
        most=app.settings.exports_max_limit,
    )
