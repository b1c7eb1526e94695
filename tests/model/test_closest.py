from dataclasses import replace
from datetime import UTC, datetime, timedelta

from webstrata.model.captures import ArchivedCapture
from webstrata.model.replay.closest import by_closeness

NOON = datetime(2024, 5, 31, 12, tzinfo=UTC)
URL = "https://example.org/"
GOOD = ArchivedCapture(
    *(1, "org,example)/", NOON, URL, "text/html", 200, None, "response", "<1>", 0, 9, "a.warc.gz", "jobs/1", 1)
)


def at(seconds: float, **others: object) -> ArchivedCapture:
    return replace(GOOD, captured_at=NOON + timedelta(seconds=seconds), **others)  # type: ignore[arg-type]


def test_the_closest_capture_comes_first_and_of_two_as_close_the_earlier() -> None:
    captures = [at(90), at(-60), at(60), at(1, status_code=500), at(-3600)]
    assert by_closeness(captures, URL, NOON) == [captures[3], captures[1], captures[2], captures[0], captures[4]]


def test_a_capture_of_the_period_that_is_requested_comes_before_a_closer_one() -> None:
    within, after = at(-3600), at(60)
    assert by_closeness([after, within], URL, NOON, since=NOON - timedelta(days=1)) == [within, after]
    assert by_closeness([after, within], URL, NOON, since=NOON - timedelta(minutes=1)) == [after, within]


def test_within_a_second_the_very_url_comes_first_and_of_it_the_best_response() -> None:
    error, moved = at(0, status_code=404, id=2), at(0.2, status_code=301, id=3)
    other, revisit = at(0.4, url="http://example.org/", id=4), at(0.6, record_type="revisit", status_code=304, id=5)
    good = at(0.9, id=6)
    assert by_closeness([error, moved, other, revisit, good], URL, NOON) == [good, revisit, moved, error, other]
