"""TimeMaps (RFC 7089): every capture of a URL, as links and as JSON."""

from collections.abc import Callable, Iterator
from datetime import datetime

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response, StreamingResponse

from webstrata.errors import NotFoundError, UsageError
from webstrata.http.browsing import site_url
from webstrata.http.caching import A_MINUTE
from webstrata.http.dependencies import Parts
from webstrata.model.replay.replay_address import archived_url
from webstrata.model.timestamps import earliest_moment, is_timestamp
from webstrata.replay.memento import TIMEMAP_PATH, MementoAddresses, TimeMap, read_timemap, timemap_json, timemap_links
from webstrata.web.failures import PageRoute
from webstrata.web.wayback import written_address

_FORMS: dict[str, tuple[Callable[[TimeMap], Iterator[str]], str]] = {
    "link": (timemap_links, "application/link-format"),
    "json": (timemap_json, "application/json"),
}

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@router.get(TIMEMAP_PATH + "{form}/{address:path}")
def timemap(form: str, request: Request, app: Parts) -> Response:
    """Stream the captures of a URL, oldest first, from the first or from a timestamp on."""
    if form not in _FORMS:
        raise HTTPException(404, f"TimeMaps are available as {' and '.join(_FORMS)}, not as {form}")
    written, query = written_address(request, f"{TIMEMAP_PATH}{form}/")
    try:
        url, start = _parse_address(f"{written}?{query}" if query else written)
    except UsageError as error:
        raise HTTPException(400, str(error)) from error
    found = read_timemap(app.database, MementoAddresses(site_url(request, app.settings), url), start)
    if not found.mementos:
        raise NotFoundError(f"This archive has no capture of {url}")
    write, media_type = _FORMS[form]
    lines = (line.encode() for line in write(found))
    return StreamingResponse(lines, media_type=media_type, headers={"Cache-Control": A_MINUTE})


def _parse_address(written: str) -> tuple[str, datetime | None]:
    """Return the URL of a TimeMap, and its first moment if its address has one."""
    digits, _, rest = written.partition("/")
    if is_timestamp(digits) and rest:
        return archived_url(rest), earliest_moment(digits)
    return archived_url(written), None
