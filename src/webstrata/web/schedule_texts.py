"""Schedules in words: `every 7 days`, `Mondays at 03:00 UTC`."""

from datetime import timedelta

from webstrata.errors import UsageError
from webstrata.model.jobs.schedules import Cron, Interval, parse_schedule
from webstrata.web import present

_DAYS = ("Sundays", "Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays")
_UNITS = (("week", timedelta(weeks=1)), ("day", timedelta(days=1)), ("hour", timedelta(hours=1)))


def schedule_words(schedule: str) -> str:
    """Return a stored schedule in words; a complex one is returned as a cron line."""
    try:
        parsed = parse_schedule(schedule)
    except UsageError:
        return schedule
    if isinstance(parsed, Interval):
        return f"every {_interval(parsed)}"
    return _cron(parsed) or f"by the cron line {' '.join(schedule.split())} (UTC)"


def _interval(interval: Interval) -> str:
    if interval.months:
        unit, count = ("year", interval.months // 12) if interval.months % 12 == 0 else ("month", interval.months)
        return _times(count, unit)
    for unit, size in _UNITS:
        if interval.every % size == timedelta(0):
            return _times(interval.every // size, unit)
    return _times(interval.every // timedelta(minutes=1), "minute")


def _times(count: int, unit: str) -> str:
    return unit if count == 1 else present.count(count, unit)


def _cron(cron: Cron) -> str | None:
    """Return a cron line in words if it means one time of day, on all days, some weekdays or one day of the month."""
    if len(cron.minutes) != 1 or len(cron.hours) != 1 or len(cron.months) != 12 or cron.either_day:
        return None
    time = f"at {next(iter(cron.hours)):02}:{next(iter(cron.minutes)):02} UTC"
    every_day, every_weekday = len(cron.days) == 31, len(cron.weekdays) == 7
    if every_day and every_weekday:
        return f"every day {time}"
    if every_day:
        return f"{_join_words([_DAYS[day] for day in sorted(cron.weekdays)])} {time}"
    if every_weekday and len(cron.days) == 1:
        return f"on day {next(iter(cron.days))} of every month {time}"
    return None


def _join_words(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
