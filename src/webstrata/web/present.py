"""Formatting of values on pages: times and ages, counts and sizes, titles and addresses."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from urllib.parse import urlsplit

from webstrata.model.archive import JobView
from webstrata.model.jobs.job import JobStatus

MAX_TITLE_LENGTH = 200
MAX_PAGE_NAME_LENGTH = 80
MAX_URL_LENGTH = 160
MAX_SNIPPET_LENGTH = 400

_JUST_NOW = timedelta(seconds=45)
_UNITS = (
    (timedelta(days=365), "year"),
    (timedelta(days=30), "month"),
    (timedelta(days=1), "day"),
    (timedelta(hours=1), "hour"),
    (timedelta(minutes=1), "minute"),
)
_SIZES = ("kB", "MB", "GB", "TB", "PB")

_RATE_DIGITS = ((99.95, 0), (0.995, 1), (0.005, 2), (0, 0))
_FAILURES = {
    "blocked": "URL not allowed",
    "connect": "No connection",
    "disconnect": "Connection lost",
    "dns": "Host not found",
    "fetch": "Could not be fetched",
    "internal": "Internal error",
    "protocol": "Not an HTTP response",
    "proxy": "Refused by the proxy",
    "robots": "Not allowed by robots.txt",
    "timeout": "No response in time",
    "tls": "No encrypted connection",
}

_LANGUAGES = {
    "ar": "Arabic",
    "bg": "Bulgarian",
    "ca": "Catalan",
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "et": "Estonian",
    "eu": "Basque",
    "fa": "Persian",
    "fi": "Finnish",
    "fr": "French",
    "ga": "Irish",
    "gl": "Galician",
    "he": "Hebrew",
    "hi": "Hindi",
    "hr": "Croatian",
    "hu": "Hungarian",
    "id": "Indonesian",
    "is": "Icelandic",
    "it": "Italian",
    "iu": "Inuktitut",
    "ja": "Japanese",
    "ko": "Korean",
    "la": "Latin",
    "lt": "Lithuanian",
    "lv": "Latvian",
    "nl": "Dutch",
    "no": "Norwegian",
    "pa": "Punjabi",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sk": "Slovak",
    "sl": "Slovenian",
    "sr": "Serbian",
    "sv": "Swedish",
    "th": "Thai",
    "tl": "Tagalog",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "ur": "Urdu",
    "vi": "Vietnamese",
    "zh": "Chinese",
}


def age(moment: datetime, now: datetime) -> str:
    """Return how long ago a moment was, in the largest unit that fits: `3 days ago`."""
    passed = now - moment
    if abs(passed) < _JUST_NOW:
        return "just now"
    unit, name = next((u for u in _UNITS if abs(passed) >= u[0]), _UNITS[-1])
    words = count(max(1, abs(passed) // unit), name)
    return f"{words} ago" if passed > timedelta(0) else f"in {words}"


def day(moment: datetime) -> str:
    """Return the UTC date of a moment: `3 May 2024`."""
    utc = moment.astimezone(UTC)
    return f"{utc.day} {utc:%B} {utc.year}"


def clock(moment: datetime) -> str:
    """Return the UTC time of day: `12:05 UTC`."""
    return f"{moment.astimezone(UTC):%H:%M} UTC"


def date_and_time(moment: datetime) -> str:
    """Return a moment to the minute: `3 May 2024, 12:05 UTC`."""
    return f"{day(moment)}, {clock(moment)}"


def to_the_second(moment: datetime) -> str:
    """Return a moment as a citation needs it: `3 May 2024, 12:05:09 UTC`."""
    return f"{day(moment)}, {moment.astimezone(UTC):%H:%M:%S} UTC"


def machine_time(moment: datetime) -> str:
    """Return a moment as programs read it: `2024-05-03T12:05:09Z`."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def period(first: datetime, last: datetime) -> str:
    """Return the days from one moment to another, once when they are the same day."""
    return day(first) if day(first) == day(last) else f"{day(first)} to {day(last)}"


