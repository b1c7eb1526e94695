"""Admin API of the retention engine: `/admin/api/retention`."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request

from webstrata.api.operations.retention_schemas import (
    CleanupSchema,
    CollectionResultSchema,
    PolicySchema,
    RetentionRequestSchema,
    RetentionSchema,
)
from webstrata.api.present import timestamp
from webstrata.app import App
from webstrata.db.retention import retention
from webstrata.db.retention.retention import StoredRun
from webstrata.errors import PolicyError, UnreadablePolicyError
from webstrata.http.audit_trail import ActingParts
from webstrata.http.auth import ADMIN_RESPONSES, require_admin
from webstrata.http.dependencies import Parts
from webstrata.http.error_schemas import ErrorSchema
from webstrata.http.same_origin import refuse_other_sites
from webstrata.model.retention.rules import EXEMPT, CollectionResult, PassResult, default_days
from webstrata.retention import policies
from webstrata.retention.sweep import run_manual_pass

RETENTION_PATH = "/admin/api/retention"

Given = Mapping[str, object]

router = APIRouter(
    prefix=RETENTION_PATH, tags=["retention"], dependencies=[Depends(require_admin)], responses=ADMIN_RESPONSES
)
_POSTED: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": RetentionRequestSchema.model_json_schema()}},
    }
}


async def _posted(request: Request) -> Given:
    """Return the JSON object that was posted; PolicyError for anything else."""
    try:
        given = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise PolicyError("the request body must be valid JSON") from None
    if not isinstance(given, dict):
        raise PolicyError("the request body must be a JSON object")
    return given


@router.get("")
def show(app: Parts) -> RetentionSchema:
    """Return the retention policies and the result of the last pass."""
    return _status(app)


@router.post(
    "",
    dependencies=[Depends(refuse_other_sites)],
    openapi_extra=_POSTED,
    responses={409: {"model": ErrorSchema, "description": "The stored policies cannot be read."}},
)
def change(app: ActingParts, given: Annotated[Given, Depends(_posted)]) -> RetentionSchema | CleanupSchema:
    """Set a policy, run a pass or a dry run, or restore the default policies."""
    action = given.get("action")
    if not isinstance(action, str) or action not in _ACTIONS:
        raise PolicyError(f"action must be one of {', '.join(_ACTIONS)}")
    _check_unused(action, given)
    return _ACTIONS[action](app, given)


def _check_unused(action: str, given: Given) -> None:
    """Refuse fields of a wrong type that the action does not use: its sender expected another action."""
    for name, (kind, words, used_by) in _FIELDS.items():
        if action != used_by and given.get(name) is not None and type(given[name]) is not kind:
            raise PolicyError(f"{name} must be {words}")


def _update_policy(app: App, given: Given) -> RetentionSchema:
    policies.set_policy(app.database, given.get("collectionName"), given.get("ttlDays"))
    return _status(app)


def _clean_up(app: App, given: Given) -> CleanupSchema:
    dry_run = given.get("dryRun")
    # Required: a default could delete by accident, or look as if it had deleted.
    if not isinstance(dry_run, bool):
        raise PolicyError("dryRun must be true or false")
    confirm = given.get("confirm", False)
    if not isinstance(confirm, bool):
        raise PolicyError("confirm must be true or false")
    result = run_manual_pass(
        app.database,
        datetime.now(UTC),
        dry_run=dry_run,
        archive_root=app.archive_root,
        max_share=app.settings.retention_max_share,
        confirmed=confirm,
    )
    if result.error is not None:
        raise UnreadablePolicyError(f"nothing was deleted: {result.error}")
    return _pass(result)


def _reset(app: App, _given: Given) -> RetentionSchema:
    policies.reset_policies(app.database)
    return _status(app)


_ACTIONS: Mapping[str, Callable[[App, Given], RetentionSchema | CleanupSchema]] = {
    "update_policy": _update_policy,
    "cleanup": _clean_up,
    "reset": _reset,
}


_FIELDS: Mapping[str, tuple[type, str, str]] = {
    "collectionName": (str, "the name of a collection", "update_policy"),
    "ttlDays": (int, "a whole number of days", "update_policy"),
    "dryRun": (bool, "true or false", "cleanup"),
    "confirm": (bool, "true or false", "cleanup"),
}
"""The fields of the body: type, its name for people, and the action that uses it and checks its value."""


def _status(app: App) -> RetentionSchema:
    view = policies.show_policies(app.database)
    with app.database.read() as session:
        last = retention.last_run(session)
    config = {
        name: PolicySchema(ttlDays=days, defaultTtlDays=default_days(name), exempt=False)
        for name, days in (view.ttl_days | view.further).items()
    }
    config |= {name: PolicySchema(ttlDays=None, defaultTtlDays=None, exempt=True) for name in sorted(EXEMPT)}
    return RetentionSchema(config=config, lastCleanup=_last(last) if last else None, error=view.error)


def _last(run: StoredRun) -> CleanupSchema:
    return CleanupSchema(
        dryRun=False,
        timestamp=timestamp(run.began_at),
        seconds=run.seconds,
        trigger=run.trigger,
        collections={name: _collection(CollectionResult.from_json(found)) for name, found in run.results.items()},
        error=run.error,
    )


def _pass(result: PassResult) -> CleanupSchema:
    return CleanupSchema(
        dryRun=result.dry_run,
        timestamp=timestamp(result.began_at),
        seconds=result.seconds,
        trigger=result.trigger,
        collections={name: _collection(found) for name, found in result.collections.items()},
        error=result.error,
    )


def _collection(result: CollectionResult) -> CollectionResultSchema:
    return CollectionResultSchema(
        ttlDays=result.ttl_days,
        expired=result.expired,
        deleted=result.deleted,
        remaining=result.remaining,
        undated=result.undated,
        guarded=result.guarded,
        error=result.error,
    )
