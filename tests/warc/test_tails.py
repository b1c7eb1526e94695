import gzip
from pathlib import Path

import pytest

from tests.support.fetched import fetched, write_warc
from webstrata.warc.tails import whole_end


@pytest.fixture(params=["packed", "plain"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "one.warc.gz"
    write_warc(path, [fetched(f"https://example.org/{n}", "<p>" + "text " * 50) for n in range(3)])
    if request.param == "plain":
        path.write_bytes(gzip.decompress(path.read_bytes()))
    return path


def test_a_whole_file_is_whole_to_its_last_byte(file: Path) -> None:
    assert whole_end(file) == file.stat().st_size


def test_a_file_that_was_cut_off_ends_with_its_last_whole_record(file: Path) -> None:
    whole = file.read_bytes()
    write_warc(file.with_name("more.warc.gz"), [fetched("https://example.org/last")])
    more = file.with_name("more.warc.gz").read_bytes()
    if whole.startswith(b"WARC/"):
        more = gzip.decompress(more)
    for cut in (1, 20, 100):
        file.write_bytes(whole + more[:cut])
        assert whole_end(file) == len(whole)


def test_damage_in_the_middle_hides_nothing_of_what_follows(file: Path) -> None:
    whole = file.read_bytes()
    hurt = bytearray(whole + whole + whole)
    middle = len(whole) + len(whole) // 2
    hurt[middle : middle + 40] = b"\xff" * 40
    file.write_bytes(hurt + whole[:100])
    assert whole_end(file) == len(hurt)


def test_a_length_that_is_too_large_by_damage_costs_no_record_after_it(tmp_path: Path) -> None:
    write_warc(tmp_path / "one.warc.gz", [fetched(f"https://example.org/{n}") for n in range(3)])
    plain = gzip.decompress((tmp_path / "one.warc.gz").read_bytes())
    hurt = plain.replace(b"Content-Length: ", b"Content-Length: 99", 1)
    (tmp_path / "hurt.warc").write_bytes(hurt + plain[:100])
    assert whole_end(tmp_path / "hurt.warc") == len(hurt)


def test_what_is_damaged_but_not_cut_off_is_left_to_the_index_to_tell(file: Path) -> None:
    whole = file.read_bytes()
    file.write_bytes(whole + bytes(500))
    assert whole_end(file) == len(whole) + 500


def test_a_warc_inside_of_a_warc_is_not_taken_for_its_end(tmp_path: Path) -> None:
    inner, outer = tmp_path / "inner.warc.gz", tmp_path / "outer.warc.gz"
    write_warc(inner, [fetched()])
    # Incompressible bytes around it, so that the inner file is stored as it is.
    body = inner.read_bytes() + bytes(range(256))
    write_warc(outer, [fetched(body=body, content_type="application/warc")], requests=False)
    assert whole_end(outer) == outer.stat().st_size


def test_what_holds_no_record_is_left_to_the_index_to_tell(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "text").write_text("not a record")
    assert whole_end(tmp_path / "empty") == 0
    assert whole_end(tmp_path / "text") == 12


def test_a_file_that_was_cut_off_in_its_first_record_has_none(tmp_path: Path) -> None:
    write_warc(tmp_path / "one.warc.gz", [fetched()])
    (tmp_path / "torn").write_bytes((tmp_path / "one.warc.gz").read_bytes()[:50])
    assert whole_end(tmp_path / "torn") == 0
