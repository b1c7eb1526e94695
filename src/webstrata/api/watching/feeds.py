"""Feeds of watches and saved searches, in the three formats that feed readers know."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from webstrata.api import feeds, present_changes
from webstrata.api.feeds import MOST_ITEMS, Feed
from webstrata.app import App
from webstrata.db.changes import change_lists
from webstrata.db.changes.change_lists import EventView
from webstrata.db.watching import saved_searches, site_events, watches
from webstrata.db.watching.site_events import StoredSiteEvent
from webstrata.http.browsing import site_url
from webstrata.http.caching import A_MINUTE, IfNoneMatch, cached_response
from webstrata.http.dependencies import Parts, RowId
from webstrata.http.error_schemas import ErrorSchema
from webstrata.model.changes.values import ChangeType
from webstrata.search.saved import newest_matches

router = APIRouter(tags=["watching"], responses={404: {"model": ErrorSchema}})


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
    """Return a feed of the changes of a watch."""
    with app.database.read() as session:
        watch = watches.load_watch(session, watch_id)
        site_wide = site_events.events_of_watch(session, watch_id, MOST_ITEMS)
        replaced = {number for one in site_wide for number in one.replaces}
        found = watches.events_of_watch(session, watch_id, MOST_ITEMS + len(replaced))
        events = change_lists.events_of_snapshots(session, [one for one in found if one not in replaced])
    if watch.rules.narrows:
        events = [_with_summary(event, found[event.to_snapshot_id]) for event in events]
    return _feed_response(request, app, f"watch of {watch.url}", "/changes", events, format_, known, site_wide)


@router.get("/api/saved-searches/{search_id}/{format}", response_class=Response, responses=_FEED)
def saved_search_feed(
    app: Parts, request: Request, search_id: _SearchId, format_: _Format, known: IfNoneMatch = ""
) -> Response:
    """Return a feed of the new and changed captures that a saved search finds."""
    with app.database.read() as session:
        saved = saved_searches.load_search(session, str(search_id))
        found = newest_matches(session, saved.to_request(MOST_ITEMS), MOST_ITEMS)
        events = change_lists.events_of_snapshots(session, found)
    return _feed_response(request, app, saved.name, f"/search?{saved.query_string}", events, format_, known)


def _with_summary(event: EventView, summary: str | None) -> EventView:
    """Return an event with the summary of the watched parts, without reasons: those are about the whole page."""
    is_same = event.change_type is ChangeType.UNCHANGED
    kind = ChangeType.UPDATED if is_same else event.change_type
    return replace(event, change_type=kind, summary=summary or event.summary, reasons=())


def _feed_response(
    request: Request,
    app: App,
    subject: str,
    home: str,
    events: Sequence[EventView],
    format_: FeedFormat,
    known: str,
    site_wide: Sequence[StoredSiteEvent] = (),
) -> Response:
    site = site_url(request, app.settings)
    items = [present_changes.feed_item(event, site) for event in events]
    items += [present_changes.site_event_item(one, site) for one in site_wide]
    items.sort(key=lambda item: item.at, reverse=True)
    feed = Feed(
        title=f"Webstrata: {subject}",
        home=f"{site}{home}",
        address=f"{site}{request.url.path}",
        items=tuple(items[:MOST_ITEMS]),
    )
    write, content_type = _WRITERS[format_]
    return cached_response(known, write(feed), content_type, A_MINUTE)
