"""Error pages for readers: what went wrong and what to do; clients of the API get JSON."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

import structlog
from fastapi import FastAPI, Request, Response
from fastapi.exception_handlers import http_exception_handler
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from webstrata.errors import WebstrataError
from webstrata.http.error_responses import SENTENCES, public_failure
from webstrata.web.pages import render
from webstrata.wrong_values import plain_words

log = structlog.get_logger()

PROGRAM_PATHS = ("/api", "/admin/api", "/public_api", "/metrics", "/cdx")
"""Path prefixes of routes for programs, whose errors are JSON."""


@dataclass(frozen=True)
class ErrorText:
    """The text of an error page: what happened, and what to do."""

    title: str
    to_do: str


_FAILURES = {
    400: ErrorText("Invalid address", "Check the address, go back, or start from the home page."),
    403: ErrorText("Administrators only", "You can read and search without signing in."),
    404: ErrorText("Not found", "Check the address, or search for words on the page."),
    405: ErrorText("Not possible here", "Go back and use the buttons of the page."),
    409: ErrorText("Not possible now", "Something has changed meanwhile. Go back and reload the page."),
    410: ErrorText("Deleted", "It was deleted from this archive. Other captures of the page may still exist."),
    422: ErrorText("Invalid address", "Check the address, go back, or start from the home page."),
    429: ErrorText("Too many requests", "Try again in a minute."),
    503: ErrorText("The archive is unavailable", "Nothing is lost. Try again in a minute."),
}
_OTHER_FAILURE = ErrorText("Internal error", "Nothing is lost. Try again; if it happens again, tell the administrator.")

_Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class PageRoute(APIRoute):
    """A route whose failures are pages too."""

    def get_route_handler(self) -> _Handler:
        """Return the route's handler, with an error page for every failure."""
        handler = super().get_route_handler()

        async def respond(request: Request) -> Response:
            try:
                return await handler(request)
            except HTTPException as error:
                return failure_page(request, error.status_code, error.detail)
            except RequestValidationError as error:
                return failure_page(request, 422, _wrong_fields(error))
            except WebstrataError as error:
                return _our_failure(request, error)
            except Exception:
                log.exception("http.error")
                return failure_page(request, 500, SENTENCES[500])

        return respond


def show_unknown_addresses_as_pages(site: FastAPI) -> None:
    """Respond to an unknown address with an error page, unless it is one for programs."""
    site.add_exception_handler(HTTPException, _unknown_route)


def failure_page(request: Request, status: int, what: str) -> Response:
    """Return the error page with what happened and what to do."""
    failure = _FAILURES.get(status, _OTHER_FAILURE)
    return render(request, "failure.html", status=status, code=status, failure=failure, what=what.rstrip("."))


def _our_failure(request: Request, error: WebstrataError) -> Response:
    status, sentence = public_failure(error)
    return failure_page(request, status, sentence)


async def _unknown_route(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    path = request.url.path
    if any(path == prefix or path.startswith(f"{prefix}/") for prefix in PROGRAM_PATHS):
        return await http_exception_handler(request, error)
    what = f"There is no page at {path}" if error.status_code == 404 else error.detail
    return failure_page(request, error.status_code, what)


def _wrong_fields(error: RequestValidationError) -> str:
    return "; ".join(f"{problem['loc'][-1]}: {plain_words(problem)}" for problem in error.errors())
