import gzip
import os
import random
import re
import zlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.fetched import NOON, fetched, write_warc
from tests.support.warcs import records as members
from webstrata.errors import RecordNotFoundError, WarcError
from webstrata.model.captures import DateSource, Original
from webstrata.warc import reader, record_block
from webstrata.warc.parsing import BoundedFile
from webstrata.warc.reader import ArchiveRecord, Damage, iter_html_records, iter_records, read_record
from webstrata.warc.record import exchange
from webstrata.warc.writer import WarcFileWriter


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "test.warc.gz"


def noise(number: int) -> str:
    return f"<title>{number}</title>" + "".join(random.Random(number).choices("abcdefghij ", k=2_000))


def pages(count: int = 5) -> list[str]:
    return [f"https://example.org/{number}" for number in range(count)]


def write_pages(file: Path, count: int = 5, *, requests: bool = True) -> list[tuple[int, int]]:
    answers = [fetched(url, noise(number)) for number, url in enumerate(pages(count))]
    return [(extent.offset, extent.length) for extent in write_warc(file, answers, requests=requests)]


def read_all(file: Path, end: int | None = None) -> tuple[list[ArchiveRecord], list[Damage]]:
    damages: list[Damage] = []
    return list(iter_records(file, end, damages.append)), damages


def test_every_capture_is_found_at_its_place(file: Path) -> None:
    extents = write_pages(file)
    found = list(iter_records(file))
    assert [record.url for record in found] == pages()
    assert [(record.offset, record.length) for record in found] == extents
    for number, record in enumerate(found):
        assert record.body_bytes == noise(number).encode()
        assert record.capture_timestamp == NOON
        assert (record.status_code, record.mime_type, record.is_html) == (200, "text/html", True)
        assert record.record_type == "response"
        assert read_record(file, record.offset, record.length) == record
        assert read_record(file, record.offset, None) == record


def test_requests_and_other_records_are_no_captures(file: Path) -> None:
    write_pages(file, 1)
    info, response, request = members(file)
    for record in (info, request):
        with pytest.raises(RecordNotFoundError, match=f"no capture at byte {record.offset}"):
            read_record(file, record.offset, record.length)
    assert len(list(iter_records(file))) == 1
    assert read_record(file, response.offset, response.length).url == response.url


def test_plain_files_are_read_too(file: Path, tmp_path: Path) -> None:
    write_pages(file)
    plain = tmp_path / "test.warc"
    plain.write_bytes(gzip.decompress(file.read_bytes()))
    found = list(iter_records(plain))
    assert [record.url for record in found] == pages()
    assert [read_record(plain, record.offset, record.length) for record in found] == found
    assert [read_record(plain, record.offset, None).length for record in found] == [r.length for r in found]


def test_a_revisit_names_its_original(file: Path) -> None:
    original = Original("<urn:uuid:1>", "https://example.org/old", NOON - timedelta(days=1))
    with WarcFileWriter(file) as writer:
        writer.append(exchange(fetched(), writer.warcinfo_id, original))
    (revisit,) = iter_records(file)
    named = replace(original, payload_digest=revisit.payload_digest)
    assert (revisit.record_type, revisit.refers_to, revisit.body_bytes) == ("revisit", named, b"")
    assert not revisit.is_html


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_body_is_decoded_of_its_content_encoding(file: Path, encoding: str) -> None:
    packed = {"gzip": gzip.compress(b"<p>text"), "deflate": zlib.compress(b"<p>text")}[encoding]
    write_warc(file, [fetched(body=packed, headers=[(b"Content-Encoding", encoding.encode())])])
    (record,) = iter_records(file)
    assert record.body_bytes == b"<p>text"


