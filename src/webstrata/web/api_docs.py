"""What can programs ask? The API's routes and schemas, as its own description tells them."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from webstrata.api.error_answers import EVERYWHERE
from webstrata.web.api_words import Description, described
from webstrata.web.failures import PageRoute
from webstrata.web.pages import render

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@router.get("/docs")
def readers_api(request: Request) -> HTMLResponse:
    """Show what everybody can ask the API."""
    return _show(request, for_operators=False)


@router.get("/docs/operators")
def operators_api(request: Request) -> HTMLResponse:
    """Show what those who run the archive can ask it and tell it."""
    return _show(request, for_operators=True)


def _show(request: Request, *, for_operators: bool) -> HTMLResponse:
    return render(
        request,
        "api_docs.html",
        api=_described(request, for_operators=for_operators),
        for_operators=for_operators,
        everywhere=[str(status) for status in EVERYWHERE],
    )


def _described(request: Request, *, for_operators: bool) -> Description:
    """Return the description, made once: the routes do not change while the program runs."""
    made: dict[bool, Description] = request.app.state.__dict__.setdefault("api_descriptions", {})
    if for_operators not in made:
        made[for_operators] = described(request.app.openapi(), for_operators=for_operators)
    return made[for_operators]
