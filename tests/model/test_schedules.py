from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.errors import UsageError
from webstrata.model.jobs.schedules import Cron, Interval, next_after, next_run, parse_schedule


def at(text: str) -> datetime:
    return datetime.fromisoformat(f"{text}+00:00")


@pytest.mark.parametrize(
    ("said", "interval"),
    [
        ("6h", Interval(timedelta(hours=6))),
        ("7d", Interval(timedelta(days=7))),
        ("2w", Interval(timedelta(weeks=2))),
        ("90m", Interval(timedelta(minutes=90))),
        ("1min", Interval(timedelta(minutes=1))),
        ("daily", Interval(timedelta(days=1))),
        ("@weekly", Interval(timedelta(weeks=1))),
        ("Hourly", Interval(timedelta(hours=1))),
        ("monthly", Interval(months=1)),
        ("quarterly", Interval(months=3)),
        ("annual", Interval(months=12)),
        ("every 3 days", Interval(timedelta(days=3))),
        ("every day", Interval(timedelta(days=1))),
        ("12 hours", Interval(timedelta(hours=12))),
        ("2mo", Interval(months=2)),
        ("1y", Interval(months=12)),
        ("P7D", Interval(timedelta(days=7))),
        ("PT6H", Interval(timedelta(hours=6))),
        ("PT30M", Interval(timedelta(minutes=30))),
        ("P1M", Interval(months=1)),
        ("P1Y", Interval(months=12)),
    ],
)
def test_an_interval_is_read_as_people_write_it(said: str, interval: Interval) -> None:
    assert parse_schedule(said) == interval


@pytest.mark.parametrize(
    "said", ["", "7", "0d", "d", "sometimes", "-1d", "1.5h", "30s", "99999d", "P", "PT", "P1DT2H", "1000y", "* * * *"]
)
def test_what_is_no_schedule_is_refused_with_examples(said: str) -> None:
    with pytest.raises(UsageError, match=r"is not a schedule \(expected an interval such as 6h, 7d"):
        parse_schedule(said)


@pytest.mark.parametrize(
    ("line", "after", "following"),
    [
        ("0 3 * * 1", "2026-11-16T08:00", "2026-11-23T03:00"),
        ("0 3 * * mon", "2026-11-16T02:59", "2026-11-16T03:00"),
        ("0 3 * * MON", "2026-11-16T03:00", "2026-11-23T03:00"),
        ("*/15 * * * *", "2026-11-16T08:46:30", "2026-11-16T09:00"),
        ("5/20 8 * * *", "2026-11-16T08:06", "2026-11-16T08:25"),
        ("0 0 1 jan,jul *", "2026-02-01T00:00", "2026-07-01T00:00"),
        ("30 22 31 * *", "2026-11-16T00:00", "2026-12-31T22:30"),
        ("0 12 29 2 *", "2026-11-16T00:00", "2028-02-29T12:00"),
        ("0 12 29 2 *", "2097-01-01T00:00", "2104-02-29T12:00"),
        ("0 8-10/2 * * *", "2026-11-16T08:00", "2026-11-16T10:00"),
        ("0 0 * * 7", "2026-11-16T00:00", "2026-11-22T00:00"),
        ("0 0 * * 5-7", "2026-11-21T12:00", "2026-11-22T00:00"),
        ("59 23 31 12 *", "2026-12-31T23:59", "2027-12-31T23:59"),
        # Both days named: either is enough. One of them a star: both must fit.
        ("0 0 13 * fri", "2026-11-14T00:00", "2026-11-20T00:00"),
        ("0 0 20 * mon", "2026-11-17T00:00", "2026-11-20T00:00"),
        ("0 0 */2 * mon", "2026-11-16T00:00", "2026-11-23T00:00"),
    ],
)
def test_a_cron_line_names_minutes(line: str, after: str, following: str) -> None:
    assert next_after(line, at(after)) == at(following)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("60 * * * *", "'60' is not a valid minute in a cron line"),
        ("* 24 * * *", "'24' is not a valid hour"),
        ("* * 0 * *", "'0' is not a valid day of the month"),
        ("* * * 13 *", "'13' is not a valid month"),
        ("* * * foo *", "'foo' is not a valid month"),
        ("* * * * 8", "'8' is not a valid weekday"),
        ("5-1 * * * *", "'5-1' is not a valid minute"),
        ("*/0 * * * *", r"'\*/0' is not a valid minute"),
        ("*-5 * * * *", r"'\*-5' is not a valid minute"),
        ("1,, * * * *", "'' is not a valid minute"),
        ("0 0 30 2 *", "matches no day"),
        ("0 0 31 4,6,9,11 *", "matches no day"),
        ("٣ * * * *", "is not a valid minute"),
    ],
)
def test_a_cron_line_that_makes_no_sense_is_refused_by_its_part(line: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse_schedule(line)


def test_a_month_later_is_the_same_day_or_the_months_last() -> None:
    assert next_after("monthly", at("2026-01-31T05:00")) == at("2026-02-28T05:00")
    assert next_after("monthly", at("2027-12-15T05:00")) == at("2028-01-15T05:00")
    assert next_after("yearly", at("2028-02-29T05:00")) == at("2029-02-28T05:00")


def test_a_schedule_counts_in_utc() -> None:
    evening = datetime(2026, 1, 31, 22, tzinfo=timezone(timedelta(hours=-4)))
    assert next_after("monthly", evening) == at("2026-03-01T02:00")
    assert next_after("0 0 * * *", evening) == at("2026-02-02T00:00")


@pytest.mark.parametrize(
    ("schedule", "due", "now", "following"),
    [
        ("1d", "2026-01-01T03:00", "2026-01-01T03:00:07", "2026-01-02T03:00"),
        ("1d", "2026-01-01T03:00", "2026-01-09T12:00", "2026-01-10T03:00"),
        ("1d", "2026-01-01T03:00", "2026-01-02T03:00", "2026-01-03T03:00"),
        ("monthly", "2026-01-01T03:00", "2026-06-05T00:00", "2026-07-01T03:00"),
        ("0 3 * * 1", "2026-11-02T03:00", "2026-11-16T08:00", "2026-11-23T03:00"),
    ],
)
def test_the_run_after_missed_ones_stays_in_step(schedule: str, due: str, now: str, following: str) -> None:
    assert next_run(schedule, at(due), at(now)) == at(following)


@given(
    line=st.builds(
        "{} {} {} {} {}".format,
        st.sampled_from(["*", "0", "*/7", "10-40/10", "59"]),
        st.sampled_from(["*", "0", "23", "8-17"]),
        st.sampled_from(["*", "1", "31", "*/5", "10,20"]),
        st.sampled_from(["*", "2", "jan-mar", "12"]),
        st.sampled_from(["*", "0", "7", "mon-fri", "6"]),
    ).filter(lambda line: " 31 2 " not in line),
    moment=st.datetimes(datetime(2020, 1, 1), datetime(2120, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
)
def test_the_next_minute_of_a_cron_line_is_later_and_the_first_that_fits(line: str, moment: datetime) -> None:
    cron = parse_schedule(line)
    assert isinstance(cron, Cron)
    found = next_after(cron, moment)
    assert found > moment
    assert (found.second, found.microsecond) == (0, 0)
    assert found.minute in cron.minutes
    assert found.hour in cron.hours
    assert found.month in cron.months
    just_before = found - timedelta(microseconds=1)
    assert just_before < moment or next_after(cron, just_before) == found
    halfway = moment + (found - moment) / 2
    assert halfway >= found or next_after(cron, halfway) == found