def duration(passed: timedelta) -> str:
    """Return a length of time in its largest unit and the next: `3 min 20 s`."""
    seconds = max(0, round(passed.total_seconds()))
    counts = {"d": seconds // 86_400, "h": seconds // 3_600 % 24, "min": seconds // 60 % 60, "s": seconds % 60}
    units = [unit for unit, value in counts.items() if value] or ["s"]
    following = list(counts)[list(counts).index(units[0]) :][:2]
    # No line breaks between a number and its unit.
    return " ".join(f"{counts[unit]}\N{NO-BREAK SPACE}{unit}" for unit in following if counts[unit] or unit == units[0])


def took(job: JobView, now: datetime) -> str | None:
    """Return how long a job took, or has taken so far; None before it starts, and when nothing was crawled."""
    if job.was_registered:
        return None
    return duration((job.finished_at or now) - job.started_at) if job.started_at else None


def number(value: int) -> str:
    """Return a number with its thousands apart: `12,345`."""
    return f"{value:,}"


def count(value: int, singular: str, plural: str | None = None) -> str:
    """Return a number with its noun: `no pages`, `1 page`, `12,345 pages`."""
    if value == 1:
        return f"1 {singular}"
    return f"{number(value) if value else 'no'} {plural or singular + 's'}"


def size(octets: int) -> str:
    """Return a size in decimal units: `1.4 MB`."""
    if octets < 1_000:
        return f"{octets} byte{'' if octets == 1 else 's'}"
    value = float(octets)
    for unit in _SIZES:
        value /= 1_000
        if value < 999.5 or unit == _SIZES[-1]:
            break
    return f"{value:.1f} {unit}" if value < 9.95 else f"{value:,.0f} {unit}"


def rate(a_second: float) -> str:
    """Return a rate per second with two or three significant digits: `0.25`, `3.4`, `1,200`."""
    digits = next(digits for above, digits in _RATE_DIGITS if a_second >= above)
    return f"{a_second:,.{digits}f}"


def failure(kind: str) -> str:
    """Return the kind of a failure in words; an unknown kind is returned unchanged."""
    status = kind.removeprefix("http_")
    return answer(int(status)) if status != kind and status.isdecimal() else _FAILURES.get(kind, kind)


def action_words(action: str) -> str:
    """Return an action of the audit log in words: `Job: create` for `job.create`."""
    subject, _, verb = action.replace("_", " ").rpartition(".")
    return f"{subject.replace('.', ' ').capitalize()}: {verb}" if subject else verb.capitalize()


def capitalised(words: str) -> str:
    """Return words with a capital first letter; the other letters are unchanged."""
    return words[:1].upper() + words[1:]


def title_of(title: str | None) -> str:
    """Return a page's title on one line, cut when it is overlong, or a name for a page without one."""
    return _shorten(" ".join((title or "").split()), MAX_TITLE_LENGTH) or "Untitled page"


def shown_url(url: str) -> str:
    """Return an address for display, shortened if it is very long."""
    return _shorten(url, MAX_URL_LENGTH)


def page_name(address: str) -> str:
    """Return the name of a page in a list: its address without the scheme, cut when it is long."""
    return _shorten(address.removeprefix("https://"), MAX_PAGE_NAME_LENGTH)


def file_name(path: str) -> str:
    """Return the last part of a path."""
    return path.rsplit("/", 1)[-1]


def snippet_of(snippet: str | None) -> str:
    """Return the first words of a page on one line."""
    return _shorten(" ".join((snippet or "").split()), MAX_SNIPPET_LENGTH)


def web_link(url: str | None) -> str | None:
    """Return an address that is safe to link to; None for any other scheme than http and https."""
    try:
        parts = urlsplit(url or "")
    except ValueError:
        return None
    return url if parts.scheme in {"http", "https"} and parts.netloc else None


def language_name(code: str | None) -> str | None:
    """Return the English name of a language, or its code when we have none."""
    return _LANGUAGES.get(code.split("-")[0].lower(), code) if code else None


def answer(status_code: int) -> str:
    """Return an HTTP status with its words: `404 Not Found`."""
    try:
        return f"{status_code} {HTTPStatus(status_code).phrase}"
    except ValueError:
        return str(status_code)


def is_good(status_code: int | None) -> bool:
    """Return whether the server sent the requested page."""
    return status_code is None or 200 <= status_code < 300


@dataclass(frozen=True)
class State:
    """The status of a job for display: words, and a sign, so that colour is not the only mark."""

    kind: str
    sign: str
    words: str


_STATES = {
    JobStatus.QUEUED: State("waiting", "○", "Queued"),
    JobStatus.RETRYABLE: State("waiting", "↻", "Will be tried again"),
    JobStatus.RUNNING: State("working", "▸", "Crawling"),
    JobStatus.COMPLETED: State("working", "▸", "Crawled, not indexed yet"),
    JobStatus.INDEXING: State("working", "▸", "Indexing"),
    JobStatus.INDEXED: State("done", "✓", "Done"),
    JobStatus.STOPPED: State("stopped", "■", "Stopped"),
    JobStatus.FAILED: State("failed", "✕", "Failed"),
    JobStatus.INDEX_FAILED: State("failed", "✕", "Indexing failed"),
}


def job_state(status: str) -> State:
    """Return the status of a job in words."""
    try:
        return _STATES[JobStatus(status)]
    except ValueError:
        return State("waiting", "?", status)


def _shorten(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"
