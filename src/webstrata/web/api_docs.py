"""API documentation: the routes and schemas of the API, from its own OpenAPI description."""

from collections.abc import Callable

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


def _route_of(page: ApiPage) -> Callable[[Request], HTMLResponse]:
    """Return the function that shows one page of the documentation."""

    def show(request: Request) -> HTMLResponse:
        return _show(request, page)

    return show


for _page, (_path, _) in _PAGES.items():
    router.add_api_route(_path, _route_of(_page), name=f"api_docs_{_page.name.lower()}")


def _show(request: Request, page: ApiPage) -> HTMLResponse:
    return render(
        request,
        "api_docs.html",
        api=_description(request, page),
        title=_PAGES[page][1],
        other_pages=[link for other, link in _PAGES.items() if other is not page],
        for_operators=page in _FOR_OPERATORS,
        everywhere=[str(status) for status in EVERYWHERE],
    )


def _description(request: Request, page: ApiPage) -> Description:
    """Return the description; cached, as routes do not change while the program runs."""
    made: dict[ApiPage, Description] = request.app.state.__dict__.setdefault("api_descriptions", {})
    if page not in made:
        made[page] = described(request.app.openapi(), page)
    return made[page]
