import os
from pathlib import Path

import pytest

from webstrata.errors import StorageError
from webstrata.storage.file_system import check_room, check_writable, device_of, free_bytes, is_writable, shown_bytes

READ_ONLY = Path("/proc/self")
"""A folder in which nobody can make a file, root neither."""


def test_there_is_room_where_there_is(tmp_path: Path) -> None:
    free = free_bytes(tmp_path)
    assert free > 0
    check_room(tmp_path, 0)
    check_room(tmp_path, free // 2)


def test_too_little_room_is_reported_with_numbers_and_the_setting(tmp_path: Path) -> None:
    with pytest.raises(
        StorageError, match=r"only .* are free; at least 1000\.0 PB must stay free .*WEBSTRATA_MIN_FREE_BYTES"
    ):
        check_room(tmp_path, 10**18)


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    for look in (free_bytes, device_of, check_writable, lambda path: check_room(path, 1)):
        with pytest.raises(StorageError, match=r"gone: No such file"):
            look(tmp_path / "gone")
    assert not is_writable(tmp_path / "gone")


def test_a_folder_that_can_be_written_to_stays_as_it_was(tmp_path: Path) -> None:
    check_writable(tmp_path)
    assert is_writable(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_to_is_refused() -> None:
    with pytest.raises(StorageError, match=r"^the data folder /proc/self cannot be written to$"):
        check_writable(READ_ONLY)


def test_every_device_has_a_name_of_its_own_that_stays(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    assert device_of(tmp_path) == device_of(tmp_path / "below") == device_of(tmp_path)
    assert len({device_of(tmp_path), device_of(Path("/proc")), device_of(Path("/sys"))}) == 3


def test_a_device_without_a_number_is_known_by_what_is_mounted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    device = tmp_path.stat().st_dev
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        f"broken line\n36 35 {os.major(device)}:{os.minor(device)} / /mnt rw - nfs4 nas.example:/web\\040archive rw\n"
    )
    real = os.statvfs(tmp_path)

    class NoNumber:
        f_fsid = 0
        f_bavail = real.f_bavail
        f_frsize = real.f_frsize

    monkeypatch.setattr(os, "statvfs", lambda path: NoNumber)
    monkeypatch.setattr("webstrata.storage.file_system._MOUNTS", mounts)
    assert device_of(tmp_path) == "mount:nfs4:nas.example:/web archive"
    monkeypatch.setattr("webstrata.storage.file_system._MOUNTS", tmp_path / "gone")
    assert device_of(tmp_path) == f"dev:{os.major(device)}:{os.minor(device)}"


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1_000, "1.0 kB"),
        (999_949, "999.9 kB"),
        (999_950, "1.0 MB"),
        (1_230_000_000, "1.2 GB"),
    ],
)
def test_sizes_are_shown_as_people_read_them(size: int, shown: str) -> None:
    assert shown_bytes(size) == shown
