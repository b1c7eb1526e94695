"""Feeds of the newest changes, in the three formats of feed readers."""

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from html import escape

RSS = "application/rss+xml; charset=utf-8"
ATOM = "application/atom+xml; charset=utf-8"
JSON_FEED = "application/feed+json"

MOST_ITEMS = 50

_BEFORE_ANYTHING = datetime(1970, 1, 1, tzinfo=UTC)
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot represent."""


@dataclass(frozen=True)
class FeedItem:
    """One entry of a feed: its URL, its time, a title and a sentence."""

    address: str
    title: str
    summary: str
    at: datetime


@dataclass(frozen=True)
class Feed:
    """A feed: its title, the addresses of its page and of itself, and its entries, newest first."""

    title: str
    home: str
    address: str
    items: tuple[FeedItem, ...] = ()

    @property
    def updated(self) -> datetime:
        """Return the time of the newest entry; an empty feed has a fixed time in the past."""
        return max((item.at for item in self.items), default=_BEFORE_ANYTHING)


def feed_responses(content_type: str) -> dict[int | str, dict[str, object]]:
    """Return the responses of a feed for the API's description."""
    return {200: {"description": "The feed.", "content": {content_type.partition(";")[0]: {}}}}


def rss(feed: Feed) -> bytes:
    """Return a feed as RSS 2.0."""
    items = "".join(
        f'<item><title>{_xml(item.title)}</title><link>{_xml(item.address)}</link><guid isPermaLink="true">'
        f"{_xml(item.address)}</guid><pubDate>{format_datetime(item.at.astimezone(UTC))}</pubDate>"
        f"<description>{_xml(item.summary)}</description></item>"
        for item in feed.items[:MOST_ITEMS]
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>'
        f"<title>{_xml(feed.title)}</title><link>{_xml(feed.home)}</link><description>{_xml(feed.title)}</description>"
        f'<atom:link rel="self" type="application/rss+xml" href="{_xml(feed.address)}"/>{items}</channel></rss>\n'
    ).encode()


def atom(feed: Feed) -> bytes:
    """Return a feed as Atom."""
    entries = "".join(
        f'<entry><id>{_xml(item.address)}</id><title>{_xml(item.title)}</title><link href="{_xml(item.address)}"/>'
        f"<updated>{_moment(item.at)}</updated><summary>{_xml(item.summary)}</summary></entry>"
        for item in feed.items[:MOST_ITEMS]
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
        f"<id>{_xml(feed.address)}</id><title>{_xml(feed.title)}</title><updated>{_moment(feed.updated)}</updated>"
        f'<author><name>Webstrata</name></author><link href="{_xml(feed.home)}"/>'
        f'<link rel="self" href="{_xml(feed.address)}"/>{entries}</feed>\n'
    ).encode()


def json_feed(feed: Feed) -> bytes:
    """Return a feed as JSON Feed 1.1."""
    items = [
        {
            "id": item.address,
            "url": item.address,
            "title": item.title,
            "content_text": item.summary,
            "date_published": _moment(item.at),
        }
        for item in feed.items[:MOST_ITEMS]
    ]
    about = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": feed.title,
        "home_page_url": feed.home,
        "feed_url": feed.address,
        "items": items,
    }
    return json.dumps(about).encode()


def _xml(text: str) -> str:
    return escape(_NO_XML.sub("", text))


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat()
