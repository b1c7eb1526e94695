"""WARC files of other tools, imported, listed by the CDX server and replayed byte by byte."""

import base64
import gzip
import hashlib
import re
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import brotli
import pytest
from starlette.testclient import TestClient

from tests.support.arcs import V1, arc_file, arc_records
from tests.support.foreign_records import PAGE, TIMESTAMP, chunked, http, packed, record
from webstrata.app import App
from webstrata.db.captures import problems
from webstrata.db.queue import jobs
from webstrata.errors import WarcError
from webstrata.index.pipeline import index_job
from webstrata.jobs.folders.registering import register_job_dir
from webstrata.jobs.packages import importing
from webstrata.jobs.packages.importing import ImportReport, ImportRequest, import_files
from webstrata.jobs.sources.source_choice import known_source
from webstrata.site import create_site
from webstrata.warc.packages.repacking import repack

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

SITE = "http://zoo.example"
OTHER = PAGE.replace(b"Harbour", b"Lighthouse")
SHA1 = base64.b32encode(hashlib.sha1(PAGE, usedforsecurity=False).digest()).decode()
SHA256 = hashlib.sha256(PAGE).hexdigest()
LATER = "2020-02-02T03:04:05Z"
_raw_deflate = zlib.compressobj(wbits=-15)

RESPONSES: dict[str, bytes] = {
    "chunks": http(chunked(PAGE), "HTTP/1.1 200 OK", ("Transfer-Encoding", "chunked")),
    "chunks with extensions": http(chunked(PAGE, b";a=b"), "HTTP/1.1 200 OK", ("transfer-encoding", "Chunked")),
    "chunks that are none": http(PAGE, "HTTP/1.1 200 OK", ("Transfer-Encoding", "chunked")),
    "packed in chunks": http(
        chunked(gzip.compress(PAGE)), "HTTP/1.1 200 OK", ("Transfer-Encoding", "chunked"), ("Content-Encoding", "gzip")
    ),
    "HTTP/2": http(PAGE, "HTTP/2 200"),
    "HTTP/2 with its own fields": b"HTTP/2 200\r\n:status: 200\r\ncontent-type: text/html\r\n\r\n" + PAGE,
    "HTTP/1.0": http(PAGE, "HTTP/1.0 200 OK"),
    "small letters": http(PAGE, "http/1.1 200 OK"),
    "no version": http(PAGE, "HTTP 200 OK"),
    "an unknown protocol": http(PAGE, "HTTPX/1.1 200 OK"),
    "Shoutcast": http(PAGE, "ICY 200 OK"),
    "no reason": http(PAGE, "HTTP/1.1 200"),
    "bare line feeds": http(PAGE, line_end=b"\n"),
    "doubled carriage returns": http(PAGE, line_end=b"\r\r\n"),
    "no headers": b"HTTP/1.1 200 OK\r\n\r\n" + PAGE,
    "a wrong length": http(PAGE, "HTTP/1.1 200 OK", ("Content-Length", "3")),
    "brotli": http(brotli.compress(PAGE), "HTTP/1.1 200 OK", ("Content-Encoding", "br")),
    "deflate": http(zlib.compress(PAGE), "HTTP/1.1 200 OK", ("Content-Encoding", "deflate")),
    "raw deflate": http(
        _raw_deflate.compress(PAGE) + _raw_deflate.flush(), "HTTP/1.1 200 OK", ("Content-Encoding", "deflate")
    ),
    "zstd": http(zstd.compress(PAGE), "HTTP/1.1 200 OK", ("Content-Encoding", "zstd")),
    "x-gzip": http(gzip.compress(PAGE), "HTTP/1.1 200 OK", ("Content-Encoding", "x-gzip")),
    "gzip that is none": http(PAGE, "HTTP/1.1 200 OK", ("Content-Encoding", "gzip")),
    "Brotli that is none": http(PAGE, "HTTP/1.1 200 OK", ("Content-Encoding", "br")),
    "an interim response": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + http(),
    "packed twice": http(gzip.compress(gzip.compress(PAGE)), "HTTP/1.1 200 OK", ("Content-Encoding", "gzip, gzip")),
}
RECORDS: dict[str, Callable[[str], bytes]] = {
    "no type of the block": lambda url: record(url, http(), content_type=None),
    "a type in capitals": lambda url: record(url, http(), content_type="Application/HTTP; msgtype=response"),
    "a digest in small letters": lambda url: record(url, http(), ("WARC-Payload-Digest", f"SHA1:{SHA1.lower()}")),
    "a SHA-256": lambda url: record(url, http(), ("WARC-Payload-Digest", f"sha256:{SHA256}")),
    "a digest that is none": lambda url: record(url, http(), ("WARC-Payload-Digest", "hello")),
    "nanoseconds": lambda url: record(url, http(), date="2020-01-02T03:04:05.123456789Z", version="1.1"),
    "another zone": lambda url: record(url, http(), date="2020-01-02T05:04:05+02:00"),
    "a folded header": lambda url: record(url, http(), ("X-Long", "a\r\n  b")),
    "brackets": lambda url: record(f"<{url}>", http()),
    "version 0.18": lambda url: record(url, http(), version="0.18"),
    "a file": lambda url: record(url, PAGE, kind="resource", content_type="text/html"),
    "capitals": lambda url: record(url, http(), kind="Response"),
}
ADDRESSES = {
    "http://zoo.example/a b": "http://zoo.example/a%20b",
    "http://zoo.example/part#here": "http://zoo.example/part",
    "http://bücher.example/é?ü=ß": "http://xn--bcher-kva.example/%C3%A9?%C3%BC=%C3%9F",
    "HTTP://ZOO.Example:80/Capitals": "http://zoo.example/Capitals",
    "http://zoo.example/a|b?c=d|e": "http://zoo.example/a%7Cb?c=d%7Ce",
    "http://zoo.example/%c3%a9t%c3%a9": "http://zoo.example/%C3%A9t%C3%A9",
    "http://zoo.example/web/2010/http://other.example/?a=http://b.example/": None,
    "http://zoo.example:8080/port": None,
    "http://zoo.example//two//slashes": None,
    "http://zoo.example/😀": "http://zoo.example/%F0%9F%98%80",
}


