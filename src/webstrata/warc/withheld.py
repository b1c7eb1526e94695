"""Tombstones beside WARC files, so that withheld captures remain withheld after indexing again or a rebuild."""

from collections.abc import Iterable
from pathlib import Path

import structlog

from webstrata.errors import StorageError
from webstrata.model.retention.tombstones import WithheldCapture
from webstrata.storage.disk import write_atomically

log = structlog.get_logger()

WITHHELD_NAME = "withheld.jsonl"


def withheld_in(folder: Path) -> list[WithheldCapture]:
    """Return the tombstones of a folder; StorageError when they cannot be read, as withheld captures would be shown."""
    path = folder / WITHHELD_NAME
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError(f"{path} cannot be read: {error}") from error
    try:
        return [WithheldCapture.from_line(line) for line in lines if line.strip()]
    except (ValueError, KeyError, TypeError) as error:
        raise StorageError(f"{path} is damaged ({error}): restore it, or delete it and withhold again") from error


def write_withheld(folder: Path, added: Iterable[WithheldCapture]) -> None:
    """Add tombstones to those of a folder; one of the same snapshot is replaced."""
    known = {capture.snapshot_id: capture for capture in (*withheld_in(folder), *added)}
    text = "".join(f"{capture.to_line()}\n" for capture in known.values())
    write_atomically(folder / WITHHELD_NAME, text.encode("utf-8", "replace"))
