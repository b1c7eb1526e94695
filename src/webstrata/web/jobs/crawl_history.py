"""The history of a job's crawl in words: its engine, its attempts, and the monitor's actions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from webstrata.db.queue.run_reports import JobProgress
from webstrata.jobs.progress.crawl_history import ATTEMPTS_SHOWN, CrawlAttempt, MonitorDecision, engine_of
from webstrata.model.archive import JobView
from webstrata.model.crawl.monitoring import RecoveryAction
from webstrata.web import present

_ENGINES = {"native": "the built-in crawler", "zimit": "zimit, in a container"}
_STAGES = {
    "initial_crawl": "First crawl",
    "resume_crawl": "Resumed crawl",
    "new_crawl_phase": "New crawl",
    "final_build_from_warcs": "Building the ZIM",
}
_TROUBLES = {
    "stall": "Stalled",
    "no_statistics": "Silent",
    "timeout": "Timeouts",
    "http": "HTTP errors",
    "crashed": "Crashed",
}


@dataclass(frozen=True)
class AttemptRow:
    """An attempt, formatted for the page."""

    name: str
    began_at: datetime
    took: str
    pages: str
    failed: str


@dataclass(frozen=True)
class DecisionRow:
    """A decision of the monitor, formatted for the page."""

    at: datetime | None
    trouble: str
    reason: str
    answer: str


@dataclass(frozen=True)
class CrawlHistory:
    """The crawl history on a job's page."""

    engine: str
    stage: str | None
    attempts: tuple[AttemptRow, ...]
    has_earlier: bool
    """Whether earlier attempts may be missing from the list."""
    decisions: tuple[DecisionRow, ...]
    no_decisions: str
    """The sentence that is shown when there is no decision of the monitor."""


def crawl_history(
    progress: JobProgress, attempts: Sequence[CrawlAttempt], decisions: Sequence[MonitorDecision]
) -> CrawlHistory:
    """Return how a job's crawl went."""
    job, engine = progress.job, engine_of(progress.job)
    return CrawlHistory(
        engine=_ENGINES.get(engine, engine),
        stage=stage_words(job.crawler_stage) if job.crawler_stage else None,
        attempts=tuple(map(attempt_row, attempts)),
        has_earlier=len(attempts) >= ATTEMPTS_SHOWN,
        decisions=tuple(map(decision_row, decisions)),
        no_decisions=_no_decisions(job, is_over=progress.is_over),
    )


def stage_words(stage: str) -> str:
    """Return the stage of an attempt in words: the first one, or one that continued the crawl."""
    return _STAGES.get(stage, stage.replace("_", " ").capitalize())


def attempt_row(attempt: CrawlAttempt) -> AttemptRow:
    """Return an attempt as text; values that its log does not have are a dash."""
    crawled, total = attempt.crawled, attempt.total
    pages = "–" if crawled is None else present.number(crawled)
    return AttemptRow(
        name=f"{stage_words(attempt.stage)}, attempt {attempt.number}",
        began_at=attempt.began_at,
        took=present.duration(attempt.ended_at - attempt.began_at) if attempt.ended_at else "–",
        pages=f"{pages} of {present.number(total)}" if total else pages,
        failed="–" if attempt.failed is None else present.number(attempt.failed),
    )


def decision_row(decision: MonitorDecision) -> DecisionRow:
    """Return a decision of the monitor as text."""
    trouble = _TROUBLES.get(decision.trouble, decision.trouble)
    return DecisionRow(decision.at, trouble, decision.reason, _action_words(decision))


def _action_words(decision: MonitorDecision) -> str:
    words = {
        RecoveryAction.FEWER_WORKERS: f"Continued with {present.count(decision.workers or 0, 'worker')}",
        RecoveryAction.ROTATE_VPN: "Changed the VPN and restarted",
        RecoveryAction.RESTART: "Restarted",
        RecoveryAction.BACK_OFF: f"Paused for {present.duration(decision.wait)}",
        RecoveryAction.GIVE_UP: "Gave up",
    }
    return next((words_for for answer, words_for in words.items() if answer == decision.answer), decision.answer)


def _no_decisions(job: JobView, *, is_over: bool) -> str:
    if job.was_registered:
        return "There was no crawl to monitor."
    options = (job.config or {}).get("tool_options")
    is_watched = isinstance(options, Mapping) and options.get("enable_monitoring") is True
    if is_watched:
        return "The monitor found no problems." if is_over else "No problems so far."
    return "Monitoring is off for this crawl. Turn it on with the tool option enable_monitoring."
