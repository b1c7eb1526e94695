from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.model.crawl.fetching import MAX_RETRY_AFTER, FetchResult, retry_after
from webstrata.model.digests import digest

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def answer(status: int, *headers: tuple[bytes, bytes]) -> FetchResult:
    return FetchResult("https://example.org/", NOW, b"", status, "", "1.1", headers, b"")


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, 0),
        ("", 0),
        ("0", 0),
        ("120", 120),
        (" 120 ", 120),
        ("Thu, 01 Jan 2026 00:02:00 GMT", 120),
        ("Thu, 01 Jan 2026 01:02:00 +0100", 120),
        ("Thu, 01 Jan 2026 00:02:00", 120),
        ("Thursday, 01-Jan-26 00:02:00 GMT", 120),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
    ],
)
def test_a_wait_is_read_in_both_forms(value: str | None, seconds: int) -> None:
    assert retry_after(value, NOW) == timedelta(seconds=seconds)


@pytest.mark.parametrize("value", ["soon", "-5", "+5", "1.5", "1e3", "٣", "²", "5, 6", "\0", "Thu, 99 Jan 2026 0:0:0"])
def test_what_asks_for_nothing_sensible_asks_for_nothing(value: str) -> None:
    assert retry_after(value, NOW) == timedelta(0)


@pytest.mark.parametrize("value", ["86401", "9" * 30, "9" * 60_000, "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_no_server_makes_us_wait_longer_than_a_day(value: str) -> None:
    assert retry_after(value, NOW) == MAX_RETRY_AFTER


dates = st.from_regex(r"Thu, \d{1,3} (Jan|Feb) \d{1,15} \d{1,3}:\d{1,3}:\d{1,3} [-+]?[0-9A-Z]{1,12}", fullmatch=True)


@given(st.text() | st.integers().map(str) | dates | st.datetimes(timezones=st.just(UTC)).map(format_datetime))
def test_no_header_breaks_the_reading(value: str) -> None:
    assert timedelta(0) <= retry_after(value, NOW) <= MAX_RETRY_AFTER


def test_a_header_is_found_in_any_case_and_the_first_one_counts() -> None:
    result = answer(200, (b"X-One", b"caf\xe9"), (b"x-ONE", b"two"))
    assert result.header("X-one") == "café"
    assert result.header("x-other") is None


def test_all_values_of_a_header_are_a_line_each() -> None:
    result = answer(200, (b"X-One", b"caf\xe9"), (b"X-Two", b"2"), (b"x-ONE", b"two"))
    assert result.header_lines("x-one") == "café\ntwo"
    assert result.header_lines("x-other") is None


def test_the_digest_is_the_body_s() -> None:
    one = answer(200)
    assert one.body_digest == digest(one.body)
    assert replace(one, body=b"other").body_digest == digest(b"other")


@pytest.mark.parametrize(("status", "transient"), [(200, False), (404, False), (429, True), (500, True), (501, False)])
def test_some_responses_say_come_back_later(status: int, transient: bool) -> None:
    assert answer(status).transient is transient


@pytest.mark.parametrize(("status", "target"), [(301, "/new"), (308, "/new"), (200, None), (304, None), (300, None)])
def test_only_a_redirect_leads_elsewhere(status: int, target: str | None) -> None:
    assert answer(status, (b"Location", b"/new")).redirect_target == target


def test_a_redirect_to_raw_bytes_leads_where_a_browser_would_go() -> None:
    assert answer(302, (b"Location", b"/caf\xc3\xa9?q=\xff%20")).redirect_target == "/caf%C3%A9?q=%FF%20"
