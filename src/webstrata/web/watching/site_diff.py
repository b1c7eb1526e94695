"""The site diff page: two runs of a source, and the pages that became different between them."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import HTMLResponse

from webstrata.changes.site.choosing import read_choice
from webstrata.errors import NotFoundError, UsageError
from webstrata.http.dependencies import Code, Parts, Text
from webstrata.http.lookups import known_source
from webstrata.model.watching.site_diff import SiteDiff
from webstrata.model.words import counted
from webstrata.web.failures import PageRoute
from webstrata.web.pages import render

MOST_SHOWN = 100
"""Pages in each list of the page: `site-diff` and the API list more."""

RUNS_OFFERED = 50

router = APIRouter(prefix="/sources", route_class=PageRoute, include_in_schema=False)

_SourceCode = Annotated[Code, Path(max_length=64)]
_Choice = Annotated[Text, Query(max_length=32)]


@router.get("/{code}/diff")
def site_diff(
    code: _SourceCode,
    request: Request,
    app: Parts,
    older: Annotated[_Choice, Query(alias="from")] = "",
    newer: Annotated[_Choice, Query(alias="to")] = "",
) -> HTMLResponse:
    """Show what changed on a site between two runs."""
    source = known_source(app, code)
    comparison = app.site_comparison()
    runs = comparison.list_runs(source.code)
    diff, problem = None, None
    try:
        choices = read_choice(older, "The older run"), read_choice(newer, "The newer run")
        diff = comparison.compare(source.code, *choices, most=MOST_SHOWN) if len(runs) > 1 else None
    except (UsageError, NotFoundError) as error:
        problem = str(error)
    return render(
        request,
        "site_diff.html",
        status=422 if problem else 200,
        source=source,
        runs=runs[:RUNS_OFFERED],
        diff=diff,
        problem=problem,
        words=_words(diff) if diff else "",
        chosen=(diff.older.job_id, diff.newer.job_id) if diff else (0, 0),
    )


def _words(diff: SiteDiff) -> str:
    """Return the differences in a sentence."""
    named = ("added", "removed", "moved", "unlinked", "changed", "restored", "unavailable")
    parts = [f"{counted(diff.counts[name], 'page')} {name}" for name in named if diff.counts[name]]
    if diff.templates:
        parts.append("the template changed")
    return "; ".join(parts) or "No differences"
