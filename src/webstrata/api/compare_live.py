"""Comparison of a capture with the live page."""

from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from webstrata.api.change_schemas import LiveComparisonSchema
from webstrata.api.present import timestamp
from webstrata.api.present_changes import compared_snapshot
from webstrata.changes.compare_requests import ComparedPages
from webstrata.changes.events import DIFF_VERSION, NORMALIZATION_VERSION
from webstrata.changes.live import LivePages
from webstrata.errors import NotFoundError
from webstrata.http.caching import NEVER
from webstrata.http.comparing import comparisons_of
from webstrata.http.dependencies import Parts, SnapshotId
from webstrata.http.error_responses import MAY_BE_WITHHELD
from webstrata.http.error_schemas import ErrorSchema
from webstrata.http.lookups import known_snapshot
from webstrata.http.methods import IS_HEAD
from webstrata.model.changes.values import Comparison
from webstrata.model.crawl.fetching import FetchResult

router = APIRouter(tags=["snapshots"], responses=MAY_BE_WITHHELD)


class TextMode(StrEnum):
    """The part of a page that is compared: its main content, or all of it."""

    MAIN = "main"
    FULL = "full"


@router.get(
    "/api/snapshots/{snapshot_id}/compare-live",
    response_model=LiveComparisonSchema,
    responses={
        400: {"model": ErrorSchema, "description": "The page's URL may not be fetched."},
        413: {"model": ErrorSchema, "description": "The page is too large."},
        502: {"model": ErrorSchema, "description": "The page could not be fetched."},
    },
)
def compare_live(
    app: Parts,
    request: Request,
    response: Response,
    snapshot_id: SnapshotId,
    mode: Annotated[
        TextMode, Query(description="Part to compare: the main content, or the whole page.")
    ] = TextMode.MAIN,
) -> Response | LiveComparisonSchema:
    """Compare a capture with the page as it is now; nothing is stored. HEAD fetches nothing."""
    snapshot = known_snapshot(app, snapshot_id)
    if not app.settings.compare_live_enabled:
        raise NotFoundError("This archive does not compare captures with the live web")
    response.headers["Cache-Control"] = NEVER
    if request.scope.get(IS_HEAD):
        return Response(headers={"Cache-Control": NEVER, "Content-Type": "application/json"})
    pages = request.app.state.live_pages
    assert isinstance(pages, LivePages)
    live = pages.fetch(snapshot.url)
    compared = comparisons_of(request).compare_live(snapshot_id, live, is_full=mode is TextMode.FULL)
    return LiveComparisonSchema(
        archivedSnapshot=compared_snapshot(snapshot),
        liveFetch=_fetch_json(snapshot.url, live),
        stats=_stats(compared.comparison),
        diff=_diff(compared),
        render={"changeType": compared.comparison.change_type.value, "isTruncated": compared.diff_truncated},
        textModeRequested=mode.value,
        textModeUsed=mode.value,
        textModeFallback=False,
    )


def _fetch_json(url: str, live: FetchResult) -> dict[str, object]:
    return {
        "requestedUrl": url,
        "finalUrl": live.url,
        "statusCode": live.status,
        "contentType": live.header("content-type"),
        "bytesRead": len(live.body),
        "fetchedAt": timestamp(live.fetched_at),
    }


def _stats(found: Comparison) -> dict[str, object]:
    return {
        "summary": found.summary or None,
        "significance": found.verdict.significance,
        "reasons": [{"code": one.code, "text": one.text, "weight": one.weight} for one in found.verdict.reasons],
        "addedSections": found.added_sections,
        "removedSections": found.removed_sections,
        "changedSections": found.changed_sections,
        "addedLines": found.added_lines,
        "removedLines": found.removed_lines,
        "changeRatio": found.change_ratio,
        "highNoise": found.high_noise,
    }


def _diff(compared: ComparedPages) -> dict[str, object]:
    return {
        "diffFormat": "html",
        "diffHtml": compared.diff_html,
        "diffTruncated": compared.diff_truncated,
        "diffVersion": DIFF_VERSION,
        "normalizationVersion": NORMALIZATION_VERSION,
    }
