import base64
import gzip
import hashlib
import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from io import BytesIO
from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType
from hypothesis import given
from hypothesis import strategies as st

from tests.support.fetched import NOON, fetched
from tests.support.warcs import records
from webstrata.model.captures import Original
from webstrata.model.digests import digest
from webstrata.warc.record import exchange, http_head, new_record_id, warc_date, warcinfo
from webstrata.warc.writer import WarcFileWriter

BODY = b"caf\xe9 \r\n\r\nWARC/1.1\r\n" * 100
INJECTION = "x\r\nWARC-Type: metadata\r\n\r\nWARC/1.1\r\nContent-Length: 0\r\n\r\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "test.warc.gz"


def sha1(data: bytes) -> str:
    return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()


def test_a_file_opens_with_who_wrote_it_and_for_what(file: Path) -> None:
    WarcFileWriter(file, [("isPartOf", "hc"), ("description", "job 1\r\nforged: yes")]).close()
    (info,) = records(file)
    assert (info.kind, info.headers["WARC-Filename"]) == ("warcinfo", "test.warc.gz")
    fields = dict(line.split(": ", 1) for line in info.block.decode().splitlines())
    assert fields.keys() == {"software", "format", "isPartOf", "description"}
    assert fields["description"] == "job 1 forged: yes"
    assert fields["software"].startswith("webstrata/")


def test_an_exchange_is_a_response_and_the_request_for_it(file: Path) -> None:
    answer = fetched("https://example.org/a", BODY, content_type="text/html")
    with WarcFileWriter(file) as writer:
        writer.append(exchange(answer, writer.warcinfo_id))
    info, response, request = records(file)
    assert (response.kind, request.kind) == ("response", "request")
    assert request.headers["WARC-Concurrent-To"] == response.headers["WARC-Record-ID"]
    assert len({record.headers["WARC-Record-ID"] for record in (info, response, request)}) == 3
    for record in (response, request):
        assert record.url == "https://example.org/a"
        assert record.headers["WARC-Date"] == "2026-01-01T12:00:00.123456Z"
        assert record.headers["WARC-Warcinfo-ID"] == info.headers["WARC-Record-ID"]
        assert record.headers["WARC-Block-Digest"] == sha1(record.block)
    assert response.headers["WARC-Payload-Digest"] == sha1(BODY)
    assert response.headers["WARC-IP-Address"] == "192.0.2.1"
    assert response.headers["Content-Type"] == "application/http; msgtype=response"
    assert response.block == b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + BODY
    assert request.block == answer.request_head


def test_what_was_cut_is_marked() -> None:
    answer = replace(fetched(), truncated="length", ip_address=None)
    response, _ = exchange(answer, new_record_id())
    head = gzip.decompress(b"".join(response.compressed())).partition(b"\r\n\r\n")[0]
    assert b"\r\nWARC-Truncated: length" in head
    assert b"WARC-IP-Address" not in head


def test_a_revisit_keeps_the_head_and_names_what_holds_the_payload(file: Path) -> None:
    original = Original("<urn:uuid:1>", "https://example.org/old", NOON - timedelta(days=1))
    with WarcFileWriter(file) as writer:
        same, _ = exchange(fetched(body=BODY), writer.warcinfo_id, original)
        unchanged, _ = exchange(fetched(body=b"", status=304), writer.warcinfo_id, original)
        writer.append([same, unchanged])
    _, identical, not_modified = records(file)
    for record in (identical, not_modified):
        assert record.kind == "revisit"
        assert record.headers["WARC-Refers-To"] == "<urn:uuid:1>"
        assert record.headers["WARC-Refers-To-Target-URI"] == "https://example.org/old"
        assert record.headers["WARC-Refers-To-Date"] == "2025-12-31T12:00:00.123456Z"
        assert record.block.endswith(b"\r\n\r\n")
        assert record.headers["WARC-Block-Digest"] == sha1(record.block)
    assert identical.headers["WARC-Profile"].endswith("/revisit/identical-payload-digest")
    assert identical.headers["WARC-Payload-Digest"] == sha1(BODY)
    assert not_modified.headers["WARC-Profile"].endswith("/revisit/server-not-modified")


