"""Every route that there is: what must hold everywhere is tried everywhere, also on routes that are added later."""

import re
from collections.abc import Iterator

from fastapi import FastAPI
from fastapi.routing import APIRoute

WRITING = {"POST", "PUT", "PATCH", "DELETE"}


def every_route(api: FastAPI) -> list[tuple[str, str]]:
    """Return every route as its method and its path's template."""
    found = [(method, route.path) for route in _routes(api) for method in sorted(route.methods or ())]
    assert len(found) > 30
    return found


def filled(template: str, **values: str) -> str:
    """Return an address of a route: with a number or a code for what is not given."""
    return re.sub(r"\{(\w+)(?::\w+)?\}", lambda found: values.get(found[1], _some(found[1])), template)


def is_admins(path: str) -> bool:
    """Tell whether a route is the administrators' alone."""
    return path.startswith(("/api/admin", "/admin/api", "/audits", "/metrics"))


def _some(name: str) -> str:
    return {"code": "health", "order": "pause", "name": "site.css"}.get(name, "1")


def _routes(api: FastAPI) -> Iterator[APIRoute]:
    for included in api.routes:
        router = getattr(included, "original_router", None)
        yield from (route for route in getattr(router, "routes", ()) if isinstance(route, APIRoute))
