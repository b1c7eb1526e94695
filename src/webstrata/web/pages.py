"""Rendering of pages from templates and values, for a visitor."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context

from webstrata import __version__
from webstrata.http.dependencies import wired_parts
from webstrata.model.archive import JobView
from webstrata.web import change_texts, present, quality_texts
from webstrata.web.api_texts import text_and_code
from webstrata.web.assets import HTMX, asset_address, our_assets
from webstrata.web.list_pages import total_words
from webstrata.web.schedule_texts import schedule_words
from webstrata.web.search.form import address
from webstrata.web.visitor import visitor_of

_NOT_KEPT = "private, no-cache"
"""Pages depend on the visitor and on new captures: browsers revalidate them, shared caches do not store them."""


def render(
    request: Request, template: str, *, status: int = 200, headers: Mapping[str, str] | None = None, **values: object
) -> HTMLResponse:
    """Return a page for the visitor of a request."""
    about = {
        "visitor": visitor_of(request),
        "path": request.url.path,
        "now": datetime.now(UTC),
        "tracks_changes": wired_parts(request).settings.change_tracking_enabled,
        "htmx": HTMX if HTMX in our_assets() else None,
    }
    html = _templates().get_template(template).render(about | values)
    return HTMLResponse(html, status_code=status, headers={"Cache-Control": _NOT_KEPT, **(headers or {})})


def page_text(template: str, **values: object) -> str:
    """Return a page that is the same for every visitor."""
    return _templates().get_template(template).render(values)


@pass_context
def _age(context: Context, moment: datetime) -> str:
    return present.age(moment, context["now"])


@pass_context
def _took(context: Context, job: JobView) -> str | None:
    return present.took(job, context["now"])


def prepare_templates() -> None:
    """Compile every template now, so that the first reader does not wait for it."""
    for name in _templates().list_templates():
        _templates().get_template(name)


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("webstrata.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"asset": asset_address, "address": address, "replace": replace, "version": __version__}
    environment.filters |= {
        function.__name__: function
        for function in (
            present.action_words,
            present.answer,
            present.capitalised,
            present.clock,
            present.count,
            present.date_and_time,
            present.day,
            present.file_name,
            present.is_good,
            quality_texts.quality_reasons,
            quality_texts.quality_words,
            present.job_state,
            present.language_name,
            present.machine_time,
            present.number,
            present.period,
            present.shown_url,
            present.page_name,
            present.size,
            present.snippet_of,
            present.title_of,
            present.to_the_second,
            present.web_link,
            change_texts.by_weight,
            change_texts.chips,
            change_texts.compare_address,
            change_texts.runs,
            change_texts.significance_words,
            change_texts.summary_sentence,
            change_texts.top_detail,
            schedule_words,
            text_and_code,
            total_words,
        )
    }
    environment.filters |= {"age": _age, "took": _took}
    return environment
