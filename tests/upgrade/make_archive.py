"""The files of an archive, as the version with schema 0010 wrote them: WARC files, journals, manifests, logs, assets.

`make_archive(folder)` makes them below a data folder. The text files of the crawls are in `files/`; their WARCs are
built here from `records.json` and the pages in `site.py`. Gzip members are stored, not compressed: the database has the
offset of each record, and compressed sizes differ between versions of zlib. All other bytes are those of the crawls.
Only the standard library is used, so that no later change of the program changes these files.
"""

import base64
import hashlib
import json
from pathlib import Path
from typing import TypedDict

from tests.upgrade.site import EDITIONS, SiteResponse, stored_gzip

HERE = Path(__file__).parent
DATA_FOLDER = "@DATA@"
"""The placeholder for the data folder in committed texts."""

IMPORTED = "imported/museum-2019.warc"
"""An uncompressed WARC file from another program, outside of the archive root."""

_PROFILE = "http://netpreserve.org/warc/1.1/revisit/"

Headers = list[tuple[str, str]]


class Exchange(TypedDict, total=False):
    """One request of a crawl: what it was for, and the ids of the two records; a revisit names its original."""

    url: str
    date: str
    id: str
    request: str
    original: str


class WarcDescription(TypedDict):
    """One WARC file of a crawl."""

    path: str
    edition: str
    info: dict[str, str]
    exchanges: list[Exchange]


def make_archive(data: Path) -> None:
    """Write every file of the archive below a data folder."""
    make_imported(data)
    descriptions: list[WarcDescription] = json.loads((HERE / "records.json").read_text(encoding="utf-8"))
    originals = {exchange["id"]: exchange for warc in descriptions for exchange in warc["exchanges"]}
    for warc in descriptions:
        _write(data / warc["path"], b"".join(map(stored_gzip, _records(warc, originals))))
    for file in (HERE / "files").rglob("*"):
        if file.is_file():
            _write(
                data / file.relative_to(HERE / "files"), with_folder(file.read_text(encoding="utf-8"), data).encode()
            )
    picture = EDITIONS["harbour-1"]["http://harbour.example/anchor.png"].body
    texts: list[str] = json.loads((HERE / "assets.json").read_text(encoding="utf-8"))
    for blob in (picture, *(text.encode() for text in texts)):
        digest = hashlib.sha256(blob).hexdigest()
        _write(data / "archive" / "assets" / digest[:2] / digest[2:4] / digest, blob)


def make_imported(data: Path) -> None:
    """Write the WARC file that came from elsewhere."""
    records = []
    for number, (url, response) in enumerate(EDITIONS["museum"].items(), start=1):
        headers = [
            ("WARC-Type", "response"),
            ("WARC-Record-ID", f"<urn:uuid:00000000-0000-4000-8000-00000000000{number}>"),
            ("WARC-Date", f"2019-05-04T10:00:0{number}Z"),
            ("WARC-Target-URI", url),
            ("Content-Type", "application/http; msgtype=response"),
        ]
        records.append(_record(headers, response.head + response.body, version="1.0"))
    _write(data / IMPORTED, b"".join(records))


def with_folder(text: str, data: Path) -> str:
    """Return a committed text with the path of the data folder in place of its placeholder."""
    return text.replace(DATA_FOLDER, str(data))


def _records(warc: WarcDescription, originals: dict[str, Exchange]) -> list[bytes]:
    info, responses = warc["info"], EDITIONS[warc["edition"]]
    records = [_warcinfo(Path(warc["path"]).name, info)]
    for exchange in warc["exchanges"]:
        response = responses[exchange["url"]]
        original = originals.get(exchange.get("original", ""))
        shared = [
            ("WARC-Target-URI", exchange["url"]),
            ("WARC-Date", exchange["date"]),
            ("WARC-Warcinfo-ID", _urn(info["id"])),
        ]
        if original is None:
            records.append(_response(exchange, shared, response))
        else:
            records.append(_revisit(exchange, shared, response, original))
        records.append(_request(exchange, shared, response))
    return records


