"""API documentation: the routes and schemas of the API, from its own OpenAPI description."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from webstrata.http.error_responses import EVERYWHERE
from webstrata.web.api_texts import ApiPage, Description, described
from webstrata.web.failures import PageRoute
from webstrata.web.pages import render

_PUBLIC = {
    ApiPage.FIRST: ("/docs", "API"),
    ApiPage.CHANGES: ("/docs/changes", "API of changes"),
    ApiPage.REPLAY: ("/docs/replay", "API of replay"),
    ApiPage.LISTINGS: ("/docs/listings", "API of listings"),
    ApiPage.RESOURCES: ("/docs/resources", "API of page resources"),
    ApiPage.WATCHING: ("/docs/watching", "API of watching"),
}
_FOR_OPERATORS = {
    ApiPage.OPERATORS: ("/docs/operators", "API for administrators"),
    ApiPage.RETENTION: ("/docs/retention", "API of retention"),
    ApiPage.NOTIFICATIONS: ("/docs/notifications", "API of notifications"),
    ApiPage.AUDITS: ("/docs/audits", "API of audits"),
}
_PAGES = _PUBLIC | _FOR_OPERATORS

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@router.get("/docs")
def show_public_api(request: Request) -> HTMLResponse:
    """Show the public routes."""
    return _show(request, ApiPage.FIRST)


@router.get("/docs/changes")
def show_changes_api(request: Request) -> HTMLResponse:
    """Show the routes of changes, comparisons and feeds."""
    return _show(request, ApiPage.CHANGES)


@router.get("/docs/replay")
def show_replay_api(request: Request) -> HTMLResponse:
    """Show the routes that find captures for replay."""
    return _show(request, ApiPage.REPLAY)


@router.get("/docs/operators")
def show_operators_api(request: Request) -> HTMLResponse:
    """Show the routes for administrators."""
    return _show(request, ApiPage.OPERATORS)


@router.get("/docs/retention")
def show_retention_api(request: Request) -> HTMLResponse:
    """Show the routes of retention policies, legal holds and withheld snapshots."""
    return _show(request, ApiPage.RETENTION)


@router.get("/docs/notifications")
def show_notifications_api(request: Request) -> HTMLResponse:
    """Show the routes of notifications and of reviews of changes."""
    return _show(request, ApiPage.NOTIFICATIONS)


@router.get("/docs/listings")
def show_listings_api(request: Request) -> HTMLResponse:
    """Show the routes of listings, prices, hauls and health."""
    return _show(request, ApiPage.LISTINGS)


@router.get("/docs/resources")
def show_resources_api(request: Request) -> HTMLResponse:
    """Show the routes of what pages need to be shown."""
    return _show(request, ApiPage.RESOURCES)


@router.get("/docs/watching")
def show_watching_api(request: Request) -> HTMLResponse:
    """Show the routes of site diffs, watches and saved searches."""
    return _show(request, ApiPage.WATCHING)


@router.get("/docs/audits")
def show_audits_api(request: Request) -> HTMLResponse:
    """Show the routes of evidence audits."""
    return _show(request, ApiPage.AUDITS)


def _show(request: Request, page: ApiPage) -> HTMLResponse:
    return render(
        request,
        "api_docs.html",
        api=_described(request, page),
        title=_PAGES[page][1],
        other_pages=[link for other, link in _PAGES.items() if other is not page],
        for_operators=page in _FOR_OPERATORS,
        everywhere=[str(status) for status in EVERYWHERE],
    )


def _described(request: Request, page: ApiPage) -> Description:
    """Return the description, made once: the routes do not change while the program runs."""
    made: dict[ApiPage, Description] = request.app.state.__dict__.setdefault("api_descriptions", {})
    if page not in made:
        made[page] = described(request.app.openapi(), page)
    return made[page]
