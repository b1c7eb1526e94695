"""A page that leads to the home page or to a login, or where many others lead, is not available any more."""

from datetime import datetime

from tests.changes.test_stage import DAY, compute, events, fever
from tests.index.jobs import SITE, Job, crawled_job
from tests.support.fetched import NOON, fetched
from webstrata.db.engine import Database
from webstrata.index.pipeline import index_job

MERGED = tuple(f"/topics/{number}/leaflet" for number in range(6))
PAGES = ("/", "/fever", "/private/notes", "/advice", *MERGED)


def crawl(database: Database, root: object, at: datetime, **moved: str) -> Job:
    """Index a run in which pages redirect to the given targets and the others are there."""
    job = crawled_job(database, root)  # type: ignore[arg-type]
    answers = []
    for path in PAGES:
        target = moved.get(path)
        headers = () if target is None else ((b"Location", target.encode()),)
        answers.append(
            fetched(
                SITE + path, fever() if target is None else "", at=at, status=301 if target else 200, headers=headers
            )
        )
    job.add_warc(answers, f"job-{job.id}.warc.gz")
    assert job.index() == 0
    compute(job)
    return job


def kinds_of(database: Database, job: Job) -> dict[str, str]:
    found = [event for event in events(database) if event.to_job_id == job.id]
    return {event.normalized_url_group.removeprefix(SITE): event.change_type.value for event in found}


def test_a_page_that_redirects_to_no_page_of_its_own_is_unavailable_and_may_be_restored(
    database: Database, tmp_path: object
) -> None:
    moved = {
        "/fever": "/",
        "/private/notes": f"{SITE}/login?next=/private/notes",
        "/advice": "/guidance",
        **dict.fromkeys(MERGED, "/topics"),
    }
    first = crawl(database, tmp_path, NOON, **{"/advice": "/"})
    assert "/advice" not in kinds_of(database, first), "a page that was never captured is no new page"
    crawl(database, tmp_path, NOON + DAY)
    gone = crawl(database, tmp_path, NOON + 2 * DAY, **moved)
    found = kinds_of(database, gone)
    assert {path for path, kind in found.items() if kind == "unavailable"} == {"/fever", "/private/notes", *MERGED}
    assert "/advice" not in found, "a page that simply moved is none of the pages that are gone"
    fevers = [event for event in events(database) if event.normalized_url_group == f"{SITE}/fever"]
    assert fevers[-1].significance > 0.3, "that a page is gone concerns those who watch it"
    before = gone.snapshots()
    assert index_job(gone.id, database=database, archive_root=gone.root, again=True) == 0
    assert (gone.snapshots(), gone.view().index_problem_count) == (before, 0)
    back = crawl(database, tmp_path, NOON + 3 * DAY)
    assert kinds_of(database, back)["/fever"] == "restored"