def _warcinfo(filename: str, info: dict[str, str]) -> bytes:
    headers = [
        ("WARC-Type", "warcinfo"),
        ("WARC-Record-ID", _urn(info["id"])),
        ("WARC-Date", info["date"]),
        ("WARC-Filename", filename),
        ("Content-Type", "application/warc-fields"),
    ]
    fields = [
        ("software", "webstrata/0.1.0"),
        ("format", "WARC File Format 1.1"),
        ("isPartOf", info["source"]),
        ("description", f"job {info['job']}: {info['name']}"),
    ]
    return _record(headers, _lines(fields))


def _response(exchange: Exchange, shared: Headers, response: SiteResponse) -> bytes:
    head = _archived_head(response)
    headers = _response_headers("response", exchange, shared, _digest(head + response.body))
    return _record([*headers, ("WARC-Payload-Digest", _digest(response.body))], head + response.body)


def _revisit(exchange: Exchange, shared: Headers, response: SiteResponse, original: Exchange) -> bytes:
    """Return a record that keeps the response's head and refers to another record's payload."""
    head, is_unmodified = _archived_head(response), response.status.startswith("304")
    headers = [
        *_response_headers("revisit", exchange, shared, _digest(head)),
        ("WARC-Profile", _PROFILE + ("server-not-modified" if is_unmodified else "identical-payload-digest")),
        ("WARC-Refers-To", _urn(original["id"])),
        ("WARC-Refers-To-Target-URI", original["url"]),
        ("WARC-Refers-To-Date", original["date"]),
    ]
    if not is_unmodified:
        headers.append(("WARC-Payload-Digest", _digest(response.body)))
    return _record(headers, head)


def _response_headers(kind: str, exchange: Exchange, shared: Headers, block_digest: str) -> Headers:
    return [
        ("WARC-Type", kind),
        ("WARC-Record-ID", _urn(exchange["id"])),
        *shared,
        ("WARC-Block-Digest", block_digest),
        ("Content-Type", "application/http; msgtype=response"),
        ("WARC-IP-Address", "127.0.0.1"),
    ]


def _request(exchange: Exchange, shared: Headers, response: SiteResponse) -> bytes:
    host, _, path = exchange["url"].removeprefix("http://").partition("/")
    lines = [
        ("Host", host),
        ("User-Agent", "webstrata/0.1.0"),
        ("Accept", "text/html,application/xhtml+xml,*/*;q=0.8"),
        ("Accept-Encoding", "gzip, deflate, br"),
    ]
    if response.status.startswith("304"):
        lines.append(("If-None-Match", dict(response.headers)["ETag"]))
    block = f"GET /{path} HTTP/1.1\r\n".encode() + _lines(lines) + b"\r\n"
    headers = [
        ("WARC-Type", "request"),
        ("WARC-Record-ID", _urn(exchange["request"])),
        ("WARC-Concurrent-To", _urn(exchange["id"])),
        *shared,
        ("WARC-Block-Digest", _digest(block)),
        ("Content-Type", "application/http; msgtype=request"),
    ]
    return _record(headers, block)


def _archived_head(response: SiteResponse) -> bytes:
    """Return the head with the transfer encoding, which the stored body no longer has, under another name."""
    return response.head.replace(b"Transfer-Encoding:", b"X-Archive-Orig-Transfer-Encoding:")


def _record(headers: Headers, block: bytes, version: str = "1.1") -> bytes:
    head = f"WARC/{version}\r\n".encode() + _lines([*headers, ("Content-Length", str(len(block)))])
    return head + b"\r\n" + block + b"\r\n\r\n"


def _lines(headers: Headers) -> bytes:
    return "".join(f"{name}: {value}\r\n" for name, value in headers).encode()


def _urn(uuid: str) -> str:
    return f"<urn:uuid:{uuid}>"


def _digest(data: bytes) -> str:
    return f"sha1:{base64.b32encode(hashlib.sha1(data, usedforsecurity=False).digest()).decode()}"


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
