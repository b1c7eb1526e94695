"""What fetches for a job: the web, a proxy, or nobody."""

from dataclasses import replace

from tests.fetch.proxying import proxying
from tests.jobs.rows import job_row
from tests.support.web_server import WebServer, linked_site
from webstrata.db.operations import catalog
from webstrata.jobs.running.lifecycle import Runner
from webstrata.jobs.running.queueing import queue_archive
from webstrata.model.jobs.job import JobStatus


def test_a_dry_run_asks_no_one_and_ends_with_its_seeds(runner: Runner, web_server: WebServer) -> None:
    seeds = (web_server.url("/one"), web_server.url("/two"))
    job_id = queue_archive(runner.database, runner.archive_root, seeds, crawl={"fetcher": "null"})
    summary = runner.run(job_id)
    assert (summary.status, summary.captured, summary.failed) == (JobStatus.INDEXED, 2, 0)
    assert web_server.requests == []
    with runner.database.read() as session:
        titles = {snapshot.title for snapshot in catalog.job_snapshots(session, job_id, limit=9, offset=0)}
    assert titles == {f"Dry run: {seed}" for seed in seeds}


def test_a_job_goes_through_the_proxy_that_is_set(runner: Runner, web_server: WebServer) -> None:
    web_server.answers |= linked_site(2)
    job_id = queue_archive(runner.database, runner.archive_root, (web_server.url(),), crawl={"respect_robots": False})
    with proxying() as proxy:
        summary = replace(runner, proxy=proxy.url()).run(job_id)
    assert summary.failed == 0
    assert job_row(runner.database).status == "indexed"
    assert len(proxy.heads) == len(web_server.requests) == summary.captured
