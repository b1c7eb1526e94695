"""What addresses below /web/ ask for, and which moment a timestamp names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.errors import UsageError
from webstrata.model.replay.replay_address import Modifier, ReplayRequest, archived_url, parse_address
from webstrata.model.replay.url_ranges import KeyRange, MatchType, key_range, other_keys, read_pattern
from webstrata.model.timestamps import earliest_moment, fourteen_digits, http_date, latest_moment, parse_http_date
from webstrata.model.urls import surt

PAGE = "http://example.org/a?b=1"


@pytest.mark.parametrize(
    ("path", "query", "request_kind", "timestamp", "modifier", "url"),
    [
        ("2024/http://example.org/a", "b=1", "capture", "2024", "", PAGE),
        ("20240531120000id_/http://example.org/a", "b=1", "capture", "20240531120000", "id_", PAGE),
        ("2if_/example.org", "", "capture", "2", "if_", "example.org"),
        ("2024fw_/example.org", "", "capture", "2024", "if_", "example.org"),
        ("id_/example.org", "", "capture", "", "id_", "example.org"),
        ("*/http://example.org/a", "b=1", "list", "", "", PAGE),
        ("2024*/example.org/*", "", "list", "2024", "", "example.org/*"),
        ("http://example.org/a", "b=1", "timegate", "", "", PAGE),
        ("127.0.0.1:8080/2024/", "", "timegate", "", "", "127.0.0.1:8080/2024/"),
    ],
)
def test_an_address_asks_for_a_capture_a_list_or_a_timegate(
    path: str, query: str, request_kind: str, timestamp: str, modifier: str, url: str
) -> None:
    asked = parse_address(path, query)
    assert (asked.request, asked.timestamp, asked.modifier, asked.url) == (request_kind, timestamp, modifier, url)


@pytest.mark.parametrize("path", ["", "2024/", "*/", "123456789012345/example.org", "2024xx_/example.org"])
def test_an_address_without_sense_states_what_would_make_sense(path: str) -> None:
    with pytest.raises(UsageError, match=r"expected|missing"):
        parse_address(path)


@given(st.text(max_size=60), st.text(max_size=20))
def test_whatever_is_written_is_read_or_refused(path: str, query: str) -> None:
    try:
        asked = parse_address(path, query)
        assert archived_url(asked.url).startswith(("http://", "https://"))
    except UsageError:
        pass


@pytest.mark.parametrize(
    "written",
    [
        *("http://example.org/a?b=1", "http:/example.org/a?b=1", "http%3A%2F%2Fexample.org%2Fa%3Fb%3D1"),
        *("//example.org/a?b=1", "example.org:80/a?b=1", "http%253A%252F%252Fexample.org%252Fa%253Fb%253D1"),
        *("example.org/a?b=1", "HTTPS://www.EXAMPLE.org:443/a?b=1#part", "https://me:secret@example.org/a?b=1"),
    ],
)
def test_one_url_may_be_written_in_many_ways(written: str) -> None:
    assert surt(archived_url(written)) == "org,example)/a?b=1"


def test_an_international_host_is_one_host_however_it_is_written() -> None:
    ways = ("http://münchen.example/", "m%C3%BCnchen.example", "http://xn--mnchen-3ya.example/")
    assert {surt(archived_url(way)) for way in ways} == {"example,xn--mnchen-3ya)/"}


@pytest.mark.parametrize(
    ("digits", "earliest", "latest"),
    [
        ("2", "20000101000000", "29991231235959"),
        ("2024", "20240101000000", "20241231235959"),
        ("202402", "20240201000000", "20240229235959"),
        ("20230230", "20230228000000", "20230228235959"),
        ("20240531120000", "20240531120000", "20240531120000"),
        ("20249999999999", "20241231235959", "20241231235959"),
    ],
)
def test_a_short_timestamp_names_a_period(digits: str, earliest: str, latest: str) -> None:
    assert fourteen_digits(earliest_moment(digits)) == earliest
    assert fourteen_digits(latest_moment(digits)) == latest


@given(st.from_regex(r"[0-9]{1,14}", fullmatch=True))
def test_every_timestamp_names_a_moment_that_http_can_name_too(digits: str) -> None:
    moment = latest_moment(digits)
    assert earliest_moment(digits) <= moment
    assert moment.year < 1000 or parse_http_date(http_date(moment)) == moment


def test_ranges_of_keys_hold_a_prefix_a_host_or_a_domain() -> None:
    deep, root, sub = surt("http://example.org/a/b"), surt("http://example.org/"), surt("http://sub.example.org:81/x")
    other, longer = surt("http://example-two.org/"), surt("http://exampletwo.org/")
    assert key_range("example.org/a", MatchType.EXACT) == KeyRange("org,example)/a")
    assert deep in key_range("https://www.example.org/a", MatchType.PREFIX)
    assert root not in key_range("example.org/a", MatchType.PREFIX)
    host, domain = (key_range("example.org/a", kind) for kind in (MatchType.HOST, MatchType.DOMAIN))
    assert [key in host for key in (deep, root, sub, other, longer)] == [True, True, False, False, False]
    assert [key in domain for key in (deep, root, sub, other, longer)] == [True, True, True, False, False]
    assert read_pattern("*.example.org") == ("example.org", MatchType.DOMAIN)
    assert read_pattern("example.org/a*") == ("example.org/a", MatchType.PREFIX)


def test_a_page_is_also_looked_for_with_and_without_its_trailing_slash() -> None:
    assert other_keys("org,example)/a/?b") == ("org,example)/a?b",)
    assert other_keys("org,example)/a") == ("org,example)/a/",)
    assert other_keys("org,example)/") == ()


def test_a_page_is_also_looked_for_with_other_escapes() -> None:
    assert "org,example)/a|b?c='d'" in other_keys("org,example)/a%7Cb?c=%27d%27")
    assert "org,example)/a%7Cb?c=%27d%27" in other_keys("org,example)/a|b?c='d'")
    assert {"org,example)/%C3%A9", "org,example)/%c3%a9"} < {*other_keys("org,example)/%C3%a9")}
    assert all(r"%2F" in key.upper() for key in other_keys("org,example)/a%2Fb"))


def test_only_pages_are_looked_at_by_readers() -> None:
    assert [modifier for modifier in Modifier if modifier.is_page] == ["", "mp_", "if_"]
    assert parse_address("2024/example.org").request is ReplayRequest.CAPTURE
