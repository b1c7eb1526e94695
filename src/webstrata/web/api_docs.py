"""What can programs ask? The API's routes and schemas, as its own description tells them."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from webstrata.api.error_answers import EVERYWHERE
from webstrata.web.api_words import Audience, Description, described
from webstrata.web.failures import PageRoute
from webstrata.web.pages import render

_TITLES = {
    Audience.READERS: "API",
    Audience.OPERATORS: "API for administrators",
    Audience.RETENTION: "API of retention",
    Audience.RESOURCES: "API of page resources",
}

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@router.get("/docs")
def readers_api(request: Request) -> HTMLResponse:
    """Show what everybody can ask the API."""
    return _show(request, Audience.READERS)


@router.get("/docs/operators")
def operators_api(request: Request) -> HTMLResponse:
    """Show what those who run the archive can ask it and tell it."""
    return _show(request, Audience.OPERATORS)


@router.get("/docs/retention")
def retention_api(request: Request) -> HTMLResponse:
    """Show the routes of retention policies, legal holds and withheld snapshots."""
    return _show(request, Audience.RETENTION)


@router.get("/docs/resources")
def resources_api(request: Request) -> HTMLResponse:
    """Show the routes of what pages need to be shown."""
    return _show(request, Audience.RESOURCES)


def _show(request: Request, audience: Audience) -> HTMLResponse:
    return render(
        request,
        "api_docs.html",
        api=_described(request, audience),
        title=_TITLES[audience],
        for_operators=audience in {Audience.OPERATORS, Audience.RETENTION},
        everywhere=[str(status) for status in EVERYWHERE],
    )


def _described(request: Request, audience: Audience) -> Description:
    """Return the description, made once: the routes do not change while the program runs."""
    made: dict[Audience, Description] = request.app.state.__dict__.setdefault("api_descriptions", {})
    if audience not in made:
        made[audience] = described(request.app.openapi(), audience)
    return made[audience]
