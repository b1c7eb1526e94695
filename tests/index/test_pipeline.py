import hashlib
import shutil
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import delete, select
from structlog.testing import capture_logs

from tests.index.jobs import SITE, Job
from tests.support.fetched import NOON, fetched, write_warc
from webstrata.content.tokens import fold
from webstrata.db.captures import captures
from webstrata.db.captures.new_rows import NewCapture
from webstrata.db.schema.tables import Capture, Snapshot
from webstrata.errors import NotFoundError, UsageError
from webstrata.index import writing
from webstrata.index.pipeline import index_job
from webstrata.model.captures import Original
from webstrata.model.jobs.job import JobStatus
from webstrata.model.search.values import SearchRequest
from webstrata.search.service import search
from webstrata.warc.record import exchange
from webstrata.warc.writer import WarcFileWriter


def found(job: Job, q: str) -> list[str]:
    return [view.url for view in search(job.database, SearchRequest(q=q)).results]


def test_what_was_captured_becomes_what_can_be_found(job: Job) -> None:
    html = '<html lang="fr-CA"><title>La rougeole</title><p>Deux doses à l\'hôpital.</p></html>'
    (offset,) = job.add_warc([fetched(f"{SITE}/rougeole?x=1", html)])
    assert job.index() == 0
    (snapshot,) = job.snapshots()
    assert (snapshot.title, snapshot.language, snapshot.status_code) == ("La rougeole", "fr", 200)
    assert (snapshot.url, snapshot.normalized_url_group) == (f"{SITE}/rougeole?x=1", f"{SITE}/rougeole")
    assert snapshot.captured_at == NOON
    assert snapshot.mime_type == "text/html"
    assert snapshot.content_hash == hashlib.sha256(html.encode()).hexdigest()
    assert found(job, "hopital") == [snapshot.url]
    (capture,) = job.captures()
    assert (capture.warc_offset, capture.record_type, capture.url) == (offset, "response", snapshot.url)
    view = job.view()
    assert (view.status, view.status_reason, view.indexed_page_count) == ("indexed", None, 1)
    assert (view.warc_file_count, view.warc_bytes_total) == (1, (job.root / "hc/one.warc.gz").stat().st_size)


def test_everything_is_a_capture_but_only_pages_are_snapshots(job: Job) -> None:
    job.add_warc(
        [
            fetched(f"{SITE}/page"),
            fetched(f"{SITE}/gone", status=404),
            fetched(f"{SITE}/image", b"\x89PNG", content_type="image/png"),
            fetched(f"{SITE}/moved", status=301, headers=[(b"Location", b"/page")]),
            fetched(f"{SITE}/empty", ""),
        ]
    )
    assert job.index() == 0
    assert [capture.url.rpartition("/")[2] for capture in job.captures()] == ["page", "gone", "image", "moved", "empty"]
    assert [snapshot.url.rpartition("/")[2] for snapshot in job.snapshots()] == ["page", "gone"]


def test_crawl_and_index_meet_on_the_same_capture(job: Job) -> None:
    (offset,) = job.add_warc([fetched(f"{SITE}/a")])
    with job.database.write() as session:
        (warc,) = captures.warc_files(session, job.id)
        recorded = NewCapture(
            offset, 1, "<urn:uuid:1>", "response", f"{SITE}/a", "org,example)/a", NOON, 200, "text/html", None
        )
        captures.add_captures(session, job.id, 1, warc.id, [recorded])
    assert job.index() == 0
    (capture,) = job.captures()
    assert capture.warc_record_id == "<urn:uuid:1>"
    assert len(job.snapshots()) == 1


def test_indexing_again_keeps_every_id(job: Job) -> None:
    job.add_warc([fetched(f"{SITE}/{n}", f"<title>{n}</title><p>text {n}") for n in range(5)])
    assert job.index() == 0
    before = job.snapshots()
    captures_before = [(c.id, c.warc_offset) for c in job.captures()]
    job.forget_how_far()
    assert job.index() == 0
    assert job.snapshots() == before
    assert [(c.id, c.warc_offset) for c in job.captures()] == captures_before
    assert job.view().indexed_page_count == 5
    assert len(found(job, "text")) == 5


def test_a_file_that_is_indexed_is_not_read_again(job: Job) -> None:
    job.add_warc([fetched(f"{SITE}/1")], "one.warc.gz")
    assert job.index() == 0
    (job.root / "hc" / "one.warc.gz").unlink()
    job.add_warc([fetched(f"{SITE}/2")], "two.warc.gz")
    assert job.index() == 0
    assert [snapshot.url[-1] for snapshot in job.snapshots()] == ["1", "2"]
    assert job.view().warc_file_count == 2


