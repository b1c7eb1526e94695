import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from tests.support.shelf import Shelf
from webstrata.db.engine import Database
from webstrata.db.queue import frontier
from webstrata.db.queue.frontier import FrontierCounts
from webstrata.db.schema.crawl_tables import CrawlTask
from webstrata.model.crawl.tasks import MAX_RECLAIMS, Link, Task, TaskStatus, TaskType

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LEASE = timedelta(seconds=60)
LATER = NOW + timedelta(seconds=61)


@pytest.fixture
def job(shelf: Shelf) -> int:
    return shelf.job()


def add(database: Database, job: int, *paths: str, depth: int = 0, host: str = "example.org") -> None:
    with database.write() as session:
        frontier.add_links(session, job, [Link(f"https://{host}/{path}") for path in paths], depth, NOW)


def claim(
    database: Database,
    job: int,
    owner: str = "me",
    *,
    limit: int = 10,
    now: datetime = NOW,
    resting: tuple[str, ...] = (),
) -> list[Task]:
    with database.write() as session:
        return frontier.claim(session, job, owner, limit=limit, now=now, lease=LEASE, resting_hosts=resting)


def settle(database: Database, *tasks: Task, now: datetime = NOW) -> list[Task]:
    with database.write() as session:
        return frontier.settle(session, tasks, now)


def finished(task: Task) -> Task:
    return replace(task, status=TaskStatus.FINISHED, attempts=task.attempts + 1)


def counts(database: Database, job: int) -> FrontierCounts:
    with database.read() as session:
        return frontier.counts(session, job)


def rows(database: Database) -> list[CrawlTask]:
    with database.read() as session:
        found = list(session.scalars(select(CrawlTask).order_by(CrawlTask.id)))
        session.expunge_all()
        return found


def paths(tasks: list[Task]) -> list[str]:
    return [task.url.removeprefix("https://example.org/") for task in tasks]


def test_a_url_is_known_once_however_often_it_is_found(database: Database, job: int) -> None:
    add(database, job, "a", "b", "a")
    add(database, job, "b", "c", depth=3)
    assert [(row.url[-1], row.depth) for row in rows(database)] == [("a", 0), ("b", 0), ("c", 3)]
    assert counts(database, job) == FrontierCounts(pending=3)


def test_each_job_has_its_own_urls(database: Database, job: int, shelf: Shelf) -> None:
    other = shelf.job("phac")
    add(database, job, "a")
    add(database, other, "a")
    assert len(claim(database, job)) == len(claim(database, other)) == 1


def test_long_and_odd_urls_are_kept_as_they_are(database: Database, job: int) -> None:
    links = [Link("https://example.org/" + "x" * 5_000), Link("https://example.org/%F0%9F%98%80?q='\"\\;--")]
    with database.write() as session:
        frontier.add_links(session, job, links, 0, NOW)
    assert [task.url for task in claim(database, job)] == [link.url for link in links]


def test_nearer_urls_come_first_and_then_those_found_first(database: Database, job: int) -> None:
    add(database, job, "far", depth=2)
    add(database, job, "b", "a", depth=1)
    add(database, job, "seed")
    assert paths(claim(database, job, limit=3)) == ["seed", "b", "a"]
    assert paths(claim(database, job)) == ["far"]


def test_what_is_claimed_is_leased_under_one_new_token(database: Database, job: int) -> None:
    with database.write() as session:
        frontier.add_links(session, job, [Link("https://example.org/i.png", TaskType.MEDIA)], 4, NOW)
    (task,) = claim(database, job)
    (row,) = rows(database)
    assert (task.id, task.depth, task.task_type, task.attempts) == (row.id, 4, TaskType.MEDIA, 0)
    assert task.status is TaskStatus.IN_PROGRESS
    assert (row.status, row.lease_owner, row.lease_token) == ("in_progress", "me", task.lease_token)
    assert row.lease_expires_at == NOW + LEASE
    assert claim(database, job) == []


def test_only_as_much_as_is_requested_is_leased(database: Database, job: int) -> None:
    add(database, job, "a", "b", "c")
    assert len(claim(database, job, limit=2)) == 2
    assert len(claim(database, job, limit=0)) == 0
    assert counts(database, job) == FrontierCounts(pending=1, in_progress=2)


def test_hosts_that_rest_are_passed_over(database: Database, job: int) -> None:
    add(database, job, "a", host="busy.example")
    add(database, job, "b", host="busy.example:8080")
    add(database, job, "c", host="idle.example")
    resting = ("busy.example", "busy.example:8080")
    assert [task.url for task in claim(database, job, resting=resting)] == ["https://idle.example/c"]
    assert len(claim(database, job)) == 2


def test_a_task_that_waits_is_not_due_before_its_time(database: Database, job: int) -> None:
    add(database, job, "a")
    (task,) = claim(database, job)
    due = NOW + timedelta(seconds=30)
    waiting = replace(task, status=TaskStatus.PENDING, attempts=1, last_error="503", next_run_at=due)
    assert settle(database, waiting) == []
    assert claim(database, job, now=due - timedelta(microseconds=1)) == []
    (again,) = claim(database, job, now=due)
    assert again.attempts == 1
    assert again.lease_token != task.lease_token


