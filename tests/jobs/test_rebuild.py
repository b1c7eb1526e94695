"""A database that was lost, made again from the archive's files."""

import json
import shutil
import signal
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import select

from tests.crawl.runs import CONFIG, GUARD
from tests.support.databases import FreshDatabase
from tests.support.fetched import fetched, write_warc
from tests.support.folders import ARCHIVE
from tests.support.program import Program
from tests.support.web_server import linked_site, page, serving
from webstrata.assets.registry import PluginRegistry
from webstrata.coordination.permits import DatabasePermits
from webstrata.db.engine import Database
from webstrata.db.queue import jobs
from webstrata.db.schema.asset_tables import Asset
from webstrata.db.schema.link_tables import PageSignal
from webstrata.db.schema.tables import ArchiveJob, Capture, Snapshot, Source, WarcFile
from webstrata.db.sql import ids
from webstrata.errors import ConflictError, NotFoundError
from webstrata.index.pipeline import index_job
from webstrata.jobs.folders.cleanup import cleanup_job
from webstrata.jobs.folders.manifest import JOB_FILE, write_manifest, write_sources
from webstrata.jobs.folders.rebuild import Rebuild, RebuildCallbacks, RebuildReport
from webstrata.jobs.folders.rebuild_plan import plan_rebuild, restored_status
from webstrata.jobs.folders.registering import register_job_dir
from webstrata.jobs.running.lifecycle import Runner
from webstrata.jobs.running.queueing import queue_archive
from webstrata.model.captures import Original
from webstrata.model.jobs.job import JobConfig, JobStatus
from webstrata.warc.record import exchange
from webstrata.warc.warcinfo import WarcOrigin, origin_of
from webstrata.warc.writer import WarcFileWriter

DYING = (sys.executable, str(Path(__file__).with_name("dying_rebuild.py")))


@dataclass(frozen=True)
class Archived:
    """An archive root, and all that its database held."""

    root: Path
    rows: dict[str, list[tuple[object, ...]]]


@pytest.fixture(scope="module")
def archived(fresh_database_url: FreshDatabase, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archived]:
    """A site that was archived twice, a page of it changed in between, and a source that never was."""
    root = tmp_path_factory.mktemp("archived") / "archive"
    with fresh_database_url() as url, serving(linked_site(4)) as server:
        database = Database(url)
        runner = Runner(database, root, replace(CONFIG, per_host_delay=0.0), GUARD, DatabasePermits(database))
        with database.write() as session:
            jobs.ensure_source(session, "never", name="Never", base_url=None)
        for _ in range(2):
            job_id = queue_archive(database, root, (server.url(),))
            assert runner.run(job_id).status is JobStatus.INDEXED
            write_manifest(database, job_id, archive_root=root)
            server.answers["/page/0"] = page("Page 0", "/", text="other words")
        write_sources(database, root)
        yield Archived(root, rows(database, root))
        database.dispose()


@pytest.fixture
def root(archived: Archived, tmp_path: Path) -> Path:
    """The archive's files, moved to somewhere else."""
    return Path(shutil.copytree(archived.root, tmp_path / "moved" / "archive"))


