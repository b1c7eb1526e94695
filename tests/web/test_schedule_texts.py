import pytest

from webstrata.web.schedule_texts import schedule_words


@pytest.mark.parametrize(
    ("schedule", "words"),
    [
        ("7d", "every week"),
        ("2w", "every 2 weeks"),
        ("10d", "every 10 days"),
        ("daily", "every day"),
        ("6h", "every 6 hours"),
        ("90m", "every 90 minutes"),
        ("monthly", "every month"),
        ("quarterly", "every 3 months"),
        ("yearly", "every year"),
        ("0 3 * * *", "every day at 03:00 UTC"),
        ("5 3 * * 1", "Mondays at 03:05 UTC"),
        ("0 22 * * fri,mon,0", "Sundays, Mondays and Fridays at 22:00 UTC"),
        ("30 4 1 * *", "on day 1 of every month at 04:30 UTC"),
        ("0  */6 * * *", "by the cron line 0 */6 * * * (UTC)"),
        ("0 3 1 * 1", "by the cron line 0 3 1 * 1 (UTC)"),
        ("0 3 * 1 *", "by the cron line 0 3 * 1 * (UTC)"),
        ("when it rains", "when it rains"),
    ],
)
def test_a_schedule_reads_as_people_say_it(schedule: str, words: str) -> None:
    assert schedule_words(schedule) == words
