"""Pages of the archive's records for administrators: extraction, fetches and exports."""

import json
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, BeforeValidator, Field

from webstrata.db.collections import collection_lists
from webstrata.db.collections.collection_lists import CollectionFilter, ExportView, ScrapeView
from webstrata.http.dependencies import CodeFilter, JobNumber, Parts, SnapshotNumber, TextFilter, nothing_when_blank
from webstrata.http.export_rows import CHANGES, DATA_DICTIONARY, SNAPSHOTS
from webstrata.model.list_totals import is_capped
from webstrata.web.failures import PageRoute
from webstrata.web.list_pages import count_pages
from webstrata.web.pages import render
from webstrata.web.visitor import require_admin_visitor, visitor_of

DIAGNOSTICS_PAGE = "/admin/diagnostics"
SCRAPES_PAGE = "/admin/scrape-metadata"
EXPORTS_PAGE = "/exports"
ON_A_PAGE = 50
MAX_PAGE = 1_000_000

KIND_WORDS = {
    "captures": "Captures",
    "assets": "Assets",
    "haul": "A haul",
    "snapshots": "List of snapshots",
    "changes": "List of changes",
}

router = APIRouter(route_class=PageRoute, include_in_schema=False)
_ADMIN = [Depends(require_admin_visitor)]


class RecordForm(BaseModel):
    """The filters of these pages."""

    source: CodeFilter = None
    url: TextFilter = None
    listing: Annotated[SnapshotNumber | None, BeforeValidator(nothing_when_blank)] = None
    job: Annotated[JobNumber | None, BeforeValidator(nothing_when_blank)] = None
    page: int = Field(1, ge=1, le=MAX_PAGE)

    @property
    def filters(self) -> CollectionFilter:
        """Return the filter of the database."""
        return CollectionFilter(source=self.source, url=self.url, listing_id=self.listing, job_id=self.job)

    @property
    def offset(self) -> int:
        """Return how many rows are on the pages before."""
        return (self.page - 1) * ON_A_PAGE

    @property
    def is_narrowed(self) -> bool:
        """Return whether anything is filtered."""
        return any((self.source, self.url, self.listing, self.job))

    def place(self, path: str, total: int, shown: int) -> "ListPlace":
        """Return the position of this page in a list, with its neighbours."""
        older, newer = (self._address(path, self.page + step) for step in (1, -1))
        return ListPlace(
            *(path, total, self.page, count_pages(total, ON_A_PAGE, self.page, shown)),
            older=older,
            newer=newer,
            capped=is_capped(total),
        )

    def _address(self, path: str, page: int) -> str:
        fields = {**self.model_dump(exclude_none=True, exclude={"page"}), **({"page": page} if page > 1 else {})}
        return f"{path}?{urlencode(fields)}" if fields else path


@dataclass(frozen=True)
class ListPlace:
    """A page of a list: its number, how many there are, and the addresses of those beside it."""

    address: str
    total: int
    here: int
    pages: int
    older: str
    newer: str
    capped: bool
    """Whether the list is longer than its total."""


Chosen = Annotated[RecordForm, Query()]


@router.get(DIAGNOSTICS_PAGE, dependencies=_ADMIN)
def diagnostics(request: Request, app: Parts, form: Chosen) -> HTMLResponse:
    """Show how the fields of listings were extracted, the newest first."""
    with app.database.read() as session:
        found, total = collection_lists.list_diagnostics(session, form.filters, limit=ON_A_PAGE, offset=form.offset)
    return render(
        request, "diagnostics.html", diagnostics=found, form=form, place=form.place(DIAGNOSTICS_PAGE, total, len(found))
    )


@router.get(SCRAPES_PAGE, dependencies=_ADMIN)
def scrapes(request: Request, app: Parts, form: Chosen) -> HTMLResponse:
    """Show the attempts to fetch URLs, the newest first."""
    with app.database.read() as session:
        found, total = collection_lists.list_scrapes(session, form.filters, limit=ON_A_PAGE, offset=form.offset)
    shown = [(one, notes_of(one)) for one in found]
    return render(request, "scrapes.html", scrapes=shown, form=form, place=form.place(SCRAPES_PAGE, total, len(found)))


@router.get(EXPORTS_PAGE)
def exports(request: Request, app: Parts, form: Chosen) -> HTMLResponse:
    """Show which lists can be downloaded, and to administrators the history of exports."""
    found: list[ExportView] = []
    total = 0
    if visitor_of(request).is_admin:
        with app.database.read() as session:
            found, total = collection_lists.list_exports(
                session, CollectionFilter(), limit=ON_A_PAGE, offset=form.offset
            )
    shown = [(one, KIND_WORDS.get(one.kind, one.kind), chosen_words(one)) for one in found]
    return render(
        request,
        "exports.html",
        exports=shown,
        lists=(("Snapshots", SNAPSHOTS), ("Changes", CHANGES)),
        dictionary=DATA_DICTIONARY,
        enabled=app.settings.exports_enabled,
        place=form.place(EXPORTS_PAGE, total, len(found)),
    )


def notes_of(scrape: ScrapeView) -> list[str]:
    """Return what is unusual about an attempt to fetch a URL, in words."""
    notes = [scrape.error_kind] if scrape.error_kind else []
    if scrape.is_blocked:
        notes.append("blocked")
    if scrape.is_js_only:
        notes.append("needs JavaScript")
    return notes


def chosen_words(export: ExportView) -> str:
    """Return what an export was limited to, in words; empty when it was everything."""
    return ", ".join(
        f"{name} {value if isinstance(value, str) else json.dumps(value)}" for name, value in export.filters.items()
    )
