"""When a job is tried again."""

from datetime import timedelta

import pytest

from webstrata.model.jobs.attempts import MAX_CRAWL_RETRIES, how_it_died, rest_after_trouble, rest_before_retry

MINUTE = timedelta(minutes=1)


def test_trouble_of_ours_makes_a_job_rest_longer_each_time_up_to_an_hour() -> None:
    rests = [rest_after_trouble(pauses) for pauses in range(8)]
    assert rests[:4] == [MINUTE, 2 * MINUTE, 4 * MINUTE, 8 * MINUTE]
    assert rests[6:] == [timedelta(hours=1)] * 2
    assert rest_after_trouble(10**6) == timedelta(hours=1)


def test_a_crawl_without_any_capture_is_retried_twice() -> None:
    rests = [rest_before_retry(count) for count in range(MAX_CRAWL_RETRIES + 2)]
    assert rests == [MINUTE, 10 * MINUTE, None, None]
    assert rest_before_retry(0, 0) is None


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (-9, "the crawler was killed (SIGKILL) before it was done"),
        (-64, "the crawler was killed (SIGRTMAX) before it was done"),
        (-200, "the crawler was killed (signal 200) before it was done"),
        (3, "the crawler ended with exit code 3 before it was done"),
    ],
)
def test_how_a_program_died_is_reported_in_words(code: int, words: str) -> None:
    assert how_it_died("the crawler", code) == words
