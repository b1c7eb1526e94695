"""Combined logs, ours and other crawlers'."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from webstrata.errors import StorageError
from webstrata.storage.combined_log import (
    Statistics,
    combined_log_name,
    latest_combined_log,
    next_attempt,
    parse_last_stats_from_log,
    statistics_line,
    statistics_of,
    tail,
)

NOW = datetime(2026, 5, 1, 12, 30, 15, tzinfo=UTC)


def line(n: int) -> str:
    moment = NOW + timedelta(seconds=n)
    return statistics_line(moment, crawled=n, total=n + 2, pending=1, failed=1, most=0, hit=False)


def written(folder: Path, text: str, stage: str = "initial_crawl", attempt: int = 1, when: datetime = NOW) -> Path:
    path = folder / combined_log_name(stage, attempt, when)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_log_is_named_by_stage_attempt_and_moment() -> None:
    assert (
        combined_log_name("initial_crawl", 2, NOW) == "archive_initial_crawl_-_attempt_2_20260501_123015.combined.log"
    )


def test_a_line_of_statistics_is_compact_json_as_browsertrix_writes_it() -> None:
    told = statistics_line(NOW, crawled=4, total=4, pending=0, failed=0, most=0, hit=False)
    assert told == (
        '{"timestamp":"2026-05-01T12:30:15.000Z","logLevel":"info","context":"crawlStatus",'
        '"message":"Crawl statistics","details":{"crawled":4,"total":4,"pending":0,"failed":0,'
        '"limit":{"max":0,"hit":false},"pendingPages":[]}}\n'
    )


def test_the_last_statistics_are_found_among_other_lines(tmp_path: Path) -> None:
    path = written(tmp_path, line(1) + "something else\n" + line(7) + "x" * 200_000 + "\nthe end\n")
    stats = parse_last_stats_from_log(path)
    assert stats is not None
    assert (stats["crawled"], stats["total"], stats["limit"]) == (7, 9, {"max": 0, "hit": False})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nothing of interest\n",
        line(3)[:-30],
        '{"message": "Crawl statistics"}\n',
        '{"timestamp": "yesterday", "message": "Crawl statistics", "details": {}}\n',
        '{"timestamp": "2026-05-01T12:00:00Z", "message": "Crawl statistics", "details": []}\n',
        '{"timestamp": "2026-05-01T12:00:00Z", "message": "a page: Crawl statistics", "details": {"crawled": 9}}\n',
        '["Crawl statistics"]\n',
    ],
)
def test_a_log_without_statistics_has_none(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, text)
    assert parse_last_stats_from_log(path) is None
    assert statistics_of(path) == []


def test_a_torn_last_line_leaves_the_one_before(tmp_path: Path) -> None:
    path = written(tmp_path, line(5) + line(6)[:-10])
    assert (parse_last_stats_from_log(path) or {})["crawled"] == 5


def test_statistics_over_time_are_thinned_and_end_with_the_last(tmp_path: Path) -> None:
    path = written(tmp_path, "".join(map(line, range(1_001))))
    found = statistics_of(path, points=50)
    assert 25 <= len(found) <= 50
    assert (found[0].crawled, found[-1]) == (0, Statistics(NOW + timedelta(seconds=1000), 1000, 1002, 1, 1))
    assert [s.at for s in found] == sorted(s.at for s in found)


@pytest.mark.parametrize("count", [1, 2, 49, 50, 51, 99, 100, 101])
def test_any_number_of_statistics_can_be_thinned(tmp_path: Path, count: int) -> None:
    found = statistics_of(written(tmp_path, "".join(map(line, range(count)))), points=50)
    assert len(found) <= 50
    assert (found[0].crawled, found[-1].crawled) == (0, count - 1)
    assert len(set(found)) == len(found)


def test_the_tail_is_the_last_lines_within_its_bytes(tmp_path: Path) -> None:
    path = written(tmp_path, "".join(f"line {n}\n" for n in range(10_000)))
    assert tail(path, lines=3) == ["line 9997", "line 9998", "line 9999"]
    short = tail(path, max_bytes=100)
    assert short[-1] == "line 9999"
    assert all(whole.startswith("line ") for whole in short)
    assert tail(written(tmp_path, "x" * 500, attempt=2), max_bytes=100) == ["x" * 100]


def test_the_latest_log_and_the_next_attempt_are_recognised_by_the_names(tmp_path: Path) -> None:
    assert latest_combined_log(tmp_path / "gone") is None
    assert next_attempt(tmp_path, "initial_crawl") == 1
    written(tmp_path, "", "initial_crawl", 1, NOW)
    written(tmp_path, "", "initial_crawl", 2, NOW - timedelta(days=1))
    last = written(tmp_path, "", "resume_crawl", 1, NOW + timedelta(seconds=1))
    (tmp_path / "archive.combined.log").write_text("")
    assert latest_combined_log(tmp_path) == last
    assert (next_attempt(tmp_path, "initial_crawl"), next_attempt(tmp_path, "new_crawl_phase")) == (3, 1)


def test_a_log_that_is_gone_is_a_storage_error_that_names_it(tmp_path: Path) -> None:
    for read in (parse_last_stats_from_log, statistics_of, tail):
        with pytest.raises(StorageError, match=r"gone\.log"):
            read(tmp_path / "gone.log")
