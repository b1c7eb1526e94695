from pathlib import Path

import pytest

from webstrata.errors import OutsideRootError
from webstrata.storage.paths import confined, place_of, recorded_as


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root" / "inside").mkdir(parents=True)
    (tmp_path / "root-beside").mkdir()
    return tmp_path / "root"


@pytest.mark.parametrize(
    "relative", ["file", "inside/file", "inside/../file", "./inside", "not/yet/there", "..file", ""]
)
def test_what_stays_inside_is_allowed(root: Path, relative: str) -> None:
    assert confined(root, relative) == (root / relative).resolve()


@pytest.mark.parametrize(
    "relative",
    ["..", "../file", "inside/../../file", "../root-beside/file", "/etc/passwd", "/", "not/there/../../../x"],
)
def test_what_leads_out_is_refused(root: Path, relative: str) -> None:
    with pytest.raises(OutsideRootError, match="leads out of"):
        confined(root, relative)


def test_an_absolute_path_below_the_root_is_inside(root: Path) -> None:
    assert confined(root, root / "inside" / "file") == root / "inside" / "file"


@pytest.mark.parametrize("target", ["../root-beside", "/etc", ".."])
def test_a_link_that_leads_out_is_refused(root: Path, target: str) -> None:
    (root / "link").symlink_to(target)
    with pytest.raises(OutsideRootError):
        confined(root, "link/file")


def test_a_link_that_stays_inside_is_allowed(root: Path) -> None:
    (root / "link").symlink_to("inside")
    assert confined(root, "link/file") == root / "inside" / "file"


def test_a_root_that_is_a_link_itself_is_the_folder_it_leads_to(root: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(root)
    assert confined(tmp_path / "alias", "file") == root / "file"


def test_a_recorded_file_is_looked_for_in_the_archive_root_or_in_its_jobs_own_folder(
    root: Path, tmp_path: Path
) -> None:
    job = tmp_path / "disk" / "job"
    assert place_of(root, "inside/a.warc.gz") == root / "inside" / "a.warc.gz"
    assert place_of(root, "inside/a.warc.gz", job) == root / "inside" / "a.warc.gz"
    assert place_of(root, job / "a.warc.gz", job) == job / "a.warc.gz"
    assert place_of(root, str(job), str(job)) == job


@pytest.mark.parametrize(
    ("path", "output_dir"),
    [
        ("../root-beside/a", None),
        ("/etc/passwd", None),
        ("/etc/passwd", ""),
        ("/etc/passwd", "{job}"),
        ("{job}-beside/a", "{job}"),
        ("{job}/../other/a", "{job}"),
        ("{job}/link/a", "{job}"),
    ],
)
def test_no_recorded_file_leads_anywhere_else(root: Path, tmp_path: Path, path: str, output_dir: str | None) -> None:
    job = tmp_path / "job"
    job.mkdir()
    (job / "link").symlink_to("/etc")
    with pytest.raises(OutsideRootError):
        place_of(root, path.format(job=job), output_dir and output_dir.format(job=job))


def test_files_are_recorded_so_that_the_archive_root_can_be_moved(root: Path, tmp_path: Path) -> None:
    assert recorded_as(root, root / "inside" / "a.warc.gz") == "inside/a.warc.gz"
    assert recorded_as(root, tmp_path / "disk" / "a.warc.gz") == str(tmp_path / "disk" / "a.warc.gz")
    (tmp_path / "alias").symlink_to(root)
    assert recorded_as(tmp_path / "alias", root / "a") == "a"
