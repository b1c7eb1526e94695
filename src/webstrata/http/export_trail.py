"""Export history over the API: every list that is downloaded is recorded, with its reader and its rows."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime

import structlog
from fastapi import Request

from webstrata.db.collections import export_history
from webstrata.db.engine import Database
from webstrata.errors import WebstrataError
from webstrata.http.audit_trail import actor_of
from webstrata.http.auth import admin_allowed
from webstrata.http.dependencies import wired_parts
from webstrata.http.export_rows import Value

log = structlog.get_logger()

READER = "reader"
"""The actor of exports by callers without the admin token."""

Rows = Iterator[list[tuple[Value, ...]]]


def record_export(request: Request, kind: str, export_format: str, filters: Mapping[str, object], rows: Rows) -> Rows:
    """Record the start of an export, and return its rows; after the last row the record is completed.

    A read-only archive exports without a record.
    """
    database = acting_database(request)
    if database.is_read_only:
        return rows
    with database.write() as session:
        number = export_history.begin_export(session, kind, export_format, filters, datetime.now(UTC))
    return _count_rows(database, number, rows)


def _count_rows(database: Database, number: int, rows: Rows) -> Rows:
    count = 0
    for part in rows:
        count += len(part)
        yield part
    try:
        with database.write() as session:
            export_history.finish_export(session, number, count, datetime.now(UTC))
    except WebstrataError as error:
        # The client has received all rows: an error now would look like an incomplete export.
        log.error("export.record.failed", export=number, reason=str(error))


def acting_database(request: Request) -> Database:
    """Return the database with the sender of the request as actor."""
    actor = actor_of(request)
    if not admin_allowed(request):
        actor = replace(actor, name=READER)
    return wired_parts(request).database.acting_as(actor)
