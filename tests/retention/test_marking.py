"""A crawl writes revisits while the files that they refer to are deleted: no revisit is left without its payload."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, update

from tests.support.fetched import fetched
from tests.support.folders import ARCHIVE, CrawledFolder
from webstrata.crawl.commit import Committer, CrawlTarget
from webstrata.crawl.outcome import Outcome
from webstrata.crawl.warc_records import append_responses
from webstrata.db.captures import captures
from webstrata.db.collections.export_history import LONGEST_EXPORT, begin_export, finish_export, running_exports
from webstrata.db.engine import Database
from webstrata.db.queue import frontier, jobs
from webstrata.db.schema.collection_tables import HaulCapture, HaulRow
from webstrata.db.schema.crawl_tables import CrawlTask
from webstrata.db.schema.tables import Capture
from webstrata.errors import ConflictError
from webstrata.jobs.folders.cleanup import cleanup_job
from webstrata.model.captures import EarlierCapture, Original
from webstrata.model.crawl.tasks import Link, Task, TaskStatus
from webstrata.model.digests import digest
from webstrata.model.jobs.job import JobConfig
from webstrata.retention.holds import place_hold, release_hold

PAGE = "https://example.org/a"
BODY = "<title>The same</title><p>in both crawls"
NOW = datetime(2026, 7, 1, tzinfo=UTC)


@pytest.fixture
def folder(database: Database, root: Path) -> CrawledFolder:
    """An indexed job with one WARC file in a temporary folder, which a cleanup deletes."""
    made = CrawledFolder.made(database, root, root / "hc" / "job")
    made.warc(f".tmpa/{ARCHIVE}/one.warc.gz", PAGE, body=BODY)
    made.state(".tmpa")
    with database.write() as session:
        session.execute(update(Capture).values(payload_digest=digest(BODY.encode())))
    return made


@pytest.fixture
def target(database: Database, root: Path, folder: CrawledFolder) -> CrawlTarget:
    """A second job of the same source, which a worker has begun to crawl."""
    with database.write() as session:
        source_id = jobs.ensure_source(session, "hc", name="hc", base_url=None)
        job_id = jobs.add_job(session, source_id, name="2", output_dir="", config=JobConfig(()), queued_at=NOW)
        frontier.add_links(session, job_id, [Link(PAGE)], 0, NOW)
    return CrawlTarget(job_id, "2", source_id, "hc", root, "hc/second")


def claim(database: Database, target: CrawlTarget) -> Task:
    with database.write() as session:
        (task,) = frontier.claim(session, target.job_id, "me", limit=1, now=NOW, lease=timedelta(hours=1))
    return task


def delete_before_append(folder: CrawledFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a cleanup run after a commit has chosen what to refer to, and before it writes."""

    def append_after_deletion(*arguments: object) -> object:
        monkeypatch.setattr("webstrata.crawl.commit.append_responses", append_responses)
        cleanup_job(folder.database, folder.root, folder.job_id)
        return append_responses(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr("webstrata.crawl.commit.append_responses", append_after_deletion)


def captured(database: Database, target: CrawlTarget) -> list[Capture]:
    with database.read() as session:
        return list(session.scalars(select(Capture).where(Capture.job_id == target.job_id)))


def test_a_crawl_that_was_about_to_refer_to_a_deleted_record_stores_its_own(
    database: Database, folder: CrawledFolder, target: CrawlTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    delete_before_append(folder, monkeypatch)
    task = claim(database, target)
    committer = Committer(database, target, "me", 1_000_000)
    committer.commit([Outcome(replace(task, status=TaskStatus.FINISHED), fetched(PAGE, BODY))])
    committer.close()
    (capture,) = captured(database, target)
    assert (capture.record_type, capture.refers_to) == ("response", None)
    assert folder.files() == []


def test_an_unchanged_page_whose_earlier_capture_is_deleted_is_left_to_be_fetched_again(
    database: Database, folder: CrawledFolder, target: CrawlTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    with database.read() as session:
        held = session.scalars(select(Capture)).one()
        (file,) = captures.warc_files(session, folder.job_id)
    original = Original(held.warc_record_id, PAGE, NOW, warc_file_id=file.id, warc_offset=held.warc_offset)
    earlier = EarlierCapture(original, held.payload_digest or "", '"etag"', None, file.path, 0, 1, "", None)
    delete_before_append(folder, monkeypatch)
    task = replace(claim(database, target), earlier=earlier)
    committer = Committer(database, target, "me", 1_000_000)
    done = committer.commit([Outcome(replace(task, status=TaskStatus.FINISHED), fetched(PAGE, "", status=304))])
    committer.close()
    assert done.outcomes == []
    assert captured(database, target) == []
    with database.read() as session:
        assert session.scalars(select(CrawlTask.status)).one() == TaskStatus.IN_PROGRESS


def test_a_revisit_that_came_first_keeps_the_file(
    database: Database, folder: CrawledFolder, target: CrawlTarget
) -> None:
    task = claim(database, target)
    committer = Committer(database, target, "me", 1_000_000)
    committer.commit([Outcome(replace(task, status=TaskStatus.FINISHED), fetched(PAGE, BODY))])
    committer.close()
    assert [capture.record_type for capture in captured(database, target)] == ["revisit"]
    before = folder.files()
    with pytest.raises(ConflictError, match="revisits"):
        cleanup_job(database, folder.root, folder.job_id)
    assert folder.files() == before
    with database.read() as session:
        assert captures.originals(session, target.source_id, [digest(BODY.encode())], lambda _p, _d: True)


def test_a_hold_and_a_haul_keep_the_files_of_their_snapshots(database: Database, folder: CrawledFolder) -> None:
    before = folder.files()
    hold = place_hold(database, folder.root, NOW, "lawsuit", snapshot_id=1)
    with pytest.raises(ConflictError, match="legal hold: lawsuit"):
        cleanup_job(database, folder.root, folder.job_id)
    release_hold(database, folder.root, hold.id, NOW)
    with database.write() as session:
        session.add(HaulRow(id="h", name="n", actor="a"))
        session.flush()
        session.add(HaulCapture(haul_id="h", position=1, snapshot_id=1))
    with pytest.raises(ConflictError, match="part of a haul"):
        cleanup_job(database, folder.root, folder.job_id)
    assert folder.files() == before


def test_an_export_keeps_the_files_that_it_reads_until_it_ends(database: Database, folder: CrawledFolder) -> None:
    with database.write() as session:
        begun = datetime.now(UTC)
        killed = begin_export(session, "captures", "wacz", {"job": folder.job_id}, begun - LONGEST_EXPORT)
        exports = [
            begin_export(session, "captures", "wacz", filters, begun)
            for filters in ({"job": folder.job_id}, {"source": "hc"}, {"url": PAGE}, {"snapshot": 1})
        ]
        begin_export(session, "captures", "wacz", {"url": "https://example.org/other"}, begun)
        begin_export(session, "haul", "csv", {}, begun)
        assert running_exports(session, [folder.job_id], datetime.now(UTC)) == exports
        assert killed not in exports
    with pytest.raises(ConflictError, match="is reading the files"):
        cleanup_job(database, folder.root, folder.job_id)
    with database.write() as session:
        for export in exports:
            finish_export(session, export, 1, datetime.now(UTC))
    assert cleanup_job(database, folder.root, folder.job_id).warcs_deleted == 1
