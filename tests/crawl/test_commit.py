"""The commit protocol, with every step failing once: what is on disk and what the database says stay the same."""

import errno
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import NoReturn

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session

from tests.crawl.runs import Archive, assert_sound
from tests.support.web_server import Answer, WebServer, linked_site, page
from webstrata.crawl.commit import Committer, recover
from webstrata.crawl.outcome import Outcome
from webstrata.crawl.warc_records import append_responses
from webstrata.db.captures import captures
from webstrata.db.engine import Database
from webstrata.db.queue import frontier
from webstrata.db.schema.crawl_tables import CrawlTask
from webstrata.errors import DatabaseError, DatabaseUnavailableError, StorageError
from webstrata.model.crawl.fetching import FetchResult
from webstrata.model.crawl.tasks import Link, Task, TaskStatus

Fault = Callable[[pytest.MonkeyPatch], "Trap"]

LEASE = timedelta(minutes=5)


class Trap:
    """Fails once, and remembers that it did."""

    def __init__(self, error: Exception) -> None:
        self.error = error
        self.sprung = False

    def spring(self) -> None:
        """Fail, the first time."""
        if not self.sprung:
            self.sprung = True
            raise self.error


def full_disk(patch: pytest.MonkeyPatch) -> Trap:
    """Let the disk take half of what is written, then no more."""
    trap, really_write = Trap(OSError(errno.ENOSPC, "No space left on device")), os.write

    def write(descriptor: int, data: memoryview) -> int:
        if not trap.sprung and len(data) > 1:
            really_write(descriptor, data[: len(data) // 2])
            trap.spring()
        return really_write(descriptor, data)

    patch.setattr("webstrata.warc.writer.os.write", write)
    return trap


def failing_sync(patch: pytest.MonkeyPatch) -> Trap:
    trap, really_sync = Trap(OSError(errno.EIO, "Input/output error")), os.fdatasync

    def fdatasync(descriptor: int) -> None:
        trap.spring()
        really_sync(descriptor)

    patch.setattr("webstrata.warc.writer.os.fdatasync", fdatasync)
    return trap


def failing_database(patch: pytest.MonkeyPatch) -> Trap:
    trap, really_acknowledge = Trap(DatabaseError("the database refuses")), captures.acknowledge

    def acknowledge(session: Session, warc_file_id: int, committed_bytes: int) -> None:
        really_acknowledge(session, warc_file_id, committed_bytes)
        trap.spring()

    patch.setattr(captures, "acknowledge", acknowledge)
    return trap


def lost_answer(patch: pytest.MonkeyPatch) -> Trap:
    """Let the commit happen and the news of it get lost, as when the network goes at the wrong moment."""
    trap, really_write = Trap(DatabaseUnavailableError("server closed the connection unexpectedly")), Database.write
    acknowledged = threading.Event()
    really_acknowledge = captures.acknowledge

    def acknowledge(session: Session, warc_file_id: int, committed_bytes: int) -> None:
        really_acknowledge(session, warc_file_id, committed_bytes)
        acknowledged.set()

    @contextmanager
    def write(self: Database) -> Iterator[Session]:
        with really_write(self) as session:
            yield session
        if acknowledged.is_set():
            trap.spring()

    patch.setattr(captures, "acknowledge", acknowledge)
    patch.setattr(Database, "write", write)
    return trap


FAULTS = [full_disk, failing_sync, failing_database, lost_answer]


def claimed(archive: Archive, *paths: str) -> list[Task]:
    """Return tasks of the job that this worker holds."""
    now = datetime.now(UTC)
    with archive.database.write() as session:
        links = [Link(f"http://site.example{path}") for path in paths]
        frontier.add_links(session, archive.job_id, links, 0, now)
        return frontier.claim(session, archive.job_id, "us", limit=len(paths), now=now, lease=LEASE)


def outcome(task: Task, *links: str) -> Outcome:
    result = FetchResult(
        url=task.url,
        fetched_at=datetime.now(UTC),
        request_head=b"GET / HTTP/1.1\r\n\r\n",
        status=200,
        reason="OK",
        http_version="1.1",
        headers=((b"Content-Type", b"text/html"),),
        body=task.url.encode() * 50,
    )
    done = replace(task, status=TaskStatus.FINISHED, attempts=1)
    return Outcome(done, result, tuple(Link(f"http://site.example{link}") for link in links))


@pytest.fixture
def committer(archive: Archive) -> Iterator[Committer]:
    committer = Committer(archive.database, archive.target, archive.owner, 1_000_000)
    yield committer
    committer.close()


@pytest.mark.parametrize("fault", [full_disk, failing_sync, failing_database])
@pytest.mark.parametrize("begun", [False, True], ids=["new file", "begun file"])
def test_after_a_fault_nothing_of_the_batch_is_left_and_it_can_be_committed_again(
    archive: Archive, committer: Committer, monkeypatch: pytest.MonkeyPatch, fault: Fault, begun: bool
) -> None:
    first, *others = claimed(archive, "/1", "/2", "/3")
    if begun:
        committer.commit([outcome(first)])
    trap = fault(monkeypatch)
    with pytest.raises((StorageError, DatabaseError), match=str(trap.error.args[-1])):
        committer.commit([outcome(task, "/found") for task in others])
    assert trap.sprung
    assert len(archive.captures()) == int(begun)
    tasks = archive.tasks()
    assert {tasks[task.url].status for task in others} == {TaskStatus.IN_PROGRESS}
    assert "http://site.example/found" not in tasks
    recover(archive.database, archive.target.archive_root, archive.owner)
    assert [archive.path(file).stat().st_size for file in archive.warc_files()] == [
        file.committed_bytes for file in archive.warc_files()
    ]
    committer.close()
    committer.commit([outcome(task, "/found") for task in others])
    assert_sound(archive)
    assert len(archive.captures()) == len(others) + int(begun)
    assert "http://site.example/found" in archive.tasks()


@pytest.mark.parametrize("fault", [full_disk, failing_sync])
def test_when_the_disk_refuses_a_file_is_cut_back_at_once_and_continues_when_the_disk_does(
    archive: Archive, committer: Committer, monkeypatch: pytest.MonkeyPatch, fault: Fault
) -> None:
    first, second = claimed(archive, "/1", "/2")
    committer.commit([outcome(first)])
    (file,) = archive.warc_files()
    trap = fault(monkeypatch)
    with pytest.raises(StorageError):
        committer.commit([outcome(second)])
    assert trap.sprung
    assert archive.path(file).stat().st_size == file.committed_bytes
    committer.commit([outcome(second)])
    assert len(archive.warc_files()) == 1
    assert_sound(archive)


def test_a_commit_whose_confirmation_got_lost_keeps_its_bytes(
    archive: Archive, committer: Committer, monkeypatch: pytest.MonkeyPatch
) -> None:
    (task,) = claimed(archive, "/1")
    trap = lost_answer(monkeypatch)
    with pytest.raises(DatabaseUnavailableError):
        committer.commit([outcome(task)])
    assert trap.sprung
    assert len(archive.captures()) == 1
    assert_sound(archive)


def test_while_the_database_is_away_a_file_is_left_for_recovery(
    archive: Archive, committer: Committer, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = claimed(archive, "/1", "/2")
    committer.commit([outcome(first)])
    (file,) = archive.warc_files()

    def away(self: Database) -> NoReturn:
        raise DatabaseUnavailableError("nobody there")

    with monkeypatch.context() as patch:
        patch.setattr(Database, "write", away)
        with pytest.raises(DatabaseUnavailableError):
            committer.commit([outcome(second)])
    assert archive.path(file).stat().st_size > file.committed_bytes
    recover(archive.database, archive.target.archive_root, archive.owner)
    assert_sound(archive)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_crawl_that_met_a_fault_ends_with_it_and_the_next_run_completes_the_job(
    archive: Archive,
    web_server: WebServer,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    fault: Fault,
) -> None:
    web_server.answers |= linked_site(20)
    with monkeypatch.context() as patch:
        trap = fault(patch)
        with pytest.raises((StorageError, DatabaseError), match=str(trap.error.args[-1])):
            archive.crawl(web_server.url())
        assert trap.sprung
    assert [record.getMessage() for record in caplog.records if record.name == "asyncio"] == []
    end = archive.crawl(web_server.url())
    assert (end.counts.finished, end.counts.pending, end.counts.error) == (41, 0, 0)
    assert_sound(archive)


def test_after_a_fault_nothing_more_is_fetched(
    archive: Archive,
    web_server: WebServer,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    web_server.answers |= linked_site(40)
    held = threading.Event()
    for n in range(40):
        web_server.answers[f"/page/{n}"] = Answer(page("Slow").body, waits_for=held)
    really_sync = os.fdatasync
    asked_at_the_fault: list[int] = []

    def fdatasync(descriptor: int) -> None:
        if len(archive.captures()) == 0:
            really_sync(descriptor)
            return
        asked_at_the_fault.append(len(web_server.requests))
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("webstrata.warc.writer.os.fdatasync", fdatasync)
    web_server.answers["/page/0"] = page("Quick")
    with pytest.raises(StorageError):
        archive.crawl(web_server.url(), concurrency=4)
    held.set()
    # What is under way may still reach the server; what was leased ahead may not begin.
    assert len(web_server.requests) <= asked_at_the_fault[0] + 4
    assert "crawl.visit.broken" not in "".join(capfd.readouterr())


def test_work_that_another_worker_took_over_leaves_nothing_of_ours(archive: Archive, committer: Committer) -> None:
    ours, theirs = claimed(archive, "/ours", "/theirs")
    with archive.database.write() as session:
        session.execute(
            update(CrawlTask).where(CrawlTask.id == theirs.id).values(lease_token="another", lease_owner="b")
        )
    committed = committer.commit([outcome(ours, "/a"), outcome(theirs, "/b")])
    assert [kept.task.id for kept in committed.outcomes] == [ours.id]
    assert [record.url for record in archive.responses()] == [ours.url]
    tasks = archive.tasks()
    assert set(tasks) == {ours.url, theirs.url, "http://site.example/a"}
    assert (tasks[theirs.url].status, tasks[theirs.url].lease_token) == ("in_progress", "another")
    assert_sound(archive)


def test_of_two_visits_to_one_page_the_one_that_holds_the_lease_counts(archive: Archive, committer: Committer) -> None:
    (robbed,) = claimed(archive, "/1")
    with archive.database.write() as session:
        session.execute(update(CrawlTask).values(lease_expires_at=datetime.now(UTC) - timedelta(seconds=1)))
    (holder,) = claimed(archive, "/1")
    committer.commit([outcome(robbed, "/lost"), outcome(holder, "/found")])
    assert archive.tasks()[holder.url].status == TaskStatus.FINISHED
    assert "http://site.example/found" in archive.tasks()
    assert_sound(archive)


def test_a_payload_that_another_worker_stores_in_the_same_moment_is_stored_once(
    archive: Archive, committer: Committer, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = claimed(archive, "/ours", "/theirs")
    body = b"<title>The same</title>" * 10
    other = Committer(archive.database, archive.target, "them", 1_000_000)

    def append_after_the_other(*arguments: object) -> object:
        monkeypatch.setattr("webstrata.crawl.commit.append_responses", append_responses)
        other.commit([answered(theirs, body)])
        return append_responses(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr("webstrata.crawl.commit.append_responses", append_after_the_other)
    committer.commit([answered(ours, body)])
    other.close()
    kinds = {capture.url: capture.record_type for capture in archive.captures()}
    assert kinds == {theirs.url: "response", ours.url: "revisit"}
    assert_sound(archive)


def answered(task: Task, body: bytes) -> Outcome:
    found = outcome(task)
    assert found.result is not None
    return replace(found, result=replace(found.result, body=body))


def test_a_batch_that_was_taken_over_as_a_whole_leaves_nothing_at_all(archive: Archive, committer: Committer) -> None:
    tasks = claimed(archive, "/1", "/2")
    with archive.database.write() as session:
        session.execute(update(CrawlTask).values(lease_token="another"))
    committer.commit([outcome(task) for task in tasks])
    assert archive.responses() == []
    assert archive.captures() == []
    assert set(archive.tasks()) == {task.url for task in tasks}


def test_links_of_a_page_that_was_taken_over_are_not_held_to_be_known(archive: Archive, committer: Committer) -> None:
    (task,) = claimed(archive, "/1")
    with archive.database.write() as session:
        session.execute(update(CrawlTask).values(lease_token="another"))
    committer.commit([outcome(task, "/found")])
    with archive.database.write() as session:
        session.execute(update(CrawlTask).values(lease_token=task.lease_token))
    committer.commit([outcome(task, "/found")])
    assert "http://site.example/found" in archive.tasks()


def test_what_a_dead_writer_left_behind_is_cut_off(archive: Archive, committer: Committer) -> None:
    first, second = claimed(archive, "/1", "/2")
    committer.commit([outcome(first)])
    (file,) = archive.warc_files()
    with archive.path(file).open("ab") as torn:
        torn.write(b"\x1f\x8b half a record")
    recover(archive.database, archive.target.archive_root, archive.owner)
    assert_sound(archive)
    committer.close()
    committer.commit([outcome(second)])
    assert_sound(archive)


def test_a_file_in_which_nothing_was_acknowledged_is_forgotten(archive: Archive) -> None:
    with archive.database.write() as session:
        captures.add_warc_file(session, archive.job_id, f"{archive.target.folder}/a.warc.gz", archive.owner)
        captures.add_warc_file(session, archive.job_id, f"{archive.target.folder}/never-made.warc.gz", archive.owner)
    folder = archive.target.archive_root / archive.target.folder
    folder.mkdir()
    (folder / "a.warc.gz").write_bytes(b"\x1f\x8b half a warcinfo")
    recover(archive.database, archive.target.archive_root, archive.owner)
    assert archive.warc_files() == []
    assert list(folder.iterdir()) == []


def test_a_file_that_lost_acknowledged_bytes_is_reported_and_left_alone(archive: Archive, committer: Committer) -> None:
    (task,) = claimed(archive, "/1")
    committer.commit([outcome(task)])
    committer.close()
    (file,) = archive.warc_files()
    os.truncate(archive.path(file), file.committed_bytes - 10)
    with pytest.raises(StorageError, match="10 bytes shorter"):
        recover(archive.database, archive.target.archive_root, archive.owner)
    archive.path(file).unlink()
    with pytest.raises(StorageError, match="No such file"):
        recover(archive.database, archive.target.archive_root, archive.owner)