def rows(database: Database, root: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return what a user would notice of every row."""
    with database.read() as session:

        def of(*columns: object) -> list[tuple[object, ...]]:
            return [(*row,) for row in session.execute(select(*columns).order_by(columns[0]))]  # type: ignore[call-overload]

        found = {
            "sources": of(Source.id, Source.code, Source.name, Source.base_url, Source.created_at),
            "jobs": of(
                *(ArchiveJob.id, ArchiveJob.source_id, ArchiveJob.name, ArchiveJob.status, ArchiveJob.created_at),
                *(ArchiveJob.started_at, ArchiveJob.finished_at, ArchiveJob.config, ArchiveJob.pages_crawled),
                *(ArchiveJob.indexed_page_count, ArchiveJob.warc_file_count, ArchiveJob.warc_bytes_total),
            ),
            "warc_files": of(WarcFile.path, WarcFile.committed_bytes, WarcFile.indexed_bytes),
            "captures": of(
                *(Capture.id, Capture.job_id, Capture.url, Capture.capture_timestamp, Capture.status_code),
                *(Capture.warc_offset, Capture.warc_length, Capture.payload_digest, Capture.record_type),
                *(Capture.warc_record_id, Capture.refers_to, Capture.mime_type),
            ),
            "snapshots": of(
                *(Snapshot.id, Snapshot.job_id, Snapshot.capture_id, Snapshot.url, Snapshot.capture_timestamp),
                *(Snapshot.title, Snapshot.snippet, Snapshot.language, Snapshot.content_hash, Snapshot.warc_path),
                *(Snapshot.normalized_url_group, Snapshot.status_code),
            ),
            "signals": of(PageSignal.normalized_url_group, PageSignal.inlink_count, PageSignal.outlink_count),
            "assets": of(Asset.source_id, Asset.plugin, Asset.identifier, Asset.version, Asset.checksum),
        }
        found["folders"] = [(Path(str(folder)).relative_to(root),) for (folder,) in of(ArchiveJob.output_dir)]
    return {name: sorted(of_kind, key=repr) for name, of_kind in found.items()}


def test_everything_comes_back_with_its_ids_from_files_that_were_moved(
    archived: Archived, root: Path, database: Database
) -> None:
    report = Rebuild(database, root).run()
    assert report.problems == []
    assert (report.added_sources, report.added_jobs, report.indexed_jobs) == (2, 2, 2)
    assert rows(database, root) == archived.rows
    assert {row[8] for row in archived.rows["captures"]} == {"response", "revisit"}
    assert len(archived.rows["snapshots"]) == 10
    assert report.totals.snapshots == 10


def test_what_comes_after_a_rebuild_gets_new_ids(archived: Archived, root: Path, database: Database) -> None:
    Rebuild(database, root).run()
    with database.write() as session:
        source_id = jobs.ensure_source(session, "new", name="New", base_url=None)
        added = jobs.add_job(
            session, source_id, name="n", output_dir="", config=JobConfig(()), queued_at=datetime.now(UTC)
        )
        snapshot = Snapshot(url="", capture_timestamp=datetime.now(UTC), warc_path="")
        session.add(snapshot)
        session.flush()
        assert snapshot.id > max(int(str(row[0])) for row in archived.rows["snapshots"])
    assert (source_id, added) == (3, 3)


@pytest.mark.parametrize("when", ["begun", "indexed"])
def test_a_rebuild_that_was_killed_continues(
    archived: Archived, root: Path, database: Database, database_url: str, when: str
) -> None:
    assert Program(root.parent, command=DYING).run(database_url, str(root), when).returncode == -signal.SIGKILL
    report = Rebuild(database, root).run()
    assert (report.problems, report.added_jobs) == ([], 0)
    assert rows(database, root) == archived.rows


def test_a_rebuild_that_was_stopped_continues(archived: Archived, root: Path, database: Database) -> None:
    stopping = threading.Event()
    watcher = RebuildCallbacks(begun=lambda job, number, of: stopping.set() if number == 2 else None)
    assert Rebuild(database, root, watcher=watcher, stopping=stopping).run().interrupted
    assert not Rebuild(database, root).run().interrupted
    assert rows(database, root) == archived.rows


def test_a_second_rebuild_has_nothing_to_do(archived: Archived, root: Path, database: Database) -> None:
    Rebuild(database, root).run()
    report = Rebuild(database, root).run()
    assert (report.added_sources, report.added_jobs, report.indexed_jobs, report.problems) == (0, 0, 0, [])
    assert rows(database, root) == archived.rows


def test_without_manifests_the_files_say_whose_they_are(archived: Archived, root: Path, database: Database) -> None:
    for manifest in [*root.rglob(JOB_FILE), root / "sources.json"]:
        manifest.unlink()
    assert Rebuild(database, root).run().problems == []
    found = rows(database, root)
    assert [row[0] for row in found["jobs"]] == [1, 2]
    assert found["captures"] == archived.rows["captures"]
    assert found["snapshots"] == archived.rows["snapshots"]


def test_a_database_in_use_is_refused_unless_only_what_is_missing_is_wanted(
    archived: Archived, root: Path, database: Database
) -> None:
    with database.write() as session:
        source_id = jobs.ensure_source(session, "other", name="Other", base_url=None)
        jobs.add_job(session, source_id, name="o", output_dir="/o", config=JobConfig(()), queued_at=datetime.now(UTC))
    with pytest.raises(ConflictError, match=r"holds 1 jobs already \(job 1 is in /o\).*--missing"):
        Rebuild(database, root).run()
    report = Rebuild(database, root).run(missing=True)
    assert "its id 1 is taken" in report.problems[0]
    assert "its job id 1 is taken" in report.problems[1]
    found = rows(database, Path("/"))
    assert [(row[0], row[3]) for row in found["jobs"]] == [(1, "queued"), (2, "indexed"), (3, "indexed")]
    assert [row[0] for row in found["snapshots"]] == [row[0] for row in archived.rows["snapshots"]]
    again = Rebuild(database, root).run(missing=True)
    assert (again.problems, again.added_jobs) == ([], 0)


@pytest.mark.parametrize("outside", [True, False])
def test_files_that_were_registered_come_back_where_they_lie(
    tmp_path: Path, database: Database, fresh_database_url: FreshDatabase, outside: bool
) -> None:
    root = tmp_path / "archive"
    file = (tmp_path / "elsewhere" if outside else root) / "found.warc.gz"
    write_warc(file, [fetched(f"https://example.org/{n}", f"<title>{n}</title>") for n in range(3)])
    with database.write() as session:
        jobs.ensure_source(session, "hc", name="Health", base_url=None)
        ids.lift(session, "snapshots", 40)
    job_id = register_job_dir(database, root, "hc", file.parent if outside else file).job_id
    assert index_job(job_id, database=database, archive_root=root) == 0
    with fresh_database_url() as url:
        anew = Database(url)
        assert Rebuild(anew, root, PluginRegistry([])).run().problems == []
        assert rows(anew, Path("/")) == rows(database, Path("/"))
        assert [row[0] for row in rows(anew, Path("/"))["snapshots"]] == [41, 42, 43]
        anew.dispose()


def cleaned_up(database: Database, root: Path, *kept: str) -> Path:
    """Make a job of two pages in a temporary folder, and of those that it keeps; return its folder."""
    folder = root / "hc" / "job"
    pages = [fetched(f"https://example.org/{n}", f"<title>{n}</title>") for n in range(2)]
    write_warc(folder / ".tmpa" / ARCHIVE / "one.warc.gz", pages)
    for url in kept:
        write_warc(folder / "warcs" / "two.warc.gz", [fetched(url)])
    with database.write() as session:
        jobs.ensure_source(session, "hc", name="Health", base_url=None)
    job_id = register_job_dir(database, root, "hc", folder).job_id
    assert index_job(job_id, database=database, archive_root=root) == 0
    write_manifest(database, job_id, archive_root=root)
    cleanup_job(database, root, job_id)
    return folder


def rebuilt_job(report: RebuildReport, database: Database) -> tuple[str, str | None, int, int]:
    """Return what a rebuilt database says of its only job, once that is true."""
    with database.read() as session:
        row = session.scalars(select(ArchiveJob)).one()
        assert row.indexed_page_count == report.totals.snapshots
        return row.status, row.status_reason, row.indexed_page_count, row.warc_file_count


def test_a_job_whose_files_were_cleaned_up_comes_back_empty_and_is_named(
    tmp_path: Path, database: Database, fresh_database_url: FreshDatabase
) -> None:
    cleaned_up(database, tmp_path)
    assert Rebuild(database, tmp_path).run(missing=True).problems == [], "it is all there"
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    gone = f"its WARC files are missing (cleanup-job deleted its temporary files on {today})"
    lost = f"{gone}; its 2 snapshots cannot be restored"
    assert plan_rebuild(tmp_path).losses == [f"job 1: {lost}"]
    with fresh_database_url() as url:
        anew = Database(url)
        for _ in range(2):
            report = Rebuild(anew, tmp_path).run()
            assert report.problems == [f"job 1: {lost}"]
            assert rebuilt_job(report, anew) == ("index_failed", lost, 0, 0)
        anew.dispose()


def test_a_job_that_lost_some_of_its_files_is_named_and_the_others_are_indexed(
    tmp_path: Path, database: Database, fresh_database_url: FreshDatabase
) -> None:
    cleaned_up(database, tmp_path, "https://example.org/kept")
    with fresh_database_url() as url:
        anew = Database(url)
        report = Rebuild(anew, tmp_path).run()
        (problem,) = report.problems
        assert problem.startswith("job 1: 1 of its 2 WARC files are missing (cleanup-job deleted")
        assert rebuilt_job(report, anew) == ("indexed", None, 1, 1)
        anew.dispose()


@pytest.mark.parametrize("are_back", [True, False])
def test_a_job_whose_index_had_failed_states_only_what_is_true_now(
    tmp_path: Path, database: Database, fresh_database_url: FreshDatabase, are_back: bool
) -> None:
    folder = tmp_path / "hc" / "job"
    write_warc(folder / "one.warc.gz", [fetched()])
    with database.write() as session:
        jobs.ensure_source(session, "hc", name="Health", base_url=None)
    job_id = register_job_dir(database, tmp_path, "hc", folder).job_id
    (folder / "one.warc.gz").unlink()
    assert index_job(job_id, database=database, archive_root=tmp_path) == 1
    write_manifest(database, job_id, archive_root=tmp_path)
    if are_back:
        write_warc(folder / "one.warc.gz", [fetched()])
    with fresh_database_url() as url:
        anew = Database(url)
        report = Rebuild(anew, tmp_path).run()
        lost = None if are_back else "its WARC files are missing; nothing of it can be restored"
        assert report.problems == ([f"job 1: {lost}"] if lost else [])
        assert rebuilt_job(report, anew)[:3] == (("index_failed", lost, 0) if lost else ("indexed", None, 1))
        anew.dispose()


def test_what_refers_to_a_later_jobs_capture_is_a_page_too(tmp_path: Path, database: Database) -> None:
    first, second = (tmp_path / "hc" / f"2026010{day}T000000Z__job" / "warcs" / f"{day}.warc.gz" for day in (1, 2))
    page = fetched("https://example.org/flu")
    with WarcFileWriter(second, [("description", "job 2: job")]) as writer:
        stored = exchange(page, writer.warcinfo_id)
        writer.append(stored)
    with WarcFileWriter(first, [("description", "job 1: job")]) as writer:
        writer.append(exchange(page, writer.warcinfo_id, Original(stored[0].record_id, page.url, page.fetched_at)))
    report = Rebuild(database, tmp_path).run()
    assert (report.problems, report.indexed_jobs) == ([], 2)
    assert (report.totals.snapshots, report.totals.record_problems) == (2, 0)
    assert [row[3] for row in rows(database, tmp_path)["jobs"]] == ["indexed", "indexed"]


def test_two_folders_that_claim_one_job_are_both_kept(root: Path) -> None:
    (first, _) = sorted(root.rglob(JOB_FILE))
    shutil.copytree(first.parent, first.parent.with_name(f"{first.parent.name}-copy"))
    plan = plan_rebuild(root)
    assert sorted(job.id or 0 for job in plan.jobs) == [0, 1, 2]
    (problem,) = plan.problems
    assert f"it claims the id 1, which {first.parent} has" in problem


def test_a_manifest_that_is_none_is_reported_and_the_folder_is_read(root: Path) -> None:
    (first, second) = sorted(root.rglob(JOB_FILE))
    first.write_text("{")
    content = json.loads(second.read_text())
    second.write_text(json.dumps({**content, "version": 99}))
    plan = plan_rebuild(root)
    assert plan.problems == [
        f"{first}: it is not JSON",
        f"{second}: its version is 99; this program reads 1",
    ]
    assert [job.id for job in plan.jobs] == [1, 2]


def test_an_archive_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="there is no archive at"):
        plan_rebuild(tmp_path / "nowhere")


def test_a_file_states_for_whom_it_was_written(root: Path, tmp_path: Path) -> None:
    (first, _) = sorted(root.rglob("*.warc.gz"))
    origin, folder = origin_of(first), first.parent.parent
    assert (origin.source_code, origin.job_id) == (folder.parent.name, 1)
    assert folder.name.endswith(f"__{origin.job_name}")
    foreign = tmp_path / "foreign.warc.gz"
    foreign.write_bytes(b"\x1f\x8b nothing")
    assert origin_of(foreign) == WarcOrigin()


@pytest.mark.parametrize(
    ("status", "has_files", "after"),
    [
        (JobStatus.INDEXED, True, JobStatus.INDEXED),
        (JobStatus.COMPLETED, True, JobStatus.INDEXED),
        (JobStatus.INDEX_FAILED, True, JobStatus.INDEXED),
        (JobStatus.INDEX_FAILED, False, JobStatus.INDEX_FAILED),
        (JobStatus.STOPPED, True, JobStatus.STOPPED),
        (JobStatus.FAILED, False, JobStatus.FAILED),
        (JobStatus.RUNNING, True, JobStatus.STOPPED),
        (JobStatus.QUEUED, True, JobStatus.STOPPED),
        (JobStatus.QUEUED, False, JobStatus.QUEUED),
    ],
)
def test_a_job_has_the_status_that_it_had(status: JobStatus, has_files: bool, after: JobStatus) -> None:
    assert restored_status(status, None, has_files=has_files)[0] is after
