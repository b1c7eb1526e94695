import random
from collections import Counter
from collections.abc import Sequence

from sqlalchemy import delete, select, update

from tests.support.shelf import Shelf
from webstrata.db.captures import snapshots
from webstrata.db.captures.previous_captures import link_previous
from webstrata.db.captures.snapshots import JobComparison
from webstrata.db.engine import Database
from webstrata.db.schema.tables import Page, Snapshot

PAGE = "https://example.org/a"


def page(database: Database, group: str = PAGE) -> Page | None:
    with database.read() as session:
        found = session.scalars(select(Page).where(Page.normalized_url_group == group)).first()
        session.expunge_all()
        return found


def compare(database: Database, job: int) -> JobComparison:
    with database.read() as session:
        return snapshots.compare_with_before(session, job)


def test_a_page_adds_up_all_its_captures(database: Database, shelf: Shelf) -> None:
    job = shelf.job()
    newest = shelf.page(job, "https://www.example.org/a/", "2026-03-01")
    oldest = shelf.page(job, "http://example.org/a?q=1", "2026-01-01")
    error = shelf.page(job, PAGE, "2026-02-01", status=404)
    found = page(database)
    assert found is not None
    assert (found.snapshot_count, found.latest_snapshot_id, found.latest_ok_snapshot_id) == (3, newest, newest)
    assert (found.first_capture_timestamp.month, found.last_capture_timestamp.month) == (1, 3)
    assert len({newest, oldest, error}) == 3


def test_the_latest_good_capture_may_be_older_than_the_latest(database: Database, shelf: Shelf) -> None:
    job = shelf.job()
    good = shelf.page(job, PAGE, "2026-01-01")
    bad = shelf.page(job, PAGE, "2026-02-01", status=503)
    found = page(database)
    assert found is not None
    assert (found.latest_snapshot_id, found.latest_ok_snapshot_id) == (bad, good)
    unknown = shelf.page(job, PAGE, "2026-03-01", status=None)
    found = page(database)
    assert found is not None
    assert found.latest_ok_snapshot_id == unknown


def test_a_page_that_was_never_good_has_no_good_capture(database: Database, shelf: Shelf) -> None:
    shelf.page(shelf.job(), PAGE, "2026-01-01", status=404)
    found = page(database)
    assert found is not None
    assert found.latest_ok_snapshot_id is None


def test_of_two_captures_at_one_moment_the_later_row_is_the_latest(database: Database, shelf: Shelf) -> None:
    job = shelf.job()
    shelf.page(job, PAGE, "2026-01-01")
    second = shelf.page(job, PAGE + "?x", "2026-01-01")
    found = page(database)
    assert found is not None
    assert found.latest_snapshot_id == second


def test_the_same_page_of_two_sources_is_counted_apart(database: Database, shelf: Shelf) -> None:
    for source in ("hc", "phac"):
        shelf.page(shelf.job(source), PAGE, "2026-01-01")
    with database.read() as session:
        assert session.scalars(select(Page.snapshot_count)).all() == [1, 1]


def test_a_page_that_lost_its_captures_is_no_page_any_more(database: Database, shelf: Shelf) -> None:
    job = shelf.job()
    gone = shelf.page(job, PAGE, "2026-01-01")
    shelf.page(job, PAGE + "b", "2026-01-01")
    with database.write() as session:
        session.execute(delete(Snapshot).where(Snapshot.id == gone))
        snapshots.refresh_pages(session, 1, [PAGE, PAGE + "b", PAGE + "never"])
    assert page(database) is None
    assert page(database, PAGE + "b") is not None


def test_an_id_is_never_given_twice(database: Database, shelf: Shelf) -> None:
    job = shelf.job()
    gone = shelf.page(job, PAGE, "2026-01-01")
    with database.write() as session:
        session.execute(delete(Snapshot).where(Snapshot.id == gone))
    assert shelf.page(job, PAGE, "2026-01-02") > gone


def test_saving_again_keeps_the_id_and_takes_what_is_new(database: Database, shelf: Shelf) -> None:
    first = shelf.page(shelf.job(), PAGE, "2026-01-01", "text", title="Title")
    with database.write() as session:
        row = session.get_one(Snapshot, first)
        columns = {name: getattr(row, name) for name in snapshots.NewSnapshot.__dataclass_fields__}
        snapshots.save_snapshots(session, [snapshots.NewSnapshot(**columns | {"title": "Better", "language": "fr"})])
    with database.read() as session:
        (again,) = session.scalars(select(Snapshot))
        assert (again.id, again.title, again.language) == (first, "Better", "fr")


