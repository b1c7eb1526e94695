"""Reads request records of other tools, to find the response to a request with a body.

Browsertrix, pywb and webrecorder write a request directly after its response.
"""

import io
import re
from pathlib import Path

from fastwarc.warc import WarcRecord, WarcRecordType

from webstrata.errors import WarcError
from webstrata.model.browser.posted import METHODS, posted_url, request_query
from webstrata.warc.parsing import BrokenError, as_broken, opened, parsed_records

_MAX_REQUEST_BYTES = 1_048_576
"""How many bytes of a file are read for a request record, which may be compressed."""

_HEAD_END = re.compile(rb"\r?\n\r?\n")
_CONTENT_TYPE = re.compile(rb"^content-type:[ \t]*([^\r\n]*)", re.IGNORECASE | re.MULTILINE)


def requested_url(warc_path: Path, offset: int, url: str) -> str | None:
    """Return the URL of the request record at an offset, with its body as a query; None when there is no request with a
    body for `url`."""
    try:
        with opened(warc_path) as file:
            file.seek(offset)
            data = file.read(_MAX_REQUEST_BYTES)
        with as_broken():
            record = next(parsed_records(io.BytesIO(data)), None)
            is_request = record is not None and record.record_type == WarcRecordType.request
            return _posted(record, url) if record is not None and is_request else None
    except (BrokenError, WarcError):
        return None


def _posted(record: WarcRecord, url: str) -> str | None:
    if (record.headers.get("WARC-Target-URI") or "").strip("<>") != url:
        return None
    block: bytes = record.reader.read(_MAX_REQUEST_BYTES)
    method = block.partition(b" ")[0].decode("latin-1")
    end = _HEAD_END.search(block)
    if method not in METHODS or end is None:
        return None
    stated = _CONTENT_TYPE.search(block, 0, end.end())
    return posted_url(url, method, request_query(stated[1].decode("latin-1") if stated else "", block[end.end() :]))
