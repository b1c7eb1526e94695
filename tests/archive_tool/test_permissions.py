"""Letting everybody read what a crawl left."""

from pathlib import Path

import pytest

from webstrata.archive_tool.permissions import relax


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_everybody_may_read_files_and_enter_folders_and_nothing_else_changes(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir(mode=0o700)
    file, outside = inner / "file", tmp_path.parent / "outside"
    for path in (file, outside):
        path.touch()
        path.chmod(0o600)
    (inner / "link").symlink_to(outside)
    assert relax(tmp_path) == []
    assert (mode(inner), mode(file), mode(outside)) == (0o755, 0o644, 0o600)


def test_what_the_system_refuses_is_reported_and_the_rest_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, foreign = tmp_path / "ours", tmp_path / "foreign"
    for path in (ours, foreign):
        path.touch()
        path.chmod(0o600)
    chmod = Path.chmod

    def refuse_one(path: Path, wanted: int) -> None:
        # Permissions stop nobody who runs tests as root: the refusal is the system call's.
        if path == foreign:
            raise PermissionError(1, "Operation not permitted")
        chmod(path, wanted)

    monkeypatch.setattr(Path, "chmod", refuse_one)
    assert relax(tmp_path) == [f"{foreign}: Operation not permitted"]
    assert mode(ours) == 0o644
