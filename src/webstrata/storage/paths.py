"""Resolves paths and refuses those that lead out of their folder."""

import os.path
from pathlib import Path

from webstrata.errors import OutsideRootError


def confined(root: Path, relative: str | Path) -> Path:
    """Return the path below a root, links resolved; OutsideRootError when it leads out of it."""
    base = root.resolve()
    path = (base / relative).resolve()
    if not path.is_relative_to(base):
        raise OutsideRootError(f"{relative} leads out of {base}")
    return path


def without_links(root: Path, relative: str | Path) -> Path:
    """Return the path of a file to be deleted below a root; OutsideRootError when a symbolic link in it leads
    elsewhere."""
    path = confined(root, relative)
    if path != Path(os.path.normpath(root.resolve() / relative)):
        raise OutsideRootError(f"{relative} leads through a link to {path}")
    return path


def place_of(archive_root: Path, path: str | Path, output_dir: str | Path | None = None) -> Path:
    """Return the path of a recorded file: relative ones are below the archive root, absolute ones in the job's
    folder."""
    if not Path(path).is_absolute():
        return confined(archive_root, path)
    if not output_dir:
        raise OutsideRootError(f"{path} is outside of the archive root {archive_root}, and no job's folder holds it")
    return confined(Path(output_dir), path)


def recorded_as(archive_root: Path, path: Path) -> str:
    """Return the path of a file as it is recorded: relative to the archive root if it is inside, else absolute."""
    root, place = archive_root.resolve(), path.resolve()
    return place.relative_to(root).as_posix() if place.is_relative_to(root) else str(place)


class PresentFiles:
    """Cache of which recorded files exist; each is checked only once, so use a new cache for each request."""

    def __init__(self, archive_root: Path) -> None:
        """Look for files of an archive."""
        self._archive_root = archive_root
        self._known: dict[tuple[str, str], bool] = {}

    def has(self, path: str, output_dir: str) -> bool:
        """Return whether a file is there, given how it is recorded and its job's folder."""
        key = path, output_dir
        if key not in self._known:
            self._known[key] = self._look(path, output_dir)
        return self._known[key]

    def _look(self, path: str, output_dir: str) -> bool:
        try:
            return place_of(self._archive_root, path, output_dir).is_file()
        except OutsideRootError:
            return False
