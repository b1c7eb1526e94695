"""Verifying WARC files: every byte is read, and what is wrong is named with its place."""

import gzip
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from webstrata.cli.main import run
from webstrata.model.crawl.fetching import FetchResult
from webstrata.model.digests import digest
from webstrata.warc.record import exchange
from webstrata.warc.verify import Report, verify
from webstrata.warc.writer import Extent, WarcFileWriter

MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def fetched(number: int, body: bytes | None = None) -> FetchResult:
    return FetchResult(
        url=f"https://example.org/{number}",
        fetched_at=MOMENT,
        request_head=b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n",
        status=200,
        reason="OK",
        http_version="1.1",
        headers=((b"Content-Type", b"text/html"),),
        body=body if body is not None else f"<p>page {number}</p>".encode() * 50,
    )


def written(path: Path, results: Sequence[FetchResult]) -> list[Extent]:
    with WarcFileWriter(path) as writer:
        extents = [extent for result in results for extent in writer.append(exchange(result, writer.warcinfo_id))]
        writer.sync()
    return extents


def record(headers: dict[str, str], block: bytes, *, length: int | None = None) -> bytes:
    lines = {
        "WARC-Record-ID": "<urn:uuid:1>",
        **headers,
        "Content-Length": str(len(block) if length is None else length),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return b"WARC/1.1\r\n" + head.encode() + b"\r\n" + block + b"\r\n\r\n"


def reasons(report: Report) -> list[str]:
    return [finding.reason for finding in report.findings]


def test_what_we_write_is_as_it_should_be(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    written(path, [fetched(n) for n in range(20)])
    report = verify([path])
    assert report.findings == []
    assert (report.files, report.records, report.bytes_read) == (1, 41, path.stat().st_size)


def test_every_single_flipped_byte_is_found(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    extents = written(path, [fetched(1)])
    whole = path.read_bytes()
    unnoticed = [place for place in range(len(whole)) if not _findings_after_flip(path, whole, place)]
    # gzip itself says nothing of these: modification time, extra flags and operating system in each member's header.
    starts = [0, *(extent.offset for extent in extents)]
    harmless = {start + at for start in starts for at in (4, 5, 6, 7, 8, 9)}
    assert set(unnoticed) <= harmless


def _findings_after_flip(path: Path, whole: bytes, place: int) -> bool:
    damaged = bytearray(whole)
    damaged[place] ^= 0x41
    path.write_bytes(damaged)
    return bool(verify([path]).findings)


def test_a_damaged_record_is_named_and_the_others_are_still_read(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    extents = written(path, [fetched(n) for n in range(10)])
    data = bytearray(path.read_bytes())
    middle = extents[8]
    data[middle.offset + 20 : middle.offset + middle.length - 20] = b"\0" * (middle.length - 40)
    path.write_bytes(data)
    report = verify([path])
    assert [(f.offset, f.reason) for f in report.findings] == [(middle.offset, "damaged gzip member")]
    assert report.records == 20


def test_after_a_damaged_record_a_plain_file_is_read_on(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    kind, wrong = {"WARC-Type": "resource"}, {"WARC-Type": "resource", "WARC-Block-Digest": digest(b"other")}
    for length in (3, 100_000, int("9" * 18)):
        damaged = record(kind, b"first", length=length)
        path.write_bytes(damaged + record(kind, b"second") + record(wrong, b"third") + record(kind, b"fourth"))
        report = verify([path])
        assert report.records == 4
        assert reasons(report)[1:] == ["the block does not match its digest"]


@pytest.mark.parametrize("place", range(10))
def test_a_file_whose_very_beginning_is_damaged_is_still_read(tmp_path: Path, place: int) -> None:
    path = tmp_path / "a.warc.gz"
    extents = written(path, [fetched(n) for n in range(3)])
    data = bytearray(path.read_bytes())
    data[place] ^= 0x41
    data[extents[-1].offset + 40] ^= 0x41
    path.write_bytes(data)
    assert extents[-1].offset in [finding.offset for finding in verify([path]).findings]


@pytest.mark.parametrize("cut", [1, 8, 100])
def test_a_cut_tail_is_named(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "a.warc.gz"
    extents = written(path, [fetched(n) for n in range(3)])
    path.write_bytes(path.read_bytes()[:-cut])
    (finding,) = verify([path]).findings
    assert (finding.offset, finding.reason) == (extents[-1].offset, "the file ends in the middle of a gzip member")


def test_a_cut_plain_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    first = record({"WARC-Type": "resource"}, b"first")
    path.write_bytes(first + record({"WARC-Type": "resource"}, b"second")[:-9])
    (finding,) = verify([path]).findings
    assert finding.reason == "the file ends in the middle of a record"
    assert finding.offset >= len(first)


def test_a_wrong_digest_is_named_in_any_of_its_forms(tmp_path: Path) -> None:
    for value in (digest(b"other"), "sha256:" + "0" * 64, "md5:" + "0" * 32, "sha1:nonsense"):
        path = tmp_path / "a.warc"
        path.write_bytes(record({"WARC-Type": "resource", "WARC-Block-Digest": value}, b"this"))
        assert reasons(verify([path])) == ["the block does not match its digest"]


def test_a_payload_that_is_not_what_its_digest_states_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    headers = {"WARC-Type": "response", "Content-Type": "application/http; msgtype=response"}
    block = b"HTTP/1.1 200 OK\r\n\r\nbody"
    path.write_bytes(record(headers | {"WARC-Payload-Digest": digest(b"other")}, block))
    assert reasons(verify([path])) == ["the payload does not match its digest"]
    path.write_bytes(record(headers | {"WARC-Payload-Digest": digest(b"body")}, block))
    assert verify([path]).findings == []


def test_a_chunked_payload_may_be_digested_with_or_without_its_chunks(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    headers = {"WARC-Type": "response", "Content-Type": "application/http; msgtype=response"}
    chunked = b"4\r\nbody\r\n0\r\n\r\n"
    block = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked
    for payload in (b"body", chunked):
        path.write_bytes(record(headers | {"WARC-Payload-Digest": digest(payload)}, block))
        assert verify([path]).findings == []


def test_a_wrong_length_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(record({"WARC-Type": "resource"}, b"twelve bytes", length=5))
    assert reasons(verify([path])) == ["the record does not end at its Content-Length"]
    path.write_bytes(record({"WARC-Type": "resource"}, b"").replace(b"Content-Length: 0", b"Content-Length: many"))
    assert reasons(verify([path])) == ["Content-Length is 'many', not a number"]
    path.write_bytes(record({"WARC-Type": "resource"}, b"").replace(b"Length: 0", b"Length: " + b"9" * 5_000))
    assert reasons(verify([path])) == [f"Content-Length is '{'9' * 40}', not a number"]


@pytest.mark.parametrize("packed", [True, False])
def test_a_record_that_is_too_short_does_not_end_the_file(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / "a.warc"
    first, short, last = (record({"WARC-Type": "resource"}, b"body", length=n) for n in (4, 900, 4))
    path.write_bytes(b"".join(gzip.compress(one) if packed else one for one in (first, short, last)))
    (finding,) = verify([path]).findings
    offset = len(gzip.compress(first)) if packed else len(first)
    assert (finding.offset, finding.reason) == (offset, "this record is shorter than its Content-Length")


def test_a_revisit_needs_its_target_in_one_of_the_files(tmp_path: Path) -> None:
    original, revisit = tmp_path / "original.warc", tmp_path / "revisit.warc"
    place = {"WARC-Target-URI": "http://example.org/", "WARC-Date": "2026-01-01T00:00:00Z"}
    original.write_bytes(record({"WARC-Type": "response", **place}, b"x"))
    refers = {"WARC-Refers-To-Target-URI": "https://example.org/", "WARC-Refers-To-Date": "2026-01-01T00:00:00Z"}
    revisit.write_bytes(record({"WARC-Type": "revisit", **refers}, b""))
    assert verify([revisit, original]).findings == []
    assert reasons(verify([revisit])) == [
        "revisit of a record that was not found: https://example.org/ of 2026-01-01T00:00:00Z"
    ]


def test_a_revisit_may_name_its_target_by_the_payload_s_digest_alone(tmp_path: Path) -> None:
    original, revisit = tmp_path / "original.warc", tmp_path / "revisit.warc"
    original.write_bytes(record({"WARC-Type": "resource", "WARC-Payload-Digest": digest(b"x")}, b"x"))
    revisit.write_bytes(record({"WARC-Type": "revisit", "WARC-Payload-Digest": digest(b"x")}, b""))
    assert verify([revisit, original]).findings == []
    assert reasons(verify([revisit])) == [f"revisit of a record that was not found: {digest(b'x')}"]
    revisit.write_bytes(record({"WARC-Type": "revisit"}, b""))
    assert reasons(verify([revisit, original])) == ["revisit of a record that was not found: no record is named"]


def test_records_that_share_a_gzip_member_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(gzip.compress(record({"WARC-Type": "resource"}, b"a") + record({"WARC-Type": "resource"}, b"b")))
    assert reasons(verify([path])) == ["several records in one gzip member: they cannot be read one by one"]


@pytest.mark.parametrize(
    "content", [b"nonsense", b"", b"\x1f\x8b", gzip.compress(b"no record"), b"\x28\xb5\x2f\xfd123"]
)
def test_what_is_no_warc_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(content)
    assert len(verify([path]).findings) == 1


def test_the_command_states_what_is_wrong_and_exits_with_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = tmp_path / "good.warc.gz"
    written(good, [fetched(1)])
    assert run(["verify", str(tmp_path)]) == 0
    assert "3 records" in capsys.readouterr().out
    bad = tmp_path / "bad.warc.gz"
    bad.write_bytes(good.read_bytes()[:-3])
    assert run(["verify", str(tmp_path)]) == 1
    told = capsys.readouterr().out
    assert "bad.warc.gz: byte" in told
    assert "2 files, 6 records, " in told
    assert ": 1 problem\n" in told
    empty = tmp_path / "empty.warc"
    empty.write_bytes(b"no record\n")
    assert run(["verify", str(empty)]) == 1
    assert "1 file, no records, 10 bytes: 1 problem\n" in capsys.readouterr().out
    assert run(["verify", str(bad), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["findings"][0]["path"] == str(bad)
    assert run(["verify", str(tmp_path / "nowhere")]) == 1
    assert "does not exist" in capsys.readouterr().err
