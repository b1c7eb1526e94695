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
    """Record that an export begins, and return its rows; the last one completes the record.

    An archive that can only be read exports without a record.
    """
    database = acting_database(request)
    if database.is_read_only:
        return rows
    with database.write() as session:
        number = export_history.begin_export(session, kind, export_format, filters, datetime.now(UTC))
    return _counted(database, number, rows)


def _counted(database: Database, number: int, rows: Rows) -> Rows:
    count = 0
    for part in rows:
        count += len(part)
        yield part
    try:
        with database.write() as session:
            export_history.finish_export(session, number, count, datetime.now(UTC))
    except WebstrataError as error:
        # The reader has all rows: an error now would look like a list that broke off.
        log.error("export.record.failed", export=number, reason=str(error))


def acting_database(request: Request) -> Database:
    """Return the database in the name of the reader or administrator who sent a request."""
    actor = actor_of(request)
    if not admin_allowed(request):
        actor = replace(actor, name=READER)
    return wired_parts(request).database.acting_as(actor)