@pytest.fixture
def client(app: App) -> TestClient:
    return TestClient(create_site(app), follow_redirects=False)


class Importer:
    """Imports files into one archive and reads what it replays."""

    def __init__(self, app: App, client: TestClient, folder: Path) -> None:
        self._app = app
        self._client = client
        self._folder = folder

    def __call__(self, name: str, data: bytes) -> ImportReport:
        path = self._folder / name
        path.write_bytes(data)
        report = import_files(self._app.database, self._app.archive_root, ImportRequest([path]), lambda *_: None)
        if report.job_id is not None:
            job = index_job(report.job_id, database=self._app.database, archive_root=self._app.archive_root)
            assert job == 0
        return report

    def listed(self, url: str) -> list[list[str]]:
        lines = self._client.get("/cdx", params={"url": url, "fl": "timestamp,statuscode,digest"}).text
        return [line.split() for line in lines.splitlines()]

    def body(self, url: str, timestamp: str = TIMESTAMP) -> bytes:
        asked = quote(url, safe="/:?=&%+~!$,;@()*[]")
        found: bytes = self._client.get(f"/web/{timestamp}id_/{asked}").content
        return found


@pytest.fixture
def imported(app: App, client: TestClient, tmp_path: Path) -> Importer:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    return Importer(app, client, folder)


def test_responses_are_replayed_however_they_were_sent(imported: Importer) -> None:
    urls = {f"{SITE}/{number}": block for number, block in enumerate(RESPONSES.values())}
    imported("a.warc.gz", packed(*(record(url, block) for url, block in urls.items())))
    for name, url in zip(RESPONSES, urls, strict=True):
        assert ([row[:2] for row in imported.listed(url)], imported.body(url)) == ([[TIMESTAMP, "200"]], PAGE), name


