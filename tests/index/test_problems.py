import gzip
import random
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.index.jobs import SITE, Job, crawled_job
from tests.support.fetched import NOON, fetched, write_warc
from webstrata.crawl.commit import recover
from webstrata.db.captures import captures, problems
from webstrata.db.engine import Database
from webstrata.index import late_revisits, pipeline, reading, writing
from webstrata.model.captures import Original
from webstrata.model.crawl.fetching import FetchResult
from webstrata.warc.record import exchange
from webstrata.warc.writer import WarcFileWriter


def pages(count: int) -> list[FetchResult]:
    return [
        fetched(f"{SITE}/{n}", f"<title>{n}</title><p>{random.Random(n).randbytes(400).hex()}") for n in range(count)
    ]


def unpacked(file: Path) -> list[int]:
    """Rewrite a file without compression and return where its responses lie."""
    data = gzip.decompress(file.read_bytes())
    file.write_bytes(data)
    places, at = [], data.find(b"WARC/1.1")
    while at >= 0:
        if b"WARC-Type: response" in data[at : at + 200]:
            places.append(at)
        at = data.find(b"WARC/1.1", at + 1)
    return places


@pytest.mark.parametrize("packed", [True, False])
def test_four_hundred_damaged_bytes_in_the_middle_cost_only_the_pages_they_hit(job: Job, packed: bool) -> None:
    file = job.root / "hc" / "one.warc.gz"
    extents = write_warc(file, pages(12), requests=False)
    places = [extent.offset for extent in extents] if packed else unpacked(file)
    begin = places[6] + 60
    data = bytearray(file.read_bytes())
    data[begin : begin + 400] = random.Random(7).randbytes(400)
    file.write_bytes(data)
    job.register("one.warc.gz")
    assert job.index() == 0
    hit = {n for n, place in enumerate(places) if place < begin + 400 and ([*places, len(data)])[n + 1] > begin}
    assert {int(snapshot.url.rpartition("/")[2]) for snapshot in job.snapshots()} == set(range(12)) - hit
    assert len(hit) <= 2
    found = job.problems()
    assert places[6] in {problem.offset for problem in found}
    assert {problem.warc_path for problem in found} == {"hc/one.warc.gz"}
    assert job.view().index_problem_count == len(found)