def test_chunks_that_another_archiver_left_in_are_put_together(file: Path) -> None:
    chunked = fetched(body=b"3\r\n<p>\r\n4\r\ntext\r\n0\r\n\r\n", headers=[(b"Transfer-Encoding", b"chunked")])
    write_warc(file, [chunked])
    file.write_bytes(rewritten(file, b"X-Archive-Orig-Transfer-Encoding", b"Transfer-Encoding"))
    (record,) = iter_records(file)
    assert record.body_bytes == b"<p>text"


def rewritten(file: Path, old: bytes, new: bytes) -> bytes:
    """Return a file's bytes with something replaced in its records, which stay whole."""
    data = file.read_bytes()
    packed = []
    for record in members(file):
        head, separator, rest = gzip.decompress(data[record.offset : record.offset + record.length]).partition(
            b"\r\n\r\n"
        )
        block = rest[:-4].replace(old, new)
        length = f"Content-Length: {len(record.block)}".encode()
        head = head.replace(old, new).replace(length, f"Content-Length: {len(block)}".encode())
        packed.append(gzip.compress(head + separator + block + rest[-4:]))
    return b"".join(packed)


@pytest.mark.parametrize(
    ("answer", "is_page"),
    [
        (fetched(), True),
        (fetched(status=404), True),
        (fetched(content_type="Text/HTML;charset=utf-8"), True),
        (fetched(content_type="application/xhtml+xml"), True),
        (fetched(body="<!doctype html><html><p>x", content_type=None), True),
        (fetched(body="just words", content_type=None), False),
        (fetched(body=""), False),
        (fetched(status=301), False),
        (fetched(content_type="image/png"), False),
    ],
)
def test_a_page_is_what_is_declared_as_one_or_looks_like_one(file: Path, answer: object, is_page: bool) -> None:
    write_warc(file, [answer])  # type: ignore[list-item]
    (record,) = iter_records(file)
    assert record.is_html is is_page
    assert len(list(iter_html_records(file))) == is_page


def test_nothing_after_the_acknowledged_end_is_read_while_the_file_grows(file: Path) -> None:
    with WarcFileWriter(file) as writer:
        writer.append(exchange(fetched("https://example.org/0", noise(0)), writer.warcinfo_id))
        end = writer.size
        pair = exchange(fetched("https://example.org/1", noise(1)), writer.warcinfo_id)
        with file.open("ab") as tail:
            tail.write(b"".join(pair[0].compressed())[:500])
        found, damages = read_all(file, end)
        assert ([record.url for record in found], damages) == (["https://example.org/0"], [])
        assert found[0].offset + found[0].length <= end


