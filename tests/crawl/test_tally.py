"""What a process counts while it crawls."""

import threading

import pytest

from tests.support.fetched import fetched
from webstrata.crawl import tally as tally_module
from webstrata.crawl.outcome import Outcome
from webstrata.crawl.tally import RATE_SECONDS, Tally
from webstrata.model.crawl.run_reports import OTHER_HOSTS, CrawlReport, HostReport
from webstrata.model.crawl.tasks import Task, TaskType


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def tally(clock: Clock) -> Tally:
    return Tally(clock)


def answered(url: str = "https://a.example/", body: bytes = b"x" * 10) -> Outcome:
    return Outcome(_task(url), fetched(url, body))


def failed(kind: str, url: str = "https://a.example/") -> Outcome:
    return Outcome(_task(url), error_kind=kind)


def _task(url: str) -> Task:
    return Task(1, url, 0, TaskType.PAGE, 0, "token")


def test_a_new_tally_has_seen_nothing(tally: Tally) -> None:
    assert tally.report() == CrawlReport()


def test_responses_bytes_and_failures_are_counted_in_all_and_by_host(tally: Tally) -> None:
    for outcome in (
        answered(),
        answered("https://b.example:8443/x", b"y" * 5),
        failed("timeout"),
        failed("http_503", "https://b.example:8443/y"),
        failed("timeout", "https://b.example:8443/y"),
    ):
        tally.saw(outcome)
    report = tally.report()
    assert (report.responses, report.bytes) == (2, 15)
    assert report.errors == {"timeout": 2, "http_503": 1}
    assert report.hosts == {"b.example:8443": HostReport(1, 5, 2), "a.example": HostReport(1, 10, 1)}


def test_the_rate_is_that_of_the_last_seconds(tally: Tally, clock: Clock) -> None:
    for _ in range(RATE_SECONDS * 2):
        tally.saw(answered())
        tally.saw(answered())
        tally.saw(failed("dns"))
        clock.now += 1
    assert tally.report().rate == pytest.approx(2, rel=0.15)
    clock.now += RATE_SECONDS
    assert tally.report().rate == 0
    assert tally.report().responses == RATE_SECONDS * 4


def test_a_run_that_just_began_is_measured_by_the_time_it_had(tally: Tally, clock: Clock) -> None:
    clock.now += 2
    for _ in range(10):
        tally.saw(answered())
    assert tally.report().rate == 5


def test_very_many_hosts_take_no_more_room_than_some(tally: Tally, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tally_module, "_MOST_HOSTS", 100)
    for n in range(1_000):
        tally.saw(answered(f"https://h{n}.example/"))
        tally.saw(answered("https://busy.example/"))
    assert len(tally._hosts) <= 201
    report = tally.report()
    assert next(iter(report.hosts)) == "busy.example"
    assert report.hosts["busy.example"].responses == 1_000
    assert sum(host.responses for host in report.hosts.values()) == 2_000
    assert OTHER_HOSTS in report.hosts


def test_it_can_be_read_while_another_thread_counts(tally: Tally) -> None:
    done = threading.Event()

    def count() -> None:
        for n in range(5_000):
            tally.saw(answered(f"https://h{n}.example/"))
        done.set()

    counting = threading.Thread(target=count)
    counting.start()
    while not done.is_set():
        report = tally.report()
        assert sum(host.responses for host in report.hosts.values()) == report.responses
    counting.join()
    assert tally.report().responses == 5_000


def test_failures_are_reported_once_and_only_those_that_state_something_about_the_site(tally: Tally) -> None:
    for kind in ("timeout", "robots", "http_503", "internal", "blocked", "connect"):
        tally.saw(failed(kind, f"https://a.example/{kind}"))
    tally.saw(answered())
    told = [(failure.url.rpartition("/")[2], failure.kind, failure.count) for failure in tally.failures()]
    assert told == [("timeout", "timeout", 1), ("http_503", "http", 1), ("connect", "http", 1)]
    assert tally.failures() == ()


def test_a_storm_of_failures_is_reported_in_a_few_without_losing_count(tally: Tally) -> None:
    for number in range(5_000):
        tally.saw(failed("timeout" if number % 5 == 0 else "http_503"))
        assert len(tally._failures) <= 10 * tally_module._MOST_FAILURES
    told = tally.failures()
    assert len(told) == 2 * tally_module._MOST_FAILURES
    assert sum(failure.count for failure in told if failure.kind == "timeout") == 1_000
    assert sum(failure.count for failure in told if failure.kind == "http") == 4_000


def test_a_crawl_is_idle_since_it_last_settled_a_url_well_or_not(tally: Tally, clock: Clock) -> None:
    clock.now += 30
    assert tally.report().idle == 30
    tally.saw(failed("dns"))
    clock.now += 7
    assert tally.report().idle == 7
    tally.saw(answered())
    assert tally.report().idle == 0
