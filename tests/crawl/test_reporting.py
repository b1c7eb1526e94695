"""What a crawl tells of itself while it goes."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.crawl.runs import Archive, make_unreadable
from tests.support.web_server import NOT_FOUND, Answer, WebServer, page, robots
from webstrata.crawl.tally import CrawlProgress
from webstrata.db.queue import frontier, run_reports
from webstrata.db.queue.frontier import FrontierCounts
from webstrata.model.crawl.run_reports import CrawlReport, HostReport
from webstrata.model.crawl.tasks import Link


def told(archive: Archive, *seeds: str, **knobs: object) -> list[CrawlProgress]:
    """Run a crawl and return all that it told."""
    heard: list[CrawlProgress] = []
    archive.crawl(*seeds, progress=heard.append, **knobs)
    return heard


def stored(archive: Archive) -> CrawlReport:
    with archive.database.read() as session:
        return run_reports.merged(session, archive.job_id, datetime.now(UTC))


def test_a_crawl_reports_what_came_back_and_what_failed_by_kind(
    archive: Archive, web_server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_unreadable(monkeypatch, "/broken")
    home = page("Home", "/gone", "/busy", "/private", "/broken")
    web_server.answers |= {
        "/robots.txt": robots("User-agent: *", "Disallow: /private"),
        "/": home,
        "/busy": Answer(status=503),
        "/broken": page("Broken"),
    }
    last = told(archive, web_server.url(), max_retries=2)[-1]
    assert last.counts == FrontierCounts(finished=3, error=2)
    assert last.report.responses == 3, "two pages and the one that is not there"
    assert last.report.errors == {"http_503": 2, "robots": 1, "internal": 1}, "every try counts"
    size = len(home.body) + len(page("Broken").body) + len(NOT_FOUND.body)
    assert last.report.bytes == size
    host = web_server.origin.removeprefix("http://")
    assert last.report.hosts == {host: HostReport(3, size, 4)}
    assert last.report.rate > 0
    assert stored(archive).errors == last.report.errors


def test_a_crawl_reports_what_all_its_workers_have_seen(archive: Archive, web_server: WebServer) -> None:
    web_server.answers["/"] = page("Home")
    now = datetime.now(UTC)
    with archive.database.write() as session:
        report = CrawlReport(responses=5, errors={"dns": 1})
        run_reports.write(session, archive.job_id, "there:2:other", report, now + timedelta(minutes=1))
        run_reports.write(session, archive.job_id, "gone:3:earlier", report, now - timedelta(minutes=1))
    last = told(archive, web_server.url())[-1]
    assert last.report.responses == 1 + 5, "what an earlier run saw is forgotten"
    assert last.report.errors == {"dns": 1}


def test_a_second_run_reports_itself_alone(archive: Archive, web_server: WebServer) -> None:
    web_server.answers["/"] = page("Home")
    assert told(archive, web_server.url())[-1].report.responses == 1
    again = told(archive, web_server.url())[-1]
    assert (again.counts.finished, again.report) == (1, CrawlReport())


def test_a_worker_that_helps_leaves_what_others_wrote_and_adds_its_own(archive: Archive, web_server: WebServer) -> None:
    web_server.answers["/"] = page("Home")
    now = datetime.now(UTC)
    with archive.database.write() as session:
        frontier.add_links(session, archive.job_id, [Link(web_server.url())], 0, now)
        run_reports.write(
            session, archive.job_id, "there:2:leader", CrawlReport(responses=5), now - timedelta(minutes=1)
        )
    archive.crawl(web_server.url(), leads=False)
    assert stored(archive).responses == 5 + 1
