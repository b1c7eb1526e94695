"""ARC files: both versions, plain and packed, read, cut and damaged like WARC files."""

import gzip
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest

from tests.support.arcs import V1, V2, arc_file, arc_records, page
from webstrata.errors import RecordNotFoundError, WarcError
from webstrata.warc.arc import arc_head
from webstrata.warc.discovery import discover
from webstrata.warc.reader import Damage, Span, first_record, iter_records, read_record
from webstrata.warc.tails import whole_end
from webstrata.warc.verify import verify

SITE = "http://www.dryswamp.edu:80"
DATE = "19961104142103"
MOMENT = datetime(1996, 11, 4, 14, 21, 3, tzinfo=UTC)
PAGES = (
    (f"{SITE}/index.html", DATE, "text/html", page("One")),
    ("dns:www.dryswamp.edu", DATE, "text/dns", b"20040925\nwww.dryswamp.edu. 300 IN A 127.10.100.2\n"),
    (f"{SITE}/a page with spaces?q=1 2 3", DATE, "text/html", page("Two")),
    (f"{SITE}/bare", DATE, "text/html", b"<title>Three</title>HTTP/0.9 had no headers"),
    (f"{SITE}/empty", DATE, "no-type", b""),
)
SHAPES = pytest.mark.parametrize(("version", "packed"), [(V1, True), (V1, False), (V2, True), (V2, False)])


def written(folder: Path, version: int, packed: bool) -> Path:
    file = folder / ("old.arc.gz" if packed else "old.arc")
    file.write_bytes(arc_file(arc_records(version, *PAGES), packed=packed))
    return file


@SHAPES
def test_every_record_is_read_in_order_and_again_at_its_place(tmp_path: Path, version: int, packed: bool) -> None:
    file = written(tmp_path, version, packed)
    found = list(iter_records(file))
    assert [record.url for record in found] == [url for url, *_ in PAGES]
    assert {record.capture_timestamp for record in found} == {MOMENT}
    assert [record.record_type for record in found] == ["response", "resource", "response", "resource", "resource"]
    assert [record.status_code for record in found] == [200, None, 200, None, None]
    assert [record.is_html for record in found] == [True, False, True, True, False]
    assert found[0].body_bytes == b"<title>One</title><p>wash your hands"
    for record in found:
        assert read_record(file, record.offset, record.length) == record
        assert read_record(file, record.offset, None) == record
    assert found[-1].offset + found[-1].length == file.stat().st_size
    with pytest.raises(RecordNotFoundError):
        read_record(file, 0, None)


@SHAPES
def test_a_file_is_found_whole_and_as_it_should_be(tmp_path: Path, version: int, packed: bool) -> None:
    file = written(tmp_path, version, packed)
    assert discover(tmp_path).files == (file,)
    assert whole_end(file) == file.stat().st_size
    report = verify([file])
    assert (report.findings, report.records) == ([], len(PAGES) + 1)


@SHAPES
def test_a_record_keeps_its_id_when_its_file_is_packed_or_copied(tmp_path: Path, version: int, packed: bool) -> None:
    (tmp_path / "other").mkdir()
    first = [record.warc_record_id for record in iter_records(written(tmp_path, version, packed))]
    second = [record.warc_record_id for record in iter_records(written(tmp_path / "other", version, not packed))]
    assert first == second
    assert len(set(first)) == len(PAGES)


@SHAPES
def test_what_was_cut_off_does_not_count(tmp_path: Path, version: int, packed: bool) -> None:
    file = written(tmp_path, version, packed)
    last = list(iter_records(file))[2]
    file.write_bytes(file.read_bytes()[: last.offset + last.length - 12])
    assert whole_end(file) == last.offset
    assert len(verify([file]).findings) == 1
    assert len(list(iter_records(file, last.offset))) == 2


@SHAPES
def test_a_damaged_record_is_located_and_the_others_are_read(tmp_path: Path, version: int, packed: bool) -> None:
    file = written(tmp_path, version, packed)
    _, _, hurt, *rest = iter_records(file)
    data = bytearray(file.read_bytes())
    data[hurt.offset + 12 : hurt.offset + 16] = b"\n\n\n\n"
    file.write_bytes(data)
    damages: list[Damage] = []
    found = list(iter_records(file, on_damage=damages.append))
    assert [record.url for record in found] == [PAGES[n][0] for n in (0, 1, 3, 4)]
    assert found[2:] == rest
    assert {damage.offset for damage in damages} == {hurt.offset}
    assert {finding.offset for finding in verify([file]).findings} == {hurt.offset}
    with pytest.raises(WarcError):
        read_record(file, hurt.offset, hurt.length)


@SHAPES
def test_a_part_of_a_file_begins_with_the_next_record(tmp_path: Path, version: int, packed: bool) -> None:
    file = written(tmp_path, version, packed)
    size = file.stat().st_size
    offsets = [record.offset for record in iter_records(file)]
    for before, after in pairwise(offsets):
        assert first_record(file, Span(before + 1, size, size)) == after


def test_a_file_compressed_as_a_whole_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "old.arc.gz"
    file.write_bytes(gzip.compress(arc_file(arc_records(V1, *PAGES), packed=False)))
    with pytest.raises(WarcError, match=r"old\.arc\.gz: its records are not compressed one by one"):
        list(iter_records(file))
    assert "several records in one gzip member" in verify([file]).findings[0].reason


@pytest.mark.parametrize(
    "line", [b"", b"http://a 1.2.3.4 1996 text/html\n", b"http://a text/html 5\n", b"WARC/1.0\r\n", b"http://a" * 2_000]
)
def test_what_is_no_line_of_a_record_is_none(line: bytes) -> None:
    assert arc_head(line) is None
