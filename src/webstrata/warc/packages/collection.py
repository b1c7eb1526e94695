"""Collections for pywb: links to a job's WARC files, records of other jobs that it needs, and a sorted index.

A collection is updated in place: files are added, then the index is replaced, then files that are not in the index are
removed. So at any time a replay server finds all records of the index that it has read.
"""

import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from webstrata.db.engine import Database
from webstrata.storage.collections import ARCHIVE_FOLDER, collection_folder, collection_index
from webstrata.storage.disk import make_folder
from webstrata.storage.output_file import new_file
from webstrata.storage.system_errors import as_storage_errors
from webstrata.warc.packages.contents import CaptureSource, ExportRequest, WholeFile
from webstrata.warc.packages.export import PackageReport, write_package
from webstrata.warc.packages.pages import PageList


def build_collection(database: Database, archive_root: Path, job_id: int, collections_dir: Path) -> PackageReport:
    """Build or update the collection of a job; StorageError when a WARC file is missing or the disk refuses."""
    source = CaptureSource(database, archive_root, ExportRequest(job_id=job_id))
    folder = collection_folder(collections_dir.resolve(), job_id)
    name = f"records-{secrets.token_hex(8)}.warc.gz"
    contents = source.contents()
    with as_storage_errors(folder):
        make_folder(folder / ARCHIVE_FOLDER)
        writer = CollectionWriter(folder)
        try:
            # Revisits for 304 responses are left out, as pywb would replay them as empty; the original is in the
            # collection.
            return write_package(source, contents, writer, records_name=name, lists_unmodified=False)
        finally:
            writer.remove_unused()


class CollectionWriter:
    """Writes the files of a package into the folder of a collection."""

    def __init__(self, folder: Path) -> None:
        """Use a folder."""
        self._archive = folder / ARCHIVE_FOLDER
        self._index = collection_index(folder)
        self._names: set[str] = set()
        self._is_complete = False

    def add_whole(self, file: WholeFile) -> None:
        """Link a WARC file: on the same file system a hard link, else a symbolic link."""
        target = self._archive / file.name
        self._names.add(file.name)
        if target.exists() and target.samefile(file.path):
            return
        temporary = target.with_name(f".{secrets.token_hex(8)}.part")
        try:
            os.link(file.path, temporary)
        except OSError:
            temporary.symlink_to(file.path)
        temporary.replace(target)

    def add_records(self, name: str, pieces: Iterable[bytes]) -> None:
        """Write a WARC file of single records."""
        self._names.add(name)
        with new_file(self._archive / name) as file:
            for piece in pieces:
                file.write(piece)

    def finish(self, title: str, lines: Iterable[bytes], pages: PageList, others: PageList) -> None:
        """Replace the index."""
        make_folder(self._index.parent)
        with new_file(self._index, force=True) as file:
            file.writelines(lines)
        self._is_complete = True

    def close(self) -> None:
        """Do nothing: no file is open."""

    def remove_unused(self) -> None:
        """Remove the files that the index does not name; the last link to a WARC file is never removed."""
        for path in self._archive.iterdir():
            is_ours = path.name.startswith(("records-", ".")) or path.is_symlink() or path.stat().st_nlink > 1
            is_old = path.name not in self._names if self._is_complete else self._is_abandoned(path.name)
            if is_ours and is_old:
                path.unlink(missing_ok=True)

    def _is_abandoned(self, name: str) -> bool:
        """Return whether a file was made by this build, which did not end: the index does not name it."""
        return name in self._names and name.startswith("records-")
