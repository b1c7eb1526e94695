"""Responses with archived content: sandboxed, with an ETag and support for range requests."""

import xxhash
from fastapi import Request, Response
from fastapi.responses import PlainTextResponse

from webstrata.http.caching import AN_HOUR, NEVER, names_etag
from webstrata.http.compression import takes_encoding
from webstrata.http.headers import REPLAY_POLICY
from webstrata.http.ranges import requested_range
from webstrata.replay.responses import ReplayedResponse, TakesEncoding

EXACTLY = f"{AN_HOUR}, no-transform"
"""Headers of bytes that no proxy may change."""

_RUN_BY_PAGES = frozenset(
    (
        *("audioworklet", "embed", "json", "manifest", "object", "paintworklet", "report", "script", "serviceworker"),
        *("sharedworker", "speculationrules", "style", "webidentity", "worker", "xslt"),
    )
)
"""Destinations of requests for scripts, styles and the like: our own pages trust these from their origin, so archived
ones are refused."""

_REFUSED = "Archived scripts and styles are not served to pages of this site: they are shown, but never run here\n"


def refusal_to_run(request: Request) -> Response | None:
    """Return a refusal for a request for a script or the like, which a browser would run on this origin; else None."""
    headers = request.headers
    if headers.get("sec-fetch-dest", "").strip().lower() in _RUN_BY_PAGES or "service-worker" in headers:
        return PlainTextResponse(_REFUSED, status_code=403, headers={"Vary": "Sec-Fetch-Dest", "Cache-Control": NEVER})
    return None


def encodings_of(request: Request) -> TakesEncoding:
    """Return a function that returns whether the client takes a content encoding."""
    accepted = request.headers.get("accept-encoding", "")
    return lambda encoding: takes_encoding(accepted, encoding.removeprefix("x-"))


def send_replay(request: Request, replayed: ReplayedResponse, extra: dict[str, str], cache_control: str) -> Response:
    """Return a replayed capture as a response: 200 or the archived status, 206, 304 or 416."""
    etag = f'"{xxhash.xxh3_128_hexdigest(replayed.body)}"'
    headers = {"Content-Security-Policy": REPLAY_POLICY, "Cache-Control": cache_control, "ETag": etag, **extra}
    if replayed.status == 200 and names_etag(request.headers.get("if-none-match", ""), etag):
        return Response(status_code=304, headers=headers)
    status, body = replayed.status, replayed.body
    part = _part(request, replayed, etag)
    if replayed.status == 200:
        headers["Accept-Ranges"] = "bytes"
    if part is not None:
        size = len(replayed.body)
        if not part:
            return Response(status_code=416, headers=headers | {"Content-Range": f"bytes */{size}"})
        status, body = 206, replayed.body[part.start : part.stop]
        headers["Content-Range"] = f"bytes {part.start}-{part.stop - 1}/{size}"
    response = Response(b"" if status in {204, 205} else body, status_code=status)
    for name, value in (*replayed.headers, *headers.items()):
        response.headers.append(name, value)
    return response


def _part(request: Request, replayed: ReplayedResponse, etag: str) -> range | None:
    """Return the requested range, unless an If-Range header names another body."""
    asked, condition = request.headers.get("range", ""), request.headers.get("if-range", etag)
    if not asked or replayed.status != 200 or condition.strip() != etag:
        return None
    return requested_range(asked, len(replayed.body))