def test_what_waits_and_what_is_under_way_are_distinguished(database: Database, job: int) -> None:
    def standing() -> tuple[bool, int]:
        with database.read() as session:
            return frontier.has_any(session, job, TaskStatus.PENDING), frontier.under_way(session, job)

    assert standing() == (False, 0)
    add(database, job, "a")
    assert standing() == (True, 0)
    (task,) = claim(database, job)
    assert standing() == (False, 1)
    settle(database, replace(task, status=TaskStatus.PENDING, next_run_at=NOW + timedelta(days=1)))
    assert standing() == (True, 0), "what is not due yet waits too"


def test_a_job_reports_the_hosts_that_it_knows(database: Database, job: int) -> None:
    add(database, job, "a", "b")
    add(database, job, "c", host="other.example:8080")
    with database.read() as session:
        assert frontier.hosts(session, job) == {"example.org", "other.example:8080"}


def test_settling_writes_the_result_and_releases_the_lease(database: Database, job: int) -> None:
    add(database, job, "good", "bad")
    good, bad = claim(database, job)
    gone = replace(bad, status=TaskStatus.ERROR, attempts=3, last_error="the server said \udcff no\0")
    assert settle(database, finished(good), gone, now=LATER) == []
    first, second = rows(database)
    assert (first.status, first.attempt_count, first.last_error) == ("finished", 1, None)
    assert (second.status, second.attempt_count, second.last_error) == ("error", 3, "the server said ? no")
    for row in (first, second):
        assert (row.lease_owner, row.lease_token, row.lease_expires_at) == (None, None, None)
        assert row.updated_at == LATER
    assert counts(database, job) == FrontierCounts(finished=1, error=1)
    assert claim(database, job, now=LATER + LEASE) == []
    with database.read() as session:
        assert frontier.first_error(session, job) == "the server said ? no"


def test_settling_nothing_is_nothing(database: Database, job: int) -> None:
    assert settle(database) == []


def test_a_stale_worker_changes_nothing_and_gets_an_error(database: Database, job: int) -> None:
    add(database, job, "a", "b")
    mine = claim(database, job, "me")
    theirs = claim(database, job, "them", now=LATER)
    before = [(row.status, row.lease_token, row.attempt_count) for row in rows(database)]
    assert settle(database, *map(finished, mine), now=LATER) == [finished(task) for task in mine]
    assert [(row.status, row.lease_token, row.attempt_count) for row in rows(database)] == before
    assert settle(database, *map(finished, theirs), now=LATER) == []
    assert settle(database, finished(theirs[0])) == [finished(theirs[0])], "a lease is given back only once"


def test_of_a_batch_only_what_is_still_ours_is_written(database: Database, job: int) -> None:
    add(database, job, "a", "b")
    lost, kept = claim(database, job)
    lost = replace(lost, lease_token="another")
    assert settle(database, finished(lost), finished(kept)) == [finished(lost)]
    assert [row.status for row in rows(database)] == ["in_progress", "finished"]


def test_an_expired_lease_is_taken_back_without_spending_an_attempt(database: Database, job: int) -> None:
    add(database, job, "a")
    claim(database, job, "dead")
    assert claim(database, job, now=NOW + LEASE - timedelta(seconds=1)) == []
    (again,) = claim(database, job, "me", now=LATER)
    (row,) = rows(database)
    assert (again.attempts, row.reclaim_count, row.last_error) == (0, 1, "lease expired")
    assert row.lease_owner == "me"


def test_a_url_that_kills_its_workers_is_given_up(database: Database, job: int) -> None:
    add(database, job, "killer")
    now = NOW
    for _ in range(MAX_RECLAIMS):
        assert len(claim(database, job, now=now)) == 1
        now += LEASE
    assert claim(database, job, now=now) == []
    (row,) = rows(database)
    assert (row.status, row.lease_token) == ("error", None)
    assert row.last_error == f"{row.url}: given up, because its crawler died {MAX_RECLAIMS} times"


def test_only_a_person_gives_a_url_that_kills_its_workers_one_more_try(database: Database, job: int) -> None:
    add(database, job, "killer")

    def dies(deaths: int) -> None:
        for _ in range(deaths):
            assert paths(claim(database, job, "dead")) == ["killer"]
            with database.write() as session:
                frontier.reclaim(session, "dead", NOW)
                frontier.revive(session, job, NOW)
        assert claim(database, job) == [], "resuming by itself neither forgets deaths nor tries again"

    dies(MAX_RECLAIMS)
    with database.read() as session:
        assert frontier.given_up(session, job).urls == (rows(database)[0].url,)
        assert not frontier.may_succeed_later(session, job)
    with database.write() as session:
        frontier.revive(session, job, NOW, by_person=True)
    dies(1)


