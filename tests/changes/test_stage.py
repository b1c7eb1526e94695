"""Change events of real captures: indexed from WARC files, paired and compared."""

import threading
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, update

from tests.index.jobs import SITE, Job, crawled_job
from tests.support.fetched import NOON, fetched
from webstrata.changes.stage import ChangeCounts, ChangeTracking
from webstrata.db.changes import changes
from webstrata.db.changes.change_lists import EventFilter, EventView, count_events, list_events, list_template_changes
from webstrata.db.engine import Database
from webstrata.db.queue import jobs
from webstrata.db.schema.change_tables import PendingChange
from webstrata.db.schema.tables import Document, Snapshot, WarcFile
from webstrata.index.version import INDEX_VERSION
from webstrata.model.changes.values import ChangeType

DAY = timedelta(days=1)
MENU = ("Home", "Topics", "News", "About us", "Contact")
PARAGRAPHS = (
    "Fever is a sign that the body fights an infection. Most fevers go away by themselves.",
    "Give {dose} of acetaminophen every {hours} hours, and never more than five doses a day.",
    "See a doctor when the fever lasts longer than three days, or when the child is very sleepy.",
)


def html(title: str, *lines: str, menu: tuple[str, ...] = MENU, footer: str = "") -> str:
    items = "".join(f"<li><a href=/{item.lower()}>{item}</a>" for item in menu)
    paragraphs = "".join(f"<p>{line}</p>" for line in lines)
    return (
        f"<!doctype html><html lang=en><title>{title}</title><nav><ul>{items}</ul></nav>"
        f"<main><h1>{title}</h1>{paragraphs}</main><footer><p>{footer}</p></footer>"
    )


def fever(dose: str = "160 mg", hours: int = 4, footer: str = "") -> str:
    return html("Fever", *(line.format(dose=dose, hours=hours) for line in PARAGRAPHS), footer=footer)


Crawl = Callable[..., Job]


@pytest.fixture
def crawl(database: Database, tmp_path: Path) -> Crawl:
    """Returns what indexes the captures of one run: path and page, at a moment, as a job of its own."""

    def run(pages: dict[str, str | int], at: datetime = NOON) -> Job:
        job = crawled_job(database, tmp_path)
        answers = [
            fetched(
                f"{SITE}{path}",
                "gone" if isinstance(page, int) else page,
                at=at,
                status=page if isinstance(page, int) else 200,
            )
            for path, page in pages.items()
        ]
        job.add_warc(answers, f"job-{job.id}.warc.gz")
        assert job.index() == 0
        return job

    return run


def compute(job: Job, max_events: int | None = None) -> ChangeCounts:
    with job.database.read() as session:
        source_id = jobs.load_job(session, job.id).source_id
    return ChangeTracking(job.database, job.root, INDEX_VERSION).compute(source_id, max_events=max_events)


def events(database: Database, **wanted: object) -> list[EventView]:
    with database.read() as session:
        of_all = EventFilter(includes_unchanged=True, **wanted)  # type: ignore[arg-type]
        found = list_events(session, of_all, limit=1_000)
        assert count_events(session, of_all) == len(found)
    return sorted(found, key=lambda event: (event.to_captured_at, event.normalized_url_group))


def kinds(database: Database) -> list[str]:
    return [event.change_type.value for event in events(database)]


def test_every_capture_has_one_event(database: Database, crawl: Crawl) -> None:
    pages: list[str | int] = [fever(), fever(), fever(dose="80 mg"), 404, 404, fever(dose="80 mg")]
    runs = [crawl({"/fever": page}, NOON + number * DAY) for number, page in enumerate(pages[:1])]
    assert compute(runs[0]).total == 1
    for number, page in enumerate(pages[1:], 1):
        runs.append(crawl({"/fever": page}, NOON + number * DAY))
        assert compute(runs[-1]).total == 1
    assert kinds(database) == ["new_page", "unchanged", "updated", "unavailable", "unchanged", "restored"]
    updated = events(database)[2]
    assert (updated.from_snapshot_id, updated.to_snapshot_id) == (2, 3)
    assert updated.significance >= 0.3
    assert any("160 mg" in reason.text and "80 mg" in reason.text for reason in updated.reasons)
    assert compute(runs[-1]).total == 0
    with database.read() as session:
        assert session.scalars(select(PendingChange)).all() == []


