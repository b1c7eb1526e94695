"""API of sources: each with its totals, its editions and its front page."""

from dataclasses import replace
from enum import StrEnum
from pathlib import Path as FilePath
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import FileResponse

from webstrata.api import present
from webstrata.api.public_schemas import EditionSchema
from webstrata.api.schemas import SourceSummarySchema
from webstrata.app import App
from webstrata.db.operations import catalog
from webstrata.db.sources.editions import PublicSource, editions_of, front_page_in
from webstrata.errors import NotFoundError
from webstrata.http.browsing import BrowseAddresses
from webstrata.http.caching import A_MINUTE, IfNoneMatch, cached_list
from webstrata.http.dependencies import Code, JobNumber, Parts
from webstrata.http.error_schemas import ErrorSchema
from webstrata.http.lookups import known_source
from webstrata.model.archive import SourceSummary

router = APIRouter(tags=["sources"])

Answers = dict[int | str, dict[str, object]]

_NO_SOURCE: Answers = {404: {"model": ErrorSchema, "description": "No such source."}}
_IMAGE: Answers = {200: {"description": "A small picture of the front page.", "content": {"image/*": {}}}}

SourceCode = Annotated[Code, Path(description="A source's code.")]


class Language(StrEnum):
    """A language that readers may prefer."""

    ENGLISH = "en"
    FRENCH = "fr"


@router.get("/api/sources", response_model=list[SourceSummarySchema])
def sources(
    app: Parts,
    request: Request,
    lang: Annotated[
        Language | None, Query(description="Link to the newest capture of the front page in this language.")
    ] = None,
    known: IfNoneMatch = "",
) -> Response:
    """List the sources that have a snapshot, by name."""
    with app.database.read() as session:
        found = catalog.sources(session)
    if lang is not None:
        found = tuple(_entered_in(lang, app, summary) for summary in found)
    addresses = BrowseAddresses.of(request, app.settings)
    listed = [present.source(summary, _entry_browse_url(app, summary.entry_record_id, addresses)) for summary in found]
    return cached_list(known, listed, A_MINUTE)


@router.get("/api/sources/{code}/editions", response_model=list[EditionSchema], responses=_NO_SOURCE)
def editions(app: Parts, request: Request, code: SourceCode, known: IfNoneMatch = "") -> Response:
    """List the jobs that captured a source and have ended, newest first."""
    source = known_source(app, code)
    with app.database.read() as session:
        found = editions_of(session, source)
    addresses = BrowseAddresses.of(request, app.settings)
    listed = [present.edition(each, _entry_browse_url(app, each.entry_record_id, addresses)) for each in found]
    return cached_list(known, listed, A_MINUTE)


@router.get("/api/sources/{code}/preview", response_class=Response, responses=_NO_SOURCE | _IMAGE)
def preview(
    app: Parts,
    code: SourceCode,
    job_id: Annotated[JobNumber | None, Query(alias="jobId", description="The preview of this job's capture.")] = None,
    lang: Annotated[Language | None, Query(description="The preview in this language, if there is one.")] = None,
) -> Response:
    """Show a source's front page as a small picture; 404 while there is none."""
    source = known_source(app, code)
    found = find_preview(app, source, job_id)
    if found is None:
        raise NotFoundError(f"There is no preview of {source.code}{_as_wanted(job_id, lang)}")
    return FileResponse(found, media_type="image/jpeg", headers={"Cache-Control": A_MINUTE})


def find_preview(app: App, source: PublicSource, job_id: int | None = None) -> FilePath | None:
    """Return the picture of a source's front page, from a job or the newest; None if the page is withheld."""
    files = app.previews()
    with app.database.read() as session:
        found = editions_of(session, source)
    entries = [(each.job_id, each.entry_record_id) for each in found if job_id in (None, each.job_id)]
    pictures = (files.find(job, entry) for job, entry in entries if entry is not None)
    return next((picture for picture in pictures if picture is not None), None)


def _as_wanted(job_id: int | None, lang: Language | None) -> str:
    return (f" by job {job_id}" if job_id is not None else "") + (f" in {lang}" if lang is not None else "")


def _entered_in(lang: Language, app: App, summary: SourceSummary) -> SourceSummary:
    """Return a source with its front page in a language, if that was captured."""
    if summary.entry_record_id is None:
        return summary
    with app.database.read() as session:
        preferred = front_page_in(session, summary.code, lang)
    return summary if preferred is None else replace(summary, entry_record_id=preferred)


def _entry_browse_url(app: App, snapshot_id: int | None, addresses: BrowseAddresses) -> str | None:
    """Return the URL at which a front page is replayed; None without a capture of it."""
    if snapshot_id is None:
        return None
    with app.database.read() as session:
        found = catalog.snapshot(session, snapshot_id)
    return None if found is None else addresses.snapshot(found)
