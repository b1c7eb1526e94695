"""Who is there, and who only was."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.waiting import wait_until
from webstrata.coordination.presence import announced_here, bury, is_dead, present
from webstrata.errors import StorageError

_MORTAL = """
import sys, time
from pathlib import Path
from webstrata.coordination.presence import present
with present(Path(sys.argv[1])) as owner:
    print(owner, flush=True)
    time.sleep(60)
"""


def test_a_living_worker_is_announced_and_cannot_be_buried(tmp_path: Path) -> None:
    with present(tmp_path) as owner:
        assert announced_here(tmp_path) == [owner]
        assert not is_dead(tmp_path, owner)
        with bury(tmp_path, owner) as dead:
            assert not dead
    assert announced_here(tmp_path) == []
    assert not is_dead(tmp_path, owner), "who took leave is not dead"


def test_each_worker_has_a_name_of_its_own(tmp_path: Path) -> None:
    with present(tmp_path) as one, present(tmp_path) as other:
        assert announced_here(tmp_path) == sorted([one, other])


def test_a_killed_worker_is_seen_to_be_dead_and_buried_once(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", _MORTAL, str(tmp_path)], stdout=subprocess.PIPE, text=True) as mortal:
        assert mortal.stdout is not None
        owner = mortal.stdout.readline().strip()
        assert not is_dead(tmp_path, owner)
        mortal.kill()
    wait_until(lambda: is_dead(tmp_path, owner), "its death is noticed")
    with bury(tmp_path, owner) as dead, bury(tmp_path, owner) as dead_as_well:
        assert (dead, dead_as_well) == (True, False)
    assert announced_here(tmp_path) == []


def bury_in_vain(folder: Path, owner: str) -> None:
    with bury(folder, owner) as dead:
        assert dead
        raise StorageError


def test_one_who_could_not_be_buried_is_still_there_to_be(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), present(tmp_path) as owner:
        raise RuntimeError
    with pytest.raises(StorageError):
        bury_in_vain(tmp_path, owner)
    assert announced_here(tmp_path) == [owner]


def test_workers_of_other_machines_are_left_alone(tmp_path: Path) -> None:
    with present(tmp_path):
        (tmp_path / ".workers" / "elsewhere:1:abc.lock").touch()
        (tmp_path / ".workers" / "notes.txt").touch()
        assert len(announced_here(tmp_path)) == 1


def test_an_archive_that_no_one_works_on_has_no_workers(tmp_path: Path) -> None:
    assert announced_here(tmp_path / "nowhere") == []
    assert not is_dead(tmp_path, "host:1:abc")


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match="file"), present(tmp_path / "file"):
        pass


def test_a_lock_that_cannot_be_opened_is_trouble_and_not_a_living_worker(tmp_path: Path) -> None:
    owner = "here:1:abc"
    (tmp_path / ".workers" / f"{owner}.lock").mkdir(parents=True)
    with pytest.raises(StorageError, match=r"here:1:abc\.lock: Is a directory"), bury(tmp_path, owner):
        pass
    with pytest.raises(StorageError, match="Is a directory"):
        is_dead(tmp_path, owner)
