"""What a monitor reads from a combined log."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from webstrata.archive_tool.monitor.health import LONGEST_LINE, LogFollower, LogReader
from webstrata.model.crawl.monitoring import Vitals
from webstrata.storage.combined_log import log_line, statistics_line

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
PAGE = "https://example.org/timed%20out"


def statistics(crawled: int) -> bytes:
    told = statistics_line(NOW, crawled=crawled, total=crawled + 9, pending=1, failed=0, most=0, hit=False)
    return told.encode()


def said(message: str, details: object, context: str = "pageStatus", level: str = "warn") -> bytes:
    line = {"timestamp": "…", "logLevel": level, "context": context, "message": message, "details": details}
    return json.dumps(line).encode() + b"\n"


def native(kind: str, **more: object) -> bytes:
    details = {"url": PAGE, "kind": kind, "reason": "no response in time", **more}
    return log_line(NOW, "warn", "pageStatus", "Page Load Failed", details).encode()


def read(log: bytes, known: int = 0) -> Vitals:
    reader = LogReader(known)
    reader.feed(log)
    return reader.vitals


def errors(log: bytes) -> dict[str, int]:
    return dict(read(log).errors)


REFUSED = said("Page Load Failed: will retry", {"msg": f"net::ERR_CONNECTION_REFUSED at {PAGE}", "url": PAGE})


def test_a_log_without_statistics_reports_no_pages() -> None:
    assert read(b"Unable to find image locally\n" + REFUSED) == Vitals(errors={"http": 1})


def test_pages_that_become_more_are_a_rise_and_pages_that_do_not_are_none() -> None:
    assert read(statistics(0) + statistics(0)) == Vitals(crawled=0)
    assert read(statistics(0) + statistics(3) + statistics(3) + statistics(4)) == Vitals(crawled=4, rises=2)
    assert read(statistics(4) + statistics(2)) == Vitals(crawled=4, rises=1)


def test_statistics_that_only_repeat_what_was_crawled_before_are_no_rise() -> None:
    assert read(statistics(120), known=120) == Vitals(crawled=120)
    assert read(statistics(120) + statistics(121), known=120).rises == 1
    assert read(statistics(0) + statistics(2), known=120).rises == 1, "a crawl that began from nothing again grows too"


def test_a_page_that_goes_well_resets_the_errors() -> None:
    storm = REFUSED * 4 + native("timeout") * 2
    assert errors(storm + statistics(1)) == {}
    assert errors(statistics(1) + storm + statistics(1)) == {"http": 4, "timeout": 2}


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (said("Page Load Failed: will retry", {"msg": "Navigation timeout of 90000 ms exceeded"}), "timeout"),
        (said("Page Load Failed: retry limit reached", {"msg": "net::ERR_TIMED_OUT at https://a.b/"}), "timeout"),
        (said("Page Load Failed: retry limit reached", {"msg": "net::ERR_FAILED"}, level="error"), "http"),
        (said("Page Load Failed, no response: will retry", {"url": PAGE}), "http"),
        (said("Page Load Timeout, skipping page", {"msg": "Navigation timeout"}, "general", "error"), "timeout"),
        (said("Page Loading Slowly, skipping behaviors", {"page": PAGE}, "general"), "timeout"),
        (said("Page load timed out, loading but slowly, skipping behaviors", {"page": PAGE}, "general"), "timeout"),
        (said("Page Worker Timeout", {"seconds": 280, "workerid": 0}, "worker", "error"), "timeout"),
        (said("Page Invalid Status: will retry", {"status": 503, "url": PAGE}), "http"),
        (said("Page Invalid Status", {"status": 429, "page": PAGE}, "general", "error"), "http"),
        (said("Page Load Error, skipping page", {"statusCode": 429, "page": PAGE}, "general", "error"), "http"),
        (said("Page Load Error, skipping page", {"msg": "net::ERR_NAME_NOT_RESOLVED"}, "general", "error"), "http"),
        (said("Page Crashed on Load: will retry", {"status": 200, "url": PAGE}), "http"),
        (said("Page is an empty non-200 response, not retrying", {"status": 502}), "http"),
        (REFUSED, "http"),
        (native("timeout"), "timeout"),
        (native("http"), "http"),
    ],
)
def test_failed_visits_are_counted_by_kind_whichever_version_reports_them(line: bytes, kind: str) -> None:
    assert errors(line) == {kind: 1}


@pytest.mark.parametrize(
    "line",
    [
        said("Page Invalid Status: will retry", {"status": 404, "url": PAGE}),
        said("Page Invalid Status: will retry", {"status": 403, "url": PAGE}),
        said("Page is an empty non-200 response, not retrying", {"status": 404}),
        said("Page Load Blocked, skipping", {"msg": "net::ERR_BLOCKED_BY_RESPONSE"}, "general"),
        said("Page Load Failed: will retry", {"msg": "x"}, context="jsError"),
        said("Page Load Failed", {"reason": "10 timeouts"}, context="monitor"),
        said("Page Load Failed", {"msg": "Navigation timeout"}, level="info"),
        said("Page Finished", {"page": PAGE}, level="info"),
        said("Link extraction timed out", {"seconds": 5}, "general"),
        b'{"event": "crawl.start", "level": "warn", "message": "Page Load Failed"}\n',
    ],
)
def test_missing_pages_messages_of_pages_and_lines_of_others_are_not_counted(line: bytes) -> None:
    assert errors(line) == {}


def test_a_line_may_stand_for_several_failed_visits() -> None:
    assert errors(native("http", count=7) + native("http")) == {"http": 8}
    assert errors(native("http", count=-3) + native("http", count=True) + native("http", count="9")) == {"http": 3}


def test_a_failure_that_older_versions_tell_of_three_times_counts_once() -> None:
    more = {"page": PAGE, "workerid": 5}
    told = said("Page Load Error, skipping page", {"statusCode": 429, **more}, "general", "error")
    again = {"msg": f"Page {PAGE} returned status code 429", **more}
    told += said("Page Load Error, skipping page", again, "general", "error")
    told += said("Page Load Failed", {"loadState": 0, **more})
    assert errors(told) == {"http": 1}
    assert errors(told * 3) == {"http": 3}


def test_a_crawl_that_makes_its_zim_reports_it() -> None:
    line = b"[zimit::2026-05-01] INFO:Calling warc2zim with these args: ['--name', 'x']\n"
    assert read(statistics(3) + line).is_past_crawling
    assert not read(said("Calling warc2zim with these args", {}, context="jsError")).is_past_crawling


LINES = st.sampled_from(
    [
        *(statistics(number) for number in range(5)),
        *(REFUSED, native("timeout"), native("http", count=3)),
        *(
            b"\n",
            b"\r\n",
            b"plain text\n",
            b'{"details": ' + b"[" * 2_000 + b"\n",
            b"\xff\xfe\x00{\n",
            b"{}\n",
            b"[]\n",
        ),
        *(b'{"message": "Crawl statistics", "details": {"crawled": %s}}\n' % odd for odd in (b"1e400", b"-1", b"null")),
        b'{"message": "Crawl statistics", "details": {"crawled": ' + b"9" * 5_000 + b"}}\n",
        b'{"message": "Crawl statistics", "details": {"crawled": true}}\n',
        statistics(9)[:-20],
    ]
)


@given(st.lists(LINES, max_size=12), st.data())
def test_a_log_reports_the_same_however_it_is_cut_into_pieces(lines: list[bytes], data: st.DataObject) -> None:
    log = b"".join(lines)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(log)), max_size=8)))
    reader = LogReader()
    for begin, end in zip([0, *cuts], [*cuts, len(log)], strict=True):
        reader.feed(log[begin:end])
    assert reader.vitals == read(log)


@given(st.binary(max_size=300))
@example(b"{" * 100_000 + b"\n")
@example(b'{"details":{"crawled":NaN},"message":"Crawl statistics"}\n')
def test_no_bytes_break_the_reader_or_keep_it_from_what_follows(garbage: bytes) -> None:
    assert read(garbage + b"\n" + statistics(3)).crawled == 3


@pytest.mark.parametrize("piece", [1_000, LONGEST_LINE + 500, 10 * LONGEST_LINE])
def test_a_line_without_end_is_not_kept_and_what_follows_it_counts(piece: int) -> None:
    long = b'{"details": {}, "x": "' + b"y" * LONGEST_LINE + b'"}\n'
    log = statistics(1) + long + REFUSED
    reader = LogReader()
    for begin in range(0, len(log), piece):
        reader.feed(log[begin : begin + piece])
        assert len(reader._rest) <= LONGEST_LINE
    assert reader.vitals == Vitals(crawled=1, rises=1, errors={"http": 1})


def test_a_log_is_followed_as_it_grows(tmp_path: Path) -> None:
    path, follower = tmp_path / "crawl.log", LogFollower()
    assert follower.read(None) == Vitals()
    path.write_bytes(statistics(1) + statistics(2)[:-9])
    assert follower.read(path) == Vitals(crawled=1, rises=1)
    with path.open("ab") as log:
        log.write(statistics(2)[-9:] + REFUSED)
    assert follower.read(path) == Vitals(crawled=2, rises=2, errors={"http": 1})
    assert follower.read(path) == follower.read(None) == Vitals(crawled=2, rises=2, errors={"http": 1})


def test_a_log_that_another_file_takes_the_place_of_is_read_from_its_beginning(tmp_path: Path) -> None:
    first, second, follower = tmp_path / "1.log", tmp_path / "2.log", LogFollower()
    first.write_bytes(statistics(5) + b"cut o")
    follower.read(first)
    second.write_bytes(statistics(6))
    assert follower.read(second) == Vitals(crawled=6, rises=2)
    second.write_bytes(statistics(7)[:-30])
    assert follower.read(second).crawled == 6, "cut off and begun again"
    second.write_bytes(statistics(7))
    assert follower.read(second).crawled == 7


def test_a_missing_log_has_no_statistics_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.log")
    for path in (tmp_path / "gone.log", tmp_path, tmp_path / "pipe.log"):
        assert LogFollower().read(path) == Vitals()
