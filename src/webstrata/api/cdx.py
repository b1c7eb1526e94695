"""The CDX server API: captures by URL, in the dialects of the Internet Archive and of pywb.

It is documented in docs/replay.md and, like the Wayback addresses, not part of the archive's own API description.
"""

from collections.abc import Iterator
from itertools import chain

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import FileResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse

from webstrata.app import App
from webstrata.db.operations import catalog
from webstrata.errors import NotFoundError, UsageError
from webstrata.http.browsing import site_url
from webstrata.http.caching import A_MINUTE
from webstrata.http.compression import takes_gzip
from webstrata.http.dependencies import JobId, Parts
from webstrata.http.error_schemas import ErrorSchema
from webstrata.http.export_rows import gzip_pieces
from webstrata.model.replay.cdx import CdxDialect, CdxOutput, CdxQuery
from webstrata.model.replay.cdx_parameters import read_query
from webstrata.replay.cdx_server import find_lines, page_count, write_lines
from webstrata.replay.memento import memento_lines
from webstrata.warc.cdxj import JOURNAL_NAME, journal_folder

CDX_PATH = "/cdx"
_LINES_AT_ONCE = 200

router = APIRouter(tags=["replay"])


@router.get(CDX_PATH, response_class=Response, include_in_schema=False)
@router.get(f"{CDX_PATH}/search/cdx", response_class=Response, include_in_schema=False)
def cdx(app: Parts, request: Request) -> Response:
    """List captures by URL, as the Internet Archive's CDX server does; with `dialect=pywb` as pywb does."""
    return _list(app, request, CdxDialect.IA)


@router.get(f"{CDX_PATH}/pywb", response_class=Response, include_in_schema=False)
def cdx_as_pywb(app: Parts, request: Request) -> Response:
    """List captures by URL, as pywb does."""
    return _list(app, request, CdxDialect.PYWB)


@router.get(
    "/api/jobs/{job_id}/cdxj",
    response_class=FileResponse,
    responses={
        200: {"description": "One capture per line.", "content": {"text/x-cdxj": {}}},
        404: {"model": ErrorSchema, "description": "No such job, or it has no captures."},
    },
)
def job_cdxj(app: Parts, job_id: JobId) -> FileResponse:
    """Return a job's CDXJ file: its captures in the order in which they were indexed."""
    with app.database.read() as session:
        job = catalog.job(session, job_id)
    if job is None or job.source_code == catalog.HIDDEN_SOURCE:
        raise NotFoundError("Job not found")
    path = journal_folder(job_id, job.output_dir, app.archive_root) / JOURNAL_NAME
    if not path.is_file():
        raise NotFoundError(f"Job {job_id} has no CDXJ file: it has no captures, or was not indexed")
    return FileResponse(path, media_type="text/x-cdxj", filename=f"job-{job_id}.cdxj")


def _list(app: App, request: Request, dialect: CdxDialect) -> Response:
    try:
        query = read_query(request.query_params.multi_items(), dialect)
        if query.shows_page_count:
            return _page_count(app, query)
        lines = find_lines(app.database, query)
        # The first line is read before the response begins, so that a failure still gets an error status.
        first = next(lines, None)
    except UsageError as error:
        raise HTTPException(400, str(error)) from error
    if first is None and query.dialect is CdxDialect.PYWB:
        message = f"No Captures found for: {query.url}"
        return JSONResponse({"detail": message, "message": message}, status_code=404)
    found = lines if first is None else chain([first], lines)
    if query.output is CdxOutput.LINK:
        written = memento_lines(site_url(request, app.settings), (line.capture for line in found))
    else:
        written = write_lines(found, query)
    return _stream(request, query, written)


def _page_count(app: App, query: CdxQuery) -> Response:
    pages = page_count(app.database, query)
    if query.dialect is CdxDialect.IA:
        return PlainTextResponse(f"{pages}\n")
    return JSONResponse({"blocks": pages * query.page_blocks, "pages": pages, "pageSize": query.page_blocks})


def _stream(request: Request, query: CdxQuery, written: Iterator[str]) -> StreamingResponse:
    headers = {"Cache-Control": A_MINUTE, "Content-Type": _media_type(query), "Vary": "Accept-Encoding"}
    data = _in_parts(written)
    if query.may_compress and takes_gzip(request.headers.get("accept-encoding", "")):
        headers["Content-Encoding"] = "gzip"
        data = gzip_pieces(data)
    return StreamingResponse(data, headers=headers)


def _in_parts(texts: Iterator[str]) -> Iterator[bytes]:
    """Yield texts joined in larger parts, as the middlewares do some work for each part."""
    part: list[str] = []
    for text in texts:
        part.append(text)
        if len(part) == _LINES_AT_ONCE:
            yield "".join(part).encode("utf-8", "replace")
            part.clear()
    yield "".join(part).encode("utf-8", "replace")


def _media_type(query: CdxQuery) -> str:
    if query.output is CdxOutput.LINK:
        return "application/link-format"
    if query.output is not CdxOutput.JSON:
        return "text/plain; charset=utf-8"
    return "application/json" if query.dialect is CdxDialect.IA else "text/x-ndjson"
