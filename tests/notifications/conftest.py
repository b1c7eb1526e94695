"""An archive whose site changes, a receiver of webhooks, and what delivers to it."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from pathlib import Path

import pytest

from tests.index.jobs import SITE, Job, crawled_job
from tests.notifications.receiver import Receiver, receiving
from tests.support.fetched import fetched
from webstrata.changes.stage import ChangeTracking
from webstrata.db.engine import Database
from webstrata.db.queue import jobs
from webstrata.fetch.guard import NetworkGuard
from webstrata.fetch.posting import Poster
from webstrata.index.version import INDEX_VERSION
from webstrata.jobs.watching.search_matching import SearchMatching
from webstrata.model.notifications.rules import DeliveryPolicy
from webstrata.notifications.apprise_sending import AppriseSender
from webstrata.notifications.delivery import Delivery
from webstrata.notifications.sending import Sender

LOOPBACK = (ip_network("127.0.0.0/8"),)

Run = Callable[[dict[str, str]], Job]
Deliver = Callable[..., Delivery]


def dose(amount: str) -> str:
    """A page whose dose is all that changes."""
    return f"<title>Fever</title><main><h1>Fever</h1><p>Adults take {amount} of ibuprofen every 6 hours.</p></main>"


@pytest.fixture
def run(database: Database, tmp_path: Path) -> Run:
    """Returns what archives a site once more, a day after the last time, and computes its changes."""
    moments = iter(datetime.now(UTC) + timedelta(days=day) for day in range(100))

    def archive(pages: dict[str, str]) -> Job:
        job, at = crawled_job(database, tmp_path), next(moments)
        job.set(was_crawled_here=True)
        job.add_warc([fetched(f"{SITE}{path}", page, at=at) for path, page in pages.items()], f"job-{job.id}.warc.gz")
        assert job.index() == 0
        compute(job)
        return job

    return archive


def compute(job: Job) -> None:
    """Compute the changes of a job's source."""
    match = SearchMatching(job.database).match
    ChangeTracking(job.database, job.root, INDEX_VERSION, match_searches=match).compute(source_of(job))


def source_of(job: Job) -> int:
    """Return the number of a job's source."""
    with job.database.read() as session:
        return jobs.load_job(session, job.id).source_id


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as running:
        yield running


@pytest.fixture
def deliver(database: Database, tmp_path: Path) -> Deliver:
    """Returns what makes a delivery that retries at once, so many times."""

    def make(attempts: int = 3, networks: tuple[object, ...] = LOOPBACK) -> Delivery:
        sender = Sender(
            Poster(NetworkGuard(networks), 10),  # type: ignore[arg-type]
            AppriseSender(networks, 10, "https://archive.example"),  # type: ignore[arg-type]
            "https://archive.example",
            "test",
        )
        return Delivery(database, tmp_path, sender, DeliveryPolicy(attempts, timedelta(0)))

    return make
