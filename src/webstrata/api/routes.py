"""Adding the routes of a module to an application."""

from fastapi import APIRouter, FastAPI
from starlette.routing import BaseRoute

from webstrata.api.error_answers import EVERYWHERE

_included: dict[int, BaseRoute] = {}
"""Routers as applications include them, by identity: those of modules, which live as long as the process."""


def add_routes(api: FastAPI, router: APIRouter, *, first: bool = False) -> None:
    """Add the routes of a module behind all others, or before them: what is first is found first."""
    if id(router) not in _included:
        _included[id(router)] = _include(router)
    api.router.routes.insert(0 if first else len(api.router.routes), _included[id(router)])


def _include(router: APIRouter) -> BaseRoute:
    """Return a router as FastAPI includes it.

    FastAPI works out the parameters of its routes with the first request, which takes a fifth of a second for all
    routes; so it is done once in a process, however many applications it makes.
    """
    parent = FastAPI(responses=EVERYWHERE)
    parent.include_router(router)
    return parent.router.routes[-1]
