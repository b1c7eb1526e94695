"""The page of saved searches: their feeds, and for administrators a form for a new one."""

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import BaseModel, ConfigDict

from webstrata.app import App
from webstrata.db.operations import catalog
from webstrata.db.watching import saved_searches
from webstrata.errors import NotFoundError, WebstrataError
from webstrata.http.audit_trail import ActingParts
from webstrata.http.dependencies import Parts, Text
from webstrata.http.same_origin import require_same_origin
from webstrata.jobs.watching.saved_search_commands import SavedSearchCommands
from webstrata.web.failures import PageRoute
from webstrata.web.pages import render
from webstrata.web.visitor import require_admin_visitor

SEARCHES_PAGE = "/saved-searches"

router = APIRouter(route_class=PageRoute, include_in_schema=False, dependencies=[Depends(require_admin_visitor)])
_OURS = [Depends(require_same_origin)]


class SavedSearchForm(BaseModel):
    """A saved search as it was typed."""

    model_config = ConfigDict(frozen=True)

    name: Text = ""
    q: Text = ""
    source: Text = ""


@router.get(SEARCHES_PAGE)
def show(request: Request, app: Parts, q: Text = "", source: Text = "") -> HTMLResponse:
    """Show the saved searches; a search to be saved may be given."""
    return _page(request, app, SavedSearchForm(q=q, source=source))


@router.post(SEARCHES_PAGE, dependencies=_OURS)
def add(request: Request, app: ActingParts, form: Annotated[SavedSearchForm, Form()]) -> Response:
    """Save a search; what cannot be saved comes back with the reason."""
    try:
        SavedSearchCommands(app.database, app.archive_root).add(form.name, {"q": form.q, "source": form.source})
    except WebstrataError as error:
        return _page(request, app, form, status=422, refusal=str(error))
    return RedirectResponse(SEARCHES_PAGE, status_code=303)


@router.post(f"{SEARCHES_PAGE}/remove", dependencies=_OURS)
def remove(app: ActingParts, search: Annotated[Text, Form()]) -> Response:
    """Remove a saved search with its subscriptions."""
    try:
        SavedSearchCommands(app.database, app.archive_root).remove(search)
    except NotFoundError:
        raise NotFoundError("There is no such saved search in this archive") from None
    return RedirectResponse(SEARCHES_PAGE, status_code=303)


def _page(
    request: Request, app: App, form: SavedSearchForm, *, status: int = 200, refusal: str | None = None
) -> HTMLResponse:
    with app.database.read() as session:
        found = saved_searches.list_searches(session)
        sources = catalog.sources(session)
    listed = [(one, f"/search?{one.query_string}") for one in found]
    return render(
        request,
        "saved_searches.html",
        status=status,
        searches=listed,
        sources=[(one.code, one.name) for one in sources],
        form=form,
        refusal=refusal,
    )
