import gzip
from itertools import pairwise
from pathlib import Path

import pytest

from tests.support.fetched import fetched, write_warc
from tests.support.warcs import records
from webstrata.warc.resync import next_record, record_length


@pytest.fixture(params=["packed", "plain"])
def places(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, list[int]]:
    """A file and where its records begin; the last place is its end."""
    file = tmp_path / "test.warc.gz"
    write_warc(file, [fetched(f"https://example.org/{n}", f"<p>{n}</p>" * 300) for n in range(4)])
    if request.param == "packed":
        return file, [*(record.offset for record in records(file)), file.stat().st_size]
    parts = [gzip.decompress(file.read_bytes()[r.offset : r.offset + r.length]) for r in records(file)]
    plain = tmp_path / "test.warc"
    plain.write_bytes(b"".join(parts))
    return plain, [sum(map(len, parts[:count])) for count in range(len(parts) + 1)]


def test_a_record_ends_where_the_next_begins(places: tuple[Path, list[int]]) -> None:
    file, starts = places
    with file.open("rb") as opened:
        lengths = [record_length(opened, start) for start in starts[:-1]]
    assert lengths == [after - before for before, after in pairwise(starts)]


def test_the_next_record_is_found_from_anywhere_in_the_one_before(places: tuple[Path, list[int]]) -> None:
    file, starts = places
    with file.open("rb") as opened:
        for before, after in pairwise(starts[:-1]):
            assert {next_record(opened, before + 1), next_record(opened, after - 1), next_record(opened, after)} == {
                after
            }
        assert next_record(opened, starts[-2] + 1) is None


def test_what_is_cut_off_has_no_length(places: tuple[Path, list[int]]) -> None:
    file, starts = places
    whole = file.read_bytes()
    for end in (starts[-2] + 1, starts[-2] + 50, starts[-1] - 30):
        file.write_bytes(whole[:end])
        with file.open("rb") as opened:
            assert record_length(opened, starts[-2]) is None
            assert record_length(opened, starts[0]) == starts[1]


def test_careless_empty_lines_between_plain_records_are_forgiven(tmp_path: Path) -> None:
    file = tmp_path / "test.warc"
    head = b"WARC/1.0\r\nWARC-Type: resource\r\ncontent-length:  5\r\n\r\nhello"
    file.write_bytes(head + b"\r\n" + head + b"\r\n\r\n\r\n" + head)
    with file.open("rb") as opened:
        first = record_length(opened, 0)
        assert first == len(head) + 2
        second = record_length(opened, first)
        assert second == len(head) + 6
        assert record_length(opened, first + second) == len(head)
