"""One site, one source: whose job it is when some addresses are archived."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.jobs.rows import set_row
from webstrata.db.engine import Database
from webstrata.db.queue import jobs
from webstrata.db.queue.jobs import StoredJob
from webstrata.db.schema.tables import Source
from webstrata.db.sources import sources
from webstrata.errors import ConflictError, UsageError
from webstrata.jobs.running.queueing import queue_archive, queue_tool_job
from webstrata.jobs.sources.registry import make_job, seed_sources
from webstrata.jobs.sources.source_choice import known_source
from webstrata.jobs.sources.source_commands import SourceCommands, SourceRequest
from webstrata.model.crawl.scope import ScopeRules
from webstrata.model.jobs.job import JobStatus

SITE = "https://example.org/"
SPELLINGS = ("https://example.org", "http://example.org/", "http://www.example.org:80/", "https://WWW.example.org:443")

Archive = Callable[..., StoredJob]


@pytest.fixture
def archive(database: Database, root: Path) -> Archive:
    """Queues a job for an address and returns it."""

    def queue(*urls: str, **given: object) -> StoredJob:
        job_id = queue_archive(database, root, urls, **given)  # type: ignore[arg-type]
        with database.read() as session:
            return jobs.load_job(session, job_id)

    return queue


@pytest.fixture
def orders(database: Database, root: Path) -> SourceCommands:
    return SourceCommands(database, root)


def codes(database: Database) -> list[str]:
    with database.read() as session:
        return sources.known_codes(session)


@pytest.mark.parametrize("spelling", [*SPELLINGS, f"{SITE}news/today"])
def test_an_address_in_a_sources_scope_is_archived_for_that_source(
    database: Database, archive: Archive, orders: SourceCommands, spelling: str
) -> None:
    orders.add(SourceRequest((SITE,), "mine", options={"max_pages": 7}))
    job = archive(spelling, crawl={"max_depth": 1})
    assert (job.source_code, codes(database)) == ("mine", ["mine"])
    assert dict(job.config.crawl) == {"max_pages": 7, "max_depth": 1}, "the source's own settings apply, but for others"
    found = known_source(database, (spelling,))
    assert found
    assert found.code == "mine"


def test_a_sources_rules_bind_what_is_archived_for_it(database: Database, archive: Archive) -> None:
    seed_sources(database, datetime.now(UTC))
    job = archive("https://canada.ca/en/public-health/services.html")
    assert job.source_code == "phac"
    assert not job.config.rules.admits("https://www.canada.ca/en/revenue-agency.html")
    own = archive("https://canada.ca/en/health-canada/", scope=ScopeRules(("canada.ca",)))
    assert (own.source_code, own.config.rules.allow_paths) == ("hc", ())
    assert archive("https://www.canada.ca/en/revenue-agency.html").source_code == "canada-ca"
    assert archive("https://www.canada.ca/en/taxes.html").source_code == "canada-ca"


def test_an_address_that_no_source_follows_gets_a_source_of_its_own(
    database: Database, archive: Archive, orders: SourceCommands
) -> None:
    orders.add(SourceRequest(("https://other.example/",), "example-org"))
    assert archive(SITE).source_code == "example-org-2"
    assert archive(f"{SITE}more").source_code == "example-org-2"
    with database.write() as session:
        jobs.ensure_source(session, "empty-example", name="Registered folders", base_url=None)
    assert archive("https://empty.example/").source_code == "empty-example"


def test_a_code_that_is_given_is_the_source_whatever_others_follow(archive: Archive, orders: SourceCommands) -> None:
    orders.add(SourceRequest((SITE,), "mine"))
    assert archive(SITE, code="other").source_code == "other"


def test_a_disabled_source_takes_no_address_in(archive: Archive, orders: SourceCommands) -> None:
    orders.add(SourceRequest((SITE,), "mine"))
    orders.set_enabled("mine", False)
    with pytest.raises(ConflictError, match="mine is disabled"):
        archive(f"{SITE}news")


@pytest.mark.parametrize("status", [JobStatus.RUNNING, JobStatus.QUEUED, JobStatus.RETRYABLE, JobStatus.STOPPED])
def test_another_spelling_leads_to_the_job_that_runs_or_waits(
    database: Database, archive: Archive, status: JobStatus
) -> None:
    first = archive(SITE)
    set_row(database, first.id, status=status)
    assert {archive(spelling).id for spelling in SPELLINGS} == {first.id}


def test_a_job_that_runs_for_more_addresses_is_the_job_of_each(
    database: Database, root: Path, archive: Archive, orders: SourceCommands
) -> None:
    orders.add(SourceRequest((SITE, f"{SITE}fr/"), "mine"))
    job_id = make_job(database, root, "mine").id
    assert archive("http://www.example.org/fr").id == job_id
    assert archive(f"{SITE}fr/", crawl={"max_pages": 1}).id != job_id, "its settings are not another job's"
    set_row(database, job_id, status=JobStatus.INDEXED)
    assert archive(f"{SITE}de/").id != job_id


def test_a_job_of_zimit_that_waits_is_the_job_of_its_address(
    database: Database, root: Path, archive: Archive, orders: SourceCommands
) -> None:
    orders.add(SourceRequest((SITE,), "mine", options={"engine": "zimit"}))
    job_id = make_job(database, root, "mine").id
    assert archive("http://example.org").id == job_id


def test_archive_tool_by_hand_works_for_the_source_of_its_address(
    database: Database, root: Path, orders: SourceCommands
) -> None:
    orders.add(SourceRequest((SITE,), "mine"))
    job_id = queue_tool_job(database, root, name="by-hand", urls=("www.example.org",), output_dir=root / "by-hand")
    with database.read() as session:
        assert jobs.load_job(session, job_id).source_code == "mine"


def test_an_invalid_row_does_not_block_other_sources(database: Database, archive: Archive) -> None:
    archive(SITE)
    with database.write() as session:
        odd = jobs.ensure_source(session, "odd", name="Odd", base_url="https://odd.example/")
        session.get_one(Source, odd).job_config = {"no": "entry"}
        bad = jobs.ensure_source(session, "bad", name="Bad", base_url="no address")
        jobs.set_job(session, 1, source_id=bad, config={"scope": {"allowed_domains": ["?"]}, "seeds": [SITE]})
    assert archive(f"{SITE}more").source_code == "example-org"
    with pytest.raises(UsageError, match="unknown key in the registry's entry of odd"):
        archive("http://www.odd.example")
