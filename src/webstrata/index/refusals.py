"""Reasons why a file is not indexed, with the command that solves the problem if there is one."""

from pathlib import Path

from webstrata.errors import WarcError
from webstrata.warc.packages.repacking import unusual_form


def refusal_reason(path: Path, error: WarcError) -> str:
    """Return why a file is not indexed; if repacking would make it readable, with the command for that."""
    try:
        form = unusual_form(path)
    except WarcError:
        form = None
    return str(error) if form is None else f"{form}; `webstrata import {path}` makes a copy that can be indexed"
