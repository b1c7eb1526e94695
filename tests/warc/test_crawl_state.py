import json
import os
from pathlib import Path

import pytest

from webstrata.errors import UsageError
from webstrata.warc.crawl_state import CrawlState

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
        with pytest.raises(UsageError, match="no temporary folder"):
            state.add_temp_dir(folder)