def test_indexing_goes_on_where_it_was_cut_off(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "BATCH", 3)
    job.add_warc([fetched(f"{SITE}/{n}", f"<title>{n}</title>") for n in range(20)])
    done: list[int] = []

    class PowerCutError(BaseException):
        pass

    def cut_off(pages: int) -> None:
        done.append(pages)
        if len(done) == 2:
            raise PowerCutError

    with pytest.raises(PowerCutError):
        index_job(job.id, database=job.database, archive_root=job.root, progress=cut_off)
    first = {snapshot.url: snapshot.id for snapshot in job.snapshots()}
    # On PostgreSQL two more batches are under way when the second is done.
    assert len(first) == 6 if job.database.is_sqlite else len(first) in (6, 9, 12)
    assert job.view().status == "indexing"
    job.set(status=JobStatus.COMPLETED)
    assert job.index() == 0
    after = {snapshot.url: snapshot.id for snapshot in job.snapshots()}
    assert len(after) == 20
    assert first.items() <= after.items()


def test_progress_reports_how_many_pages_are_done(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "BATCH", 2)
    answers = [fetched(f"{SITE}/{n}", f"<p>{n}") for n in range(3)]
    job.add_warc([*answers, fetched(f"{SITE}/i", b"x", content_type="image/png")])
    told: list[int] = []
    assert index_job(job.id, database=job.database, archive_root=job.root, progress=told.append) == 0
    assert told == [2, 1]


def test_large_pages_are_saved_before_they_fill_the_memory(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "BATCH_CHARACTERS", 1_000)
    job.add_warc([fetched(f"{SITE}/{n}", f"<p>{n} " + "words " * 100) for n in range(5)])
    told: list[int] = []
    assert index_job(job.id, database=job.database, archive_root=job.root, progress=told.append) == 0
    assert told == [2, 2, 1]


