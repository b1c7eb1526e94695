"""The site diff of a source: which pages were added, removed, moved, unlinked and changed between two runs."""

from typing import Annotated

from fastapi import APIRouter, Query

from webstrata.api.sources import SourceCode
from webstrata.api.watching.schemas import SiteDiffSchema
from webstrata.changes.site.choosing import read_choice
from webstrata.http.dependencies import Parts, TextFilter
from webstrata.http.error_schemas import ErrorSchema
from webstrata.http.lookups import known_source
from webstrata.model.watching.site_diff_json import site_diff_json

router = APIRouter(tags=["watching"], responses={404: {"model": ErrorSchema}})

_RUN = "A job's number, or a date: the last run that began by the end of that day (UTC)."


@router.get("/api/sources/{code}/site-diff")
def site_diff(
    app: Parts,
    code: SourceCode,
    older: Annotated[TextFilter, Query(alias="from", description=f"The older run. {_RUN}")] = None,
    newer: Annotated[TextFilter, Query(alias="to", description=f"The newer run. {_RUN}")] = None,
    limit: Annotated[int, Query(ge=1, le=1000, description="Maximum number of pages in a list.")] = 100,
) -> SiteDiffSchema:
    """Compare two runs of a source, by default the newest two complete ones."""
    source = known_source(app, code)
    choices = read_choice(older, "from"), read_choice(newer, "to")
    diff = app.site_comparison().compare(source.code, *choices, most=limit)
    return SiteDiffSchema.model_validate(site_diff_json(diff))
