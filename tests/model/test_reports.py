import json

from hypothesis import given
from hypothesis import strategies as st

from webstrata.model.crawl.run_reports import HOSTS_REPORTED, OTHER_HOSTS, CrawlReport, HostReport, busiest, merged

counts = st.integers(0, 10**12)
host_reports = st.builds(HostReport, counts, counts, counts)
crawl_reports = st.builds(
    CrawlReport,
    responses=counts,
    bytes=counts,
    errors=st.dictionaries(st.text(max_size=9), counts, max_size=5),
    hosts=st.dictionaries(st.text(max_size=9), host_reports, max_size=5),
    rate=st.floats(0, 1e6),
)


@given(crawl_reports)
def test_a_report_comes_back_from_json_as_it_was(report: CrawlReport) -> None:
    assert CrawlReport.from_json(json.loads(json.dumps(report.to_json()))) == report


def test_what_is_odd_in_a_stored_report_counts_as_nothing() -> None:
    odd = {"responses": "many", "errors": ["x"], "hosts": {"a.example": 3, "b.example": {"bytes": 5}}, "rate": None}
    hosts = {"a.example": HostReport(), "b.example": HostReport(bytes=5)}
    assert CrawlReport.from_json(odd) == CrawlReport(hosts=hosts)
    assert CrawlReport.from_json({}) == CrawlReport()


def test_the_reports_of_several_processes_add_up() -> None:
    one = CrawlReport(3, 30, {"timeout": 1}, {"a.example": HostReport(3, 30, 1)}, 1.5)
    two = CrawlReport(
        5, 70, {"timeout": 1, "dns": 4}, {"a.example": HostReport(1, 10, 0), "b": HostReport(4, 60, 5)}, 2
    )
    both = merged([one, two])
    assert both == CrawlReport(
        8, 100, {"dns": 4, "timeout": 2}, {"b": HostReport(4, 60, 5), "a.example": HostReport(4, 40, 1)}, 3.5
    )
    assert list(both.errors) == ["dns", "timeout"]
    assert list(both.hosts) == ["b", "a.example"]
    assert merged([]) == CrawlReport()


def test_the_busiest_hosts_come_first_and_the_rest_is_one_sum() -> None:
    hosts = {f"h{n:03}": HostReport(responses=n, bytes=1) for n in range(HOSTS_REPORTED + 3)}
    kept = busiest(hosts)
    assert list(kept)[:2] == ["h052", "h051"]
    assert len(kept) == HOSTS_REPORTED + 1
    assert list(kept)[-1] == OTHER_HOSTS
    assert kept[OTHER_HOSTS] == HostReport(responses=0 + 1 + 2, bytes=3)


def test_of_equally_busy_hosts_the_name_decides() -> None:
    hosts = {name: HostReport(1, 1) for name in ("c", "a", "b")}
    assert list(busiest(hosts)) == ["a", "b", "c"]


@given(st.lists(crawl_reports, max_size=6), st.integers(0, 4))
def test_no_host_is_lost_from_the_sums(reports: list[CrawlReport], most: int) -> None:
    everything = sum((host for report in reports for host in report.hosts.values()), HostReport())
    kept = busiest(merged(reports).hosts, most)
    assert sum(kept.values(), HostReport()) == everything
    assert len(kept) <= most + 1