def test_a_first_crawl_is_all_new(database: Database, shelf: Shelf) -> None:
    job = shelf.job()
    for path in "ab":
        shelf.page(job, PAGE + path, "2026-01-01")
    assert compare(database, job) == JobComparison(new=2, different=0, same=0)
    assert snapshots_of(database, job) == 2


def test_a_second_crawl_is_distinguished_from_the_captures_before(database: Database, shelf: Shelf) -> None:
    first, second = shelf.job(), shelf.job()
    for path in ("same", "different"):
        shelf.page(first, f"{PAGE}/{path}", "2026-01-01", "text")
    shelf.page(second, f"{PAGE}/same", "2026-02-01", "text")
    shelf.page(second, f"{PAGE}/different", "2026-02-01", "another text")
    shelf.page(second, f"{PAGE}/new", "2026-02-01", "text")
    assert compare(database, second) == JobComparison(new=1, different=1, same=1)
    assert compare(database, first) == JobComparison(new=2, different=0, same=0), "later captures do not count"


def test_only_the_last_capture_before_counts(database: Database, shelf: Shelf) -> None:
    for day, text in (("01", "one"), ("02", "two"), ("03", "one")):
        job = shelf.job()
        shelf.page(job, PAGE, f"2026-01-{day}", text)
        assert compare(database, job).same == 0
    job = shelf.job()
    shelf.page(job, PAGE, "2026-01-04", "one")
    assert compare(database, job) == JobComparison(new=0, different=0, same=1)


def test_another_sources_captures_are_no_history(database: Database, shelf: Shelf) -> None:
    shelf.page(shelf.job("hc"), PAGE, "2026-01-01")
    other = shelf.job("phac")
    shelf.page(other, PAGE, "2026-02-01")
    assert compare(database, other) == JobComparison(new=1, different=0, same=0)


def test_what_came_before_is_the_same_in_whichever_order_captures_come(database: Database, shelf: Shelf) -> None:
    chance = random.Random(16)
    jobs = [shelf.job() for _ in range(3)]
    for _ in range(60):
        # Few moments and few texts: jobs overlap, captures share a moment, and texts come back.
        day, path = f"2026-01-0{chance.randint(1, 9)}", chance.choice(["a", "a?page=2", "b"])
        shelf.page(chance.choice(jobs), f"{PAGE}/{path}", day, chance.choice("xy"))
        for job in jobs:
            assert compare(database, job) == compared_one_by_one(database, job)
    assert all(count for count in vars(compare(database, jobs[0])).values()), "all kinds have occurred"


def test_saving_captures_again_changes_nothing_about_what_came_before(database: Database, shelf: Shelf) -> None:
    first, second = shelf.job(), shelf.job()
    saved = [shelf.page(job, PAGE, f"2026-01-0{day}") for job, day in ((first, 1), (first, 2), (second, 3), (first, 4))]
    with database.write() as session:
        link_previous(session, saved[:2])
        link_previous(session, saved)
    with database.read() as session:
        assert session.scalars(select(Snapshot.previous_id).order_by(Snapshot.id)).all() == [None, None, *saved[1:3]]


def compared_one_by_one(database: Database, job: int) -> JobComparison:
    """Compare a job's pages with the captures before them as one would define it, by looking at all of them."""
    with database.read() as session:
        known = session.scalars(select(Snapshot).order_by(Snapshot.capture_timestamp.desc(), Snapshot.id.desc())).all()
        kinds = Counter(_kind(one, known) for one in known if one.job_id == job)
    return JobComparison(kinds["new"], kinds["different"], kinds["same"])


def _kind(one: Snapshot, known: Sequence[Snapshot]) -> str:
    before = (
        other.content_hash == one.content_hash
        for other in known
        if (other.url, other.source_id) == (one.url, one.source_id)
        and other.job_id != one.job_id
        and other.capture_timestamp < one.capture_timestamp
    )
    return {None: "new", True: "same", False: "different"}[next(before, None)]


def snapshots_of(database: Database, job: int) -> int:
    with database.read() as session:
        return snapshots.count_of_job(session, job)


def test_a_capture_without_a_page_group_is_no_page(database: Database, shelf: Shelf) -> None:
    snapshot = shelf.page(shelf.job(), PAGE, "2026-01-01")
    with database.write() as session:
        session.execute(update(Snapshot).where(Snapshot.id == snapshot).values(normalized_url_group=None))
        snapshots.refresh_pages(session, 1, [PAGE])
    assert page(database) is None
