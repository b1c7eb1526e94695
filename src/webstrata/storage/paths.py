"""Paths that cannot leave the folder they belong to."""

from pathlib import Path

from webstrata.errors import OutsideRootError


def confined(root: Path, relative: str | Path) -> Path:
    """Return the path below a root, links resolved; OutsideRootError when it leads out of it."""
    base = root.resolve()
    path = (base / relative).resolve()
    if not path.is_relative_to(base):
        raise OutsideRootError(f"{relative} leads out of {base}")
    return path
