from pathlib import Path

import pytest

from webstrata.errors import OutsideRootError
from webstrata.storage.paths import confined


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
