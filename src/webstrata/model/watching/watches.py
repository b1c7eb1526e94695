"""Watches: scope, selected parts of pages, and the change events that belong to a watch."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from webstrata.errors import UsageError
from webstrata.model.changes.values import SIGNIFICANT, ChangeType
from webstrata.model.jobs.schedules import parse_schedule
from webstrata.model.notifications.messages import site_diff_path
from webstrata.model.urls import origin_of, parse_url, url_group, with_scheme
from webstrata.model.watching.site_events import SiteEvent, SiteEventKind

MAX_IGNORED = 20
MAX_RULE_LENGTH = 500

_CSS, _TEXT = "css:", "text:"
_LOOKS_LIKE_CSS = re.compile(r"[.#\[*]\S.*|[a-z][a-z0-9-]*(?:[.#\[:]\S|\s*[>+~]\s*\S).*", re.IGNORECASE)
_ELEMENTS = frozenset(
    {"article", "aside", "button", "dialog", "div", "figure", "footer", "form", "header", "iframe", "img", "li"}
    | {"main", "nav", "ol", "p", "section", "select", "span", "svg", "table", "time", "ul", "video"}
)
"""Element names; a single word that is one of these is a CSS selector, any other a text."""


class WatchScope(StrEnum):
    """How much of a site a watch captures."""

    PAGE = "page"
    """The page with its requisites."""
    FOLDER = "folder"
    """The pages below the page's folder."""
    SITE = "site"


@dataclass(frozen=True)
class WatchRules:
    """The parts of a page that a watch selects or ignores."""

    selector: str | None = None
    ignored: tuple[str, ...] = ()

    @property
    def ignored_selectors(self) -> tuple[str, ...]:
        """Return the CSS selectors of ignored parts."""
        return tuple(rule.removeprefix(_CSS) for rule in self.ignored if rule.startswith(_CSS))

    @property
    def ignored_texts(self) -> tuple[str, ...]:
        """Return the texts whose lines are ignored."""
        return tuple(rule.removeprefix(_TEXT) for rule in self.ignored if rule.startswith(_TEXT))

    @property
    def narrows(self) -> bool:
        """Return whether any part of a page does not count."""
        return self.selector is not None or bool(self.ignored)


@dataclass(frozen=True)
class WatchRequest:
    """A requested watch, not checked yet."""

    url: str
    every: str = "1d"
    scope: WatchScope = WatchScope.PAGE
    select: str = ""
    ignore: tuple[str, ...] = ()
    min_significance: float = SIGNIFICANT


@dataclass(frozen=True)
class Watch:
    """A watch as it is stored."""

    id: int
    source_id: int
    url: str
    scope: WatchScope
    page: str
    rules: WatchRules
    min_significance: float
    schedule: str
    paused: bool
    next_run_at: datetime
    created_at: datetime
    schedule_error: str | None = None
    first_job_id: int | None = None
    last_job_id: int | None = None

    def covers(self, page: str) -> bool:
        """Return whether a page is watched, by its normalized address."""
        if self.scope is WatchScope.PAGE:
            return page == self.page
        above = self.page.rstrip("/")
        return page.rstrip("/") == above or page.startswith(f"{above}/")

    def may_report(self, change_type: ChangeType, from_captured_at: datetime | None, to_job_id: int | None) -> bool:
        """Return whether a change happened after the watch's first check, and is of a kind that the watch reports."""
        if change_type in (ChangeType.UNCHANGED, ChangeType.ERROR):
            return False
        if from_captured_at is not None:
            return from_captured_at >= self.created_at
        is_later = self.first_job_id is not None and to_job_id is not None and to_job_id > self.first_job_id
        return self.scope is not WatchScope.PAGE and is_later

    def may_report_site_event(self, event: SiteEvent, from_job_id: int) -> bool:
        """Return whether a site event is in the scope of the watch, and both of its runs are not before the first
        check.

        A changed template is reported only by watches of several pages without selected parts.
        """
        if self.first_job_id is None or from_job_id < self.first_job_id or event.significance < self.min_significance:
            return False
        if event.kind is SiteEventKind.TEMPLATE:
            return self.scope is not WatchScope.PAGE and self.rules.selector is None
        return self.covers(event.page) or (event.new_page is not None and self.covers(event.new_page))


