"""The actor of a change: routes that change something get the application's parts with the sender's name for the audit
log."""

from typing import Annotated

import structlog
from fastapi import Depends, Request

from webstrata.app import App
from webstrata.http.auth import access_method
from webstrata.http.clients import client_address
from webstrata.http.dependencies import wired_parts
from webstrata.model.actors import Actor


def actor_of(request: Request) -> Actor:
    """Return the actor of an authorised request, with the request's id."""
    request_id = structlog.contextvars.get_contextvars().get("request_id")
    settings = wired_parts(request).settings
    return Actor(access_method(request), request_id, client_address(request.scope, settings.trusted_proxies))


async def acting_parts(request: Request) -> App:
    """Return the application's parts, with the sender of the request as the actor in the audit log."""
    return wired_parts(request).acting_as(actor_of(request))


ActingParts = Annotated[App, Depends(acting_parts)]
"""Dependency of routes that change something; routes that only read use `Parts`."""
