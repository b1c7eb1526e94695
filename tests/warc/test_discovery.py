import gzip
import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.fetched import fetched, write_warc
from webstrata.errors import NotFoundError, StorageError
from webstrata.warc.discovery import (
    discover,
    discover_warcs_for_job,
    find_all_warc_files,
    find_latest_temp_dir_fallback,
    warc_files_below,
)

STATE = ".archive_state.json"
ARCHIVE = "collections/crawl-1/archive"


@dataclass(frozen=True)
class Job:
    output_dir: str


def warc(path: Path) -> Path:
    write_warc(path, [fetched()])
    return path


def names(folder: Path, **options: bool) -> list[str]:
    """Return what is found, relative to the folder."""
    found = discover_warcs_for_job(Job(str(folder)), **options)
    return [path.relative_to(folder.resolve()).as_posix() for path in found]


def refused(folder: Path) -> dict[str, str]:
    return {entry.path.name: entry.reason for entry in discover(folder).refused}


def track(folder: Path, *temp_dirs: str) -> None:
    listed = ", ".join(f'"{folder / name}"' for name in temp_dirs)
    (folder / STATE).write_text(f'{{"temp_dirs_host_paths": [{listed}]}}')


def test_the_stable_folder_comes_first_then_tracked_temporary_ones_then_collections_then_the_folder(
    tmp_path: Path,
) -> None:
    for path in (
        *("flat.warc.gz", "collections/c/archive/four.warc.gz", f".tmpb/{ARCHIVE}/three.warc.gz"),
        *(f".tmpa/{ARCHIVE}/two.warc.gz", f".tmpz/{ARCHIVE}/untracked.warc.gz", "warcs/z.warc.gz", "warcs/a/1.warc"),
    ):
        warc(tmp_path / path)
    track(tmp_path, ".tmpb", ".tmpa")
    assert names(tmp_path) == [
        "warcs/z.warc.gz",
        "warcs/a/1.warc",
        f".tmpa/{ARCHIVE}/two.warc.gz",
        f".tmpb/{ARCHIVE}/three.warc.gz",
        "collections/c/archive/four.warc.gz",
        "flat.warc.gz",
    ]


def test_without_a_state_the_newest_temporary_folder_is_searched(tmp_path: Path) -> None:
    for number, name in enumerate([".tmpold", ".tmpnew", ".tmpmiddle"]):
        warc(tmp_path / name / ARCHIVE / f"{name}.warc.gz")
        os.utime(tmp_path / name, (0, (0, 9, 5)[number]))
    assert find_latest_temp_dir_fallback(tmp_path) == tmp_path / ".tmpnew"
    assert names(tmp_path) == [f".tmpnew/{ARCHIVE}/.tmpnew.warc.gz"]
    assert names(tmp_path, allow_fallback=False) == []


def test_with_a_damaged_state_every_temporary_folder_is_searched_and_that_is_reported(tmp_path: Path) -> None:
    for name in (".tmpa", ".tmpb"):
        warc(tmp_path / name / ARCHIVE / "x.warc.gz")
    (tmp_path / STATE).write_text('{"temp_dirs_')
    found = discover(tmp_path)
    assert len(found.files) == 2
    assert found.state_damage is not None
    assert "cut off" in found.state_damage
    assert (tmp_path / STATE).read_text() == '{"temp_dirs_'


def test_only_archive_folders_of_a_collection_are_searched(tmp_path: Path) -> None:
    warc(tmp_path / ".tmpa" / ARCHIVE / "yes.warc.gz")
    warc(tmp_path / ".tmpa" / "collections" / "deep" / "er" / "archive" / "yes.warc.gz")
    warc(tmp_path / ".tmpa" / "collections" / "crawl-1" / "tmp-dl" / "no.warc.gz")
    warc(tmp_path / ".tmpa" / "no.warc.gz")
    (tmp_path / ".tmpa" / ARCHIVE / "no.cdx").write_text("x")
    assert [path.name for path in find_all_warc_files([tmp_path / ".tmpa"])] == ["yes.warc.gz", "yes.warc.gz"]
    assert find_all_warc_files([tmp_path / ".tmpgone"]) == []


def test_no_file_is_found_twice_whatever_its_names(tmp_path: Path) -> None:
    stable = warc(tmp_path / "warcs" / "one.warc.gz")
    archive = tmp_path / ".tmpa" / ARCHIVE
    archive.mkdir(parents=True)
    os.link(stable, archive / "one.warc.gz")
    (tmp_path / "alias.warc.gz").symlink_to(stable)
    assert names(tmp_path) == ["warcs/one.warc.gz"]
    folder = tmp_path / ".tmpa"
    assert find_all_warc_files([folder, folder]) == [archive / "one.warc.gz"]


