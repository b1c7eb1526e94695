"""Answers that a fetcher might bring, and WARC files with them, written by the product's own writer."""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from webstrata.model.crawl.fetching import FetchResult
from webstrata.warc.record import exchange
from webstrata.warc.writer import Extent, WarcFileWriter

NOON = datetime(2026, 1, 1, 12, 0, 0, 123456, tzinfo=UTC)


def fetched(
    url: str = "https://example.org/",
    body: bytes | str = "<title>A page</title><p>What it says.</p>",
    *,
    at: datetime = NOON,
    status: int = 200,
    content_type: str | None = "text/html; charset=utf-8",
    headers: Iterable[tuple[bytes, bytes]] = (),
) -> FetchResult:
    """Return an answer; what is not given is that of an ordinary page."""
    typed = [(b"Content-Type", content_type.encode())] if content_type else []
    return FetchResult(
        url=url,
        fetched_at=at,
        request_head=b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n",
        status=status,
        reason="OK" if status == 200 else "",
        http_version="1.1",
        headers=(*typed, *headers),
        body=body.encode() if isinstance(body, str) else body,
        ip_address="192.0.2.1",
    )


def write_warc(path: Path, answers: Iterable[FetchResult], *, requests: bool = True) -> list[Extent]:
    """Write a file and return where each answer lies in it."""
    with WarcFileWriter(path) as writer:
        pairs = [exchange(answer, writer.warcinfo_id) for answer in answers]
        extents = [writer.append(pair if requests else pair[:1])[0] for pair in pairs]
        writer.sync()
    return extents