def test_chunks_that_are_gone_are_not_announced() -> None:
    answer = fetched(headers=[(b"Transfer-ENCODING", b"chunked"), (b"Content-Encoding", b"gzip")])
    head = http_head(answer)
    assert b"\r\nX-Archive-Orig-Transfer-ENCODING: chunked\r\n" in head
    assert b"\r\nContent-Encoding: gzip\r\n" in head


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200  Fine \r\nX:y\r\nx :  z\r\n folded\r\nno colon\r\nX-\xe9: \xff\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nVary: Transfer-Encoding\r\nContent-Length: 5\r\n\r\n",
    ],
)
def test_a_head_that_is_known_is_written_byte_for_byte(head: bytes) -> None:
    assert http_head(replace(fetched(), response_head=head)) == head


def test_of_a_known_head_only_what_readers_would_trip_over_is_changed() -> None:
    head = b"HTTP/1.1 200 OK\nA:1\r\ntransfer-Encoding : chunked\nContent-Length: 3\n\n"
    answer = replace(fetched(headers=[(b"transfer-Encoding", b"chunked")]), response_head=head)
    assert http_head(answer) == (
        b"HTTP/1.1 200 OK\r\nA:1\r\nX-Archive-Orig-transfer-Encoding : chunked\r\n"
        b"X-Archive-Orig-Content-Length: 3\r\n\r\n"
    )


@pytest.mark.parametrize("where", ["url", "reason", "header name", "header value", "ip address"])
def test_no_server_can_write_our_headers(where: str, file: Path) -> None:
    raw = INJECTION.encode()
    hostile = {
        "url": replace(fetched(), url="https://example.org/" + INJECTION),
        "reason": replace(fetched(), reason=INJECTION),
        "header name": fetched(headers=[(raw, b"x")]),
        "header value": fetched(headers=[(b"x", raw)]),
        "ip address": replace(fetched(), ip_address=INJECTION),
    }
    with WarcFileWriter(file) as writer:
        writer.append(exchange(hostile[where], writer.warcinfo_id))
    found = records(file)
    assert [record.kind for record in found] == ["warcinfo", "response", "request"]
    head, _, body = found[1].block.partition(b"\r\n\r\n")
    assert body == fetched().body
    assert not any(line.startswith(b"WARC-Type") for line in head.split(b"\r\n"))


@given(st.text(), st.text(), st.binary())
def test_any_response_is_written_as_one_complete_record(url: str, reason: str, body: bytes) -> None:
    answer = replace(fetched(body=body), url=url, reason=reason)
    response, request = exchange(answer, new_record_id())
    kinds = [
        record.record_type
        for record in ArchiveIterator(BytesIO(b"".join(response.compressed()) + b"".join(request.compressed())))
    ]
    assert kinds == [WarcRecordType.response, WarcRecordType.request]
    record = next(iter(ArchiveIterator(BytesIO(b"".join(response.compressed())), parse_http=True)))
    assert record.verify_payload_digest()
    assert record.reader.read() == body


def test_a_date_is_in_utc_to_the_microsecond() -> None:
    moment = datetime(2026, 1, 1, 1, 2, 3, 4, tzinfo=timezone(timedelta(hours=2)))
    assert warc_date(moment) == "2025-12-31T23:02:03.000004Z"
    assert datetime.fromisoformat(warc_date(moment)) == moment


def test_digests_and_ids_have_the_form_that_others_read() -> None:
    assert digest(b"") == "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"
    assert uuid.UUID(new_record_id().removeprefix("<urn:uuid:").removesuffix(">")).version == 4
    info = warcinfo("f.warc.gz", datetime(2026, 1, 1, tzinfo=UTC), [("operator", "half a \ud800 pair")])
    assert b"operator: half a ? pair" in gzip.decompress(b"".join(info.compressed()))
