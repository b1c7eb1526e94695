"""The records that revisits refer to, wherever in the archive they are."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from webstrata.db.captures import export_records, payloads
from webstrata.db.captures.export_records import ExportedRecord
from webstrata.db.engine import Database
from webstrata.errors import OutsideRootError, WarcError
from webstrata.model.captures import Original
from webstrata.storage.paths import PresentFiles, place_of
from webstrata.warc.reader import read_record

_AT_ONCE = 400
_ANY_VERSION = 0
"""A version that matches none: it does not matter here whether a record is indexed."""


class OriginalsSearch:
    """Finds the originals of revisits: first by the record's id, which the index has, then by the revisit's own
    headers."""

    def __init__(
        self, database: Database, archive_root: Path, withheld: frozenset[tuple[str, int | None]] = frozenset()
    ) -> None:
        """Search an archive; withheld records are not found."""
        self._database = database
        self._archive_root = archive_root
        self._withheld = withheld
        self._present = PresentFiles(archive_root)

    def find(self, revisits: Iterable[ExportedRecord]) -> tuple[list[ExportedRecord], int]:
        """Return the originals of revisits without duplicates, and the number of revisits without an available
        original."""
        found: dict[int, ExportedRecord] = {}
        unresolved = 0
        for part in _parts(revisits):
            originals = self._of_part(part)
            unresolved += len(part) - len(originals)
            found |= self._records(set(originals.values()) - found.keys())
        return list(found.values()), unresolved

    def _of_part(self, part: Sequence[ExportedRecord]) -> dict[int, int]:
        """Return the capture with the payload of each revisit, by the revisit's capture."""
        named = {record.capture.id: _named_original(record) for record in part if record.refers_to}
        found = self._search(part, named)
        lacking = [record for record in part if record.capture.id not in found]
        read = {
            record.capture.id: original for record in lacking if (original := self._read_original(record)) is not None
        }
        return found | self._search(lacking, read)

    def _search(self, part: Sequence[ExportedRecord], requested: dict[int, Original]) -> dict[int, int]:
        found: dict[int, int] = {}
        for source_id in {record.source_id for record in part}:
            own = {
                r.capture.id: requested[r.capture.id]
                for r in part
                if r.source_id == source_id and r.capture.id in requested
            }
            with self._database.read() as session:
                places = payloads.payloads(session, source_id, set(own.values()), _ANY_VERSION, self._present.has)
            found |= {
                number: places[original].capture_id
                for number, original in own.items()
                if self._is_usable(places.get(original))
            }
        return found

    def _is_usable(self, payload: payloads.Payload | None) -> bool:
        if payload is None or not self._present.has(payload.warc_path, payload.output_dir):
            return False
        return (payload.warc_path.rpartition("/")[2], payload.offset) not in self._withheld

    def _read_original(self, record: ExportedRecord) -> Original | None:
        """Return the original that a revisit refers to; None when it cannot be read."""
        capture = record.capture
        try:
            path = place_of(self._archive_root, capture.warc_path, capture.output_dir)
            return read_record(path, capture.offset, capture.length).refers_to
        except (WarcError, OutsideRootError):
            return None

    def _records(self, capture_ids: set[int]) -> dict[int, ExportedRecord]:
        with self._database.read() as session:
            return {record.capture.id: record for record in export_records.records_of_captures(session, capture_ids)}


def _named_original(record: ExportedRecord) -> Original:
    assert record.refers_to is not None
    return Original(record.refers_to, "", record.capture.captured_at)


def _parts(records: Iterable[ExportedRecord]) -> Iterator[list[ExportedRecord]]:
    rest = iter(records)
    while part := list(islice(rest, _AT_ONCE)):
        yield part
