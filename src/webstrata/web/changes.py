"""The list of changes, with its filters."""

from datetime import date
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, ConfigDict, Field

from webstrata.db.changes import change_lists
from webstrata.db.changes.change_lists import EventFilter
from webstrata.db.operations import catalog
from webstrata.errors import NotFoundError
from webstrata.http.dependencies import Code, Parts
from webstrata.model.changes.values import CHANGE_WORDS, SIGNIFICANT, ChangeType
from webstrata.model.list_totals import is_capped
from webstrata.model.notifications.values import ReviewFilter
from webstrata.web.change_texts import by_day
from webstrata.web.failures import PageRoute
from webstrata.web.list_pages import count_pages
from webstrata.web.pages import render

CHANGES_ON_A_PAGE = 30
MAX_PAGE = 1_000_000
TEMPLATES_SHOWN = 5

LEVELS = (("", "Any"), ("0.1", "0.1 and above"), ("0.3", "0.3 and above: worth knowing"), ("0.6", "0.6 and above"))
REVIEWS = (
    ("", "All"),
    ("unreviewed", "Not reviewed"),
    ("reviewed", "Reviewed"),
    ("important", "Important"),
    ("noise", "Noise"),
)
_JOB_DIGITS = 10
_SORTS = (("", "Newest first"), ("significance", "Most significant first"))

router = APIRouter(route_class=PageRoute, include_in_schema=False)


class ChangeForm(BaseModel):
    """The filters of the list as they were typed."""

    model_config = ConfigDict(frozen=True)

    source: Code = ""
    kind: str = Field("", alias="changeType")
    level: str = Field("", alias="minSignificance")
    first: str = Field("", alias="from")
    last: str = Field("", alias="to")
    review: str = ""
    job: str = Field("", alias="jobId")
    sort: str = ""
    page: int = Field(1, ge=1, le=MAX_PAGE)

    @property
    def is_narrowed(self) -> bool:
        """Return whether any filter is set."""
        return any((self.source, self.kind, self.level, self.first, self.last, self.review, self.job))

    def address(self, page: int | None = None) -> str:
        """Return the permanent address of the list; the first page needs no number."""
        fields = self.model_dump(by_alias=True, exclude={"page"})
        query = urlencode({n: v for n, v in fields.items() if v} | ({"page": page} if page and page > 1 else {}))
        return f"/changes?{query}" if query else "/changes"


@router.get("/changes")
def changes(request: Request, app: Parts, form: Annotated[ChangeForm, Query()]) -> HTMLResponse:
    """List what changed, grouped by day."""
    if not app.settings.change_tracking_enabled:
        raise NotFoundError("Change tracking is switched off in this archive")
    page = form.page
    requested, problems = read_form(form)
    with app.database.read() as session:
        sources = catalog.sources(session)
        total = change_lists.count_events(session, requested)
        events = change_lists.list_events(
            session,
            requested,
            limit=CHANGES_ON_A_PAGE,
            offset=(page - 1) * CHANGES_ON_A_PAGE,
            by_significance=form.sort == "significance",
        )
        templates = change_lists.list_template_changes(session, requested, limit=TEMPLATES_SHOWN)
    return render(
        request,
        "changes.html",
        status=422 if problems else 200,
        form=form,
        problems=problems,
        days=[(None, events)] if form.sort == "significance" else list(by_day(events)),
        total=total,
        templates=templates if page == 1 and not form.kind and not form.level else [],
        here=page,
        pages=count_pages(total, CHANGES_ON_A_PAGE, page, len(events)),
        capped=is_capped(total),
        significant=SIGNIFICANT,
        choices=_choices(form, [(one.code, one.name) for one in sources]),
    )


def read_form(form: ChangeForm) -> tuple[EventFilter, dict[str, str]]:
    """Return the filter of a form, and its errors by field name."""
    problems: dict[str, str] = {}
    days = {name: _day(text, name, problems) for name, text in (("from", form.first), ("to", form.last))}
    if days["from"] and days["to"] and days["from"] > days["to"]:
        problems["from"] = "The first day must not be after the last."
    known = form.kind in set(ChangeType)
    if form.kind and not known:
        problems["changeType"] = "Choose a kind of change from the list."
    level = _level(form.level, problems)
    is_review = form.review in set(ReviewFilter)
    if form.review and not is_review:
        problems["review"] = "Choose a mark from the list."
    return (
        EventFilter(
            source=form.source.strip() or None,
            from_date=days["from"],
            to_date=days["to"],
            min_significance=level,
            change_types=(ChangeType(form.kind),) if known else (),
            review=ReviewFilter(form.review) if is_review else None,
            job_id=_job(form.job),
        ),
        problems,
    )


def _day(text: str, name: str, problems: dict[str, str]) -> date | None:
    try:
        return date.fromisoformat(text.strip()) if text.strip() else None
    except ValueError:
        problems[name] = "Write the day as 2024-05-31."
        return None


def _job(text: str) -> int | None:
    """Return the number of a run; for an invalid text a number that no run has."""
    if not text.strip():
        return None
    return int(text) if text.isascii() and text.isdecimal() and len(text) < _JOB_DIGITS else 0


def _level(text: str, problems: dict[str, str]) -> float:
    try:
        level = float(text or 0)
    except ValueError:
        level = -1.0
    if not 0 <= level <= 1:
        problems["minSignificance"] = "Choose a number from 0 to 1."
        return 0.0
    return level


def _choices(form: ChangeForm, sources: list[tuple[str, str]]) -> list[tuple[str, str, str, list[tuple[str, str]]]]:
    """Return the select fields: name, label, value and options, which include the current value."""
    kinds = [(kind.value, CHANGE_WORDS[kind]) for kind in ChangeType]
    lists = [
        ("source", "Source", form.source, [("", "All sources"), *sources]),
        ("changeType", "Kind", form.kind, [("", "All changes"), *kinds]),
        ("minSignificance", "Significance", form.level, list(LEVELS)),
        ("review", "Review", form.review, list(REVIEWS)),
        ("sort", "Order", form.sort, list(_SORTS)),
    ]
    return [
        (name, label, value, options if value in dict(options) else [*options, (value, f"{value} (unknown)")])
        for name, label, value, options in lists
    ]
