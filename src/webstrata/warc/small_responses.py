"""Fast path for small archived responses, with a single read each: a replayed page loads dozens of them.

It handles only records in the usual form; for others use `read_record`.
"""

import os
import re
from datetime import datetime
from pathlib import Path

from webstrata.content.decode import dechunked
from webstrata.errors import WarcError
from webstrata.warc.gzip_members import inflate_member
from webstrata.warc.http_block import parse_head
from webstrata.warc.reader import ArchiveRecord

_TYPE = b"\r\nWARC-Type: response\r\n"
_TARGET = re.compile(rb"\r\nWARC-Target-URI: <?([^\r\n>]*)>?\r\n")
_LENGTH = re.compile(rb"\r\nContent-Length: (\d{1,12})\r\n")
_HTTP = re.compile(rb"\r\nContent-Type: application/http[ ;\r]")
_ENDING = b"\r\n\r\n"


def read_small_response(path: Path, offset: int, length: int, captured_at: datetime) -> ArchiveRecord | None:
    """Return the response at an offset with its chunks removed, but still encoded; None for an unusual record.

    WarcError when the file cannot be read.
    """
    data = inflate_member(_bytes_at(path, offset, length))
    end = -1 if data is None else data.find(_ENDING)
    if data is None or end < 0:
        return None
    warc = data[: end + 2]
    target, declared = _TARGET.search(warc), _LENGTH.search(warc)
    if target is None or declared is None or _TYPE not in warc or _HTTP.search(warc) is None:
        return None
    block = data[end + len(_ENDING) : -len(_ENDING)]
    http = parse_head(block) if len(block) == int(declared[1]) and data.endswith(_ENDING) else None
    if http is None:
        return None
    body = block[http.body_start :]
    if "chunked" in http.headers.get("transfer-encoding", "").lower():
        body = dechunked(body)
    return ArchiveRecord(
        url=target[1].decode("utf-8", "replace"),
        capture_timestamp=captured_at,
        headers=http.headers,
        body_bytes=body,
        warc_path=path,
        warc_record_id=None,
        offset=offset,
        length=length,
        record_type="response",
        status_code=http.status_code,
        payload_digest=None,
    )


def _bytes_at(path: Path, offset: int, length: int) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            return os.pread(descriptor, length, offset)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise WarcError(f"{path}: {error.strerror or error}") from error