@pytest.mark.parametrize("requests", [True, False])
@pytest.mark.parametrize("place", ["magic", "head", "body", "checksum"])
def test_a_damaged_record_is_located_and_skipped_and_the_rest_still_read(
    file: Path, place: str, requests: bool
) -> None:
    extents = write_pages(file, requests=requests)
    offset, length = extents[2]
    at = {"magic": 0, "head": 20, "body": length // 2, "checksum": length - 6}[place]
    data = bytearray(file.read_bytes())
    data[offset + at : offset + at + 4] = bytes(255 - byte for byte in data[offset + at : offset + at + 4])
    file.write_bytes(data)
    found, damages = read_all(file)
    assert [record.url[-1] for record in found] == ["0", "1", "3", "4"]
    assert [(record.offset, record.length) for record in found] == extents[:2] + extents[3:]
    assert [damage.offset for damage in damages] == [offset]
    with pytest.raises(WarcError, match=rf"test\.warc\.gz: byte {offset}: "):
        list(iter_records(file))
    with pytest.raises(WarcError):
        read_record(file, offset, length)


@pytest.mark.parametrize("damage", [bytes(400), random.Random(4).randbytes(400), b"\r\nWARC-Type: request\r\n" * 16])
def test_damage_in_a_plain_file_costs_the_records_it_touches_and_is_reported(file: Path, damage: bytes) -> None:
    write_pages(file)
    whole = b"".join(gzip.decompress(file.read_bytes()[r.offset : r.offset + r.length]) for r in members(file))
    file.write_bytes(whole)
    places = {record.url: (record.offset, record.offset + record.length) for record in iter_records(file)}
    for at in range(0, len(whole) - 400, 97):
        file.write_bytes(whole[:at] + damage + whole[at + 400 :])
        found, damages = read_all(file)
        lost = {*places} - {record.url for record in found}
        assert lost <= {url for url, (start, end) in places.items() if start <= at + 400 and at <= end}
        assert damages or not lost


@pytest.mark.parametrize("junk", [b"junk", b"\x1f\x8b\x08junk", b"\0" * 300_000])
def test_junk_between_records_is_passed_over(file: Path, junk: bytes) -> None:
    offset, _ = write_pages(file)[2]
    data = file.read_bytes()
    file.write_bytes(data[:offset] + junk + data[offset:] + junk)
    found, damages = read_all(file)
    assert [record.url for record in found] == pages()
    assert [damage.offset for damage in damages] == [offset, len(data) + len(junk)]
    assert [read_record(file, record.offset, record.length) for record in found] == found


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_file_whose_very_beginning_is_damaged_is_still_read(file: Path, place: int) -> None:
    write_pages(file)
    data = bytearray(file.read_bytes())
    data[place] ^= 0x41
    file.write_bytes(data)
    found, damages = read_all(file)
    assert [record.url for record in found] == pages()
    assert [damage.offset for damage in damages] == [0]


def test_a_record_that_is_cut_off_is_no_record(file: Path) -> None:
    extents = write_pages(file, 3)
    offset, length = extents[2]
    whole = file.read_bytes()
    for cut in (1, length // 2, length - 1):
        file.write_bytes(whole[: offset + cut])
        found, damages = read_all(file)
        assert [record.url[-1] for record in found] == ["0", "1"]
        assert [damage.offset for damage in damages] == [offset]


def test_a_file_shorter_than_acknowledged_is_reported(file: Path) -> None:
    write_pages(file)
    size = file.stat().st_size
    found, damages = read_all(file, size + 10)
    assert len(found) == 5
    assert damages == [Damage(size, "10 acknowledged bytes are missing")]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (b"WARC-Target-URI: ", b"\xe3\xb0\x12", "has no URL"),
        (b"WARC-Type: ", b"X-Type: ", "has no type"),
    ],
)
def test_a_record_that_makes_no_sense_is_located_and_skipped(file: Path, old: bytes, new: bytes, reason: str) -> None:
    write_warc(file, [fetched(f"https://example.org/{n}", at=datetime(2026 + n, 1, 1, tzinfo=UTC)) for n in range(3)])
    offset = members(file)[1].offset
    data = file.read_bytes()
    second = members(file)[2].offset
    record = gzip.decompress(data[offset:second]).replace(old, new)
    file.write_bytes(data[:offset] + gzip.compress(record) + data[second:])
    found, damages = read_all(file)
    assert [r.url[-1] for r in found] == ["1", "2"]
    assert [damage.offset for damage in damages] == [offset]
    assert reason in damages[0].reason


@pytest.mark.parametrize(
    "date",
    [
        b"WARC-Date: 2026-13-01",
        b"X-Date: 2026",
        b"WARC-Date: 0001-01-01T00:00:00+05:00",
        b"WARC-Date: 9999-12-31T23-05",
    ],
)
@pytest.mark.parametrize(
    ("http_date", "moment", "source"),
    [
        (b"Mon, 27 Jan 2014 17:12:38 GMT", datetime(2014, 1, 27, 17, 12, 38, tzinfo=UTC), DateSource.HTTP),
        (b"Monday", datetime(2020, 5, 17, 12, tzinfo=UTC), DateSource.FILE),
    ],
)
def test_a_record_whose_date_cannot_be_read_has_another_one_that_is_uncertain(
    file: Path, date: bytes, http_date: bytes, moment: datetime, source: DateSource
) -> None:
    extent = write_warc(file, [fetched(headers=[(b"Date", http_date)])], requests=False)[0]
    data = file.read_bytes()
    record = re.sub(rb"WARC-Date: \S+", date, gzip.decompress(data[extent.offset :]))
    file.write_bytes(data[: extent.offset] + gzip.compress(record))
    os.utime(file, (moment.timestamp() + 0.5,) * 2)
    (found,) = iter_records(file)
    assert (found.capture_timestamp, found.date_source) == (moment, source)
    assert read_record(file, found.offset, found.length) == found


