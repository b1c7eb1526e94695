import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from webstrata.errors import StorageError, UsageError
from webstrata.model.crawl.monitoring import Decision, RecoveryAction
from webstrata.storage.crawl_state import CrawlState

STATE = ".archive_state.json"


def write(folder: Path, **state: object) -> Path:
    file = folder / STATE
    file.write_text(json.dumps(state))
    return file


def test_a_run_without_a_state_begins_with_its_workers_and_leaves_no_file(tmp_path: Path) -> None:
    state = CrawlState(tmp_path, 4)
    assert (state.initial_workers, state.current_workers) == (4, 4)
    assert (state.vpn_rotations_done, state.worker_reductions_done) == (0, 0)
    assert state.get_temp_dir_paths() == []
    assert state.state_file_path == tmp_path / STATE
    assert not state.exists
    assert state.damage is None
    assert list(tmp_path.iterdir()) == []


def test_what_one_run_writes_the_next_one_reads(tmp_path: Path) -> None:
    (tmp_path / ".tmpone").mkdir()
    state = CrawlState(tmp_path, 4)
    state.add_temp_dir(tmp_path / ".tmpone")
    state.add_temp_dir(tmp_path / ".tmpone")
    state.current_workers, state.vpn_rotations_done, state.worker_reductions_done = 2, 1, 2
    state.save()
    assert json.loads((tmp_path / STATE).read_text()) == {
        "current_workers": 2,
        "initial_workers": 4,
        "temp_dirs_host_paths": [str(tmp_path / ".tmpone")],
        "vpn_rotations_done": 1,
        "worker_reductions_done": 2,
    }
    again = CrawlState(tmp_path, 9)
    assert (again.initial_workers, again.current_workers, again.worker_reductions_done) == (4, 2, 2)
    assert again.get_temp_dir_paths() == [tmp_path / ".tmpone"]


def test_reading_changes_nothing_even_when_folders_are_gone(tmp_path: Path) -> None:
    (tmp_path / ".tmphere").mkdir()
    file = write(tmp_path, temp_dirs_host_paths=[str(tmp_path / ".tmpgone"), str(tmp_path / ".tmphere")])
    before = (file.read_bytes(), file.stat().st_mtime_ns, file.stat().st_ino)
    state = CrawlState(tmp_path, 1)
    assert state.get_temp_dir_paths() == [tmp_path / ".tmphere"]
    assert (file.read_bytes(), file.stat().st_mtime_ns, file.stat().st_ino) == before
    state.save()
    assert json.loads(file.read_text())["temp_dirs_host_paths"] == [str(tmp_path / ".tmphere")]


def test_a_key_that_we_do_not_know_is_kept(tmp_path: Path) -> None:
    write(tmp_path, current_workers=1, note="of a newer version")
    CrawlState(tmp_path, 1).save()
    assert json.loads((tmp_path / STATE).read_text())["note"] == "of a newer version"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b'{"current_workers": 2, "temp_dirs_ho',
        b"\x00\xff\xfe",
        b"[]",
        b"null",
        b"[" * 100_000,
        b'{"current_workers": "two"}',
        b'{"current_workers": -1}',
        b'{"current_workers": true}',
        b'{"initial_workers": 1e400}',
        b'{"temp_dirs_host_paths": "/tmp"}',
        b'{"temp_dirs_host_paths": [1]}',
        b" " * 1_048_577,
    ],
)
def test_a_state_that_makes_no_sense_is_reported_and_every_temporary_folder_counts(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / ".tmpb").mkdir()
    (tmp_path / ".tmpa").mkdir()
    (tmp_path / STATE).write_bytes(content)
    state = CrawlState(tmp_path, 3)
    assert state.damage is not None
    assert str(tmp_path / STATE) in state.damage
    assert state.exists
    assert state.current_workers == 3
    assert state.get_temp_dir_paths() == [tmp_path / ".tmpa", tmp_path / ".tmpb"]
    assert (tmp_path / STATE).read_bytes() == content
    state.save()
    assert CrawlState(tmp_path, 1).damage is None


def test_a_state_file_that_is_a_pipe_or_a_link_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / STATE)
    assert "not an ordinary file" in str(CrawlState(tmp_path, 1).damage)
    (tmp_path / STATE).unlink()
    write(tmp_path / "..", current_workers=7)
    (tmp_path / STATE).symlink_to("../.archive_state.json")
    state = CrawlState(tmp_path, 1)
    assert state.damage is not None
    assert state.current_workers == 1


@pytest.mark.parametrize("tracked", ["/etc", "../outside", "warcs", ".", "", "/", ".tmplink", ".tmpfile", "\0"])
def test_only_temporary_folders_of_the_run_itself_are_ever_returned(tmp_path: Path, tracked: str) -> None:
    output = tmp_path / "output"
    (output / "warcs").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (output / ".tmplink").symlink_to(tmp_path / "outside")
    (output / ".tmpfile").touch()
    write(output, temp_dirs_host_paths=[tracked])
    state = CrawlState(output, 1)
    assert state.damage is None
    assert state.get_temp_dir_paths() == []


def test_a_folder_that_was_moved_still_has_its_temporary_folders(tmp_path: Path) -> None:
    (tmp_path / ".tmpone").mkdir()
    (tmp_path / ".tmptwo").mkdir()
    write(tmp_path, temp_dirs_host_paths=["/mnt/old/jobs/hc/.tmpone"])
    assert CrawlState(tmp_path, 1).get_temp_dir_paths() == [tmp_path / ".tmpone"]


