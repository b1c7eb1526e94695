"""Replay checks of jobs: which captures are opened, and what was found."""

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from webstrata.db.replay.closest import CAPTURES, to_capture
from webstrata.db.schema.replay_tables import ReplayCheckRow
from webstrata.db.schema.tables import Capture
from webstrata.model.browser.replay_checks import PageCheck, ReplayReport, StoredReplayCheck, evenly
from webstrata.model.captures import ArchivedCapture
from webstrata.model.timestamps import fourteen_digits

_HTML = ("text/html", "application/xhtml+xml")


def sample_captures(session: Session, job_id: int, most: int) -> list[ArchivedCapture]:
    """Return some of the pages that a job captured, spread evenly over its crawl."""
    is_page = Capture.mime_type.in_(_HTML)
    is_good = or_(Capture.status_code == 200, Capture.record_type == "revisit")
    ids = session.scalars(select(Capture.id).where(Capture.job_id == job_id, is_page, is_good).order_by(Capture.id))
    chosen = evenly(ids.all(), most)
    rows = session.execute(CAPTURES.where(Capture.id.in_(chosen)).order_by(Capture.id))
    return [to_capture(row) for row in rows]


def add_check(session: Session, report: ReplayReport) -> None:
    """Store a replay check."""
    session.add(
        ReplayCheckRow(
            job_id=report.job_id,
            checked_at=report.checked_at,
            pages=len(report.pages),
            requests=report.requests,
            failed_requests=report.failed,
            text_similarity=report.similarity,
            score=report.score,
            details=[page_json(page) for page in report.pages],
        )
    )


def newest_check(session: Session, job_id: int) -> StoredReplayCheck | None:
    """Return the newest replay check of a job."""
    newest = select(func.max(ReplayCheckRow.id)).where(ReplayCheckRow.job_id == job_id).scalar_subquery()
    row = session.scalars(select(ReplayCheckRow).where(ReplayCheckRow.id == newest)).first()
    if row is None:
        return None
    return StoredReplayCheck(
        row.checked_at, row.pages, row.requests, row.failed_requests, row.text_similarity, row.score
    )


def page_json(page: PageCheck) -> dict[str, object]:
    """Return what was found of a capture, as it is stored and printed."""
    return {
        "url": page.url,
        "timestamp": fourteen_digits(page.captured_at),
        "score": round(page.score, 4),
        "requests": page.requests,
        "failed": page.failed,
        "similarity": round(page.similarity, 4),
        "missing": list(page.missing),
        "problem": page.problem,
    }