def test_a_renewed_lease_is_not_taken_back(database: Database, job: int) -> None:
    add(database, job, "a", "b")
    (mine,) = claim(database, job, "me", limit=1)
    claim(database, job, "dead", limit=1)
    with database.write() as session:
        frontier.renew(session, job, "me", NOW + LEASE / 2, LEASE)
    assert paths(claim(database, job, "them", now=LATER)) == ["b"]
    assert settle(database, finished(mine), now=LATER) == []


def test_released_tasks_are_in_line_again_and_their_workers_stale(database: Database, job: int) -> None:
    add(database, job, "a", "b")
    done, open_task = claim(database, job)
    settle(database, finished(done))
    with database.write() as session:
        frontier.release(session, job, "somebody else", NOW)
    assert counts(database, job).in_progress == 1
    with database.write() as session:
        frontier.release(session, job, "me", NOW)
    assert settle(database, finished(open_task)) == [finished(open_task)]
    (again,) = claim(database, job)
    assert again.id == open_task.id
    assert rows(database)[1].reclaim_count == 0


def test_what_a_dead_worker_held_is_taken_back_at_once_and_counted(database: Database, job: int, shelf: Shelf) -> None:
    other = shelf.job("phac")
    add(database, job, "a", "b")
    add(database, other, "c")
    claim(database, job, "dead", limit=1)
    claim(database, job, "alive", limit=1)
    claim(database, other, "dead")
    with database.write() as session:
        frontier.reclaim(session, "dead", NOW)
    taken = [(row.status, row.reclaim_count, row.last_error) for row in rows(database)]
    back = ("pending", 1, "its worker died")
    assert taken == [back, ("in_progress", 0, None), back]


def test_a_task_that_lost_two_workers_is_leased_by_itself_to_someone_with_nothing_else_in_hand(
    database: Database, job: int
) -> None:
    add(database, job, "a", "b")
    for _ in range(2):
        claim(database, job, "dead")
        with database.write() as session:
            frontier.reclaim(session, "dead", NOW)
    add(database, job, "innocent")
    first = claim(database, job)
    assert paths(first) == ["innocent"]
    with database.write() as session:
        assert frontier.claim(session, job, "me", limit=5, now=NOW, lease=LEASE, alone=False) == []
    (suspect,) = claim(database, job)
    assert (paths([suspect]), suspect.suspect) == (["a"], True)
    settle(database, finished(suspect))
    assert paths(claim(database, job)) == ["b"]


def test_a_page_that_kills_its_workers_takes_no_other_page_with_it(database: Database, job: int) -> None:
    add(database, job, *(f"good{n}" for n in range(5)), "killer", *(f"fine{n}" for n in range(5)))
    while tasks := claim(database, job, "mortal"):
        if any(task.url.endswith("killer") for task in tasks):
            with database.write() as session:
                frontier.reclaim(session, "mortal", NOW)
        else:
            settle(database, *map(finished, tasks))
    assert counts(database, job) == FrontierCounts(finished=10, error=1)


def test_resuming_gives_failed_urls_a_fresh_start(database: Database, job: int) -> None:
    add(database, job, "a", "b")
    failed, done = claim(database, job)
    settle(database, replace(failed, status=TaskStatus.ERROR, attempts=3, last_error="x"), finished(done))
    with database.write() as session:
        frontier.revive(session, job, LATER)
    (again,) = claim(database, job, now=LATER)
    assert (again.id, again.attempts) == (failed.id, 0)


def at_once(workers: int, work: Callable[[int], None]) -> None:
    """Let threads begin together, and raise what any of them raised."""
    barrier = threading.Barrier(workers)
    errors: list[BaseException] = []

    def run(number: int) -> None:
        try:
            barrier.wait(30)
            work(number)
        except BaseException as error:  # noqa: BLE001 - raised again below
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    if errors:
        raise errors[0]


def test_no_task_is_ever_leased_twice(database: Database, job: int) -> None:
    add(database, job, *map(str, range(120)))
    claimed: list[int] = []

    def work(number: int) -> None:
        while tasks := claim(database, job, f"worker {number}", limit=7):
            claimed.extend(task.id for task in tasks)
            assert settle(database, *map(finished, tasks)) == []

    at_once(4, work)
    assert len(claimed) == len(set(claimed)) == 120
    assert counts(database, job) == FrontierCounts(finished=120)


def test_an_expired_lease_goes_to_one_worker_only(database: Database, job: int) -> None:
    add(database, job, *map(str, range(40)))
    dead = claim(database, job, "dead", limit=40)
    claimed: list[int] = []
    at_once(4, lambda number: claimed.extend(t.id for t in claim(database, job, str(number), limit=40, now=LATER)))
    assert sorted(claimed) == [task.id for task in dead]
    assert {row.reclaim_count for row in rows(database)} == {1}


def test_of_two_that_settle_one_task_one_is_stale(database: Database, job: int) -> None:
    add(database, job, "a")
    (task,) = claim(database, job)
    stale: list[list[Task]] = []
    at_once(2, lambda number: stale.append(settle(database, finished(task))))
    assert sorted(map(len, stale)) == [0, 1]
