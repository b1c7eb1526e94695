"""Passes also delete unreferenced blobs, and crawl tasks and logs of jobs that can no longer resume."""

import signal
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select, update

from tests.retention.rows import DAY
from tests.support.web_server import Answer, WebServer, page
from webstrata.db.engine import Database
from webstrata.db.operations import audit_log
from webstrata.db.operations.audit_log import ChangeFilter
from webstrata.db.schema.asset_tables import AssetBlob, AssetVersion
from webstrata.db.schema.collection_tables import ScrapeRow
from webstrata.db.schema.crawl_tables import CrawlTask
from webstrata.db.schema.retention_tables import LegalHold
from webstrata.db.schema.tables import ArchiveJob, Source
from webstrata.errors import ConflictError
from webstrata.jobs.running.lifecycle import Runner
from webstrata.jobs.running.queueing import queue_archive, resume_job
from webstrata.model.assets import checksum_of as digest_of
from webstrata.model.jobs.attempts import IndexedJob, newer_alike, refuse_resuming
from webstrata.model.jobs.job import JobStatus
from webstrata.model.retention.rules import BATCH_ROWS, GUARDED_FROM, CollectionResult
from webstrata.retention.policies import set_policy, show_policies
from webstrata.retention.sweep import run_manual_pass
from webstrata.storage.disk import DiskStore

LATER = datetime.now(UTC) + 100 * DAY


@pytest.fixture
def twice(runner: Runner, web_server: WebServer) -> Runner:
    """A source that was crawled twice, with the tasks and logs of both jobs."""
    web_server.answers |= {"/": Answer(b"<title>Front</title><a href=/a>a</a>"), "/a": page("a", text="Words.")}
    for _ in range(2):
        runner.run(queue_archive(runner.database, runner.archive_root, (web_server.url(),), code="one"))
    return runner


def tasks(database: Database) -> dict[int, int]:
    with database.read() as session:
        rows = session.execute(select(CrawlTask.job_id, func.count()).group_by(CrawlTask.job_id))
        return {row[0]: row[1] for row in rows}


def logs(root: Path) -> int:
    return len(list(root.rglob("*.combined.log")))


def sweep(runner: Runner, name: str, *, dry_run: bool = False) -> CollectionResult:
    result = run_manual_pass(runner.database, LATER, dry_run=dry_run, archive_root=runner.archive_root)
    return result.collections[name]


@pytest.mark.parametrize("status", JobStatus)
def test_only_an_indexed_job_with_a_newer_indexed_one_can_no_longer_resume(status: JobStatus) -> None:
    assert refuse_resuming(3, status, None) is None
    assert (refuse_resuming(3, status, 7) is not None) == (status is JobStatus.INDEXED)


def test_a_job_is_repeated_only_by_a_newer_one_of_the_same_source_and_configuration() -> None:
    whole, one_page = {"seeds": ["https://a/"]}, {"seeds": ["https://a/"], "crawl": {"max_pages": 1}}
    jobs = [IndexedJob(n, source, config) for n, source, config in ((1, 1, whole), (2, 1, one_page), (3, 2, whole))]
    assert newer_alike(jobs) == {}
    assert newer_alike([*jobs, IndexedJob(4, 1, dict(whole)), IndexedJob(5, 1, whole)]) == {1: 5, 4: 5}


def test_tasks_and_logs_stay_unless_a_policy_is_set(twice: Runner) -> None:
    assert show_policies(twice.database).further == {"blobs": 30, "crawl_tasks": None, "crawl_logs": None}
    before = tasks(twice.database), logs(twice.archive_root)
    result = run_manual_pass(twice.database, LATER, dry_run=False, archive_root=twice.archive_root)
    assert not {"crawl_tasks", "crawl_logs"} & set(result.collections)
    assert (tasks(twice.database), logs(twice.archive_root)) == before


def test_tasks_go_only_of_the_job_that_can_no_longer_resume(twice: Runner) -> None:
    before = tasks(twice.database)
    set_policy(twice.database, "crawl_tasks", 30)
    dry = sweep(twice, "crawl_tasks", dry_run=True)
    assert (dry.expired, dry.deleted, tasks(twice.database)) == (before[1], 0, before)
    done = sweep(twice, "crawl_tasks")
    assert (done.expired, done.deleted, done.remaining) == (before[1], before[1], 0)
    assert tasks(twice.database) == {2: before[2]}
    with pytest.raises(ConflictError, match="job 2 crawled the same later"):
        resume_job(twice.recovery, 1)
    resume_job(twice.recovery, 2)
    with twice.database.read() as session:
        (entry,), _ = audit_log.entries(session, ChangeFilter(action="retention.pass"), limit=1)
    deleted = entry.details["deleted"]
    assert isinstance(deleted, dict)
    assert deleted["crawl_tasks"] == before[1]


