"""Errors over HTTP: a status code, and one sentence in JSON."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from fastapi import FastAPI, Request, Response
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from webstrata import errors
from webstrata.errors import ConflictError, StorageError
from webstrata.http.error_schemas import ErrorSchema, RefusedSchema

log = structlog.get_logger()

STATUS_CODES: dict[type[errors.WebstrataError], int] = {
    errors.NotFoundError: 404,
    errors.GoneError: 410,
    errors.PolicyError: 400,
    errors.UnreadablePolicyError: 409,
    errors.UsageError: 422,
    errors.LeaseLostError: 409,
    errors.ConflictError: 409,
    errors.ReadOnlyArchiveError: 409,
    errors.BlockedAddressError: 400,
    errors.FetchError: 502,
    errors.MissingExtraError: 501,
    errors.DatabaseUnavailableError: 503,
    errors.SchemaVersionError: 503,
    errors.TooManyViewersError: 429,
    errors.TooManyComparisonsError: 429,
    errors.PageTooLargeError: 413,
    errors.WebstrataError: 500,
}
"""The status code by class of error; the closest base class decides."""

READ_ONLY = "The archive is read-only: nothing in it can be changed"

SENTENCES = {500: "Internal server error", 503: "The archive's database is not available"}
"""The messages that clients get for internal failures; the log has the details."""


EVERYWHERE: dict[int | str, dict[str, object]] = {
    400: {"model": ErrorSchema, "description": "The request cannot be read."},
    408: {"model": ErrorSchema, "description": "The request's body took too long to arrive."},
    413: {"model": ErrorSchema, "description": "The request's body is too large."},
    414: {"model": ErrorSchema, "description": "The query string is too long."},
    422: {"model": RefusedSchema, "description": "A parameter or the body is invalid."},
    429: {"model": ErrorSchema, "description": "Too many requests; `Retry-After` has the seconds to wait."},
    500: {"model": ErrorSchema, "description": "An internal error."},
    503: {"model": ErrorSchema, "description": "The archive's database is not available."},
}
"""The responses in the API's description for failures that any route may have."""


MAY_BE_WITHHELD: dict[int | str, dict[str, object]] = {
    404: {"model": ErrorSchema},
    410: {"model": ErrorSchema, "description": "Withheld; `tombstone` has the date and the reason."},
}
"""The responses in the API's description for routes that are about a snapshot."""


def status_code(error: errors.WebstrataError) -> int:
    """Return the status code of an error."""
    return next(STATUS_CODES[ancestor] for ancestor in type(error).__mro__ if ancestor in STATUS_CODES)


def public_failure(error: errors.WebstrataError) -> tuple[int, str]:
    """Return an error's status code and the message for clients; the log gets the details."""
    code = status_code(error)
    if code in SENTENCES:
        log.error("http.error", error=str(error), kind=type(error).__name__)
    if isinstance(error, errors.ReadOnlyArchiveError):
        return code, READ_ONLY
    return code, SENTENCES.get(code, str(error))


def add_error_responses(api: FastAPI) -> None:
    """Register handlers that turn every error of ours into a response with its status code."""
    api.add_exception_handler(errors.WebstrataError, _error_response)
    api.add_exception_handler(RequestValidationError, _refusal)


async def _error_response(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, errors.WebstrataError)
    code, sentence = public_failure(error)
    more = {"tombstone": error.tombstone} if isinstance(error, errors.GoneError) else {}
    return JSONResponse({"detail": sentence, **more}, status_code=code)


async def _refusal(_request: Request, error: Exception) -> Response:
    """Return which values are invalid, as FastAPI does; a value that JSON cannot express is left out."""
    assert isinstance(error, RequestValidationError)
    wrong = jsonable_encoder(error.errors())
    try:
        content = json.dumps({"detail": wrong}, allow_nan=False)
    except ValueError:
        content = json.dumps({"detail": [{key: each[key] for key in ("type", "loc", "msg")} for each in wrong]})
    return Response(content, status_code=422, media_type="application/json")


class UnexpectedErrors:
    """Handles unexpected errors: 500 for the client, the traceback for the log."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; send a 500 when the application failed to respond."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def send_watched(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, send_watched)
        except Exception:
            log.exception("http.error")
            if started:
                # Part of the response was sent already: only closing the connection shows the client that it is
                # incomplete.
                raise
            await JSONResponse({"detail": SENTENCES[500]}, status_code=500)(scope, receive, send)


@contextmanager
def show_storage_errors() -> Iterator[None]:
    """Respond to an administrator with the reason of a storage error, to other clients only that something failed."""
    try:
        yield
    except StorageError as error:
        raise ConflictError(str(error)) from error