@dataclass(frozen=True)
class WatchView:
    """A watch with its last check and its last change."""

    watch: Watch
    source_code: str
    source_name: str
    last_check_at: datetime | None = None
    last_check_status: str | None = None
    last_change_at: datetime | None = None
    last_change_summary: str | None = None
    last_change_snapshot_id: int | None = None
    """The capture that shows the change; None for a site event."""
    last_change_runs: tuple[int, int] | None = None
    """The two jobs whose comparison shows the change; None for a change of one page."""
    changes: int = 0

    @property
    def last_change_path(self) -> str | None:
        """Return the path of the page that shows the last change."""
        if self.last_change_runs is not None:
            return site_diff_path(self.source_code, *self.last_change_runs)
        return f"/compare?to={self.last_change_snapshot_id}" if self.last_change_snapshot_id else None

    def to_json(self) -> dict[str, object]:
        """Return the watch as JSON, the same for the command line and the API."""
        watch = self.watch
        return {
            "id": watch.id,
            "url": watch.url,
            "scope": watch.scope.value,
            "source": self.source_code,
            "select": watch.rules.selector,
            "ignore": list(watch.rules.ignored),
            "minSignificance": watch.min_significance,
            "schedule": watch.schedule,
            "paused": watch.paused,
            "nextCheck": watch.next_run_at.isoformat(),
            "scheduleError": watch.schedule_error,
            "createdAt": watch.created_at.isoformat(),
            "lastJobId": watch.last_job_id,
            "lastCheck": self.last_check_at.isoformat() if self.last_check_at else None,
            "lastCheckStatus": self.last_check_status,
            "lastChange": self.last_change_at.isoformat() if self.last_change_at else None,
            "lastChangeSummary": self.last_change_summary,
            "lastChangeSnapshotId": self.last_change_snapshot_id,
            "lastChangePath": self.last_change_path,
            "changes": self.changes,
        }


@dataclass(frozen=True)
class CheckedWatch:
    """A request for a watch that can be stored."""

    url: str
    scope: WatchScope
    rules: WatchRules
    schedule: str
    min_significance: float


def check_watch(request: WatchRequest) -> CheckedWatch:
    """Return a checked request; UsageError when it is invalid."""
    url = parse_url(with_scheme(request.url)).href
    parse_schedule(request.every)
    if not 0 <= request.min_significance <= 1:
        raise UsageError(f"the minimum significance must be between 0 and 1, not {request.min_significance:g}")
    if len(request.ignore) > MAX_IGNORED:
        raise UsageError(f"a watch cannot ignore more than {MAX_IGNORED} parts")
    selector = _check_rule(request.select) if request.select.strip() else None
    ignored = tuple(dict.fromkeys(read_ignored(text) for text in request.ignore if text.strip()))
    return CheckedWatch(url, request.scope, WatchRules(selector, ignored), request.every, request.min_significance)


def watched_page(url: str, scope: WatchScope, page_parameters: tuple[str, ...] = ()) -> str:
    """Return the normalised address of the watched page, folder or site."""
    if scope is WatchScope.SITE:
        return url_group(origin_of(url) + "/")
    if scope is WatchScope.FOLDER:
        return url_group(origin_of(url) + folder_of(url))
    return url_group(url, page_parameters)


def folder_of(url: str) -> str:
    """Return the path of the folder that a URL is in, with a slash at its end."""
    return parse_url(url).path.rpartition("/")[0] + "/"


def read_ignored(text: str) -> str:
    """Return a rule of what to ignore in the stored form: with the prefix `css:` or `text:`, which is guessed if
    missing."""
    rule = _check_rule(text)
    for prefix in (_CSS, _TEXT):
        if rule.startswith(prefix) and rule != prefix:
            return rule
    is_css = rule.lower() in _ELEMENTS or _LOOKS_LIKE_CSS.fullmatch(rule) is not None
    return f"{_CSS if is_css else _TEXT}{rule}"


def _check_rule(text: str) -> str:
    rule = text.strip()
    if len(rule) > MAX_RULE_LENGTH or not rule.isprintable():
        raise UsageError(f"a selector or text to ignore must be one line of 1 to {MAX_RULE_LENGTH} characters")
    return rule
