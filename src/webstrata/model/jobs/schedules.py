"""Schedules in UTC: intervals (`6h`, `7d`, `monthly`) and cron lines (`0 3 * * 1`)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from webstrata.errors import UsageError

SHORTEST, LONGEST = timedelta(minutes=1), timedelta(days=3_660)

_UNITS = {
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
}
_WORDS = {
    "minute": "m",
    "min": "m",
    "hour": "h",
    "day": "d",
    "week": "w",
    "month": "mo",
    "year": "y",
}
_NAMED = {
    "hourly": "1h",
    "daily": "1d",
    "weekly": "1w",
    "monthly": "1mo",
    "quarterly": "3mo",
    "yearly": "1y",
    "annually": "1y",
    "annual": "1y",
    "midnight": "0 0 * * *",
}
_MONTHS = {"mo": 1, "y": 12}
_INTERVAL = re.compile(r"(?:every\s+)?(?P<count>\d{1,6})?\s*(?P<unit>[a-z]+?)s?")
_ISO = re.compile(r"p(?:(\d{1,6})(y|m|w|d))?(?:t(\d{1,6})(h|m))?")

_WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_PART = re.compile(r"(?P<low>\*|[a-z0-9]+)(?:-(?P<high>[a-z0-9]+))?(?:/(?P<step>\d{1,3}))?")
_DAYS_SEARCHED = 366 * 8 + 2
"""Eight years: the longest time between two 29 Februaries, so a line that matches no day in them never does."""


@dataclass(frozen=True)
class Interval:
    """A regular interval: a number of months, or a length of time."""

    every: timedelta = timedelta(0)
    months: int = 0

    def after(self, moment: datetime) -> datetime:
        """Return the moment one interval later; the 31st is followed by a shorter month's last day."""
        if not self.months:
            return moment + self.every
        years, month = divmod(moment.month - 1 + self.months, 12)
        first = moment.replace(year=moment.year + years, month=month + 1, day=1)
        last_day = ((first + timedelta(days=31)).replace(day=1) - timedelta(days=1)).day
        return first.replace(day=min(moment.day, last_day))


@dataclass(frozen=True)
class Cron:
    """The minutes that a cron line names."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    either_day: bool
    """Cron's own rule: when neither day field begins with a star, a day must match only one of them."""

    def after(self, moment: datetime) -> datetime:
        """Return the first minute after a moment that the line names; UsageError when it names none."""
        start = moment.astimezone(UTC).replace(second=0, microsecond=0) + timedelta(minutes=1)
        for day in range(_DAYS_SEARCHED):
            date = start if day == 0 else (start + timedelta(days=day)).replace(hour=0, minute=0)
            if self._fits(date) and (found := self._time_on(date)):
                return found
        raise UsageError("this cron line matches no day")

    def _fits(self, date: datetime) -> bool:
        if date.month not in self.months:
            return False
        fits = (date.day in self.days, date.isoweekday() % 7 in self.weekdays)
        return any(fits) if self.either_day else all(fits)

    def _time_on(self, start: datetime) -> datetime | None:
        for hour in sorted(self.hours):
            for minute in sorted(self.minutes):
                if (hour, minute) >= (start.hour, start.minute):
                    return start.replace(hour=hour, minute=minute)
        return None


Schedule = Interval | Cron


def parse_schedule(text: str) -> Schedule:
    """Parse a schedule as a person writes it; UsageError when it is invalid."""
    phrase = " ".join(text.lower().removeprefix("@").split())
    phrase = _NAMED.get(phrase, phrase)
    schedule = _cron(phrase) if len(phrase.split()) == 5 else _interval(phrase)
    if schedule is None:
        raise UsageError(
            f"{text[:80]!r} is not a schedule (expected an interval such as 6h, 7d, 2w, daily, weekly, monthly,"
            " or a cron line such as '0 3 * * 1')"
        )
    return schedule