def test_a_capture_that_comes_late_takes_its_place_between_its_neighbours(database: Database, crawl: Crawl) -> None:
    compute(crawl({"/fever": fever()}, NOON))
    compute(crawl({"/fever": fever(dose="80 mg")}, NOON + 2 * DAY))
    before = events(database)[1]
    counts = compute(crawl({"/fever": fever(dose="80 mg")}, NOON + DAY))
    assert counts.total == 2
    assert kinds(database) == ["new_page", "updated", "unchanged"]
    pairs = [(event.from_snapshot_id, event.to_snapshot_id) for event in events(database)]
    assert pairs == [(None, 1), (1, 3), (3, 2)]
    assert events(database)[2].id == before.id


CAPTCHA = (
    "<!doctype html><title>Just a moment...</title><h1>example.org</h1>"
    "<h2>Verify you are human by completing the action below.</h2><div class=g-recaptcha></div>"
    "<p>example.org needs to review the security of your connection before proceeding.</p>"
    "<script src=/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1></script>"
)


def test_a_block_page_with_status_200_is_no_edit_of_the_page(database: Database, crawl: Crawl) -> None:
    for number, page in enumerate((fever(), CAPTCHA, CAPTCHA.replace("moment", "minute"), fever())):
        compute(crawl({"/fever": page}, NOON + number * DAY))
    assert kinds(database) == ["new_page", "unavailable", "unchanged", "restored"]
    assert "captcha" in (events(database)[1].summary or "")


def test_a_block_page_that_an_older_index_stored_as_a_page_is_judged_again(database: Database, crawl: Crawl) -> None:
    compute(crawl({"/fever": CAPTCHA}))
    with database.write() as session:
        session.execute(update(WarcFile).values(index_version=INDEX_VERSION - 1))
        session.execute(update(Snapshot).values(quality=None, quality_kind=None))
    compute(crawl({"/fever": fever()}, NOON + DAY))
    assert kinds(database) == ["new_page", "restored"]


def test_a_late_capture_that_changes_nothing_is_paired_with_both_neighbours(database: Database, crawl: Crawl) -> None:
    compute(crawl({"/fever": fever(), "/other": fever()}, NOON))
    compute(crawl({"/fever": fever(dose="80 mg")}, NOON + 2 * DAY))
    assert compute(crawl({"/fever": fever()}, NOON + DAY)).total == 2
    found = [event for event in events(database) if event.normalized_url_group.endswith("/fever")]
    assert [event.change_type.value for event in found] == ["new_page", "unchanged", "updated"]
    assert [(event.from_snapshot_id, event.to_snapshot_id) for event in found] == [(None, 1), (1, 4), (4, 3)]


def test_unchanged_captures_get_the_same_events_however_many_are_computed_at_once(
    database: Database, crawl: Crawl
) -> None:
    pages = {f"/{n}": html(f"Page {n}", f"What page {n} says.") for n in range(20)}
    compute(crawl(pages))
    job = crawl(pages | {"/7": html("Page 7", "What page 7 says now.")}, NOON + DAY)
    totals = [compute(job, max_events=6).total for _ in range(5)]
    assert totals == [6, 6, 6, 2, 0]
    second = events(database, job_id=job.id)
    assert Counter(event.change_type.value for event in second) == {"unchanged": 19, "updated": 1}
    assert all(event.from_snapshot_id == event.to_snapshot_id - len(pages) for event in second)
    assert {event.diff_version for event in second} == {"1"}


