"""API of exports: lists of any length, streamed as CSV or JSON lines."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Annotated, Self

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field, model_validator

from webstrata.api.public_schemas import LARGEST_ID, ExportKindSchema, ExportsSchema
from webstrata.app import App
from webstrata.db.changes.change_lists import EventFilter
from webstrata.db.operations.exporting import ExportScope, exported_events, exported_snapshots
from webstrata.http.auth import admin_allowed
from webstrata.http.browsing import site_url
from webstrata.http.caching import NEVER
from webstrata.http.dependencies import CodeFilter, Day, Parts
from webstrata.http.error_schemas import ErrorSchema
from webstrata.http.export_rows import (
    CHANGE_COLUMNS,
    CHANGES,
    DATA_DICTIONARY,
    SNAPSHOT_COLUMNS,
    SNAPSHOTS,
    Column,
    Format,
    Value,
    change_row,
    snapshot_row,
    written,
)
from webstrata.http.export_trail import record_export
from webstrata.http.lookups import known_source
from webstrata.model.notifications.values import ReviewFilter

_FORMATS = [form.value for form in Format]
_MEDIA_TYPES = {
    Format.JSONL: "application/x-ndjson",
    Format.NDJSON: "application/x-ndjson",
    Format.CSV: "text/csv; charset=utf-8",
}
_GZIP = "application/gzip"
_LIST_RESPONSES: dict[int | str, dict[str, object]] = {
    200: {
        "description": "The list, one row per line.",
        "content": {media_type.partition(";")[0]: {} for media_type in (*_MEDIA_TYPES.values(), _GZIP)},
        "headers": {
            "Content-Disposition": {
                "description": "A name for the file.",
                "required": True,
                "schema": {"type": "string"},
            },
        },
    },
    403: {"model": ErrorSchema, "description": "Exports are switched off in this archive."},
    404: {"model": ErrorSchema, "description": "No such source."},
}

router = APIRouter(tags=["exports"])


class ExportParameters(BaseModel):
    """The parameters of an export; the names are part of the API's contract."""

    format: Format = Format.JSONL
    compressed: bool = Field(True, description="As a gzip file.")
    source: CodeFilter = Field(None, description="Only results of the source with this code.")
    after_id: int = Field(0, ge=0, alias="afterId", description="Only rows after this id: the last one that you have.")
    limit: int | None = Field(None, ge=1, description="Maximum number of rows; the archive may have a lower limit.")
    from_date: Day | None = Field(None, alias="from", description="First day (UTC), inclusive.")
    to_date: Day | None = Field(None, alias="to", description="Last day (UTC), inclusive.")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.from_date and self.to_date and self.from_date > self.to_date:
            raise ValueError("'from' must not be after 'to'")
        return self


class ChangeExportParameters(ExportParameters):
    """The parameters of an export of changes."""

    include_unchanged: bool = Field(False, alias="includeUnchanged", description="Include captures without a change.")
    review: ReviewFilter | None = Field(
        None, description="Only changes with this review mark; `unreviewed`: without one."
    )


SnapshotExport = Annotated[ExportParameters, Query()]
ChangeExport = Annotated[ChangeExportParameters, Query()]
Rows = Iterator[list[tuple[Value, ...]]]


@router.get("/api/exports")
def exports(app: Parts) -> ExportsSchema:
    """Return the exports that can be downloaded, with their formats."""
    settings = app.settings
    return ExportsSchema(
        enabled=settings.exports_enabled,
        formats=_FORMATS,
        defaultLimit=min(settings.exports_default_limit, settings.exports_max_limit),
        maxLimit=settings.exports_max_limit,
        dataDictionaryUrl=DATA_DICTIONARY,
        snapshots=ExportKindSchema(path=SNAPSHOTS, description="All snapshots, one row each.", formats=_FORMATS),
        changes=ExportKindSchema(
            path=CHANGES, description="All changes between two captures of a page, one row each.", formats=_FORMATS
        ),
    )


@router.get(SNAPSHOTS, response_class=StreamingResponse, responses=_LIST_RESPONSES)
def snapshots(app: Parts, request: Request, parameters: SnapshotExport) -> StreamingResponse:
    """Stream the snapshots by ascending id; the last id is the `afterId` of the next request."""
    _check_enabled(app)
    rows = _snapshot_rows(app, parameters, site_url(request, app.settings))
    return _stream(request, "snapshots", rows, SNAPSHOT_COLUMNS, parameters)


@router.get(CHANGES, response_class=StreamingResponse, responses=_LIST_RESPONSES)
def changes(app: Parts, request: Request, parameters: ChangeExport) -> StreamingResponse:
    """Stream the changes by ascending id; the last id is the `afterId` of the next request."""
    _check_enabled(app)
    if not app.settings.change_tracking_enabled:
        raise HTTPException(403, "Change tracking is switched off in this archive")
    rows = _change_rows(app, parameters, site_url(request, app.settings), with_notes=admin_allowed(request))
    return _stream(request, "changes", rows, CHANGE_COLUMNS, parameters)


def _check_enabled(app: App) -> None:
    if not app.settings.exports_enabled:
        raise HTTPException(403, "Exports are not enabled")


def _stream(
    request: Request, name: str, rows: Rows, columns: Sequence[Column], parameters: ExportParameters
) -> StreamingResponse:
    # The first part is read before the response begins, so that an unavailable database gets an error status.
    begun = record_export(request, name, parameters.format, _filters(parameters), chain([next(rows, [])], rows))
    data = written(begun, columns, parameters.format, compressed=parameters.compressed)
    return StreamingResponse(data, headers=_headers(name, parameters))


def _snapshot_rows(app: App, parameters: ExportParameters, site: str) -> Rows:
    for part in exported_snapshots(app.database, _scope(app, parameters)):
        yield [snapshot_row(snapshot, site) for snapshot in part]


def _change_rows(app: App, parameters: ChangeExportParameters, site: str, *, with_notes: bool) -> Rows:
    scope = _scope(app, parameters)
    events = EventFilter(
        source=parameters.source,
        from_date=parameters.from_date,
        to_date=parameters.to_date,
        includes_unchanged=parameters.include_unchanged,
        review=parameters.review,
    )
    for part in exported_events(app.database, events, after_id=scope.after_id, limit=scope.limit):
        yield [change_row(event, site, with_notes=with_notes) for event in part]


def _filters(parameters: ExportParameters) -> dict[str, object]:
    """Return the filters of an export, for the export history."""
    return parameters.model_dump(mode="json", exclude={"format", "compressed"}, exclude_defaults=True)


def _scope(app: App, parameters: ExportParameters) -> ExportScope:
    settings = app.settings
    return ExportScope(
        after_id=min(parameters.after_id, LARGEST_ID),
        limit=min(parameters.limit or settings.exports_default_limit, settings.exports_max_limit),
        source_id=None if parameters.source is None else known_source(app, parameters.source).id,
        from_date=parameters.from_date,
        to_date=parameters.to_date,
    )


def _headers(name: str, parameters: ExportParameters) -> dict[str, str]:
    ending = f"{parameters.format}.gz" if parameters.compressed else parameters.format.value
    return {
        "Content-Type": _GZIP if parameters.compressed else _MEDIA_TYPES[parameters.format],
        "Content-Disposition": f'attachment; filename="webstrata-{name}.{ending}"',
        "Cache-Control": NEVER,
    }
