"""What a crawl writes into its combined log, and what a monitor reads there."""

import json
from pathlib import Path

import pytest

from tests.crawl.runs import new_archive
from tests.support.web_server import Answer, WebServer, page
from webstrata.archive_tool.monitor.health import LogFollower
from webstrata.crawl.tally import CrawlProgress
from webstrata.db.engine import Database
from webstrata.db.queue.frontier import FrontierCounts
from webstrata.jobs.progress.crawl_log import FAILURES_LOGGED, STATISTICS_EVERY, CrawlLog
from webstrata.model.crawl.failures import VisitFailure
from webstrata.model.crawl.monitoring import Vitals
from webstrata.model.crawl.run_reports import CrawlReport


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def written(tmp_path: Path, clock: Clock) -> CrawlLog:
    return CrawlLog(tmp_path / "crawl.log", 10, clock)


def lines(log: CrawlLog) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.path.read_text().splitlines()]


def progress(finished: int, *failures: VisitFailure) -> CrawlProgress:
    return CrawlProgress(FrontierCounts(finished=finished, pending=5), CrawlReport(), failures)


def timeout(url: str = "https://example.org/slow", count: int = 1) -> VisitFailure:
    return VisitFailure(url, "timeout", f"{url}: no response in time", count)


def test_failed_visits_come_with_the_statistics_and_before_them(written: CrawlLog, clock: Clock) -> None:
    written.record(progress(1))
    written.record(progress(1, timeout()))
    assert len(lines(written)) == 1, "not before it is time"
    clock.now += STATISTICS_EVERY
    written.record(progress(2))
    first, failure, statistics = lines(written)
    assert {key: failure[key] for key in ("logLevel", "context", "message", "details")} == {
        "logLevel": "warn",
        "context": "pageStatus",
        "message": "Page Load Failed",
        "details": {
            "url": "https://example.org/slow",
            "kind": "timeout",
            "reason": "https://example.org/slow: no response in time",
        },
    }
    assert first["context"] == statistics["context"] == "crawlStatus"
    written.write(FrontierCounts(finished=2))
    assert len(lines(written)) == 4, "told once"


def test_a_storm_takes_a_few_lines_and_every_failure_counts(written: CrawlLog) -> None:
    written.record(progress(0))
    for _ in range(1_000):
        written.record(progress(0, timeout(count=3), VisitFailure("https://example.org/", "http", "503")))
    written.write(FrontierCounts())
    assert len(lines(written)) == 2 + 2 * FAILURES_LOGGED
    assert LogFollower().read(written.path) == Vitals(crawled=0, errors={"timeout": 3_000, "http": 1_000})


def test_passwords_in_addresses_are_hidden_and_nothing_is_longer_than_a_line_should_be(written: CrawlLog) -> None:
    written.record(progress(0, timeout("https://me:s3cr3t@example.org/")))
    written.record(progress(0, timeout(f"https://me:{'s3cr3t' * 200}@example.org/\n{'x' * 5_000}")))
    written.write(FrontierCounts())
    text = written.path.read_text()
    assert "s3cr3t" not in text
    assert "https://me:********@example.org/" in text
    assert max(map(len, text.splitlines())) < 2_000


def test_a_monitor_sees_in_a_real_crawl_what_failed_and_that_failures_are_no_progress(
    database: Database, web_server: WebServer, tmp_path: Path
) -> None:
    web_server.answers |= {
        "/": page("Home", "/busy", "/limited", "/gone"),
        "/busy": Answer(status=503),
        "/limited": Answer(status=429),
    }
    log = CrawlLog(tmp_path / "crawl.log", 10)
    archive = new_archive(database, tmp_path / "archive")
    end = archive.crawl(web_server.url(), progress=log.record, max_retries=3)
    log.write(end.counts)
    told = [line["details"] for line in lines(log) if line["context"] == "pageStatus"]
    assert all(isinstance(details, dict) and details["kind"] == "http" for details in told)
    counts = [details.get("count", 1) for details in told if isinstance(details, dict)]
    assert sum(counts) == 6, "every try counts"
    vitals = LogFollower().read(log.path)
    assert vitals.crawled == 2, "the page and the one that is not there, which is an answer"
