"""The complete OpenAPI description, including the effects of middlewares, which FastAPI does not know.

Every response has some headers, a GET with `If-None-Match` may get a 304, and HEAD works wherever GET does.
"""

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI

from webstrata.http.caching import IF_NONE_MATCH

Json = dict[str, Any]

_HEADERS: Mapping[str, Json] = {
    "X-API-Version": {"description": "The version of this API.", "required": True, "schema": {"const": "1"}},
    "X-Request-Id": {
        "description": "The request's id, as in the server's log: the one that you sent, if it is valid.",
        "required": True,
        "schema": {"type": "string"},
    },
    "ETag": {
        "description": f"Send it back as `{IF_NONE_MATCH}`.",
        "required": True,
        "schema": {"type": "string", "pattern": '^W/"[0-9a-f]+"$'},
    },
    "Cache-Control": {
        "description": "How long the response may be cached.",
        "required": True,
        "schema": {"type": "string"},
    },
    "Retry-After": {
        "description": "Seconds to wait before the next request; not sent by live views.",
        "schema": {"type": "integer", "minimum": 1},
    },
}
_ALWAYS = ("X-API-Version", "X-Request-Id")
_KEPT = ("ETag", "Cache-Control")
_NOT_MODIFIED = "Not modified since the response with the `ETag` that you sent."


class DescribedApi(FastAPI):
    """An API whose description also includes the middlewares."""

    _of_routes: Json | None = None
    _of_all: Json | None = None

    def openapi(self) -> Json:
        """Return the description; it is computed again only when routes were added."""
        of_routes = super().openapi()
        if self._of_all is None or of_routes is not self._of_routes:
            self._of_routes, self._of_all = of_routes, completed(of_routes)
        return self._of_all


def completed(document: Json) -> Json:
    """Return FastAPI's description of the routes, with the parameters and responses that middlewares add."""
    paths = {path: _with_head(routes) for path, routes in document["paths"].items()}
    headers = dict(_HEADERS)
    return {**document, "paths": paths, "components": {**document.get("components", {}), "headers": headers}}


def _with_head(routes: Json) -> Json:
    described = {method: _operation(operation) for method, operation in routes.items()}
    return {**described, "head": _head(described["get"])} if "get" in described else described


def _operation(operation: Json) -> Json:
    responses: Json = operation["responses"]
    if any(parameter["name"] == IF_NONE_MATCH for parameter in operation.get("parameters", ())):
        responses = {
            **responses,
            "200": _with_headers(responses["200"], *_KEPT),
            "304": _with_headers({"description": _NOT_MODIFIED}, *_KEPT),
        }
    if "429" in responses:
        responses = {**responses, "429": _with_headers(responses["429"], "Retry-After")}
    return {**operation, "responses": {code: _with_headers(responses[code], *_ALWAYS) for code in sorted(responses)}}


def _with_headers(response: Json, *headers: str) -> Json:
    named = {name: {"$ref": f"#/components/headers/{name}"} for name in headers}
    return {**response, "headers": {**response.get("headers", {}), **named}}


def _head(get: Json) -> Json:
    """Return the HEAD operation of a GET: the same responses without bodies."""
    responses = {
        code: {key: value for key, value in response.items() if key != "content"}
        for code, response in get["responses"].items()
    }
    return {**get, "operationId": f"{get['operationId'].removesuffix('_get')}_head", "responses": responses}
