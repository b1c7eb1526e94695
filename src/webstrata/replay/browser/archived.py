"""Archived responses for a page in a browser: each request gets the capture that is closest to a moment."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus

from webstrata.errors import FetchError, NotFoundError, UsageError
from webstrata.fetch.browser.streams import PlainStream
from webstrata.fetch.budget import Download
from webstrata.fetch.wire import Head, ResponseParser, WireResponse, read_head
from webstrata.model.browser.posted import METHODS, posted_url, request_query
from webstrata.model.urls import UrlParts
from webstrata.replay.finding import ReplayArchive
from webstrata.warc.reader import ArchiveRecord

_CHANGED = frozenset(
    {"content-encoding", "content-length", "transfer-encoding", "strict-transport-security", "alt-svc"}
)

_CONTENT_TYPE = re.compile(rb"^content-type:[ \t]*([^\r\n]*)", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True)
class ArchivedResponses:
    """Returns archived responses only; a request for anything else is an error."""

    archive: ReplayArchive
    moment: datetime

    async def ask(
        self, parts: UrlParts, request: bytes, new_parser: Callable[[], ResponseParser], download: Download
    ) -> tuple[WireResponse, str | None]:
        """Return the archived response to a request that is closest to the moment."""
        url = parts.href if request.startswith(b"GET ") else _posted_url(parts, request)
        try:
            found = await asyncio.to_thread(self.archive.find_capture, url, self.moment)
        except (NotFoundError, UsageError) as error:
            raise FetchError(str(error), kind="not_archived") from error
        return WireResponse(_head(found.record), found.record.body_bytes, None, False), None

    async def open_stream(self, parts: UrlParts) -> PlainStream:
        """Refuse WebSockets: their messages are not archived."""
        raise FetchError("WebSockets are not archived", kind="not_archived")


def _posted_url(parts: UrlParts, request: bytes) -> str:
    """Return the URL that is looked up for a request with a body."""
    head, _, body = request.partition(b"\r\n\r\n")
    method = head.partition(b" ")[0].decode("latin-1")
    if method not in METHODS:
        raise FetchError(f"{method} requests are not archived", kind="not_archived")
    stated = _CONTENT_TYPE.search(head)
    return posted_url(parts.href, method, request_query(stated[1].decode("latin-1") if stated else "", body))


def _head(record: ArchiveRecord) -> Head:
    """Return the head of a response whose body is decoded."""
    status = record.status_code or HTTPStatus.OK
    lines = [f"HTTP/1.1 {int(status)} Archived"]
    for name, value in record.headers.items():
        if name.lower() not in _CHANGED:
            lines.append(f"{name}: {' '.join(value.split())}")
    return read_head(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace"))
