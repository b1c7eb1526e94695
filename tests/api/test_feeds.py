"""Feeds that readers' programs understand, whatever stands in a page's title."""

import json
import xml.etree.ElementTree as ET
from datetime import timedelta

import pytest

from tests.api.archives import NOON
from webstrata.api import feeds
from webstrata.api.feeds import MOST_ITEMS, Feed, FeedItem

ATOM = "{http://www.w3.org/2005/Atom}"
HOSTILE = "<script>]]>&\x00\x0b\ufffe\"'é"
SHOWN = "<script>]]>&\"'é"


def feed(items: int) -> Feed:
    return Feed(
        title=f"Changes {HOSTILE}",
        home="https://archive.example/?a=1&b=2",
        address="https://archive.example/api/changes/rss",
        items=tuple(
            FeedItem(f"https://archive.example/changes/{n}", HOSTILE, f"{n} lines", NOON - timedelta(hours=n))
            for n in range(items)
        ),
    )


def test_rss_holds_the_newest_entries() -> None:
    channel = ET.fromstring(feeds.rss(feed(60)))[0]
    assert (channel.findtext("title"), channel.findtext("link")) == (f"Changes {SHOWN}", feed(0).home)
    items = channel.findall("item")
    assert len(items) == MOST_ITEMS
    assert items[1].findtext("title") == SHOWN
    assert items[1].findtext("guid") == items[1].findtext("link") == "https://archive.example/changes/1"
    assert items[1].findtext("pubDate") == "Wed, 01 May 2024 11:00:00 +0000"


def test_atom_holds_the_newest_entries() -> None:
    root = ET.fromstring(feeds.atom(feed(60)))
    assert root.findtext(f"{ATOM}updated") == "2024-05-01T12:00:00+00:00"
    entries = root.findall(f"{ATOM}entry")
    assert len(entries) == MOST_ITEMS
    assert entries[1].findtext(f"{ATOM}title") == SHOWN
    assert entries[1].findtext(f"{ATOM}summary") == "1 lines"


def test_a_json_feed_holds_the_newest_entries() -> None:
    read = json.loads(feeds.json_feed(feed(60)))
    assert (read["version"], read["home_page_url"]) == ("https://jsonfeed.org/version/1.1", feed(0).home)
    assert len(read["items"]) == MOST_ITEMS
    assert read["items"][1] == {
        "id": "https://archive.example/changes/1",
        "url": "https://archive.example/changes/1",
        "title": HOSTILE,
        "content_text": "1 lines",
        "date_published": "2024-05-01T11:00:00+00:00",
    }


@pytest.mark.parametrize("write", [feeds.rss, feeds.atom])
def test_an_empty_feed_is_a_feed(write: object) -> None:
    assert callable(write)
    root = ET.fromstring(write(feed(0)))
    assert not root.findall(".//item")
    assert not root.findall(f".//{ATOM}entry")
