"""HTTP caching: responses that browsers and proxies may cache, and 304 when they have them already."""

import re
from collections.abc import Sequence
from typing import Annotated

import xxhash
from fastapi import Header, Response
from pydantic import BaseModel

NEVER = "no-store"
A_MINUTE = "public, max-age=60"
AN_HOUR = "public, max-age=3600"
"""For content that does not change. Short, so that withheld captures soon disappear from caches; revalidation is
cheap."""

IF_NONE_MATCH = "If-None-Match"
IfNoneMatch = Annotated[
    str, Header(alias=IF_NONE_MATCH, description="`ETag` of your cached copy; 304 if it has not changed.")
]
"""The parameter of routes with cached responses; the API's description lists a 304 for routes that have it."""

_ENTITY_TAG = re.compile(r'(?:W/)?("[^"]*")')


def cached_response(if_none_match: str, content: bytes, content_type: str, cache_control: str) -> Response:
    """Return content with its ETag, or 304 when the client named that ETag."""
    # Weak: the compressed and the plain response have the same ETag.
    etag = f'W/"{xxhash.xxh3_128_hexdigest(content)}"'
    headers = {"ETag": etag, "Cache-Control": cache_control}
    if names_etag(if_none_match, etag):
        return Response(status_code=304, headers=headers)
    # Given as a header: as a media type, text would be labelled UTF-8.
    return Response(content, headers={**headers, "Content-Type": content_type})


def cached_json(if_none_match: str, schema: BaseModel, cache_control: str) -> Response:
    """Return a schema as JSON with its ETag, or 304 when the client named that ETag."""
    return cached_response(if_none_match, schema.model_dump_json().encode(), "application/json", cache_control)


def cached_list(if_none_match: str, schemas: Sequence[BaseModel], cache_control: str) -> Response:
    """Return schemas as a JSON list with its ETag, or 304 when the client named that ETag."""
    content = b"[" + b",".join(schema.model_dump_json().encode() for schema in schemas) + b"]"
    return cached_response(if_none_match, content, "application/json", cache_control)


def names_etag(if_none_match: str, etag: str) -> bool:
    """Return whether the client's copy has this ETag."""
    return if_none_match.strip() == "*" or etag.removeprefix("W/") in _ENTITY_TAG.findall(if_none_match)