def test_links_that_lead_out_are_refused_by_name(tmp_path: Path) -> None:
    outside = warc(tmp_path / "outside" / "archive" / "secret.warc.gz")
    output = tmp_path / "output"
    (output / "warcs").mkdir(parents=True)
    (output / "warcs" / "out.warc.gz").symlink_to(outside)
    (output / "nowhere.warc.gz").symlink_to("gone")
    (output / "nowhere.log").symlink_to("gone")
    (output / "collections").symlink_to(tmp_path / "outside")
    assert names(output) == []
    assert set(refused(output)) == {"out.warc.gz", "nowhere.warc.gz", "collections"}
    assert "leads out of" in refused(output)["out.warc.gz"]


def test_a_stable_folder_that_is_a_link_is_not_searched(tmp_path: Path) -> None:
    warc(tmp_path / "outside" / "secret.warc.gz")
    (tmp_path / "output").mkdir()
    (tmp_path / "output" / "warcs").symlink_to(tmp_path / "outside")
    assert names(tmp_path / "output") == []


def test_a_folder_of_files_is_judged_by_content_not_by_name(tmp_path: Path) -> None:
    warc(tmp_path / "renamed.bin")
    plain = tmp_path / "plain.txt"
    plain.write_bytes(gzip.decompress((tmp_path / "renamed.bin").read_bytes()))
    (tmp_path / "notes.txt").write_text("WARC files of 2019")
    (tmp_path / "photo.gz").write_bytes(gzip.compress(b"no record"))
    (tmp_path / "empty").touch()
    (tmp_path / "liar.warc.gz").write_bytes(gzip.compress(b"<html>"))
    (tmp_path / "nothing.warc").touch()
    os.mkfifo(tmp_path / "pipe.warc.gz")
    assert names(tmp_path) == ["plain.txt", "renamed.bin"]
    assert refused(tmp_path) == {"liar.warc.gz": "no WARC record in it", "nothing.warc": "an empty file"}


def test_a_file_that_is_damaged_at_its_beginning_is_still_a_warc(tmp_path: Path) -> None:
    file = warc(tmp_path / "warcs" / "hurt.warc.gz")
    data = bytearray(file.read_bytes())
    data[5:60] = bytes(55)
    file.write_bytes(data)
    assert names(tmp_path) == ["warcs/hurt.warc.gz"]


def test_what_is_compressed_with_zstd_is_refused_by_name_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "warcs").mkdir()
    (tmp_path / "warcs" / "big.warc.zst").write_bytes(b"\x28\xb5\x2f\xfd" + bytes(50))
    (tmp_path / "also-zstd.warc").write_bytes(b"\x28\xb5\x2f\xfd" + bytes(50))
    assert names(tmp_path) == []
    assert set(refused(tmp_path)) == {"big.warc.zst", "also-zstd.warc"}
    assert "webstrata import" in refused(tmp_path)["big.warc.zst"]


def test_one_file_is_enough(tmp_path: Path) -> None:
    file = warc(tmp_path / "one.download")
    warc(tmp_path / "beside.warc.gz")
    assert discover(file).files == (file,)
    (tmp_path / "page.html").write_text("<html>")
    assert [str(entry) for entry in discover(tmp_path / "page.html").refused] == [
        f"{tmp_path / 'page.html'}: no WARC record in it"
    ]


def test_a_folder_that_is_not_there_is_reported_as_missing(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"gone: No such file"):
        discover(tmp_path / "gone")


def test_every_file_that_may_be_a_warc_counts_when_things_are_deleted(tmp_path: Path) -> None:
    folder = tmp_path / ".tmpa"
    kept = [warc(folder / "a" / "one.warc.gz"), warc(folder / "two.part"), folder / "z.warc"]
    kept[2].write_text("not even a record")
    (folder / "page.log").write_text("x")
    (folder / "link.warc.gz").symlink_to(kept[0])
    assert sorted(warc_files_below(folder)) == sorted(kept)


def test_a_folder_that_cannot_be_looked_into_is_not_taken_for_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Permissions stop nobody who runs tests as root: the refusal is the system call's.
    locked = tmp_path / ".tmpa" / "locked"
    warc(locked / "one.warc.gz")
    scandir = os.scandir

    def refusing(path: str | Path) -> object:
        if Path(path) == locked:
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    with pytest.raises(StorageError, match=r"locked: Permission denied"):
        warc_files_below(tmp_path / ".tmpa")