def test_nothing_else_can_be_tracked_as_temporary(tmp_path: Path) -> None:
    state = CrawlState(tmp_path, 1)
    for folder in (tmp_path, tmp_path / "warcs", tmp_path / ".." / ".tmpx", tmp_path / "sub" / ".tmpx"):
        with pytest.raises(UsageError, match="not a temporary folder"):
            state.add_temp_dir(folder)


NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def decision(answer: RecoveryAction, reason: str = "no page more", workers: int = 2) -> Decision:
    return Decision(NOON, "stall", reason, answer, workers)


def test_a_decision_is_written_with_what_it_spends(tmp_path: Path) -> None:
    state = CrawlState(tmp_path, 4)
    for answer in RecoveryAction:
        state.note_decision(decision(answer))
    again = CrawlState(tmp_path, 1)
    assert (again.worker_reductions_done, again.vpn_rotations_done) == (1, 1)
    assert (again.restarts_since_progress, again.backoffs_since_progress) == (1, 1)
    assert again.last_vpn_rotation_at == NOON
    assert [kept["answer"] for kept in again.decisions] == list(RecoveryAction)
    assert again.decisions[0] == {
        "at": "2026-05-01T12:00:00+00:00",
        "trouble": "stall",
        "reason": "no page more",
        "answer": "fewer_workers",
        "workers": 2,
        "wait": 0,
    }


def test_the_last_hundred_decisions_are_kept_however_long_their_reasons_are(tmp_path: Path) -> None:
    state = CrawlState(tmp_path, 4)
    for number in range(103):
        state.note_decision(decision(RecoveryAction.BACK_OFF, reason="\0" * 10_000, workers=number))
    again = CrawlState(tmp_path, 4)
    assert again.damage is None
    assert [kept["workers"] for kept in again.decisions] == list(range(3, 103))
    assert again.backoffs_since_progress == 103


def test_how_a_run_ended_is_kept_until_the_next_one_begins(tmp_path: Path) -> None:
    state = CrawlState(tmp_path, 4)
    state.note_end(1, "given up: no page more")
    ended = CrawlState(tmp_path, 4).ended
    assert ended is not None
    assert (ended["exit_code"], ended["reason"]) == (1, "given up: no page more")
    assert datetime.fromisoformat(str(ended["at"])) <= datetime.now(UTC)
    CrawlState(tmp_path, 4).note_begin()
    assert CrawlState(tmp_path, 4).ended is None


def test_a_run_after_one_that_ended_may_restart_and_rest_anew_and_one_that_continues_may_not(tmp_path: Path) -> None:
    state = CrawlState(tmp_path, 4)
    for answer in RecoveryAction:
        state.note_decision(decision(answer))
    state.note_progress(0)
    state.note_decision(decision(RecoveryAction.RESTART))
    killed = CrawlState(tmp_path, 4)
    killed.note_begin()
    assert killed.restarts_since_progress == 1
    killed.note_end(130, "left")
    left = CrawlState(tmp_path, 4)
    left.note_begin()
    assert left.restarts_since_progress == 1
    left.note_end(1, "failed")
    anew = CrawlState(tmp_path, 4)
    anew.note_begin()
    assert (anew.restarts_since_progress, anew.backoffs_since_progress, anew.most_crawled) == (0, 0, 0)
    assert (anew.vpn_rotations_done, anew.worker_reductions_done) == (1, 1), "limits for life stay"
    assert len(anew.decisions) == 6


def test_progress_forgives_restarts_and_rests_and_is_written_only_then(tmp_path: Path) -> None:
    state = CrawlState(tmp_path, 4)
    state.note_progress(5)
    assert not state.exists
    state.note_decision(decision(RecoveryAction.RESTART))
    assert CrawlState(tmp_path, 4).most_crawled == 5
    state.note_progress(9)
    again = CrawlState(tmp_path, 4)
    assert (again.restarts_since_progress, again.most_crawled) == (0, 9)


def test_what_the_disk_refuses_has_not_happened(tmp_path: Path) -> None:
    state = CrawlState(tmp_path, 4)
    (tmp_path / STATE).mkdir()
    with pytest.raises(StorageError):
        state.note_decision(decision(RecoveryAction.ROTATE_VPN))
    with pytest.raises(StorageError):
        state.note_workers(2)
    with pytest.raises(StorageError):
        state.note_end(1, "failed")
    assert (state.vpn_rotations_done, state.current_workers, state.decisions, state.ended) == (0, 4, (), None)


@pytest.mark.parametrize(
    "content",
    [
        b'{"decisions": {}}',
        b'{"decisions": ["restart"]}',
        b'{"restarts_since_progress": "once"}',
        b'{"backoffs_since_progress": -1}',
        b'{"last_vpn_rotation_at": "yesterday"}',
        b'{"last_vpn_rotation_at": 7}',
        b'{"ended": "badly"}',
    ],
)
def test_what_a_monitor_cannot_have_written_is_damage(tmp_path: Path, content: bytes) -> None:
    (tmp_path / STATE).write_bytes(content)
    state = CrawlState(tmp_path, 3)
    assert state.damage is not None
    assert (state.decisions, state.last_vpn_rotation_at, state.ended) == ((), None, None)
    assert (state.restarts_since_progress, state.backoffs_since_progress) == (0, 0)
