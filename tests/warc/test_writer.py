import errno
import gzip
import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.fetched import fetched, write_warc
from tests.support.warcs import records
from webstrata.errors import StorageError
from webstrata.warc.record import exchange
from webstrata.warc.verify import verify
from webstrata.warc.writer import WarcFileWriter, cut_tail, new_warc_name

OPEN_FILES = Path("/proc/self/fd")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "job" / "warcs" / "test.warc.gz"


def opened_as(descriptor: int) -> Path:
    return (OPEN_FILES / str(descriptor)).readlink()


def answers(count: int, writer: WarcFileWriter) -> list[tuple[int, int]]:
    pairs = [exchange(fetched(f"https://example.org/{n}", os.urandom(5_000)), writer.warcinfo_id) for n in range(count)]
    return [(extent.offset, extent.length) for extent in writer.append(record for pair in pairs for record in pair)]


def test_every_extent_is_one_whole_gzip_member(file: Path) -> None:
    with WarcFileWriter(file) as writer:
        first = writer.size
        extents = answers(3, writer) + answers(2, writer)
    data = file.read_bytes()
    assert extents[0][0] == first
    assert [(r.offset, r.length) for r in records(file)] == [(0, first), *extents]
    for offset, length in extents:
        assert gzip.decompress(data[offset : offset + length]).startswith(b"WARC/1.1\r\n")
    assert writer.size == len(data) == sum(extents[-1])


def test_a_large_record_is_written_without_a_copy_of_it_in_memory(file: Path) -> None:
    body = os.urandom(20_000_000)
    with WarcFileWriter(file) as writer:
        tracemalloc.start()
        try:
            extents = writer.append(exchange(fetched("https://example.org/", body), writer.warcinfo_id))
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert peak < len(body) / 2
    assert [(r.offset, r.length) for r in records(file)][1:] == [(extent.offset, extent.length) for extent in extents]
    assert verify([file]).findings == []


def test_a_name_that_is_taken_is_refused_and_the_file_left_alone(file: Path) -> None:
    file.parent.mkdir(parents=True)
    file.write_bytes(b"precious")
    with pytest.raises(StorageError, match=r"test\.warc\.gz: File exists"):
        WarcFileWriter(file)
    assert file.read_bytes() == b"precious"


def test_names_never_collide() -> None:
    names = {new_warc_name("hc") for _ in range(1_000)}
    assert len(names) == 1_000
    assert all(name.startswith("hc-20") and name.endswith(".warc.gz") and "/" not in name for name in names)


def test_a_folder_that_cannot_be_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageError):
        WarcFileWriter(tmp_path / "file" / "test.warc.gz")


def test_new_folders_and_the_new_name_are_synced(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[Path] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(opened_as(descriptor)))
    WarcFileWriter(file).close()
    above = file.parent.parent.parent
    assert synced == [above, above / "job", above / "job" / "warcs"]


def test_syncing_reaches_the_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[Path] = []
    monkeypatch.setattr(os, "fdatasync", lambda descriptor: synced.append(opened_as(descriptor)))
    with WarcFileWriter(file) as writer:
        answers(1, writer)
        assert synced == []
        writer.sync()
    assert synced == [file]


def test_cutting_back_forgets_what_came_after(file: Path) -> None:
    with WarcFileWriter(file) as writer:
        kept = answers(1, writer)
        size = writer.size
        answers(1, writer)
        writer.cut_back(size)
        assert writer.size == size == file.stat().st_size
        more = answers(1, writer)
    assert [(r.offset, r.length) for r in records(file)][1:] == kept + more


def refusing(number: int, after: int) -> Callable[[int, memoryview], int]:
    """Return a write that refuses once it has written some bytes, as a full disk does."""
    room = [after]

    def write(descriptor: int, data: memoryview) -> int:
        if room[0] <= 0:
            raise OSError(number, os.strerror(number))
        taken = real(descriptor, data[: room[0]])
        room[0] -= taken
        return taken

    real = os.write
    return write


def test_a_full_disk_leaves_no_half_record_behind(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with WarcFileWriter(file) as writer:
        kept = answers(1, writer)
        size = writer.size
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", refusing(errno.ENOSPC, 1_000))
            with pytest.raises(StorageError, match="No space left on device"):
                answers(2, writer)
        assert writer.size == size == file.stat().st_size
        more = answers(1, writer)
    assert [(r.offset, r.length) for r in records(file)][1:] == kept + more


def test_a_file_that_cannot_be_begun_is_let_go(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_before = len(list(OPEN_FILES.iterdir()))
    monkeypatch.setattr(os, "write", refusing(errno.ENOSPC, 10))
    with pytest.raises(StorageError):
        WarcFileWriter(file)
    assert len(list(OPEN_FILES.iterdir())) == open_before


def test_short_writes_are_continued(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, data[:700]))
    write_warc(file, [fetched(body=os.urandom(5_000))])
    assert len(records(file)) == 3


def test_a_failed_sync_is_a_storage_error(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_descriptor: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fdatasync", fail)
    with WarcFileWriter(file) as writer, pytest.raises(StorageError, match="Input/output error"):
        writer.sync()


def test_a_tail_that_was_not_acknowledged_is_cut(file: Path) -> None:
    extents = write_warc(file, [fetched(), fetched()])
    whole = file.read_bytes()
    end = extents[1].offset
    assert cut_tail(file, end) == len(whole) - end
    assert file.read_bytes() == whole[:end]
    assert cut_tail(file, end) == 0


def test_a_file_shorter_than_what_was_acknowledged_is_reported_and_left(file: Path) -> None:
    write_warc(file, [fetched()])
    size = file.stat().st_size
    with pytest.raises(StorageError, match="is 7 bytes shorter than what was acknowledged"):
        cut_tail(file, size + 7)
    assert file.stat().st_size == size


def test_a_file_that_is_gone_is_reported(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="No such file"):
        cut_tail(tmp_path / "gone.warc.gz", 1)