def test_indexing_again_replaces_the_problems_of_before(job: Job) -> None:
    file = job.root / "hc" / "one.warc.gz"
    extents = write_warc(file, pages(4))
    whole = file.read_bytes()
    data = bytearray(whole)
    data[extents[1].offset + extents[1].length // 2] ^= 0xFF
    file.write_bytes(data)
    job.register("one.warc.gz")
    assert job.index() == 0
    assert [problem.offset for problem in job.problems()] == [extents[1].offset]
    file.write_bytes(whole)
    job.forget_how_far()
    assert job.index() == 0
    assert job.problems() == []
    assert job.view().index_problem_count == 0
    assert [snapshot.url[-1] for snapshot in job.snapshots()] == ["0", "2", "3", "1"]


def test_a_file_that_is_no_warc_is_refused_by_name_and_the_others_are_indexed(job: Job) -> None:
    job.add_warc([fetched(f"{SITE}/a")], "one.warc.gz")
    (job.root / "hc" / "two.warc.gz").write_bytes(b"<html>this is no WARC</html>\n" * 50)
    job.register("two.warc.gz")
    job.add_warc([fetched(f"{SITE}/b")], "three.warc.gz")
    assert job.index() == 0
    assert [snapshot.url[-1] for snapshot in job.snapshots()] == ["a", "b"]
    (refused,) = job.problems()
    assert (refused.warc_path, refused.offset) == ("hc/two.warc.gz", 0)
    assert "no record in it can be read" in refused.reason
    assert job.view().status == "indexed"


def test_a_job_of_which_every_file_is_refused_gives_the_reason(job: Job) -> None:
    file = job.root / "hc" / "one.warc.gz"
    write_warc(file, pages(3))
    file.write_bytes(gzip.compress(gzip.decompress(file.read_bytes())))
    job.register("one.warc.gz")
    assert job.index() == 1
    assert job.view().status == "index_failed"
    assert "not compressed one by one" in (job.view().status_reason or "")
    assert job.index() == 1


def test_every_kind_of_capture_has_a_row_and_only_web_addresses_are_captures(job: Job) -> None:
    job.add_warc(
        [
            fetched(f"{SITE}/robots.txt", "User-agent: *", content_type="text/x-robots"),
            fetched(f"{SITE}/image", b"\x89PNG", content_type="image/png"),
            fetched(f"{SITE}/broken", status=500),
            replace(fetched(), url="dns:example.org"),
            replace(fetched(), url="metadata://gnu.org/software/wget/warc/MANIFEST.txt"),
        ]
    )
    assert job.index() == 0
    assert [capture.url.rpartition("/")[2] for capture in job.captures()] == ["robots.txt", "image", "broken"]
    assert job.problems() == []


def test_a_page_that_is_too_large_is_a_capture_and_a_problem(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_PAGE_BYTES", 5_000)
    bomb = gzip.compress(b"<p>" + b"x" * 100_000)
    offsets = job.add_warc(
        [
            fetched(f"{SITE}/large", "<p>" + "x" * 10_000),
            fetched(f"{SITE}/bomb", bomb, headers=[(b"Content-Encoding", b"gzip")]),
            fetched(f"{SITE}/film", b"x" * 10_000, content_type="video/mp4"),
            fetched(f"{SITE}/small"),
        ]
    )
    assert job.index() == 0
    assert [snapshot.url for snapshot in job.snapshots()] == [f"{SITE}/small"]
    assert len(job.captures()) == 4
    assert [problem.offset for problem in job.problems()] == offsets[:2]
    assert "larger than what is indexed" in job.problems()[0].reason


@pytest.mark.soak
def test_a_page_that_asks_for_gigabytes_costs_only_itself(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "SMALL_BYTES", 0)
    hostile = "".join(f"<body a{n}=1>" for n in range(40_000))
    job.add_warc([fetched(f"{SITE}/before"), fetched(f"{SITE}/hostile", hostile), fetched(f"{SITE}/behind")])
    assert job.index() == 0
    assert [snapshot.url for snapshot in job.snapshots()] == [f"{SITE}/before", f"{SITE}/behind"]
    assert len(job.captures()) == 3
    assert len(job.problems()) == 1


def test_a_page_that_asks_for_gigabytes_is_a_capture_and_a_problem_also_in_a_small_job(job: Job) -> None:
    hostile = "".join(f"<body a{n}=1>" for n in range(40_000))
    job.add_warc([fetched(f"{SITE}/tags", "<p>a" * 500_001), fetched(f"{SITE}/hostile", hostile)])
    assert job.index() == 0
    assert len(job.captures()) == 2
    assert [snapshot.url for snapshot in job.snapshots()] == [f"{SITE}/tags"]
    assert [problem.reason for problem in job.problems()] == ["reading it takes more than 1500 MB of memory"]


def test_no_more_problems_are_stored_than_anybody_reads_but_all_are_counted(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(problems, "MAX_STORED_PER_FILE", 3)
    monkeypatch.setattr(reading, "MAX_PAGE_BYTES", 10)
    job.add_warc(pages(8))
    assert job.index() == 0
    assert len(job.problems()) == 3
    assert job.view().index_problem_count == 8
    assert len(job.captures()) == 8


def test_a_revisit_of_no_one_knows_what_is_a_capture_and_a_problem_until_its_payload_comes(job: Job) -> None:
    body = "<title>Flu</title><p>the same words</p>"
    stored, _ = exchange(fetched(f"{SITE}/flu", body), "")
    original = Original(stored.record_id, f"{SITE}/flu", NOON)
    with WarcFileWriter(job.root / "hc" / "one.warc.gz") as writer:
        again = fetched(f"{SITE}/flu", body, at=NOON + timedelta(days=1))
        elsewhere = fetched(f"{SITE}/influenza", body, at=NOON + timedelta(days=2))
        for revisit in (again, elsewhere):
            writer.append(exchange(revisit, writer.warcinfo_id, original))
    job.register("one.warc.gz")
    assert job.index() == 0
    assert [capture.record_type for capture in job.captures()] == ["revisit", "revisit"]
    assert job.snapshots() == []
    assert ["not in the archive" in problem.reason for problem in job.problems()] == [True, True]
    with WarcFileWriter(job.root / "hc" / "two.warc.gz") as writer:
        writer.append([stored])
    job.register("two.warc.gz")
    assert job.index() == 0
    assert {snapshot.url: snapshot.title for snapshot in job.snapshots()} == {
        f"{SITE}/flu": "Flu",
        f"{SITE}/influenza": "Flu",
    }
    assert len(job.snapshots()) == 3
    assert job.problems() == []
    assert job.view().index_problem_count == 0


def test_a_revisit_whose_payload_is_gone_keeps_the_snapshot_it_had(job: Job) -> None:
    body = "<title>Flu</title><p>the same words</p>"
    job.add_warc([fetched(f"{SITE}/flu", body)], "one.warc.gz")
    assert job.index() == 0
    (capture,) = job.captures()
    original = Original(capture.warc_record_id, capture.url, capture.capture_timestamp)
    with WarcFileWriter(job.root / "hc" / "two.warc.gz") as writer:
        again = fetched(f"{SITE}/other", body, at=NOON + timedelta(days=1))
        writer.append(exchange(again, writer.warcinfo_id, original))
    job.register("two.warc.gz")
    assert job.index() == 0
    before = job.snapshots()
    (job.root / "hc" / "one.warc.gz").unlink()
    job.forget_how_far()
    assert job.index() == 0
    assert job.snapshots() == before


def test_an_indexer_killed_after_the_last_file_still_resolves_earlier_revisits(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = fetched(f"{SITE}/flu", "<title>Flu</title>")
    with WarcFileWriter(job.root / "hc" / "one.warc.gz") as writer:
        stored = exchange(page, writer.warcinfo_id)
        original = Original(stored[0].record_id, page.url, NOON)
        writer.append(exchange(replace(page, fetched_at=NOON + timedelta(days=1)), writer.warcinfo_id, original))
        writer.append(stored)
    job.register("one.warc.gz")

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(late_revisits, "store_late", killed)
        patched.setattr(writing, "BATCH", 1)
        with pytest.raises(KeyboardInterrupt):
            job.index()
    assert (len(job.snapshots()), len(job.problems())) == (1, 1)
    assert job.index() == 0
    assert (len(job.snapshots()), len(job.problems()), job.view().index_problem_count) == (2, 0, 0)


@pytest.fixture
def folder(database: Database, tmp_path: Path) -> Job:
    """A job whose files are those that lie in its folder, whoever wrote them."""
    (tmp_path / "hc").mkdir()
    return crawled_job(database, tmp_path, output_dir=str(tmp_path / "hc"))


@pytest.mark.parametrize("packed", [True, False])
def test_a_last_record_that_was_cut_off_is_a_problem_until_the_file_is_whole(folder: Job, packed: bool) -> None:
    file = folder.root / "hc" / "one.warc.gz"
    extents = write_warc(file, pages(4), requests=False)
    places = [extent.offset for extent in extents] if packed else unpacked(file)
    whole = file.read_bytes()
    file.write_bytes(whole[: places[3] + 200])
    for _ in range(2):
        assert folder.index() == 0
        (cut,) = folder.problems()
        assert (cut.warc_path, cut.offset) == ("hc/one.warc.gz", places[3])
        assert cut.reason == "its last 200 bytes are not a complete record and are left out"
        assert (folder.view().index_problem_count, folder.view().indexed_page_count) == (1, 3)
        folder.set(status="completed")
    folder.forget_how_far()
    assert folder.index() == 0
    assert (folder.view().index_problem_count, len(folder.problems())) == (1, 1)
    file.write_bytes(whole)
    assert folder.index() == 0
    assert (folder.problems(), folder.view().index_problem_count) == ([], 0)
    assert folder.view().indexed_page_count == 4


def test_a_cut_off_end_is_counted_beside_other_damage_and_moves_with_the_file(folder: Job) -> None:
    file = folder.root / "hc" / "one.warc.gz"
    extents = write_warc(file, pages(6), requests=False)
    data = bytearray(file.read_bytes())
    data[extents[1].offset + extents[1].length // 2] ^= 0xFF
    for last in (3, 5):
        file.write_bytes(data[: extents[last].offset + 100])
        assert folder.index() == 0
        assert [problem.offset for problem in folder.problems()] == [extents[1].offset, extents[last].offset]
        assert folder.view().index_problem_count == 2
    file.write_bytes(data[: extents[5].offset])
    assert folder.index() == 0
    assert [problem.offset for problem in folder.problems()] == [extents[1].offset]
    assert folder.view().index_problem_count == 1


def test_what_a_crawl_left_unfinished_is_no_problem_before_or_after_it_is_cut_off(job: Job) -> None:
    file = job.root / "hc" / "one.warc.gz"
    extents = write_warc(file, pages(2), requests=False)
    with job.database.write() as session:
        warc_id = captures.add_warc_file(session, job.id, "hc/one.warc.gz", "host:1:abc")
        captures.acknowledge(session, warc_id, extents[1].offset)
    assert job.index() == 0
    assert (job.problems(), job.view().index_problem_count) == ([], 0)
    recover(job.database, job.root, "host:1:abc")
    assert job.index() == 0
    assert (job.problems(), job.view().index_problem_count) == ([], 0)
    assert file.stat().st_size == extents[1].offset


def test_a_file_that_is_refused_again_and_again_is_one_problem(job: Job) -> None:
    file = job.root / "hc" / "one.warc.gz"
    write_warc(file, pages(2))
    whole = file.read_bytes()
    job.register("one.warc.gz")
    assert job.index() == 0
    with job.database.write() as session:
        (warc,) = captures.warc_files(session, job.id)
        captures.acknowledge(session, warc.id, 2 * len(whole))
    file.unlink()
    for _ in range(3):
        assert job.index() == 1
        assert (len(job.problems()), job.view().index_problem_count) == (1, 1)
    file.write_bytes(whole * 2)
    assert job.index() == 0
    assert (job.problems(), job.view().index_problem_count) == ([], 0)
