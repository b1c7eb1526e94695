"""The WACZ file of one page: its capture and those of its requisites; byte-identical whenever it is made."""

import tempfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from webstrata.db.engine import Database
from webstrata.db.operations import catalog
from webstrata.db.retention.tombstones import missing_snapshot
from webstrata.errors import ConflictError
from webstrata.warc.packages.contents import CaptureSource, ExportRequest
from webstrata.warc.packages.export import PackageReport, write_package
from webstrata.warc.packages.wacz import WaczWriter

MAX_BYTES = 200_000_000
"""The largest WACZ file of a page; larger ones can be exported with a command."""

_IN_MEMORY = 8_000_000


@dataclass(frozen=True)
class PagePackage:
    """A WACZ file that is open for reading, and what it holds."""

    file: IO[bytes]
    size: int
    report: PackageReport


def make_page_package(database: Database, archive_root: Path, snapshot_id: int) -> PagePackage:
    """Return the WACZ file of a snapshot's page; NotFoundError, GoneError or ConflictError when there can be none."""
    with database.read() as session:
        snapshot = catalog.snapshot(session, snapshot_id)
        if snapshot is None:
            raise missing_snapshot(session, snapshot_id)
    source = CaptureSource(database, archive_root, ExportRequest(snapshot_id=snapshot_id))
    contents = source.contents()
    contents.created = snapshot.captured_at
    written = 0

    def count(added: int) -> None:
        nonlocal written
        written += added
        if written > MAX_BYTES:
            command = f"webstrata export --snapshot {snapshot_id} --output page.wacz"
            size = f"{MAX_BYTES // 1_000_000} MB"
            raise ConflictError(f"This page and the files that it loads have more than {size}: use {command}")

    file: IO[bytes] = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - the caller closes it
    try:
        with closing(WaczWriter(file, count, contents.created)) as writer:
            report = write_package(source, contents, writer)
    except BaseException:
        file.close()
        raise
    return PagePackage(file, file.tell(), report)
