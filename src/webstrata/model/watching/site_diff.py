"""Site diff: the pages of two runs of a source, and which responses prove that a page was removed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from webstrata.model.assets import GONE_STATUSES, same_reach, too_many_at_once
from webstrata.model.changes.values import Reason
from webstrata.model.crawl.fetching import REDIRECT_STATUSES
from webstrata.model.jobs.job import JobStatus
from webstrata.model.quality import QualityKind
from webstrata.model.words import counted

_GONE_KINDS = frozenset({QualityKind.SOFT_404, QualityKind.PARKED, QualityKind.PLACEHOLDER})
_UNDER_WAY = {
    **dict.fromkeys((JobStatus.QUEUED, JobStatus.RETRYABLE), "has not started"),
    JobStatus.RUNNING: "is still running",
    **dict.fromkeys((JobStatus.COMPLETED, JobStatus.INDEXING), "is not indexed yet"),
    JobStatus.INDEX_FAILED: "could not be indexed",
    JobStatus.STOPPED: "was stopped",
    JobStatus.FAILED: "failed",
}


@dataclass(frozen=True)
class SiteRun:
    """A job of a source, with the facts that show whether it is complete."""

    job_id: int
    name: str
    status: JobStatus
    started_at: datetime
    first_capture: datetime
    last_capture: datetime
    snapshots: int
    config: Mapping[str, object]
    max_depth: int
    max_pages: int
    waiting: int | None
    """URLs that the run found and did not fetch; None when unknown."""
    deepest: int | None
    """The depth of its deepest page; None when unknown."""


def why_incomplete(run: SiteRun) -> str | None:
    """Return why a run may lack pages of the site; None for a complete one."""
    job = f"job {run.job_id}"
    if run.status in _UNDER_WAY:
        return f"{job} {_UNDER_WAY[run.status]}"
    if run.max_depth == 0 or run.max_pages == 1:
        return f"{job} captured single pages"
    if run.waiting is None:
        return f"it is not known which URLs {job} left out"
    if run.waiting:
        return f"{job} reached a limit with {counted(run.waiting, 'URL')} to go"
    if run.deepest is not None and run.deepest >= run.max_depth:
        return f"{job} reached its maximum depth of {counted(run.max_depth, 'link')}"
    return None


def why_incomparable(older: SiteRun, newer: SiteRun) -> str | None:
    """Return why a page that the newer run lacks may still exist; None when both runs are complete and have the same
    scope."""
    reason = why_incomplete(newer) or why_incomplete(older)
    if reason is None and not same_reach(older.config, newer.config):
        reason = f"jobs {older.job_id} and {newer.job_id} have different scopes"
    return reason


def earlier_run(runs: Iterable[SiteRun], job_id: int, config: Mapping[str, object]) -> SiteRun | None:
    """Return the newest complete run before a job that has the same scope; the runs are given newest first."""
    for run in runs:
        if run.job_id < job_id and same_reach(run.config, config) and why_incomplete(run) is None:
            return run
    return None


class MissingFate(StrEnum):
    """What happened to a page without a good capture in the newer run."""

    REMOVED = "removed"
    UNAVAILABLE = "unavailable"
    """It was requested, but the response does not show whether the page still exists."""
    REDIRECTED = "redirected"


@dataclass(frozen=True)
class LastResponse:
    """The newer run's response for a page; without a status there was none."""

    status_code: int | None = None
    kind: str | None = None
    """The quality's kind, if the response is a page."""
    error: str | None = None
    location: str | None = None
    """Where a redirect leads."""


def missing_fate(response: LastResponse) -> MissingFate:
    """Return what a response shows about a page without a good capture."""
    if response.location is not None:
        return MissingFate.REDIRECTED
    if response.status_code in GONE_STATUSES or response.kind in _GONE_KINDS:
        return MissingFate.REMOVED
    return MissingFate.UNAVAILABLE


def response_words(response: LastResponse) -> str:
    """Return a response in words."""
    if response.kind in _GONE_KINDS and response.status_code in REDIRECT_STATUSES:
        return "it leads to the home page, a login or an error page, or where many pages lead"
    if response.error is not None:
        return response.error
    if response.kind is not None and response.kind not in (QualityKind.PAGE, QualityKind.ERROR):
        return f"{response.kind.replace('_', ' ')}, status {response.status_code}"
    return f"status {response.status_code}"


def why_unproven(absent: int, pages: int) -> str | None:
    """Return why pages that a complete run did not request may still exist; None without such pages."""
    if too_many_at_once(absent, pages):
        return f"{absent:,} of {pages:,} pages missing at once look like an outage"
    return f"{counted(absent, 'page')} of the older run were not requested" if absent else None


class MoveEvidence(StrEnum):
    """What shows that a page moved."""

    REDIRECT = "redirect"
    SAME_TEXT = "same_text"
    SIMILAR_TEXT = "similar_text"


@dataclass(frozen=True)
class SitePage:
    """A page of one run."""

    page: str
    """The URL group of the page."""
    snapshot_id: int
    title: str = ""


@dataclass(frozen=True)
class MissingPage:
    """A page of the older run without a good capture in the newer one, and the reason."""

    page: SitePage
    reason: str


@dataclass(frozen=True)
class MovedPage:
    """A page that is at another address now."""

    old: SitePage
    new: SitePage
    evidence: MoveEvidence


@dataclass(frozen=True)
class ChangedPage:
    """A page of both runs whose content changed."""

    page: SitePage
    """As the newer run captured it."""
    from_snapshot_id: int
    significance: float
    """Of the most significant of its changes."""
    changes: int
    summary: str
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True)
class TemplateDifference:
    """Lines that most pages of two runs gained or lost."""

    added_lines: tuple[str, ...]
    removed_lines: tuple[str, ...]
    pages: int
    """The number of pages of the newer run that the template was computed from."""

    @property
    def summary(self) -> str:
        """Return the change in words."""
        both = ((self.added_lines, "added"), (self.removed_lines, "removed"))
        words = [f"{counted(len(lines), 'line')} {what}" for lines, what in both if lines]
        return f"the template of the site changed: {' and '.join(words)}"


@dataclass(frozen=True)
class SiteDiff:
    """The differences of a site between two runs; lists may be cut, counts are exact."""

    source: str
    older: SiteRun
    newer: SiteRun
    why_nothing_removed: str | None
    """Why no page is reported as removed or unlinked; None when the runs prove it."""
    counts: Mapping[str, int]
    added: tuple[SitePage, ...] = ()
    removed: tuple[MissingPage, ...] = ()
    moved: tuple[MovedPage, ...] = ()
    unlinked: tuple[SitePage, ...] = ()
    changed: tuple[ChangedPage, ...] = ()
    restored: tuple[SitePage, ...] = ()
    """Pages with an error or a block page in the older run."""
    unavailable: tuple[MissingPage, ...] = ()
    not_seen: tuple[SitePage, ...] = ()
    templates: tuple[TemplateDifference, ...] = ()
    limits: tuple[str, ...] = field(default=())
    """Which limits cut the comparison short."""