def test_a_damaged_record_is_skipped_and_logged_with_its_place(job: Job) -> None:
    file = job.root / "hc" / "one.warc.gz"
    extents = write_warc(file, [fetched(f"{SITE}/{n}", f"<title>{n}</title>" + "x" * 500) for n in range(4)])
    data = bytearray(file.read_bytes())
    data[extents[1].offset + extents[1].length // 2] ^= 0xFF
    file.write_bytes(data)
    job.register("one.warc.gz")
    with capture_logs() as logs:
        assert job.index() == 0
    assert [snapshot.url[-1] for snapshot in job.snapshots()] == ["0", "2", "3"]
    (skipped,) = (line for line in logs if line["event"] == "index.record.skipped")
    assert (skipped["file"], skipped["offset"]) == ("one.warc.gz", extents[1].offset)
    assert skipped["reason"]


def test_a_record_that_is_about_no_web_address_is_skipped_and_logged(job: Job) -> None:
    odd, good = job.add_warc([replace(fetched(), url="dns:example.org"), fetched(f"{SITE}/good")])
    with capture_logs() as logs:
        assert job.index() == 0
    assert [snapshot.url for snapshot in job.snapshots()] == [f"{SITE}/good"]
    assert [line["offset"] for line in logs if line["event"] == "index.record.skipped"] == [odd]
    assert good > odd


def test_an_address_that_a_foreign_crawler_wrote_its_own_way_is_indexed(job: Job) -> None:
    job.add_warc([fetched("http://Example.org", '<title>Home</title><a href="/a">a</a>')])
    assert job.index() == 0
    assert [(view.url, view.title) for view in job.snapshots()] == [("http://Example.org", "Home")]
    assert job.problems() == []


def test_hostile_pages_are_indexed_like_others(job: Job) -> None:
    bodies: list[bytes] = [
        b"<title>nul\0title</title><p>nul\0text</p>",
        b"<div>" * 50_000 + b"deep",
        b"<title>&#xD800;</title>",
        b"\xff\xfe\xfd" * 1_000,
        " ".join(f"слово{n}" for n in range(80_000)).encode(),
        b"",
    ]
    hostile = [fetched(f"{SITE}/{n}", body) for n, body in enumerate(bodies)]
    odd_type = fetched(f"{SITE}/type", content_type="text/html\0; charset=\udcff".encode("utf-8", "replace").decode())
    job.add_warc([*hostile, odd_type, fetched(f"{SITE}/" + "x" * 6_000), fetched(f"{SITE}/good", "<p>good words")])
    assert job.index() == 0
    assert len(job.captures()) == 9
    assert found(job, "good words") == [f"{SITE}/good"]


def test_the_same_text_captured_twice_is_found_as_two_captures_of_one_document(job: Job) -> None:
    html = "<title>Flu</title><p>text</p>"
    later = NOON + timedelta(days=1)
    job.add_warc([fetched(f"{SITE}/flu", html), fetched(f"{SITE}/flu", html + "<!-- other bytes -->", at=later)])
    assert job.index() == 0
    with job.database.read() as session:
        documents = session.scalars(select(Snapshot.document_id)).all()
    assert len(documents) == 2
    assert len(set(documents)) == 1
    assert len(found(job, "flu")) == 2


def test_a_revisit_is_indexed_with_the_payload_it_refers_to(job: Job) -> None:
    body = "<title>Flu</title><p>the same words</p>"
    job.add_warc([fetched(f"{SITE}/flu", body)], "one.warc.gz")
    assert job.index() == 0
    (capture,) = job.captures()
    original = Original(capture.warc_record_id, capture.url, capture.capture_timestamp)
    with WarcFileWriter(job.root / "hc" / "two.warc.gz") as writer:
        again = fetched(f"{SITE}/flu", body, at=NOON + timedelta(days=1))
        writer.append(exchange(again, writer.warcinfo_id, original))
    job.register("two.warc.gz")
    assert job.index() == 0
    first, second = job.snapshots()
    assert (second.title, second.content_hash) == (first.title, first.content_hash)
    assert len(found(job, fold("same words"))) == 2


def test_a_revisit_is_indexed_whether_its_record_comes_before_or_after_it_in_the_file(job: Job) -> None:
    body = "<title>Flu</title><p>the same words</p>"
    with WarcFileWriter(job.root / "hc" / "one.warc.gz") as writer:
        stored, request = exchange(fetched(f"{SITE}/flu", body), writer.warcinfo_id)
        original = Original(stored.record_id, f"{SITE}/flu", NOON)
        before, after = (fetched(f"{SITE}/{name}", body) for name in ("before", "after"))
        writer.append(exchange(before, writer.warcinfo_id, original))
        writer.append([stored, request])
        writer.append(exchange(after, writer.warcinfo_id, original))
    job.register("one.warc.gz")
    assert job.index() == 0
    assert {snapshot.url.rpartition("/")[2]: snapshot.title for snapshot in job.snapshots()} == {
        "before": "Flu",
        "flu": "Flu",
        "after": "Flu",
    }


def test_a_revisit_that_names_no_record_is_not_taken_for_one_of_a_nameless_record(job: Job) -> None:
    flu, cold = (fetched(f"{SITE}/{name}", f"<title>{name}</title>") for name in ("flu", "cold"))
    again = fetched(f"{SITE}/again", cold.body, at=NOON + timedelta(days=1))
    with WarcFileWriter(job.root / "hc" / "one.warc.gz") as writer:
        record = exchange(flu, writer.warcinfo_id)[0]
        nameless = tuple(part.replace(record.record_id.encode(), b"") for part in record.parts)
        writer.append([replace(record, parts=nameless)])
        writer.append(exchange(cold, writer.warcinfo_id))
        writer.append(exchange(again, writer.warcinfo_id, Original("", cold.url, NOON)))
    job.register("one.warc.gz")
    assert job.index() == 0
    assert [snapshot.title for snapshot in job.snapshots()] == ["flu", "cold", "cold"]


def test_a_job_without_warcs_fails_with_a_reason(job: Job) -> None:
    assert job.index() == 1
    view = job.view()
    assert (view.status, view.status_reason) == ("index_failed", f"job {job.id} has no WARC files")


def test_a_job_whose_file_is_gone_fails_with_a_reason_and_succeeds_when_it_is_back(job: Job) -> None:
    job.add_warc([fetched(f"{SITE}/a")])
    file = job.root / "hc" / "one.warc.gz"
    file.rename(file.with_suffix(".away"))
    assert job.index() == 1
    assert job.view().status == "index_failed"
    assert "one.warc.gz is not there" in (job.view().status_reason or "")
    file.with_suffix(".away").rename(file)
    assert job.index() == 0
    assert (job.view().status, job.view().status_reason) == ("indexed", None)


@pytest.mark.parametrize("again", [False, True])
def test_a_job_whose_indexed_files_are_all_gone_fails_with_a_reason_and_can_still_be_searched(
    job: Job, again: bool
) -> None:
    names = ("one.warc.gz", "two.warc.gz")
    for name in names:
        job.add_warc([fetched(f"{SITE}/{name}", f"<title>{name}</title><p>measles")], name)
    assert job.index() == 0
    for name in names:
        (job.root / "hc" / name).rename(job.root / name)
    for _ in range(2):
        assert index_job(job.id, database=job.database, archive_root=job.root, again=again) == 1
        view = job.view()
        assert (view.status, view.indexed_page_count, view.index_problem_count) == ("index_failed", 2, 2)
        assert view.status_reason == f"{job.root / 'hc' / 'one.warc.gz'} is not there"
        assert [problem.warc_path for problem in job.problems()] == ["hc/one.warc.gz", "hc/two.warc.gz"]
        assert len(found(job, "measles")) == 2
    for name in names:
        (job.root / name).rename(job.root / "hc" / name)
    assert job.index() == 0
    view = job.view()
    assert (view.status, view.status_reason, view.index_problem_count) == ("indexed", None, 0)


def test_a_job_whose_folder_is_gone_reports_it(job: Job) -> None:
    job.set(output_dir=str(job.root / "hc"))
    job.add_warc([fetched(f"{SITE}/a")])
    assert job.index() == 0
    shutil.rmtree(job.root / "hc")
    assert job.index() == 1
    view = job.view()
    assert (view.status, view.status_reason) == (
        "index_failed",
        f"the folder of job {job.id} is gone: {job.root / 'hc'}",
    )
    assert len(job.snapshots()) == 1


def test_a_file_that_is_gone_beside_others_is_a_located_problem_until_it_is_back(job: Job) -> None:
    job.add_warc([fetched(f"{SITE}/1")], "one.warc.gz")
    job.add_warc([fetched(f"{SITE}/2")], "two.warc.gz")
    assert job.index() == 0
    file = job.root / "hc" / "one.warc.gz"
    file.rename(job.root / "away")
    for again in (False, True, False):
        assert index_job(job.id, database=job.database, archive_root=job.root, again=again) == 0
        ((path, _, reason),) = [(one.warc_path, one.offset, one.reason) for one in job.problems()]
        assert (path, reason) == ("hc/one.warc.gz", f"{file} is not there")
        assert (job.view().status, job.view().index_problem_count) == ("indexed", 1)
        assert len(job.snapshots()) == 2
    (job.root / "away").rename(file)
    assert job.index() == 0
    assert (job.problems(), job.view().index_problem_count) == ([], 0)


def test_why_a_crawl_ended_early_is_still_said_after_indexing(job: Job) -> None:
    job.add_warc([fetched(f"{SITE}/a")])
    job.set(status_reason="the page limit was reached")
    assert job.index() == 0
    assert job.view().status_reason == "the page limit was reached"


def test_a_path_out_of_the_archive_is_not_followed(job: Job, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "x.warc.gz"
    write_warc(outside, [fetched()])
    job.set(output_dir=str(job.root / "hc"))
    with job.database.write() as session:
        warc_id = captures.add_warc_file(session, job.id, str(outside))
        captures.acknowledge(session, warc_id, outside.stat().st_size)
    assert job.index() == 1
    assert "leads out of" in (job.view().status_reason or "")
    assert job.captures() == []


def test_only_what_is_acknowledged_is_indexed(job: Job) -> None:
    file = job.root / "hc" / "one.warc.gz"
    extents = write_warc(file, [fetched(f"{SITE}/{n}") for n in range(2)])
    with job.database.write() as session:
        warc_id = captures.add_warc_file(session, job.id, "hc/one.warc.gz")
        captures.acknowledge(session, warc_id, extents[1].offset)
    assert job.index() == 0
    assert [snapshot.url[-1] for snapshot in job.snapshots()] == ["0"]
    with job.database.write() as session:
        captures.acknowledge(session, warc_id, file.stat().st_size)
    assert job.index() == 0
    assert [snapshot.url[-1] for snapshot in job.snapshots()] == ["0", "1"]


@pytest.mark.parametrize("status", [JobStatus.QUEUED, JobStatus.RUNNING, JobStatus.RETRYABLE])
def test_a_job_that_has_not_been_crawled_cannot_be_indexed(job: Job, status: JobStatus) -> None:
    job.set(status=status)
    with pytest.raises(UsageError, match=f"job {job.id} is {status}"):
        job.index()
    assert job.view().status == status


def test_a_job_that_is_not_there_cannot_be_indexed(job: Job) -> None:
    with pytest.raises(NotFoundError):
        index_job(99, database=job.database, archive_root=job.root)


def test_a_stopped_job_stays_stopped_when_its_captures_are_indexed(job: Job) -> None:
    job.add_warc([fetched(f"{SITE}/a")])
    job.set(status=JobStatus.STOPPED)
    assert index_job(job.id, database=job.database, archive_root=job.root, done=JobStatus.STOPPED) == 0
    assert job.view().status == "stopped"
    assert len(job.snapshots()) == 1


def test_a_lost_index_is_made_anew_from_the_files(job: Job) -> None:
    job.add_warc([fetched(f"{SITE}/{n}", f"<title>{n}</title>") for n in range(3)])
    assert job.index() == 0
    with job.database.write() as session:
        session.execute(delete(Snapshot))
        session.execute(delete(Capture))
    job.forget_how_far()
    assert job.index() == 0
    assert [snapshot.url[-1] for snapshot in job.snapshots()] == ["0", "1", "2"]
