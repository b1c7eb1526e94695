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
from webstrata.http.error_responses import SENTENCES, shown_failure
from webstrata.web.pages import render
from webstrata.wrong_values import plain_words

log = structlog.get_logger()

PROGRAM_PATHS = ("/api", "/admin/api", "/public_api", "/metrics", "/cdx")
"""What lies below these is for programs."""


@dataclass(frozen=True)
class ErrorText:
    """The text of an error page: what happened, and what to do."""

    title: str
    to_do: str


_FAILURES = {
    400: ErrorText("That address makes no sense", "Part of it is wrong. Go back, or begin again from the first page."),
    403: ErrorText("This is for the people who run the archive", "Reading and searching need no sign-in."),
    404: ErrorText("That is not here", "The address may be mistyped. Search for what the page said instead."),
    405: ErrorText("That cannot be done here", "Go back and use the buttons of the page."),
    409: ErrorText("That does not go now", "Things have moved on meanwhile. Go back and look at the page again."),
    410: ErrorText("That was deleted", "It was in the archive once. Other captures of the page may still be there."),
    422: ErrorText("That address makes no sense", "Part of it is wrong. Go back, or begin again from the first page."),
    429: ErrorText("Too many are watching", "Nothing is lost. Try again in a minute."),
    503: ErrorText("The archive is out of reach", "Nothing is lost. Try again in a minute."),
}
_OTHER_FAILURE = ErrorText("Something broke on our side", "Nothing is lost. Try again; if it stays, tell the operator.")

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
    site.add_exception_handler(HTTPException, _unrouted)


def failure_page(request: Request, status: int, what: str) -> Response:
    """Return the error page with what happened and what to do."""
    failure = _FAILURES.get(status, _OTHER_FAILURE)
    return render(request, "failure.html", status=status, code=status, failure=failure, what=what.rstrip("."))


def _our_failure(request: Request, error: WebstrataError) -> Response:
    status, sentence = shown_failure(error)
    return failure_page(request, status, sentence)


async def _unrouted(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    path = request.url.path
    if any(path == prefix or path.startswith(f"{prefix}/") for prefix in PROGRAM_PATHS):
        return await http_exception_handler(request, error)
    what = f"There is nothing at {path}" if error.status_code == 404 else error.detail
    return failure_page(request, error.status_code, what)


def _wrong_fields(error: RequestValidationError) -> str:
    return "; ".join(f"{problem['loc'][-1]}: {plain_words(problem)}" for problem in error.errors())