def test_records_are_read_however_they_are_written(imported: Importer) -> None:
    urls = {f"{SITE}/{number}": make for number, make in enumerate(RECORDS.values())}
    imported("a.warc.gz", packed(*(make(url) for url, make in urls.items())))
    for name, url in zip(RECORDS, urls, strict=True):
        assert ([row[0] for row in imported.listed(url)], imported.body(url)) == ([TIMESTAMP], PAGE), name
    assert imported.listed(f"{SITE}/2")[0][2] == SHA1


def test_addresses_are_found_however_they_are_written(imported: Importer) -> None:
    imported("a.warc.gz", packed(record(f"{SITE}/", http()), *(record(url, http()) for url in ADDRESSES)))
    for written, otherwise in ADDRESSES.items():
        for asked in (written.partition("#")[0], otherwise or written):
            assert (len(imported.listed(written)), imported.body(asked)) == (1, PAGE), asked


def test_dates_may_leave_out_what_is_not_known(imported: Importer) -> None:
    dates = {"2019": "20190101000000", "2019-07": "20190701000000", "2019-07-09": "20190709000000"}
    dates["2019-07-09T08:30Z"] = "20190709083000"
    urls = {f"{SITE}/{number}": written for number, written in enumerate(dates)}
    imported("a.warc.gz", packed(*(record(url, http(), date=date, version="1.1") for url, date in urls.items())))
    assert {date: imported.listed(url)[0][0] for url, date in urls.items()} == dates


def test_addresses_of_old_charsets_keep_their_bytes(imported: Importer) -> None:
    imported("a.warc.gz", packed(record(b"http://zoo.example/caf\xe9", http())))
    assert imported.body("http://zoo.example/caf%E9") == PAGE


def plain_and_odd_files() -> dict[str, bytes]:
    pages = [record(f"{SITE}/{number}", http()) for number in range(3)]
    dictionary = zstd.train_dict([PAGE[start:] * 3 for start in range(40)] * 50, 2_000)
    content = dictionary.dict_content
    begin = b"\x5d\x2a\x4d\x18" + len(content).to_bytes(4, "little") + content
    arc = arc_records(V1, *((f"{SITE}/{number}", TIMESTAMP, "text/html", http()) for number in range(3)))
    small = [one.replace(b"WARC-T", b"warc-t").replace(b"Content-Length", b"content-length") for one in pages]
    return {
        "whole.warc.gz": gzip.compress(b"".join(pages)),
        "some.warc.gz": packed(pages[0]) + gzip.compress(b"".join(pages[1:])),
        "frames.warc.zst": b"".join(zstd.compress(one) for one in pages),
        "whole.warc.zst": zstd.compress(b"".join(pages)),
        "dictionary.warc.zst": begin + b"".join(zstd.compress(one, zstd_dict=dictionary) for one in pages),
        "feeds.warc": b"".join(record(f"{SITE}/{n}", http(), line_end=b"\n", ending=b"\n\n") for n in range(3)),
        "text-mode.warc": b"".join(pages).replace(b"\n", b"\r\n"),
        "small.warc.gz": packed(*small),
        "version.warc.gz": packed(*(record(f"{SITE}/{n}", http(), version="1.2") for n in range(3))),
        "whole.arc.gz": gzip.compress(arc_file(arc, packed=False)),
    }


@pytest.mark.parametrize("name", plain_and_odd_files())
def test_files_whose_records_cannot_be_read_one_by_one_are_repacked(imported: Importer, name: str) -> None:
    data = plain_and_odd_files()[name]
    report = imported(name, data)
    assert "repacked record by record" in report.notes[0]
    for number in range(3):
        assert (len(imported.listed(f"{SITE}/{number}")), imported.body(f"{SITE}/{number}")) == (1, PAGE)
    again = imported(f"renamed-{name}", data)
    assert (again.job_id, [known.job_id for known in again.known]) == (None, [report.job_id])


def test_a_registered_file_that_has_to_be_repacked_can_be_imported(imported: Importer, app: App) -> None:
    imported("other.warc.gz", packed(record(f"{SITE}/other", http())))
    folder = app.archive_root / "registered"
    folder.mkdir()
    data = plain_and_odd_files()["whole.warc.gz"]
    (folder / "whole.warc.gz").write_bytes(data)
    owner = known_source(app.database, [f"{SITE}/"])
    assert owner is not None
    job_id = register_job_dir(app.database, app.archive_root, owner.code, folder, name="registered").job_id
    assert index_job(job_id, database=app.database, archive_root=app.archive_root) == 1
    with app.database.read() as session:
        reason = jobs.load_job(session, job_id).status_reason or ""
    assert re.fullmatch(r"its records are not compressed one by one; `webstrata import (.+)` makes a copy .*", reason)
    imported("whole.warc.gz", data)
    assert imported.body(f"{SITE}/0") == PAGE


