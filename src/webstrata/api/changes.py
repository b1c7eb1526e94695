"""API of changes: the list of changes, comparisons of two captures, and feeds."""

from enum import StrEnum
from typing import Annotated, Self
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field, model_validator

from webstrata.api import feeds, present_changes
from webstrata.api.change_schemas import ChangesSchema, ComparisonSchema
from webstrata.api.feeds import MOST_ITEMS, Feed, FeedItem
from webstrata.app import App
from webstrata.db.changes import change_lists
from webstrata.db.changes.change_lists import EventFilter
from webstrata.db.sources.sources import source_view
from webstrata.db.watching import site_events
from webstrata.http.browsing import site_url
from webstrata.http.caching import A_MINUTE, IfNoneMatch, cached_response
from webstrata.http.comparing import compare_captures
from webstrata.http.dependencies import LARGEST_OFFSET, CodeFilter, Day, JobNumber, Parts, SnapshotNumber, TextFilter
from webstrata.http.error_responses import MAY_BE_WITHHELD
from webstrata.http.error_schemas import ErrorSchema
from webstrata.http.lookups import known_source
from webstrata.model.changes.values import ChangeType
from webstrata.model.notifications.values import ReviewFilter
from webstrata.model.replay.replay_address import plain_url
from webstrata.model.urls import MAX_URL_LENGTH, url_group

router = APIRouter(tags=["changes"], responses={404: {"model": ErrorSchema}})


class ChangeSort(StrEnum):
    """What comes first in a list of changes."""

    NEWEST = "newest"
    SIGNIFICANCE = "significance"


class ChangeParameters(BaseModel):
    """The filters of a list of changes; the names are part of the API's contract."""

    source: CodeFilter = Field(None, description="Only results of the source with this code.")
    job_id: JobNumber | None = Field(None, alias="jobId", description="Only changes that this job found.")
    latest: bool = Field(False, description="Only changes that the newest job of each source found.")
    include_unchanged: bool = Field(False, alias="includeUnchanged", description="Include captures without a change.")
    change_type: ChangeType | None = Field(None, alias="changeType", description="Only changes of this kind.")
    min_significance: float = Field(
        0.0, ge=0, le=1, alias="minSignificance", description="Only changes of at least this significance."
    )
    review: ReviewFilter | None = Field(
        None, description="Only changes with this review mark; `unreviewed`: without one."
    )
    from_date: Day | None = Field(None, alias="from", description="First day (UTC), inclusive.")
    to_date: Day | None = Field(None, alias="to", description="Last day (UTC), inclusive.")
    sort: ChangeSort = Field(ChangeSort.NEWEST, description="The order of results.")
    page: int = Field(1, ge=1)
    page_size: int = Field(20, ge=1, le=100, alias="pageSize")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.from_date and self.to_date and self.from_date > self.to_date:
            raise ValueError("'from' must not be after 'to'")
        return self

    @property
    def events(self) -> EventFilter:
        """Return the filter of the requested events."""
        return EventFilter(
            source=self.source,
            job_id=self.job_id,
            is_latest=self.latest,
            includes_unchanged=self.include_unchanged,
            from_date=self.from_date,
            to_date=self.to_date,
            min_significance=self.min_significance,
            change_types=() if self.change_type is None else (self.change_type,),
            review=self.review,
        )


class FeedParameters(BaseModel):
    """Which changes a feed has."""

    source: CodeFilter = Field(None, description="Only results of the source with this code.")
    url: TextFilter = Field(None, max_length=MAX_URL_LENGTH, description="Only results of the page with this URL.")
    min_significance: float = Field(
        0.0, ge=0, le=1, alias="minSignificance", description="Only changes of at least this significance."
    )


Followed = Annotated[FeedParameters, Query()]


@router.get("/api/changes")
def changes(app: Parts, parameters: Annotated[ChangeParameters, Query()]) -> ChangesSchema:
    """List changes between captures, newest or most significant first."""
    if parameters.source is not None:
        known_source(app, parameters.source)
    page, size = parameters.page, parameters.page_size
    if not app.settings.change_tracking_enabled:
        return ChangesSchema(enabled=False, total=0, page=page, pageSize=size, results=[], templateChanges=[])
    with app.database.read() as session:
        total = change_lists.count_events(session, parameters.events)
        events = change_lists.list_events(
            session,
            parameters.events,
            limit=size,
            offset=min((page - 1) * size, LARGEST_OFFSET),
            by_significance=parameters.sort is ChangeSort.SIGNIFICANCE,
        )
        templates = change_lists.list_template_changes(session, parameters.events)
    return ChangesSchema(
        enabled=True,
        total=total,
        page=page,
        pageSize=size,
        results=[present_changes.change_event(event) for event in events],
        templateChanges=[present_changes.template_change(change) for change in templates],
    )