def test_a_record_that_is_too_large_is_not_read(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_warc(file, [fetched(body="x" * 10_000), fetched(body="x")])
    monkeypatch.setattr(record_block, "MAX_BLOCK_BYTES", 5_000)
    found, damages = read_all(file)
    assert [record.body_bytes for record in found] == [b"x"]
    assert "more than can be read" in damages[0].reason


def test_a_file_compressed_as_a_whole_is_refused(file: Path) -> None:
    write_pages(file)
    file.write_bytes(gzip.compress(gzip.decompress(file.read_bytes())))
    with pytest.raises(WarcError, match="not compressed one by one"):
        read_all(file)


@pytest.mark.parametrize(
    "content", [b"hello\r\n" * 100, b"\x28\xb5\x2f\xfd" * 50, b"\x1f\x8b\x08", b"WARC/1.1\r\n", b"\x04\x22\x4d\x18" * 9]
)
def test_what_is_no_warc_is_an_error_and_has_no_records(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(WarcError):
        list(iter_records(file))
    found, damages = read_all(file)
    assert (found, len(damages)) == ([], 1)
    with pytest.raises(WarcError):
        read_record(file, 0, None)


def test_an_empty_file_has_no_records(file: Path) -> None:
    file.write_bytes(b"")
    assert read_all(file) == ([], [])


def test_a_file_that_is_not_there_is_a_record_not_found(file: Path) -> None:
    for attempt in (lambda: list(iter_records(file)), lambda: read_record(file, 0, 10)):
        with pytest.raises(RecordNotFoundError, match="is not there"):
            attempt()


@pytest.mark.parametrize("shift", [1, 100, 100_000_000])
def test_a_wrong_place_holds_no_record(file: Path, shift: int) -> None:
    offset, length = write_pages(file)[1]
    for size in (length, None):
        with pytest.raises(WarcError):
            read_record(file, offset + shift, size)


def test_a_panic_of_the_parser_is_an_error_like_any_other(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_pages(file)

    def fail(_file: BoundedFile) -> int:
        raise OSError("the disk is gone")

    monkeypatch.setattr(BoundedFile, "tell", fail)
    with pytest.raises(WarcError, match="gave up"):
        list(iter_records(file))


def test_interrupting_is_not_taken_for_damage(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_pages(file)

    def interrupt(_record: object) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(reader, "_is_capture", interrupt)
    with pytest.raises(KeyboardInterrupt):
        read_all(file)


@pytest.mark.parametrize("packed", [True, False])
@given(seed=st.integers(0, 1_000_000), cuts=st.integers(1, 30))
def test_no_damage_breaks_the_reading(
    tmp_path_factory: pytest.TempPathFactory, packed: bool, seed: int, cuts: int
) -> None:
    file = tmp_path_factory.mktemp("warc") / "test.warc.gz"
    write_pages(file, 3)
    data = bytearray(file.read_bytes() if packed else gzip.decompress(file.read_bytes()))
    chance = random.Random(seed)
    for _ in range(cuts):
        at = chance.randrange(len(data))
        data[at : at + chance.randrange(100)] = chance.randbytes(chance.randrange(60))
    file.write_bytes(data)
    found, damages = read_all(file)
    assert [record.offset for record in found] == sorted({record.offset for record in found})
    assert all(0 <= damage.offset <= len(data) for damage in damages)