def next_after(schedule: Schedule | str, moment: datetime) -> datetime:
    """Return the first scheduled time after a moment: one interval later, or the next minute of the cron line."""
    parsed = parse_schedule(schedule) if isinstance(schedule, str) else schedule
    return parsed.after(moment.astimezone(UTC))


def next_run(schedule: Schedule | str, due: datetime, now: datetime) -> datetime:
    """Return the next run after one that was due: in the same rhythm, but later than now; missed runs are skipped."""
    parsed = parse_schedule(schedule) if isinstance(schedule, str) else schedule
    if isinstance(parsed, Cron):
        return parsed.after(max(due, now))
    if not parsed.months:
        return due + parsed.every * (max(now - due, timedelta(0)) // parsed.every + 1)
    run = parsed.after(due)
    while run <= now:
        run = parsed.after(run)
    return run


def _interval(phrase: str) -> Interval | None:
    count, unit = _count_and_unit(phrase)
    if unit in _MONTHS and 1 <= count * _MONTHS[unit] <= 120:
        return Interval(months=count * _MONTHS[unit])
    if unit in _UNITS and SHORTEST <= count * _UNITS[unit] <= LONGEST:
        return Interval(every=count * _UNITS[unit])
    return None


def _count_and_unit(phrase: str) -> tuple[int, str]:
    if match := _INTERVAL.fullmatch(phrase):
        # A unit without a number means one, as in "every day", unless it is a single letter.
        count = match["count"] or ("1" if match["unit"] in _WORDS else "0")
        return int(count), _WORDS.get(match["unit"], match["unit"])
    if (match := _ISO.fullmatch(phrase)) and bool(match[1]) != bool(match[3]):
        if match[1]:
            return int(match[1]), {"m": "mo"}.get(match[2], match[2])
        return int(match[3]), match[4]
    return 0, ""


def _cron(line: str) -> Cron:
    minute, hour, day, month, weekday = line.split()
    months = {name: number for number, name in enumerate(_MONTH_NAMES, 1)}
    weekdays = {name: number for number, name in enumerate(_WEEKDAYS)}
    cron = Cron(
        minutes=_numbers(minute, "minute", 0, 59, {}),
        hours=_numbers(hour, "hour", 0, 23, {}),
        days=_numbers(day, "day of the month", 1, 31, {}),
        months=_numbers(month, "month", 1, 12, months),
        weekdays=frozenset(number % 7 for number in _numbers(weekday, "weekday", 0, 7, weekdays)),
        either_day=not (day.startswith("*") or weekday.startswith("*")),
    )
    cron.after(datetime(2026, 1, 1, tzinfo=UTC))
    return cron


def _numbers(field: str, what: str, lowest: int, highest: int, names: Mapping[str, int]) -> frozenset[int]:
    """Return the numbers that a field of a cron line names: `*`, `1`, `1-5`, `*/15`, `mon,wed`."""
    found: set[int] = set()
    for part in field.split(","):
        match = _PART.fullmatch(part)
        numbers = _range(match, lowest, highest, names) if match else None
        if not numbers:
            raise UsageError(f"{part[:80]!r} is not a valid {what} in a cron line ({lowest} to {highest})")
        found.update(numbers)
    return frozenset(found)


def _range(match: re.Match[str], lowest: int, highest: int, names: Mapping[str, int]) -> range | None:
    step = int(match["step"] or 1)
    if match["low"] == "*":
        return range(lowest, highest + 1, step) if step and not match["high"] else None
    low = _number(match["low"], names)
    # `5/15` means from 5 on; a single number is itself.
    high = _number(match["high"], names) if match["high"] else (highest if match["step"] else low)
    if low is None or high is None or not step or not lowest <= low <= high <= highest:
        return None
    return range(low, high + 1, step)


def _number(word: str, names: Mapping[str, int]) -> int | None:
    return int(word) if word.isascii() and word.isdecimal() else names.get(word)
