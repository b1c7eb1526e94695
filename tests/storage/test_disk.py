import errno
import hashlib
import os
from pathlib import Path

import pytest

from webstrata.errors import NotFoundError, OutsideRootError, StorageError
from webstrata.storage import disk
from webstrata.storage.disk import DiskStore, make_folder, write_atomically


@pytest.fixture
def store(tmp_path: Path) -> DiskStore:
    return DiskStore(tmp_path / "blobs")


def blob_file(store: DiskStore, digest: str) -> Path:
    return store.root / digest[:2] / digest[2:4] / digest


def temporary_files(folder: Path) -> list[Path]:
    return list(folder.rglob(".tmp-*"))


@pytest.mark.parametrize("data", [b"", b"hello", os.urandom(1_000_000)])
def test_what_was_put_comes_back_under_its_digest(store: DiskStore, data: bytes) -> None:
    digest = store.put(data)
    assert digest == hashlib.sha256(data).hexdigest()
    assert store.exists(digest)
    assert store.get(digest) == data
    assert blob_file(store, digest).read_bytes() == data


def test_the_same_bytes_are_kept_once(store: DiskStore, monkeypatch: pytest.MonkeyPatch) -> None:
    digest = store.put(b"hello")
    written: list[Path] = []
    monkeypatch.setattr(disk, "write_atomically", lambda path, data: written.append(path))
    assert store.put(b"hello") == digest
    assert written == []
    assert len([path for path in store.root.rglob("*") if path.is_file()]) == 1


def test_what_was_never_put_is_not_found(store: DiskStore) -> None:
    digest = hashlib.sha256(b"hello").hexdigest()
    assert not store.exists(digest)
    with pytest.raises(NotFoundError, match=digest):
        store.get(digest)


@pytest.mark.parametrize("damage", [b"", b"hell", b"Hello"])
def test_a_damaged_blob_is_noticed(store: DiskStore, damage: bytes) -> None:
    digest = store.put(b"hello")
    blob_file(store, digest).write_bytes(damage)
    with pytest.raises(StorageError, match=f"{digest} is damaged"):
        store.get(digest)


@pytest.mark.parametrize("digest", ["../../../etc/passwd", "..//etc/passwd", "/etc/passwd"])
def test_no_digest_leads_out_of_the_store(store: DiskStore, digest: str) -> None:
    with pytest.raises(OutsideRootError):
        store.get(digest)


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "folder" / "file"
    seen: list[bool] = []
    real = os.fsync

    def fsync(descriptor: int) -> None:
        seen.append(path.exists())
        real(descriptor)

    make_folder(path.parent)
    monkeypatch.setattr(os, "fsync", fsync)
    write_atomically(path, b"whole")
    assert seen == [False, True], "the bytes are synced before the name is there, the name after it"
    assert path.read_bytes() == b"whole"
    assert temporary_files(tmp_path) == []


def test_what_is_replaced_is_whole_before_and_after(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    write_atomically(path, b"old")

    def fail(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(StorageError, match="No space left on device"):
            write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert temporary_files(tmp_path) == []
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"


def test_an_interrupted_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "file", b"new")
    assert list(tmp_path.iterdir()) == []


def test_every_new_folder_is_synced_into_the_one_above(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[Path] = []
    monkeypatch.setattr(disk, "sync_folder", synced.append)
    make_folder(tmp_path / "a" / "b" / "c")
    assert synced == [tmp_path, tmp_path / "a", tmp_path / "a" / "b"]
    make_folder(tmp_path / "a" / "b" / "c")
    assert len(synced) == 3


def test_a_file_in_the_way_of_a_folder_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    with pytest.raises(StorageError):
        write_atomically(tmp_path / "a" / "file", b"x")
