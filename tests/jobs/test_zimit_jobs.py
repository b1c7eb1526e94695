"""Jobs that zimit crawls: led by us, crawled in a container, indexed as any other."""

import subprocess
import sys
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from tests.jobs.rows import job_row, set_row
from tests.support.docker import OTHER_URL, PAGE_URL, StandIn
from webstrata.coordination.presence import present
from webstrata.db.engine import Database
from webstrata.db.queue import jobs, leases
from webstrata.db.schema.change_tables import SnapshotChange
from webstrata.db.schema.tables import Snapshot
from webstrata.jobs.running.persistent import WorkerContext, run_persistent_job
from webstrata.jobs.running.queueing import request_stop
from webstrata.jobs.running.tool import ToolStages, job_arguments
from webstrata.jobs.running.worker import index_next_job
from webstrata.model.jobs.job import JobConfig

pytestmark = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)


@pytest.fixture
def tool_context(
    context: WorkerContext,
    root: Path,
    tmp_path: Path,
    database_url: str,
    monkeypatch: pytest.MonkeyPatch,
    docker: StandIn,
) -> WorkerContext:
    """Whom a worker works with, with archive-tool in a process of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WEBSTRATA_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("WEBSTRATA_ARCHIVE_ROOT", str(root))
    monkeypatch.setenv("WEBSTRATA_DATABASE_URL", database_url)
    return replace(context, stages=ToolStages(context.database, root))


def queued(database: Database, root: Path, **options: object) -> int:
    (root / "ex" / "1").mkdir(parents=True)
    config = JobConfig(
        (PAGE_URL,), tool_options={"engine": "zimit", **options}, zimit_passthrough_args=("--lang", "en")
    )
    with database.write() as session:
        source = jobs.ensure_source(session, "ex", name="ex", base_url=None)
        return jobs.add_job(
            session, source, name="trial", output_dir=str(root / "ex" / "1"), config=config, queued_at=datetime.now(UTC)
        )


def shown_urls(database: Database) -> list[str]:
    with database.read() as session:
        return sorted(session.scalars(select(Snapshot.url)))


def test_a_job_that_zimit_crawls_over_two_starts_is_indexed_whole(
    context: WorkerContext, tool_context: WorkerContext, database: Database, root: Path, docker: StandIn
) -> None:
    docker.zimit_does("tempdir a; warc page; yaml; stats 1 2; exit 9", "tempdir b; warc other; stats 2 2; zim")
    job_id = queued(database, root, cleanup=True)
    assert run_persistent_job(job_id, context=tool_context, max_retries=1) == 1
    row = job_row(database, job_id)
    assert row.status == "retryable"
    assert "exit code 9" in str(row.status_reason)
    set_row(database, job_id, not_before=None)
    assert run_persistent_job(job_id, context=tool_context, max_retries=1) == 0
    row = job_row(database, job_id)
    assert (row.status, row.crawler_status, row.pages_crawled) == ("completed", "success", 2)
    assert row.final_zim_path == str(root / "ex" / "1" / "trial_2026-11.zim")
    assert index_next_job(context, threading.Event())
    assert job_row(database, job_id).status == "indexed"
    assert shown_urls(database) == [PAGE_URL, OTHER_URL]
    with database.read() as session:
        events = session.scalars(select(SnapshotChange)).all()
        assert [(event.change_type, event.is_announced) for event in events] == [("new_page", True)] * 2
    assert list((root / "ex" / "1").glob(".tmp*")) == []
    assert docker.begun[0][docker.begun[0].index("--lang") + 1] == "en"


def leave_a_container(context: WorkerContext, job_id: int, docker: StandIn) -> None:
    """Lead a job and die, and its archive-tool with us, while its container goes on."""
    job = context.load(job_id)
    command = [sys.executable, "-m", "webstrata.archive_tool"]
    with present(context.archive_root) as owner:
        with context.database.write() as session:
            leases.lease(session, job_id, owner, datetime.now(UTC), timedelta(minutes=1))
        tool = subprocess.Popen([*command, *job_arguments(job.name, job.config, Path(job.output_dir))])
        docker.wait_for_run(1)
        tool.kill()
        tool.wait()
        raise RuntimeError


def test_a_stop_lets_the_next_worker_end_a_container_that_outlived_its_own(
    tool_context: WorkerContext, database: Database, root: Path, docker: StandIn
) -> None:
    docker.zimit_does("tempdir a; warc page; yaml; stats 1 2; wait never")
    job_id = queued(database, root)
    with pytest.raises(RuntimeError):
        leave_a_container(tool_context, job_id, docker)
    assert len(docker.running) == 1
    request_stop(tool_context.recovery, job_id)
    row = job_row(database, job_id)
    assert (row.status, row.stop_requested_at is not None) == ("queued", True)
    run_persistent_job(job_id, context=tool_context)
    assert (job_row(database, job_id).status, docker.running, len(docker.begun)) == ("stopped", [], 1)