@pytest.mark.parametrize("status", [JobStatus.STOPPED, JobStatus.FAILED, JobStatus.RUNNING, JobStatus.INDEX_FAILED])
def test_tasks_of_a_job_that_may_resume_stay(twice: Runner, status: JobStatus) -> None:
    set_policy(twice.database, "crawl_tasks", 1)
    with twice.database.write() as session:
        session.execute(update(ArchiveJob).where(ArchiveJob.id == 1).values(status=status))
    assert sweep(twice, "crawl_tasks").expired == 0
    assert set(tasks(twice.database)) == {1, 2}


def test_a_legal_hold_keeps_tasks_and_a_job_without_an_end_is_undated(twice: Runner) -> None:
    set_policy(twice.database, "crawl_tasks", 1)
    with twice.database.write() as session:
        session.add(LegalHold(scope="source", source_id=1, reason="case", created_by="me"))
    assert sweep(twice, "crawl_tasks").expired == 0
    with twice.database.write() as session:
        session.execute(update(LegalHold).values(released_at=LATER))
        session.execute(update(ArchiveJob).where(ArchiveJob.id == 1).values(finished_at=None))
    found = sweep(twice, "crawl_tasks")
    assert (found.expired, found.undated) == (0, tasks(twice.database)[1])


def test_logs_go_file_before_row_and_one_that_cannot_be_deleted_stays(
    twice: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_policy(twice.database, "crawl_logs", 30)
    before = logs(twice.archive_root)

    def refuse(_path: Path, missing_ok: bool = False) -> None:
        raise PermissionError(13, "not permitted")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", refuse)
        failed = sweep(twice, "crawl_logs")
    assert (failed.expired, failed.deleted, failed.remaining, logs(twice.archive_root)) == (1, 0, 1, before)
    done = sweep(twice, "crawl_logs")
    assert (done.deleted, done.remaining, logs(twice.archive_root)) == (1, 0, before - 1)
    with twice.database.read() as session:
        kept = {row.id: row.combined_log_path for row in session.scalars(select(ArchiveJob))}
    assert kept[1] is None
    assert kept[2] is not None
    assert sweep(twice, "crawl_logs").expired == 0


def test_logs_outside_of_the_archive_root_are_not_deleted(twice: Runner, tmp_path: Path) -> None:
    set_policy(twice.database, "crawl_logs", 30)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (log,) = Path(_folder(twice.database)).glob("*.combined.log")
    moved = log.rename(elsewhere / log.name)
    log.symlink_to(moved)
    assert sweep(twice, "crawl_logs").deleted == 1
    assert moved.exists()
    assert not log.is_symlink()
    with twice.database.write() as session:
        values = {"output_dir": str(elsewhere), "combined_log_path": moved.name}
        session.execute(update(ArchiveJob).where(ArchiveJob.id == 1).values(**values))
    assert (sweep(twice, "crawl_logs").deleted, moved.exists()) == (0, True)


def _folder(database: Database) -> str:
    with database.read() as session:
        return session.scalars(select(ArchiveJob.output_dir).where(ArchiveJob.id == 1)).one()


def test_blobs_go_when_no_version_refers_to_them_and_their_time_is_up(twice: Runner) -> None:
    store = DiskStore(twice.archive_root / "assets")
    lone, young = store.put(b"lone"), store.put(b"young")
    with twice.database.write() as session:
        session.add(AssetBlob(digest=lone, size=4, created_at=LATER - 31 * DAY))
        session.add(AssetBlob(digest=young, size=5, created_at=LATER - 30 * DAY))
    with twice.database.read() as session:
        referred = set(session.scalars(select(AssetVersion.blob_digest)))
    assert (sweep(twice, "blobs", dry_run=True).expired, store.exists(lone)) == (1, True)
    done = sweep(twice, "blobs")
    assert (done.expired, done.deleted, done.remaining) == (1, 1, 0)
    assert not store.exists(lone)
    assert store.exists(young)
    with twice.database.read() as session:
        assert set(session.scalars(select(AssetBlob.digest))) == referred | {young}


def test_blobs_that_cannot_be_deleted_do_not_stop_the_others(twice: Runner) -> None:
    store, database = DiskStore(twice.archive_root / "assets"), twice.database
    lone, other = store.put(b"lone"), store.put(b"other")
    linked = digest_of(b"linked")
    place = store.root / linked[:2] / linked[2:4] / linked
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(store.root / other[:2] / other[2:4] / other)
    stuck = [digest_of(str(number).encode()) for number in range(BATCH_ROWS + 5)]
    for digest in stuck:
        (store.root / digest[:2] / digest[2:4] / digest).mkdir(parents=True)
    with database.write() as session:
        old = LATER - 40 * DAY
        session.add_all(AssetBlob(digest=digest, size=1, created_at=old - DAY) for digest in (*stuck, linked))
        session.add(AssetBlob(digest=lone, size=4, created_at=old))
        session.add(AssetBlob(digest=other, size=5, created_at=LATER))
    done = sweep(twice, "blobs")
    assert (done.expired, done.deleted, done.remaining) == (len(stuck) + 2, 1, len(stuck) + 1)
    assert (store.exists(lone), store.exists(other), place.is_symlink()) == (False, True, True)


@pytest.mark.parametrize("expired_share", [0.6, 0.4])
def test_most_of_a_source_stays_until_it_is_confirmed(database: Database, expired_share: float) -> None:
    now, old = LATER, LATER - 91 * DAY
    rows = 2 * GUARDED_FROM
    with database.write() as session:
        session.add_all(Source(id=number, code=f"s{number}", name="s") for number in (1, 2))
        session.flush()
        dated = [old if number < rows * expired_share else now for number in range(rows)]
        session.add_all(ScrapeRow(url="u", url_hash=1, source_id=1, created_at=at) for at in dated)
        session.add_all(ScrapeRow(url="u", url_hash=1, source_id=2, created_at=old) for _ in range(3))
    first = run_manual_pass(database, now, dry_run=False).collections["scrape_metadata"]
    expired = round(rows * expired_share) if expired_share > 0.5 else 0
    assert first.guarded == expired
    assert first.deleted == (3 if expired else 100)
    done = run_manual_pass(database, now + timedelta(0), dry_run=False, confirmed=True).collections["scrape_metadata"]
    assert replace(done, expired=0, deleted=0) == CollectionResult(90)
    assert done.deleted == done.expired > 0


DYING = """
import os, signal, sys
from datetime import datetime
from pathlib import Path
from webstrata.db.engine import Database
from webstrata.retention.sweep import run_manual_pass

seen = []

def die(name, _arguments):
    if "os.remove" in seen and name != "os.kill":
        os.kill(os.getpid(), signal.SIGKILL)
    seen.append(name)

database = Database(sys.argv[1])
sys.addaudithook(die)
run_manual_pass(database, datetime.fromisoformat(sys.argv[3]), dry_run=False, archive_root=Path(sys.argv[2]))
"""
"""A pass in a process that kill -9 ends right after it deleted its first file."""


def sweep_and_die(url: str, root: Path) -> int:
    command = [sys.executable, "-c", DYING, url, str(root), LATER.isoformat()]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode < 0, done.stderr
    return done.returncode


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_after_a_kill_between_file_and_row_the_next_pass_corrects_the_row(twice: Runner) -> None:
    store = DiskStore(twice.archive_root / "assets")
    lone = [store.put(data) for data in (b"one", b"two")]
    set_policy(twice.database, "crawl_logs", 30)
    with twice.database.write() as session:
        session.add_all(AssetBlob(digest=digest, size=3, created_at=LATER - 31 * DAY) for digest in lone)
    url = twice.database.engine.url.render_as_string(hide_password=False)
    assert sweep_and_die(url, twice.archive_root) == -signal.SIGKILL
    assert [store.exists(digest) for digest in lone].count(False) == 1
    assert sweep_and_die(url, twice.archive_root) == -signal.SIGKILL
    done = run_manual_pass(twice.database, LATER, dry_run=False, archive_root=twice.archive_root)
    assert {name: done.collections[name].remaining for name in ("blobs", "crawl_logs")} == {"blobs": 0, "crawl_logs": 0}
    assert not any(store.exists(digest) for digest in lone)
    with twice.database.read() as session:
        assert not set(lone) & set(session.scalars(select(AssetBlob.digest)))
        logged = set(session.scalars(select(ArchiveJob.id).where(ArchiveJob.combined_log_path.is_not(None))))
    assert (logged, logs(twice.archive_root)) == ({2}, 1)
