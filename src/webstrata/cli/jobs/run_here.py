"""Jobs that a command queues and runs itself, with their progress and a summary."""

import sys
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

from webstrata.app import App
from webstrata.cli.browser.previews_later import with_previews_later
from webstrata.cli.jobs.following import follow
from webstrata.cli.jobs.progress import watching
from webstrata.cli.jobs.summary import print_summary
from webstrata.cli.notifications.delivering import deliver_here
from webstrata.cli.serving import refuse_busy_port, serve_until_stopped
from webstrata.cli.start import started
from webstrata.db.queue import jobs
from webstrata.db.sources import sources
from webstrata.errors import LeaseLostError, UsageError, WebstrataError
from webstrata.fetch.browser.programs import check_browser
from webstrata.fetch.choice import WITH_BROWSER
from webstrata.jobs.running.leaders import find_leader
from webstrata.jobs.running.lifecycle import JobSummary, Runner
from webstrata.jobs.running.queueing import queue_archive
from webstrata.jobs.sources.job_files import JobFile, read_job_file
from webstrata.jobs.sources.source_choice import known_source
from webstrata.model.crawl.crawl_config import CRAWL_SETTING_TYPES
from webstrata.model.crawl.scope import ScopeRules
from webstrata.model.jobs.job import SETTLED, JobStatus
from webstrata.model.urls import parse_url, with_scheme

_HOLD = timedelta(minutes=1)
"""How long workers do not take a job that is about to be run here."""

DEMO_CODE = "demo"
DEMO_NAME = "Northvale, the built-in demo site"


def archive_here(urls: list[str], file: Path | None, settings: dict[str, object]) -> None:
    """Archive the addresses, or what the job file describes."""
    with started(quiet=True) as app:
        job = _requested_job(app, urls, file)
        crawl = {**job.crawl, **settings}
        _refuse_missing_browser(app, job.seeds, job.source_code, crawl)
        if job.source_code is None:
            _name_source(app, job.seeds)
        job_id = queue_archive(
            app.database,
            app.archive_root,
            job.seeds,
            crawl=crawl,
            # Without options, the settings of the source apply, if it has any.
            scope=None if job.scope == ScopeRules.of(job.seeds) else job.scope,
            plugins=job.plugins,
            code=job.source_code,
            name=job.source_name,
            hold=_HOLD,
        )
        print_summary(_run_job(app, job_id, label=job.seeds[0]), next_step="webstrata serve")


def run_here(site: str | None, port: int | None) -> None:
    """Archive a site, or the demo, and serve the archive until stopped."""
    with started(quiet=sys.stderr.isatty()) as app:
        address = (app.settings.host, port or app.settings.port)
        refuse_busy_port(*address)
        place = f"http://{address[0]}:{address[1]}/"
        if site is None:
            _archive_demo(app, place)
        else:
            seeds = (parse_url(with_scheme(site)).href,)
            _refuse_missing_browser(app, seeds, None, {})
            _name_source(app, seeds)
            job_id = queue_archive(app.database, app.archive_root, seeds, hold=_HOLD)
            print_summary(_run_job(app, job_id, label=site), next_step=place)
    serve_until_stopped(*address)


def _requested_job(app: App, urls: list[str], file: Path | None) -> JobFile:
    """Return the requested job, from the command line or from a job file."""
    if bool(urls) == (file is not None):
        raise UsageError("give either a URL such as https://example.org/ or a job file (--file)")
    if file is not None:
        return read_job_file(file, CRAWL_SETTING_TYPES, app.runner().defaults.overridden)
    seeds = tuple(parse_url(with_scheme(url)).href for url in urls)
    return JobFile(seeds, ScopeRules.of(seeds))


def _refuse_missing_browser(app: App, seeds: tuple[str, ...], code: str | None, crawl: Mapping[str, object]) -> None:
    """Raise MissingExtraError, before the job is queued, when it needs a browser that is not installed."""
    owner = known_source(app.database, seeds) if code is None else None
    with app.database.read() as session:
        entry = sources.own_entry(session, owner.code) if owner is not None else None
    config = app.runner().defaults.overridden({**(entry.crawl if entry else {}), **crawl})
    if config.fetcher in WITH_BROWSER:
        check_browser(app.settings.chromium)


def _name_source(app: App, seeds: tuple[str, ...]) -> None:
    """Print the source that addresses belong to, if the archive has it already."""
    known = known_source(app.database, seeds)
    if known is not None:
        print(f"{seeds[0]} belongs to the source {known.code}: webstrata sources show {known.code}", flush=True)


def _archive_demo(app: App, place: str) -> None:
    """Archive both editions of the demo site the first time, the second one later."""
    from webstrata.demo.server import serve_demo
    from webstrata.demo.site import DEMO_HOST, DEMO_PORT

    with app.database.read() as session:
        seen_before = jobs.has_indexed_job(session, DEMO_CODE)
    for edition in (2,) if seen_before else (1, 2):
        with serve_demo(edition) as origin:
            job_id = queue_archive(
                app.database, app.archive_root, (origin,), code=DEMO_CODE, name=DEMO_NAME, hold=_HOLD
            )
            label = f"demo site, edition {edition}"
            print_summary(_run_job(app, job_id, (DEMO_HOST, DEMO_PORT), label=label), next_step=place, label=label)


def _run_job(app: App, job_id: int, *allowed_endpoints: tuple[str, int], label: str) -> JobSummary:
    runner = with_previews_later(app, app.runner(*allowed_endpoints))
    summary = _lead_or_follow(app, runner, job_id, label)
    deliver_here(app)
    if summary.status is JobStatus.STOPPED:
        print_summary(summary, next_step="run the same command again to continue")
        raise KeyboardInterrupt
    if summary.status in (JobStatus.FAILED, JobStatus.INDEX_FAILED):
        raise WebstrataError(summary.reason or f"job {job_id} failed")
    return summary


def _lead_or_follow(app: App, runner: Runner, job_id: int, label: str) -> JobSummary:
    """Run a job here; if another process is running it, show its progress, and continue the job if that process leaves
    it."""
    while True:
        try:
            with watching(label) as watcher:
                return runner.run(job_id, watcher)
        except LeaseLostError:
            leader = find_leader(app.database, app.archive_root, job_id)
            if leader is None and (summary := runner.summary(job_id)).status in SETTLED:
                return summary
            if leader is None:
                raise
        follow(app, leader, label)
