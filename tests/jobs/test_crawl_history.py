"""What the logs and the state of a job tell of its crawl."""

import json
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from webstrata.jobs.progress import crawl_history
from webstrata.jobs.progress.crawl_history import (
    ATTEMPTS_SHOWN,
    CrawlAttempt,
    MonitorDecision,
    attempts_of,
    decisions_of,
    engine_of,
    run_statistics,
)
from webstrata.logs import HIDDEN
from webstrata.model.archive import JobView
from webstrata.storage.combined_log import INITIAL_CRAWL, RESUME_CRAWL, combined_log_name, statistics_line

NOON = datetime(2024, 5, 3, 12, tzinfo=UTC)


@pytest.fixture
def job(tmp_path: Path) -> JobView:
    """A job that began at noon, with a folder and nothing in it."""
    unknown = dict.fromkeys(JobView.__dataclass_fields__)
    told = {"id": 3, "output_dir": str(tmp_path), "config": {}, "started_at": NOON + timedelta(microseconds=5)}
    return JobView(**unknown | told)  # type: ignore[arg-type]


def write(job: JobView, stage: str, number: int, begun: datetime, *crawled: int) -> Path:
    path = Path(job.output_dir) / combined_log_name(stage, number, begun)
    lines = [
        statistics_line(
            begun + timedelta(seconds=n), crawled=seen, total=9, pending=9 - seen, failed=1, most=0, hit=False
        )
        for n, seen in enumerate(crawled)
    ]
    path.write_text("begun\n" + "noise\n".join(lines))
    os.utime(path, (begun.timestamp() + 60,) * 2)
    return path


def minutes(count: int) -> datetime:
    return NOON + timedelta(minutes=count)


def test_a_job_without_a_log_or_a_folder_has_no_history(job: JobView) -> None:
    for folder in (job.output_dir, "", "/nowhere"):
        without = replace(job, output_dir=folder)
        assert (attempts_of(without), decisions_of(without), run_statistics(without)) == ([], [], [])


def test_each_attempt_reports_its_stage_its_time_and_its_pages(job: JobView) -> None:
    write(job, RESUME_CRAWL, 1, minutes(2))
    write(job, INITIAL_CRAWL, 1, NOON, 1, 4)
    (Path(job.output_dir) / "archive_x_-_attempt_1_99999999_999999.combined.log").touch()
    assert attempts_of(job) == [
        CrawlAttempt(INITIAL_CRAWL, 1, NOON, minutes(1), crawled=4, total=9, failed=1),
        CrawlAttempt(RESUME_CRAWL, 1, minutes(2), minutes(3), crawled=None, total=None, failed=None),
    ]


def test_of_very_many_attempts_the_last_are_reported(job: JobView) -> None:
    for number in range(ATTEMPTS_SHOWN + 3):
        write(job, RESUME_CRAWL, number, minutes(number))
    assert [attempt.number for attempt in attempts_of(job)] == [*range(3, ATTEMPTS_SHOWN + 3)]


def test_the_statistics_of_a_run_are_those_of_all_its_attempts_and_of_no_earlier_run(job: JobView) -> None:
    write(job, INITIAL_CRAWL, 1, minutes(-5), 8, 9)
    write(job, INITIAL_CRAWL, 2, NOON, 0, 1, 2)
    write(job, RESUME_CRAWL, 1, minutes(2), 2, 5)
    assert [(seen.crawled, seen.pending) for seen in run_statistics(job)] == [(0, 9), (1, 8), (2, 7), (2, 7), (5, 4)]
    not_begun = replace(job, started_at=None)
    assert [seen.crawled for seen in run_statistics(not_begun)] == [2, 5], "at least the newest log"


def test_of_a_run_with_very_much_log_the_earliest_attempts_are_left_out(
    job: JobView, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(job, INITIAL_CRAWL, 1, NOON, 1)
    write(job, RESUME_CRAWL, 1, minutes(1), 2)
    last = write(job, RESUME_CRAWL, 2, minutes(2), 3)
    monkeypatch.setattr(crawl_history, "_MOST_READ_BYTES", 2 * last.stat().st_size + 5)
    assert [seen.crawled for seen in run_statistics(job)] == [2, 3]
    monkeypatch.setattr(crawl_history, "_MOST_READ_BYTES", 1)
    assert [seen.crawled for seen in run_statistics(job)] == [3]


def test_a_log_that_is_a_link_is_not_followed(job: JobView, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("other") / "secret"
    outside.write_text("not for you")
    (Path(job.output_dir) / combined_log_name(INITIAL_CRAWL, 1, NOON)).symlink_to(outside)
    assert (attempts_of(job), run_statistics(job)) == ([], [])


def test_decisions_are_reported_without_secrets_whatever_else_they_hold(job: JobView) -> None:
    told = replace(job, config={"tool_options": {"vpn_connect_command": "vpn --key abc"}})
    decisions = [
        {"at": NOON.isoformat(), "trouble": "stall", "reason": "vpn --key abc", "answer": "restart", "workers": 2},
        {"at": "soon", "reason": "token hunter2\x1b", "workers": True, "wait": "long"},
        {"at": "2024-05-03T12:00:00", "wait": 300},
    ]
    (Path(job.output_dir) / ".archive_state.json").write_text(json.dumps({"decisions": decisions}))
    assert decisions_of(told, ["hunter2"]) == [
        MonitorDecision(NOON, "stall", HIDDEN, "restart", 2, timedelta(0)),
        MonitorDecision(None, "", f"token {HIDDEN}\\x1b", "", None, timedelta(0)),
        MonitorDecision(NOON, "", "", "", None, timedelta(minutes=5)),
    ]


@pytest.mark.parametrize(
    ("config", "engine"),
    [(None, "native"), ({"tool_options": {}}, "native"), ({"tool_options": {"engine": "zimit"}}, "zimit")],
)
def test_a_job_is_crawled_by_the_engine_that_it_names(
    job: JobView, config: dict[str, object] | None, engine: str
) -> None:
    assert engine_of(replace(job, config=config)) == engine
