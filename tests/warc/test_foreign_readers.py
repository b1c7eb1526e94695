"""Whether others read what we write: each reader runs in an environment of its own, as its users have it."""

import gzip
import hashlib
import json
import socket
import zlib
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from tests.support.fetched import NOON, fetched
from tests.support.foreign import foreign_programs, run
from tests.support.processes import running
from tests.support.warcs import Record, records
from webstrata.fetch.wire import read_head
from webstrata.model.captures import Original
from webstrata.model.crawl.fetching import FetchResult
from webstrata.warc.record import exchange
from webstrata.warc.writer import WarcFileWriter

pytestmark = [pytest.mark.soak, pytest.mark.timeout(600)]

SITE = "https://example.org"
PAGE = "<title>Un été</title><p>À l'hôpital.</p>"


def received(name: str, head: bytes) -> FetchResult:
    """Return an answer as the fetcher brings it, with the very bytes of an odd head."""
    answer = fetched(f"{SITE}/{name}", PAGE, headers=read_head(head).headers, content_type=None)
    return replace(answer, response_head=head)


ANSWERS = [
    fetched(f"{SITE}/", PAGE),
    fetched(f"{SITE}/packed", gzip.compress(PAGE.encode()), headers=[(b"Content-Encoding", b"gzip")]),
    fetched(f"{SITE}/deflated", zlib.compress(PAGE.encode()), headers=[(b"Content-Encoding", b"deflate")]),
    fetched(f"{SITE}/chunked", PAGE, headers=[(b"Transfer-Encoding", b"chunked")]),
    fetched(f"{SITE}/gone?q=%C3%A9", "<p>gone", status=404),
    fetched(f"{SITE}/moved", "", status=301, headers=[(b"Location", b"/")]),
    fetched(f"{SITE}/image", bytes(range(256)) * 40, content_type="image/png"),
    fetched(f"{SITE}/empty", ""),
    received(
        "folded",
        b"HTTP/1.1 200  Fine\r\nContent-Type: text/html\r\nX: y\r\n  z\r\nno colon\r\nX-Latin: \xe9\xff\r\n\r\n",
    ),
    received("bare", b"HTTP/1.1 200\nContent-Type: text/html\nX: y\n\n"),
    received(
        "lying",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
    ),
    received("long", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX: " + b"x" * 30_000 + b"\r\n\r\n"),
]

FASTWARC = """
import hashlib, json, sys
from fastwarc.warc import ArchiveIterator
for record in ArchiveIterator(open(sys.argv[1], "rb"), parse_http=False):
    whole = record.verify_block_digest() if "WARC-Block-Digest" in record.headers else True
    print(json.dumps({
        "offset": record.stream_pos,
        "kind": record.headers["WARC-Type"],
        "url": record.headers.get("WARC-Target-URI"),
        "block": hashlib.sha256(record.reader.read()).hexdigest(),
        "whole": whole,
    }))
"""
WARCIO = """
import hashlib, json, sys
from warcio.archiveiterator import ArchiveIterator
with open(sys.argv[1], "rb") as file:
    records = ArchiveIterator(file, no_record_parse=True)
    for record in records:
        block = hashlib.sha256(record.raw_stream.read()).hexdigest()
        print(json.dumps({
            "offset": records.get_record_offset(),
            "kind": record.rec_type,
            "url": record.rec_headers.get_header("WARC-Target-URI"),
            "block": block,
            "whole": True,
        }))
"""


@pytest.fixture(scope="module")
def warc(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with one of everything that we write."""
    path = tmp_path_factory.mktemp("ours") / "ours.warc.gz"
    with WarcFileWriter(path, [("isPartOf", "test")]) as writer:
        pairs = [exchange(answer, writer.warcinfo_id) for answer in ANSWERS]
        writer.append(record for pair in pairs for record in pair)
        original = Original(pairs[0][0].record_id, ANSWERS[0].url, ANSWERS[0].fetched_at)
        later = fetched(f"{SITE}/", PAGE, at=NOON + timedelta(days=1))
        writer.append(exchange(later, writer.warcinfo_id, original))
        writer.sync()
    return path


def as_seen(record: Record) -> dict[str, object]:
    return {
        "offset": record.offset,
        "kind": record.kind,
        "url": record.headers.get("WARC-Target-URI"),
        "block": hashlib.sha256(record.block).hexdigest(),
        "whole": True,
    }


def seen_by(script: str, programs: Path, warc: Path) -> list[dict[str, object]]:
    lines = run([programs / "python", "-c", script, warc]).splitlines()
    return [json.loads(line) for line in lines]


def test_fastwarc_reads_every_record_with_its_place_and_digest(warc: Path) -> None:
    programs = foreign_programs("fastwarc", ["fastwarc==1.1.0"])
    assert seen_by(FASTWARC, programs, warc) == [as_seen(record) for record in records(warc)]


def test_warcio_reads_every_record_with_its_place_and_digest(warc: Path) -> None:
    programs = foreign_programs("warcio", ["warcio==1.8.1"])
    assert seen_by(WARCIO, programs, warc) == [as_seen(record) for record in records(warc)]
    checked = run([programs / "warcio", "check", "--verbose", warc])
    assert checked.count("digest pass") == 2 * len(ANSWERS) + 1, "all but the revisit, whose payload is elsewhere"
    assert "fail" not in checked


def test_warcio_finds_the_lengths_that_we_record(warc: Path) -> None:
    programs = foreign_programs("warcio", ["warcio==1.8.1"])
    lines = run([programs / "warcio", "index", "--fields", "offset,length", warc]).splitlines()
    found = [(int(line["offset"]), int(line["length"])) for line in map(json.loads, lines)]
    assert found == [(record.offset, record.length) for record in records(warc)]


def test_pywb_indexes_every_capture_and_replays_it(warc: Path, tmp_path: Path) -> None:
    # pywb asks for pkg_resources, which newer versions of setuptools no longer bring.
    programs = foreign_programs("pywb", ["pywb==2.10.0", "setuptools<81"])
    indexed = [line.split(" ", 2) for line in run([programs / "cdx-indexer", "--cdxj", warc]).splitlines()]
    answers = [json.loads(fields) for _, _, fields in indexed if '"warc/revisit"' not in fields]
    assert {(entry["url"], entry["status"]) for entry in answers} == {(a.url, str(a.status)) for a in ANSWERS}
    places = {record.offset: record.length for record in records(warc) if record.kind in {"response", "revisit"}}
    assert {int(json.loads(f)["offset"]): int(json.loads(f)["length"]) for _, _, f in indexed} == places
    run([programs / "wb-manager", "init", "ours"], tmp_path)
    run([programs / "wb-manager", "add", "ours", warc], tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    home = f"http://127.0.0.1:{port}/ours"
    serve: list[str | Path] = [programs / "pywb", "--bind", "127.0.0.1", "--port", str(port), "--directory", tmp_path]
    with running(serve, tmp_path / "log", lambda: answers_at(home)):
        for answer in ANSWERS:
            if answer.status == 200:
                assert replayed(home, "20260101120000", answer) == plain(answer)
        assert replayed(home, "20260102120000", ANSWERS[0]) == PAGE.encode(), "the revisit shows what it refers to"


def answers_at(url: str) -> bool:
    try:
        with urlopen(f"{url}/", timeout=5):
            return True
    except (URLError, ConnectionError):
        return False


def replayed(home: str, timestamp: str, answer: FetchResult) -> bytes:
    with urlopen(f"{home}/{timestamp}id_/{answer.url}", timeout=30) as response:
        body: bytes = response.read()
        encoding = response.headers.get("Content-Encoding")
    return unpacked(body, encoding)


def plain(answer: FetchResult) -> bytes:
    return unpacked(answer.body, answer.header("content-encoding"))


def unpacked(body: bytes, encoding: str | None) -> bytes:
    if encoding is None:
        return body
    return gzip.decompress(body) if encoding == "gzip" else zlib.decompress(body)
