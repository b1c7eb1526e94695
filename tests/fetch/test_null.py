"""What a dry run brings back."""

import asyncio
import socket
from pathlib import Path

import pytest

from tests.support.fetched import write_warc
from webstrata.content.html import read_links
from webstrata.errors import UsageError
from webstrata.fetch.null import NullFetcher
from webstrata.model.crawl.fetching import FetchResult
from webstrata.warc.reader import read_record
from webstrata.warc.verify import verify

URL = "https://example.org/a?b=<script>&c"


async def fetched(url: str) -> FetchResult:
    async with NullFetcher() as fetcher:
        return await fetcher.fetch(url, {"If-None-Match": '"x"'})


def answered(url: str) -> FetchResult:
    return asyncio.run(fetched(url))


def test_every_url_answers_with_a_page_that_states_that_nothing_was_fetched(tmp_path: Path) -> None:
    result = answered(URL)
    assert (result.status, result.header("x-webstrata-fetcher"), result.ip_address) == (200, "null", None)
    assert b"X-Webstrata-Fetcher: null" in result.request_head
    assert b"Nothing was fetched from https://example.org/a?b=%3Cscript%3E&amp;c" in result.body
    (extent,) = write_warc(tmp_path / "dry.warc.gz", [result])
    record = read_record(tmp_path / "dry.warc.gz", extent.offset, extent.length)
    assert (record.url, record.is_html, record.body_bytes) == (result.url, True, result.body)
    assert verify([tmp_path / "dry.warc.gz"]).findings == []


def test_it_leads_nowhere_and_two_pages_differ() -> None:
    result = answered(URL)
    assert read_links(result.body, result.header("content-type"), result.url).links == ()
    assert answered("https://example.org/other").body != result.body


def test_nothing_goes_over_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_network(*_: object, **__: object) -> None:
        raise AssertionError("a dry run went to the network")

    async def without_network() -> FetchResult:
        monkeypatch.setattr(socket, "socket", no_network)
        monkeypatch.setattr(socket, "getaddrinfo", no_network)
        return await fetched("http://10.0.0.1/")

    with asyncio.Runner() as runner:
        runner.get_loop()
        assert runner.run(without_network()).status == 200
        monkeypatch.undo()


def test_what_is_no_web_address_is_none_here_either() -> None:
    with pytest.raises(UsageError):
        answered("mailto:somebody@example.org")
