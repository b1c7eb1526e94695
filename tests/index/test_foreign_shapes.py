"""Files as other crawlers write them: as many captures as fastwarc sees in them, or a refusal that says why."""

import gzip
from collections.abc import Callable
from io import BytesIO
from itertools import count

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType

from tests.index.jobs import Job
from webstrata.warc.reader import read_record
from webstrata.warc.revisits import with_payload

PAGE = b"<title>Flu</title><p>wash your hands</p>"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + PAGE
URL = "http://example.com/"
DATE = "2014-01-27T17:12:38Z"
NUMBERS = count(1)
CAPTURES = WarcRecordType.response | WarcRecordType.revisit | WarcRecordType.resource


def record(kind: str, uri: str, block: bytes, **fields: str) -> bytes:
    head = {
        "WARC-Type": kind,
        "WARC-Record-ID": f"<urn:uuid:00000000-0000-4000-8000-{next(NUMBERS):012}>",
        "WARC-Date": DATE,
        "Content-Type": "application/http; msgtype=response",
        "Content-Length": str(len(block)),
        **({"WARC-Target-URI": uri} if uri else {}),
        **{name.replace("_", "-"): value for name, value in fields.items()},
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
    return b"WARC/1.0\r\n" + lines.encode() + b"\r\n" + block + b"\r\n\r\n"


def request(uri: str, method: str = "GET", body: bytes = b"") -> bytes:
    block = f"{method} / HTTP/1.1\r\nHost: example.com\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
    return record("request", uri, block, Content_Type="application/http; msgtype=request")


def wget() -> list[bytes]:
    logs = ("metadata://gnu.org/software/wget/warc/MANIFEST.txt", "metadata://gnu.org/software/wget/warc/wget.log")
    return [
        record("warcinfo", "", b"software: Wget/1.14\r\n", Content_Type="application/warc-fields"),
        request(f"<{URL}>"),
        record("response", f"<{URL}>", ANSWER),
        *(record("resource", name, b"a log", Content_Type="text/plain") for name in logs),
    ]


def wpull() -> list[bytes]:
    return [
        record("warcinfo", "", b"software: Wpull/1.2\r\n", Content_Type="application/warc-fields"),
        request(URL),
        record("response", URL, ANSWER),
        record("resource", "urn:X-wpull:log", b"a log", Content_Type="text/plain"),
    ]


def revisit_of_another_address() -> list[bytes]:
    return [
        record("response", URL, ANSWER, WARC_Payload_Digest="sha1:B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A"),
        record(
            "revisit",
            "http://test@example.com/",
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
            WARC_Refers_To_Target_URI=URL,
            WARC_Refers_To_Date=DATE,
            WARC_Payload_Digest="sha1:B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A",
            WARC_Profile="http://netpreserve.org/warc/1.0/revisit/identical-payload-digest",
        ),
    ]


def revisit_of_a_digest(digest: str = "sha1:B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A") -> list[bytes]:
    """Return a revisit that says of its payload nothing but the digest, as older crawlers write them."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    return [
        record("response", URL, ANSWER, WARC_Payload_Digest="sha1:B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A"),
        record("revisit", URL, head, WARC_Date="2015-01-27T17:12:38Z", WARC_Payload_Digest=digest),
    ]


def resource() -> list[bytes]:
    return [record("resource", "http://httpbin.org/xml", PAGE, Content_Type="text/html")]


def posted() -> list[bytes]:
    forms = (b"foo=bar", b"data=1&path=2")
    return [part for body in forms for part in (request(URL, "POST", body), record("response", URL, ANSWER))]


def missing_status_text() -> list[bytes]:
    moved = b"HTTP/1.0 302 \r\nLocation: http://www.example.com/\r\nContent-Length: 0\r\n\r\n"
    return [record("response", URL, moved)]


def packed(records: list[bytes]) -> bytes:
    return b"".join(map(gzip.compress, records))


def with_extra_bytes(records: list[bytes]) -> bytes:
    """Return an uncompressed file with more line ends between the records than there should be."""
    return b"\r\n\r\n".join(records)


def seen_by_fastwarc(data: bytes) -> int:
    """Return how many captures of web addresses a file has."""
    captures = ArchiveIterator(BytesIO(data), record_types=CAPTURES, parse_http=False)
    return sum(record.headers["WARC-Target-URI"].strip("<>").startswith("http") for record in captures)


SHAPES: list[tuple[Callable[[], list[bytes]], int, int]] = [
    (wget, 1, 1),
    (wpull, 1, 1),
    (revisit_of_another_address, 2, 2),
    (revisit_of_a_digest, 2, 2),
    (resource, 1, 1),
    (posted, 2, 2),
    (missing_status_text, 1, 0),
]


@pytest.mark.parametrize("written", [packed, b"".join, with_extra_bytes], ids=["packed", "plain", "extra bytes"])
def test_every_shape_has_the_captures_that_fastwarc_sees(job: Job, written: Callable[[list[bytes]], bytes]) -> None:
    for shape, captures, _ in SHAPES:
        data = written(shape())
        assert seen_by_fastwarc(data) == captures, shape.__name__
        (job.root / "hc" / f"{shape.__name__}.warc").parent.mkdir(exist_ok=True)
        (job.root / "hc" / f"{shape.__name__}.warc").write_bytes(data)
        job.register(f"{shape.__name__}.warc")
    assert job.index() == 0
    assert len(job.captures()) == sum(captures for _, captures, _ in SHAPES)
    assert len(job.snapshots()) == sum(pages for *_, pages in SHAPES)
    assert job.problems() == []


def test_a_revisit_that_names_only_a_digest_is_shown_with_the_payload_of_that_digest(job: Job) -> None:
    (job.root / "hc").mkdir(exist_ok=True)
    (job.root / "hc" / "one.warc").write_bytes(b"".join(revisit_of_a_digest()))
    job.register("one.warc")
    assert job.index() == 0
    first, second = job.snapshots()
    assert (first.title, second.title) == ("Flu", "Flu")
    assert job.problems() == []
    revisit = job.captures()[1]
    read = read_record(job.root / "hc" / "one.warc", revisit.warc_offset, revisit.warc_length)
    assert with_payload(read, job.database, job.root).body_bytes == PAGE


def test_a_revisit_of_a_digest_that_no_one_has_is_a_problem(job: Job) -> None:
    (job.root / "hc").mkdir(exist_ok=True)
    (job.root / "hc" / "one.warc").write_bytes(b"".join(revisit_of_a_digest("sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")))
    job.register("one.warc")
    assert job.index() == 0
    assert len(job.snapshots()) == 1
    assert [problem.offset for problem in job.problems()] == [job.captures()[1].warc_offset]


def test_a_response_without_a_status_text_has_its_status(job: Job) -> None:
    (job.root / "hc").mkdir(exist_ok=True)
    (job.root / "hc" / "one.warc").write_bytes(b"".join(missing_status_text()))
    job.register("one.warc")
    assert job.index() == 0
    assert [(capture.status_code, capture.url) for capture in job.captures()] == [(302, URL)]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (gzip.compress(b"".join(wpull())), "not compressed one by one; `webstrata import "),
        # Every line end doubled on its way through a text editor: what a record's length counts is not there any more.
        (
            b"".join(missing_status_text()).strip().replace(b"\r\n", b"\r\r\n"),
            "record headers do not follow the WARC standard; `webstrata import ",
        ),
    ],
)
def test_what_fastwarc_reads_but_cannot_be_found_again_is_refused_with_a_reason(
    job: Job, data: bytes, reason: str
) -> None:
    (job.root / "hc").mkdir(exist_ok=True)
    (job.root / "hc" / "one.warc.gz").write_bytes(data)
    job.register("one.warc.gz")
    assert job.index() == 1
    assert job.view().status == "index_failed"
    assert reason in (job.view().status_reason or "")
    assert job.captures() == []