def test_an_import_that_was_killed_while_it_repacked_leaves_nothing_twice(
    imported: Importer, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = plain_and_odd_files()["whole.warc.gz"]

    def repack_and_die(source: Path, target: Path) -> list[str]:
        repack(source, target)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(importing, "repack", repack_and_die)
        with pytest.raises(KeyboardInterrupt):
            imported("whole.warc.gz", data)
    imported("whole.warc.gz", data)
    assert (len(imported.listed(f"{SITE}/0")), imported.body(f"{SITE}/0")) == (1, PAGE)


def test_what_cannot_be_repacked_is_reported(imported: Importer) -> None:
    pages = [record(f"{SITE}/{number}", http()) for number in range(3)]
    wrong = pages[1].replace(b"Content-Length: ", b"Content-Length: 1")
    report = imported("whole.warc.gz", gzip.compress(pages[0] + wrong + pages[2]))
    assert any("byte" in note and "middle of a record" in note for note in report.notes)
    assert imported.body(f"{SITE}/0") == PAGE
    frames = b"".join(zstd.compress(record(f"{SITE}/cut/{number}", http())) for number in range(3))
    cut = imported("cut.warc.zst", frames[:-9])
    assert imported.body(f"{SITE}/cut/1") == PAGE
    assert "zstd" in cut.notes[-1]


def test_a_file_that_unpacks_to_far_too_much_is_refused(imported: Importer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webstrata.warc.packages.unpacking._ALWAYS_UNPACKED", 100_000)
    with pytest.raises(WarcError, match="more than 250 times its size"):
        imported("bomb.warc.zst", zstd.compress(record(f"{SITE}/", http(bytes(90_000_000)))))


def test_a_record_that_does_not_state_its_length_is_reported_and_the_next_one_read(
    imported: Importer, app: App
) -> None:
    unstated = re.sub(rb"Content-Length: \d+\r\n", b"", record(f"{SITE}/unstated", http()))
    imported("a.warc.gz", packed(record(f"{SITE}/0", http()), unstated, record(f"{SITE}/1", http())))
    assert (imported.listed(f"{SITE}/unstated"), imported.body(f"{SITE}/1")) == ([], PAGE)
    with app.database.read() as session:
        (problem,) = problems.problems_of_job(session, 1, limit=9)
    assert "does not state its length" in problem.reason


def test_an_import_that_finds_nothing_reports_why(imported: Importer) -> None:
    with pytest.raises(WarcError, match="no captures of web pages"):
        imported("text.warc.gz", packed(record(f"{SITE}/", b"Harbour", kind="conversion", content_type="text/plain")))
    damaged = packed(record(f"{SITE}/", http()).replace(b"Content-Length: ", b"Content-Length: 9"))
    with pytest.raises(WarcError, match=r"byte 0: the record is shorter than its Content-Length"):
        imported("damaged.warc.gz", damaged)


REVISITS: dict[str, list[tuple[str, str]]] = {
    "digest in other letters": [("WARC-Payload-Digest", f"SHA1:{SHA1.lower()}")],
    "digest in hexadecimal": [("WARC-Payload-Digest", f"sha1:{base64.b32decode(SHA1).hex()}")],
    "a wrong date": [
        ("WARC-Payload-Digest", f"sha1:{SHA1}"),
        ("WARC-Refers-To-Target-URI", f"{SITE}/original"),
        ("WARC-Refers-To-Date", "2019-12-31T03:04:05Z"),
    ],
    "a date without milliseconds": [
        ("WARC-Refers-To-Target-URI", f"<{SITE}/original>"),
        ("WARC-Refers-To-Date", "2020-01-02T03:04:05Z"),
    ],
}


@pytest.mark.parametrize("name", REVISITS)
def test_revisits_find_their_originals(imported: Importer, name: str) -> None:
    original = record(f"{SITE}/original", http(), date="2020-01-02T03:04:05.678Z", version="1.1")
    revisit = record(f"{SITE}/other", b"", *REVISITS[name], kind="revisit", content_type=None, date=LATER)
    imported("a.warc.gz", packed(original, revisit))
    assert imported.body(f"{SITE}/other", "20200202030405") == PAGE


def test_a_revisit_that_names_nothing_repeats_the_capture_before(imported: Importer) -> None:
    profile = ("WARC-Profile", "http://netpreserve.org/warc/1.0/revisit/server-not-modified")
    imported(
        "a.warc.gz",
        packed(
            record(f"{SITE}/o", http(OTHER), date="2020-01-01T00:00:00Z"),
            record(f"{SITE}/o", http(), date="2020-01-02T00:00:00Z"),
            record(f"{SITE}/o", b"HTTP/1.1 304 Not Modified\r\n\r\n", profile, kind="revisit", date=LATER),
            record(f"{SITE}/o", http(OTHER), date="2020-03-01T00:00:00Z"),
        ),
    )
    assert imported.body(f"{SITE}/o", "20200202030405") == PAGE
    assert [row[0] for row in imported.listed(f"{SITE}/o")][2] == "20200202030405"


def test_parts_of_files_are_replayed_as_parts(imported: Importer, client: TestClient) -> None:
    film = bytes(range(256)) * 40
    spans = {"begin": (0, 999), "middle": (500, 999), "whole": (0, len(film) - 1)}
    records = [
        record(
            f"{SITE}/{name}",
            http(
                film[first : last + 1],
                "HTTP/1.1 206 Partial Content",
                ("Content-Range", f"bytes {first}-{last}/{len(film)}"),
                kind="video/mp4",
            ),
        )
        for name, (first, last) in spans.items()
    ]
    imported("a.warc.gz", packed(record(f"{SITE}/", http()), *records))
    found = {name: client.get(f"/web/{TIMESTAMP}id_/{SITE}/{name}") for name in spans}
    ranges = {name: (one.status_code, one.headers.get("content-range")) for name, one in found.items()}
    assert ranges == {"begin": (206, f"bytes 0-999/{len(film)}"), "middle": (200, None), "whole": (200, None)}
    part = client.get(f"/web/{TIMESTAMP}id_/{SITE}/whole", headers={"Range": "bytes=5-9"})
    assert (part.status_code, part.content) == (206, film[5:10])
    assert part.headers["content-range"] == f"bytes 5-9/{len(film)}"


def posted_exchange(body: bytes, response: bytes, date: str) -> list[bytes]:
    """Return records of a request with a body and its response, as Browsertrix writes them."""
    request = b"POST /api HTTP/1.1\r\nHost: zoo.example\r\nContent-Type: application/json\r\n\r\n" + body
    kind = "application/http; msgtype=request"
    return [
        record(f"{SITE}/api", http(response, kind="application/json"), date=date),
        record(f"{SITE}/api", request, kind="request", content_type=kind, date=date),
    ]


def test_requests_get_the_response_to_their_own_body(imported: Importer, client: TestClient) -> None:
    bodies = {b'{"query": "tea", "first": %d}' % number: b'{"cups": %d}' % number for number in range(4)}
    exchanges = [
        posted_exchange(body, response, f"2020-01-02T03:04:{number:02}Z")
        for number, (body, response) in enumerate(bodies.items())
    ]
    imported("a.warc.gz", packed(*(one for pair in exchanges for one in pair)))
    address = f"/web/20200102030405id_/{SITE}/api"
    as_json = {"Content-Type": "application/json"}
    for number, (body, response) in enumerate(bodies.items()):
        assert client.post(address, content=body, headers=as_json).content == response
        # So does wabac.js ask for it.
        assert client.get(f"{address}?__wb_method=POST&query=tea&first={number}").content == response
    other = client.post(address, content=b'{"query": "milk"}', headers=as_json)
    assert other.content == client.get(address).content == b'{"cups": 3}'
