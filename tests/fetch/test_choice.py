"""Which fetcher a name stands for."""

import pytest

from tests.fetch.fetching import ON_LOOPBACK
from webstrata.errors import UsageError
from webstrata.fetch.choice import FETCHERS, FetchOptions, fetcher_named
from webstrata.fetch.http import HttpFetcher
from webstrata.fetch.null import NullFetcher

OPTIONS = FetchOptions(
    ON_LOOPBACK,
    user_agent="t",
    timeout=10,
    max_body_bytes=100,
    connections=1,
    max_buffered_bytes=100,
    proxy="http://me:geheim@proxy",
)


def test_every_name_has_its_fetcher() -> None:
    assert {name: type(fetcher_named(name, OPTIONS)) for name in FETCHERS} == {"http": HttpFetcher, "null": NullFetcher}


def test_a_name_without_fetcher_is_an_error_that_lists_them() -> None:
    with pytest.raises(UsageError, match=r"no fetcher 'ftp' \(there are: http, null\)"):
        fetcher_named("ftp", OPTIONS)


def test_options_show_no_secret() -> None:
    assert "geheim" not in repr(OPTIONS)
