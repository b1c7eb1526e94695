"""Where the captures come from."""

from dataclasses import replace
from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Query

from webstrata.api import present
from webstrata.api.parts import Parts
from webstrata.api.schemas import SourceSummarySchema
from webstrata.app import App
from webstrata.db import catalog
from webstrata.model.archive import SnapshotView, SourceSummary

router = APIRouter(tags=["sources"])


class Language(StrEnum):
    """A language that readers may prefer."""

    ENGLISH = "en"
    FRENCH = "fr"


@router.get("/api/sources")
def sources(
    app: Parts,
    lang: Annotated[Language | None, Query(description="Enter by the front page's newest capture in it.")] = None,
) -> list[SourceSummarySchema]:
    """List the sources that have a snapshot, by name."""
    with app.database.read() as session:
        found = catalog.sources(session)
    if lang is not None:
        found = tuple(_entered_in(lang, app, summary) for summary in found)
    return [present.source(summary) for summary in found]


def _entered_in(lang: Language, app: App, summary: SourceSummary) -> SourceSummary:
    """Return a source whose entry is in a language, if its front page was ever captured in it."""
    if summary.entry_record_id is None:
        return summary
    with app.database.read() as session:
        entry = catalog.snapshot(session, summary.entry_record_id)
        if entry is None or _in_language(lang, entry):
            return summary
        captures = catalog.timeline(session, entry)
    preferred = (capture.id for capture in reversed(captures) if _in_language(lang, capture) and _is_good(capture))
    return replace(summary, entry_record_id=next(preferred, summary.entry_record_id))


def _in_language(lang: Language, snapshot: SnapshotView) -> bool:
    return (snapshot.language or "").lower().partition("-")[0] == lang


def _is_good(snapshot: SnapshotView) -> bool:
    return snapshot.status_code is None or 200 <= snapshot.status_code < 300
