"""Feeds of watches and saved searches, in the three formats that feed readers know."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from webstrata.api import feeds, present_changes
from webstrata.api.feeds import MOST_ITEMS, Feed
from webstrata.app import App
from webstrata.db.changes import change_lists
from webstrata.db.changes.change_lists import EventView
from webstrata.db.watching import saved_searches, watches
from webstrata.http.browsing import site_url
from webstrata.http.caching import A_MINUTE, IfNoneMatch, cached_response
from webstrata.http.dependencies import Parts, RowId
from webstrata.http.error_schemas import ErrorSchema
from webstrata.model.changes.values import ChangeType
from webstrata.model.search.values import Fallback
from webstrata.model.watching.saved_searches import SavedSearch
from webstrata.search.service import search

router = APIRouter(tags=["watching"], responses={404: {"model": ErrorSchema}})

_SEARCHED = 100
"""Captures of a search that are looked at: those that changed nothing are left out of its feed."""


class FeedFormat(StrEnum):
    """A format of feeds."""

    RSS = "rss"
    ATOM = "atom"
    JSON = "feed.json"


_WRITERS: dict[FeedFormat, tuple[Callable[[Feed], bytes], str]] = {
    FeedFormat.RSS: (feeds.rss, feeds.RSS),
    FeedFormat.ATOM: (feeds.atom, feeds.ATOM),
    FeedFormat.JSON: (feeds.json_feed, feeds.JSON_FEED),
}
_TYPES = (feeds.RSS, feeds.ATOM, feeds.JSON_FEED)
_FEED: dict[int | str, dict[str, object]] = {
    200: {"description": "The feed.", "content": {one.partition(";")[0]: {} for one in _TYPES}}
}

_WatchId = Annotated[int, RowId, Path(description="A watch's number.")]
_SearchId = Annotated[int, RowId, Path(description="A saved search's number.")]
_Format = Annotated[FeedFormat, Path(alias="format", description="Format of the feed.")]


@router.get("/api/watches/{watch_id}/{format}", response_class=Response, responses=_FEED)
def watch_feed(app: Parts, request: Request, watch_id: _WatchId, format_: _Format, known: IfNoneMatch = "") -> Response:
    """Feed readers the changes of a watch."""
    with app.database.read() as session:
        watch = watches.load_watch(session, watch_id)
        found = watches.events_of_watch(session, watch_id, MOST_ITEMS)
        events = change_lists.events_of_snapshots(session, found)
    return _written(request, app, f"watch of {watch.url}", "/changes", events, format_, known)


@router.get("/api/saved-searches/{search_id}/{format}", response_class=Response, responses=_FEED)
def saved_search_feed(
    app: Parts, request: Request, search_id: _SearchId, format_: _Format, known: IfNoneMatch = ""
) -> Response:
    """Feed readers the new and changed captures that a saved search finds."""
    with app.database.read() as session:
        saved = saved_searches.load_search(session, str(search_id))
    return _written(request, app, saved.name, "/search", _events(app, saved), format_, known)


def _events(app: App, saved: SavedSearch) -> list[EventView]:
    """Return the events of the newest captures that match the words as they are written."""
    found = search(app.database, saved.to_request(_SEARCHED))
    if found.fallback is not Fallback.NONE:
        return []
    with app.database.read() as session:
        events = change_lists.events_of_snapshots(session, [one.id for one in found.results])
    return [one for one in events if one.change_type not in (ChangeType.UNCHANGED, ChangeType.ERROR)]


def _written(
    request: Request,
    app: App,
    subject: str,
    home: str,
    events: Sequence[EventView],
    format_: FeedFormat,
    known: str,
) -> Response:
    site = site_url(request, app.settings)
    feed = Feed(
        title=f"Webstrata: {subject}",
        home=f"{site}{home}",
        address=f"{site}{request.url.path}",
        items=tuple(present_changes.feed_item(event, site) for event in events[:MOST_ITEMS]),
    )
    write, content_type = _WRITERS[format_]
    return cached_response(known, write(feed), content_type, A_MINUTE)
