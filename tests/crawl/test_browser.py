"""Crawls that open pages in a browser: what scripts build is followed and captured, with everything it needs."""

import pytest

from tests.crawl.runs import Archive, assert_sound
from tests.support.scripted_site import scripted_site
from tests.support.web_server import WebServer
from webstrata.model.tasks import TaskStatus


def urls_of(web_server: WebServer, pages: int) -> set[str]:
    return {web_server.url(path) for path in scripted_site(pages) if path != "/favicon.ico"}


@pytest.mark.parametrize("fetcher", ["browser", "auto"])
def test_a_site_that_scripts_build_is_captured_whole(archive: Archive, web_server: WebServer, fetcher: str) -> None:
    web_server.answers |= scripted_site(2)
    archive.crawl(web_server.url(), fetcher=fetcher)
    assert {c.url for c in archive.captures()} == urls_of(web_server, 2)
    assert archive.urls(TaskStatus.FINISHED) == set(archive.tasks()) == urls_of(web_server, 2)
    assert_sound(archive)