@router.get("/api/changes/compare", responses=MAY_BE_WITHHELD)
def compare(
    app: Parts,
    request: Request,
    to_snapshot_id: Annotated[SnapshotNumber, Query(alias="toSnapshotId", description="Id of the newer snapshot.")],
    from_snapshot_id: Annotated[
        SnapshotNumber | None,
        Query(
            alias="fromSnapshotId", description="Id of the older snapshot; default: the previous capture of the page."
        ),
    ] = None,
) -> ComparisonSchema:
    """Compare two captures: return their stored change, or compare them now."""
    compared = compare_captures(app, request, from_snapshot_id, to_snapshot_id)
    event = compared.event
    return ComparisonSchema(
        event=present_changes.change_event(event),
        fromSnapshot=None if compared.old is None else present_changes.compared_snapshot(compared.old),
        toSnapshot=present_changes.compared_snapshot(compared.new),
        diffFormat="html" if event.has_diff else None,
        diffHtml=compared.diff_html,
        diffTruncated=event.diff_truncated,
        diffVersion=event.diff_version,
        normalizationVersion=event.normalization_version,
    )


@router.get("/api/changes/rss", response_class=Response, responses=feeds.feed_responses(feeds.RSS))
def rss(app: Parts, request: Request, parameters: Followed, known: IfNoneMatch = "") -> Response:
    """Return a feed of the newest changes as RSS."""
    return cached_response(known, feeds.rss(_feed(app, request, parameters)), feeds.RSS, A_MINUTE)


@router.get("/api/changes/atom", response_class=Response, responses=feeds.feed_responses(feeds.ATOM))
def atom(app: Parts, request: Request, parameters: Followed, known: IfNoneMatch = "") -> Response:
    """Return a feed of the newest changes as Atom."""
    return cached_response(known, feeds.atom(_feed(app, request, parameters)), feeds.ATOM, A_MINUTE)


@router.get("/api/changes/feed.json", response_class=Response, responses=feeds.feed_responses(feeds.JSON_FEED))
def json_feed(app: Parts, request: Request, parameters: Followed, known: IfNoneMatch = "") -> Response:
    """Return a feed of the newest changes as a JSON Feed."""
    return cached_response(known, feeds.json_feed(_feed(app, request, parameters)), feeds.JSON_FEED, A_MINUTE)


def _feed(app: App, request: Request, parameters: FeedParameters) -> Feed:
    site = site_url(request, app.settings)
    of = None if parameters.source is None else known_source(app, parameters.source)
    page = None if parameters.url is None else _page_of(app, parameters.url, parameters.source)
    asked = parameters.model_dump(by_alias=True, exclude_defaults=True) | ({"source": of.code} if of else {})
    items: list[FeedItem] = []
    if app.settings.change_tracking_enabled:
        filter_ = EventFilter(
            source=parameters.source, min_significance=parameters.min_significance, normalized_url_group=page
        )
        with app.database.read() as session:
            site_wide = site_events.list_site_events(
                session,
                source=parameters.source,
                page=page,
                min_significance=parameters.min_significance,
                limit=MOST_ITEMS,
            )
            replaced = {number for one in site_wide for number in one.replaces}
            events = change_lists.list_events(session, filter_, limit=MOST_ITEMS + len(replaced))
        items = [present_changes.site_event_item(one, site) for one in site_wide]
        items += [present_changes.feed_item(one, site) for one in events if one.to_snapshot_id not in replaced]
        items.sort(key=lambda item: item.at, reverse=True)
    subject = page or (of.name if of else None)
    return Feed(
        title=f"Webstrata: changes of {subject}" if subject else "Webstrata: changes",
        home=_home(site, page, of.code if of else None),
        address=f"{site}{request.url.path}" + (f"?{urlencode(asked)}" if asked else ""),
        items=tuple(items[:MOST_ITEMS]),
    )


def _page_of(app: App, url: str, source: str | None) -> str:
    """Return the page that a URL belongs to; in a source, its page parameters count."""
    parameters: tuple[str, ...] = ()
    if source is not None:
        with app.database.read() as session:
            parameters = source_view(session, source).page_parameters
    return url_group(url, parameters)


def _home(site: str, page: str | None, code: str | None) -> str:
    if page is not None:
        return f"{site}/web/*/{plain_url(page)}"
    return f"{site}/changes?{urlencode({'source': code})}" if code else f"{site}/changes"
