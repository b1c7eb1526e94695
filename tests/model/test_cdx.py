"""The parameters of CDX queries: what they mean, and what is wrong with wrong ones."""

import contextlib
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.errors import UsageError
from webstrata.model.replay.cdx import CdxDialect, CdxQuery, ListPosition
from webstrata.model.replay.cdx_filters import FilterKind
from webstrata.model.replay.cdx_parameters import read_query
from webstrata.model.replay.url_ranges import MatchType

NAMES = ("url", "matchType", "from", "to", "closest", "sort", "limit", "filter", "collapse", "fl", "output", "page")
MORE = ("pageSize", "showNumPages", "resumeKey", "showResumeKey", "gzip", "dialect", "offset")


def read(dialect: CdxDialect = CdxDialect.IA, **given: str) -> CdxQuery:
    parameters = {name.rstrip("_"): value for name, value in given.items()}
    return read_query([("url", "example.org"), *parameters.items()], dialect)


def test_a_query_is_parsed_as_a_reader_means_it() -> None:
    query = read(url="example.org/a*", from_="2024", to="202405", limit="-5", fl="timestamp,original", sort="reverse")
    assert (query.match_type, query.limit, query.fields) == (MatchType.PREFIX, -5, ("timestamp", "original"))
    assert query.earliest == datetime(2024, 1, 1, tzinfo=UTC)
    assert query.latest == datetime(2024, 5, 31, 23, 59, 59, tzinfo=UTC)
    assert query.is_reverse


def test_a_filter_without_a_sign_is_an_expression_in_one_dialect_and_a_part_in_the_other() -> None:
    (ours,), (pywbs,) = read(filter="!mime:html").filters, read(CdxDialect.PYWB, filter="!mime:html").filters
    assert (ours.kind, pywbs.kind) == (FilterKind.MATCHES, FilterKind.CONTAINS)
    page = {"mimetype": "text/html"}
    assert (ours.accepts(page), pywbs.accepts(page)) == (True, False)
    assert read(filter="~mimetype:text/.*").filters[0].accepts(page)
    assert not read(filter="=mimetype:text").filters[0].accepts(page)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("url", "", "url must be a web address"),
        ("url", "mailto:me", "not a web address"),
        ("matchType", "all", "matchType must be one of exact, prefix, host, domain"),
        ("from", "May 2024", "from must be 1 to 14 digits"),
        ("limit", "ten", "limit must be a whole number"),
        ("limit", "-99999999", "limit must be a whole number"),
        ("filter", "200", "filter must look like"),
        ("filter", "colour:red", "no field 'colour'"),
        ("filter", "url:(", "not a regular expression"),
        ("filter", "url:" + "a" * 1_000, "at most 500"),
        ("filter", "url:(a{1000}){1000}", "not a regular expression"),
        ("collapse", "timestamp:x", "collapse must look like"),
        ("fl", "urlkey,colour", "no field 'colour'"),
        ("output", "xml", "output must be one of"),
        ("page", "-1", "page must be a whole number"),
        ("sort", "size", "sort must be one of"),
        ("sort", "closest", "needs closest"),
        ("resumeKey", "x", "resumeKey must be"),
        ("resumeKey", ListPosition("org,other)/", datetime(2024, 1, 1, tzinfo=UTC), 1).text, "belongs to"),
        ("showNumPages", "perhaps", "must be true or false"),
    ],
)
def test_a_wrong_value_is_refused_in_a_sentence(name: str, value: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        read_query([("url", "example.org"), (name, value)], CdxDialect.IA)


def test_a_list_continues_at_its_resume_key() -> None:
    position = ListPosition("org,example)/a b+c", datetime(2024, 1, 2, 3, 4, 5, 678, tzinfo=UTC), 9)
    assert ListPosition.read(position.text) == position


@given(st.lists(st.tuples(st.sampled_from(NAMES + MORE), st.text(max_size=20)), max_size=5))
def test_whatever_is_given_is_read_or_refused(parameters: list[tuple[str, str]]) -> None:
    with contextlib.suppress(UsageError):
        read_query([("url", "example.org"), *parameters], CdxDialect.IA)
