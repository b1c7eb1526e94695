"""Pages of two runs with both texts, from which template changes are computed."""

# ruff: noqa: S608 - all parts of the statements are ours

from sqlalchemy import text
from sqlalchemy.orm import Session

from webstrata.db.changes.changes import load_texts
from webstrata.db.schema.tables import ArchiveJob
from webstrata.db.watching.site_diff import IS_GOOD, page_contents, pages_of_run

_SAMPLE = text(
    "SELECT page, document_id FROM ("
    "SELECT s.normalized_url_group AS page, s.document_id AS document_id,"
    " row_number() OVER (ORDER BY s.id) AS place, count(*) OVER () AS total"
    f" FROM snapshots s WHERE s.job_id = :job_id AND s.document_id IS NOT NULL AND {IS_GOOD}) listed"
    " WHERE page IS NOT NULL AND place % (CASE WHEN total > :most THEN total / :most ELSE 1 END) = 0"
    " ORDER BY place LIMIT :most"
)


def paired_texts(session: Session, older: int, newer: int, most: int) -> list[tuple[str, str]]:
    """Return the old and the new text of pages that two jobs captured, spread evenly over the smaller job."""
    small, other = sorted((older, newer), key=lambda job_id: _pages(session, job_id))
    sampled = {row.page: row.document_id for row in session.execute(_SAMPLE, {"job_id": small, "most": most})}
    captured = pages_of_run(session, other, sampled)
    contents = page_contents(session, [page.snapshot_id for page in captured.values()])
    documents = [
        (sampled[name], document_id)
        for name, page in captured.items()
        if (document_id := contents[page.snapshot_id].document_id) is not None
    ]
    texts = {
        number: one.text for number, one in load_texts(session, {one for pair in documents for one in pair}).items()
    }
    pairs = [(texts[one], texts[two]) for one, two in documents if one in texts and two in texts]
    return pairs if small == older else [(two, one) for one, two in pairs]


def _pages(session: Session, job_id: int) -> int:
    job = session.get(ArchiveJob, job_id)
    return job.indexed_page_count if job is not None else 0
