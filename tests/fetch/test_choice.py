"""Which fetcher a name stands for."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fetch.fetching import ON_LOOPBACK
from webstrata.errors import MissingExtraError, UsageError
from webstrata.fetch.choice import FETCHERS, FetchOptions, fetcher_named, renderer_named
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


def test_every_name_has_its_fetcher_and_its_browser() -> None:
    assert {name: type(fetcher_named(name, OPTIONS)) for name in FETCHERS} == {
        "http": HttpFetcher,
        "null": NullFetcher,
        # Robots.txt, sitemaps and single files need no browser.
        "browser": HttpFetcher,
        "auto": HttpFetcher,
    }
    with_browser = {name for name in FETCHERS if renderer_named(name, OPTIONS) is not None}
    assert with_browser == {"browser", "auto"}


def test_a_missing_browser_is_an_error_that_names_the_extra() -> None:
    with pytest.raises(MissingExtraError, match="WEBSTRATA_CHROMIUM: no-such-browser is not a program"):
        renderer_named("browser", replace(OPTIONS, chromium=Path("no-such-browser")))


def test_a_name_without_fetcher_is_an_error_that_lists_them() -> None:
    with pytest.raises(UsageError, match=r"no fetcher 'ftp' \(there are: http, null, browser, auto\)"):
        fetcher_named("ftp", OPTIONS)


def test_options_show_no_secret() -> None:
    assert "geheim" not in repr(OPTIONS)
