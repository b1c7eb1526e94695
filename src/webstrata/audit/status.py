"""The outcome of an audit session: its status and its error summary, from the results of its pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from webstrata.model.auditing.sessions import AuditPageStatus, AuditPageType, AuditStatus, AuditViewport


class AuditProblem(StrEnum):
    """The error summaries of sessions."""

    PDP_NOT_FOUND = "PDP not found"
    SOME_FAILED = "One or more viewports failed"
    ALL_FAILED = "All viewports failed"
    LOCK_TIMEOUT = "Domain lock timeout"
    NAVIGATION_TIMEOUT = "Navigation timeout"
    BLOCKED = "Blocked (403/503)"
    RATE_LIMITED = "Rate limited (429)"
    BOT_BLOCK = "Bot-block"


@dataclass(frozen=True)
class PageOutcome:
    """The result of one page in one viewport; `problem` explains a failure that has a known cause."""

    page_type: AuditPageType
    viewport: AuditViewport
    status: AuditPageStatus
    problem: AuditProblem | None = None


@dataclass(frozen=True)
class SessionOutcome:
    """The status of a session that has ended, and its error summary; None when nothing is wrong."""

    status: AuditStatus
    error_summary: str | None = None


PLACES = tuple((page_type, viewport) for page_type in AuditPageType for viewport in AuditViewport)
"""The four pages of a complete audit."""


def session_outcome(pages: Sequence[PageOutcome], *, pdp_found: bool) -> SessionOutcome:
    """Return the outcome of a session from its pages; missing pages count as failed.

    If all pages failed for the same known cause, such as a block, this cause is the error summary.
    """
    best = {(page.page_type, page.viewport): page for page in pages}
    succeeded = [place for place in PLACES if place in best and best[place].status is AuditPageStatus.OK]
    if not succeeded:
        return SessionOutcome(AuditStatus.FAILED, _shared_problem(pages) or AuditProblem.ALL_FAILED)
    if not pdp_found:
        return SessionOutcome(AuditStatus.PARTIAL, AuditProblem.PDP_NOT_FOUND)
    if len(succeeded) == len(PLACES):
        return SessionOutcome(AuditStatus.COMPLETED)
    return SessionOutcome(AuditStatus.PARTIAL, AuditProblem.SOME_FAILED)


def problem_of_status(status_code: int) -> AuditProblem | None:
    """Return the problem that a final response status indicates, if any."""
    if status_code == 429:
        return AuditProblem.RATE_LIMITED
    return AuditProblem.BLOCKED if status_code in (403, 503) else None


def _shared_problem(pages: Sequence[PageOutcome]) -> AuditProblem | None:
    """Return the cause of failure that all failed pages share."""
    problems = {page.problem for page in pages if page.status is AuditPageStatus.FAILED}
    return problems.pop() if len(problems) == 1 else None
