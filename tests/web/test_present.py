from datetime import UTC, datetime, timedelta, timezone

import pytest

from webstrata.model.jobs.job import SETTLED, JobStatus
from webstrata.web import present

NOW = datetime(2024, 5, 3, 12, 5, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("passed", "words"),
    [
        (timedelta(seconds=0), "just now"),
        (timedelta(seconds=44), "just now"),
        (timedelta(seconds=50), "1 minute ago"),
        (timedelta(minutes=59, seconds=59), "59 minutes ago"),
        (timedelta(hours=1), "1 hour ago"),
        (timedelta(hours=23, minutes=59), "23 hours ago"),
        (timedelta(days=3, hours=20), "3 days ago"),
        (timedelta(days=29), "29 days ago"),
        (timedelta(days=30), "1 month ago"),
        (timedelta(days=364), "12 months ago"),
        (timedelta(days=365), "1 year ago"),
        (timedelta(days=3_000), "8 years ago"),
        (timedelta(days=-2), "in 2 days"),
    ],
)
def test_an_age_is_reported_in_its_largest_unit(passed: timedelta, words: str) -> None:
    assert present.age(NOW - passed, NOW) == words


def test_times_are_shown_in_utc_whatever_zone_they_come_in() -> None:
    in_quebec = datetime(2024, 5, 2, 22, 30, 1, tzinfo=timezone(timedelta(hours=-4)))
    assert present.day(in_quebec) == "3 May 2024"
    assert present.clock(in_quebec) == "02:30 UTC"
    assert present.date_and_time(in_quebec) == "3 May 2024, 02:30 UTC"
    assert present.to_the_second(in_quebec) == "3 May 2024, 02:30:01 UTC"
    assert present.machine_time(in_quebec) == "2024-05-03T02:30:01Z"


def test_a_period_of_one_day_names_that_day_once() -> None:
    assert present.period(NOW, NOW + timedelta(hours=1)) == "3 May 2024"
    assert present.period(NOW, NOW + timedelta(days=40)) == "3 May 2024 to 12 June 2024"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 s"),
        (-5, "0 s"),
        (59, "59 s"),
        (60, "1 min"),
        (200, "3 min 20 s"),
        (3_600, "1 h"),
        (3_605, "1 h"),
        (7_500, "2 h 5 min"),
        (90_000, "1 d 1 h"),
    ],
)
def test_a_duration_is_reported_in_two_units_at_most(seconds: int, words: str) -> None:
    told = present.duration(timedelta(seconds=seconds))
    assert told.replace("\N{NO-BREAK SPACE}", " ") == words
    assert all(part[0].isdecimal() and part[-1].isalpha() for part in told.split(" ")), "a unit stays with its number"


@pytest.mark.parametrize(("value", "words"), [(0, "no pages"), (1, "1 page"), (2, "2 pages"), (12_345, "12,345 pages")])
def test_a_count_goes_with_its_noun(value: int, words: str) -> None:
    assert present.count(value, "page") == words


@pytest.mark.parametrize(
    ("octets", "words"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (1_000, "1.0 kB"),
        (9_940, "9.9 kB"),
        (9_960, "10 kB"),
        (999_400, "999 kB"),
        (999_600, "1.0 MB"),
        (1_400_000, "1.4 MB"),
        (123_456_789_012, "123 GB"),
        (5 * 10**18, "5,000 PB"),
    ],
)
def test_a_size_has_two_or_three_figures(octets: int, words: str) -> None:
    assert present.size(octets) == words


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "data:text/html,x", "//host/x", "/path", "https://", "http://[broken", "", None]
)
def test_only_addresses_of_the_web_are_linked_to(address: str | None) -> None:
    assert present.web_link(address) is None


def test_an_address_of_the_web_is_linked_to_as_it_is() -> None:
    assert present.web_link("HTTPS://example.org/a?b=c#d") == "HTTPS://example.org/a?b=c#d"


def test_a_title_is_one_line_of_bearable_length() -> None:
    assert present.title_of("  Fever \n in\tchildren ") == "Fever in children"
    assert present.title_of(" \n ") == present.title_of(None) == "Untitled page"
    assert present.title_of("x" * 500) == "x" * 199 + "…"


def test_what_is_not_overlong_is_shown_whole() -> None:
    address = "https://example.org/" + "a" * 140
    assert present.shown_url(address) == address
    assert present.shown_url(address + "b") == address[:159] + "…"


def test_languages_have_english_names() -> None:
    assert present.language_name("fr-CA") == "French"
    assert present.language_name("tlh") == "tlh"
    assert present.language_name(None) is None


def test_a_status_is_reported_with_its_words() -> None:
    assert present.answer(404) == "404 Not Found"
    assert present.answer(799) == "799"


def test_only_a_success_is_a_good_response() -> None:
    assert [present.is_good(status) for status in (200, 204, 301, 404, 500, None)] == [
        True,
        True,
        False,
        False,
        False,
        True,
    ]


@pytest.mark.parametrize("status", JobStatus)
def test_every_state_of_a_job_has_a_sign_and_words(status: JobStatus) -> None:
    state = present.job_state(status)
    assert state.sign != "?"
    assert state.words


def test_an_unknown_state_is_shown_unchanged() -> None:
    assert present.job_state("odd").words == "odd"


def test_what_is_settled_reads_as_over() -> None:
    over = {status for status in JobStatus if present.job_state(status).kind in {"done", "stopped", "failed"}}
    assert over == set(SETTLED)


@pytest.mark.parametrize(
    ("a_second", "words"),
    [
        (0, "0"),
        (0.001, "0"),
        (0.25, "0.25"),
        (0.999, "1.0"),
        (1, "1.0"),
        (12.34, "12.3"),
        (99.97, "100"),
        (1234.5, "1,234"),
    ],
)
def test_rates_have_the_digits_that_matter(a_second: float, words: str) -> None:
    assert present.rate(a_second) == words


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("http_503", "503 Service Unavailable"),
        ("http_599", "599"),
        ("http_", "http_"),
        ("timeout", "No response in time"),
        ("robots", "Not allowed by robots.txt"),
        ("new kind", "new kind"),
        ("404", "404"),
    ],
)
def test_failures_are_reported_in_words_where_there_are_any(kind: str, words: str) -> None:
    assert present.failure(kind) == words