def test_a_changed_menu_is_one_change_of_the_template(database: Database, crawl: Crawl) -> None:
    def site(menu: tuple[str, ...]) -> dict[str, str | int]:
        return {f"/{n}": html(f"Page {n}", f"What page {n} says.", f"And more of {n}.", menu=menu) for n in range(30)}

    compute(crawl(site(MENU)))
    counts = compute(crawl(site((*MENU[:2], "Recalls", *MENU[2:])), NOON + DAY))
    assert counts.by_type == {"unchanged": 30}
    with database.read() as session:
        (change,) = list_template_changes(session, EventFilter())
    assert (change.added_lines, change.removed_lines, change.pages) == (("recalls",), (), 30)


def test_a_date_of_generation_is_no_change_and_is_named(database: Database, crawl: Crawl) -> None:
    compute(crawl({"/fever": fever(footer="Page last updated: 2026-01-01 12:00")}))
    compute(crawl({"/fever": fever(footer="Page last updated: 2026-01-02 12:07")}, NOON + DAY))
    unchanged = events(database)[1]
    assert unchanged.change_type is ChangeType.UNCHANGED
    assert [text for text, _ in unchanged.ignored] == ["Page last updated: 2026-01-02 12:07"]


def test_a_page_that_an_older_index_read_is_read_again_before_it_is_compared(database: Database, crawl: Crawl) -> None:
    compute(crawl({"/fever": fever(footer="Page last updated: 2026-01-01 12:00")}))
    with database.write() as session:
        session.execute(update(WarcFile).values(index_version=INDEX_VERSION - 1))
        session.execute(update(Document).values(text="Fever\nas an older version read it", blocks="1p"))
    compute(crawl({"/fever": fever(footer="Page last updated: 2026-01-02 12:07")}, NOON + DAY))
    assert kinds(database) == ["new_page", "unchanged"]


def test_indexing_again_makes_no_events(database: Database, crawl: Crawl) -> None:
    job = crawl({"/fever": fever()})
    compute(job)
    job.forget_how_far()
    job.set(status="completed")
    assert job.index() == 0
    assert compute(job).total == 0


def test_captures_without_events_get_them_when_asked_and_are_not_announced(database: Database, crawl: Crawl) -> None:
    job = crawl({"/fever": fever()})
    with database.write() as session:
        session.query(PendingChange).delete()
    assert compute(job).total == 0
    with database.write() as session:
        assert changes.add_missing(session, jobs.load_job(session, job.id).source_id, None) == 1
    assert compute(job).total == 1


def test_two_processes_double_nothing(database: Database, crawl: Crawl) -> None:
    job = crawl({f"/{n}": html(f"Page {n}", f"What page {n} says.") for n in range(40)})
    counts: list[ChangeCounts] = []
    threads = [threading.Thread(target=lambda: counts.append(compute(job))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(count.total for count in counts) == [0, 0, 40]
    assert kinds(database) == ["new_page"] * 40


def test_what_a_running_crawl_brought_waits_for_its_end(database: Database, crawl: Crawl) -> None:
    job = crawl({"/fever": fever()})
    job.set(status="running")
    assert compute(job).total == 0
    job.set(status="stopped")
    assert compute(job).total == 1


def test_a_pair_that_is_made_to_stall_costs_only_itself(database: Database, crawl: Crawl) -> None:
    compute(crawl({"/hostile": html("x", *(f"a{n} b{n} c{n}" for n in range(10_000))), "/fever": fever()}))
    other = html("x", *(f"d{n} e{n} f{n}" for n in range(10_000)))
    compute(crawl({"/hostile": other, "/fever": fever(dose="80 mg")}, NOON + DAY))
    hostile, good = events(database)[3], events(database)[2]
    assert good.change_type is ChangeType.UPDATED
    assert hostile.change_type in (ChangeType.UPDATED, ChangeType.ERROR)
    assert hostile.error_message is not None
