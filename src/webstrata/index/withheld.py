"""Lookup of withheld records. They are loaded by file and by hour, as an archive may have far more than a job needs."""

from collections.abc import Container
from dataclasses import dataclass, field
from datetime import datetime

from webstrata.db.engine import Database
from webstrata.db.retention import tombstones
from webstrata.db.retention.tombstones import RecordKey

Place = tuple[str, int | None]
"""The name of a WARC file and an offset in it."""
WithheldKey = Place | RecordKey


@dataclass(frozen=True)
class WithheldRecords(Container[WithheldKey]):
    """The set of records that get no snapshot because they, or their originals, are withheld."""

    database: Database
    beside_files: frozenset[Place] = frozenset()
    """The records that are listed as withheld beside the files of the job."""
    _of_files: dict[str, frozenset[Place]] = field(default_factory=dict)
    _of_hours: dict[datetime, frozenset[RecordKey]] = field(default_factory=dict)

    def __contains__(self, key: object) -> bool:
        """Return whether the record at a place, or the record with an id and a time, is withheld."""
        match key:
            case (str() as record_id, datetime() as captured_at):
                return bool(record_id) and (record_id, captured_at) in self._in_hour_of(captured_at)
            case (str() as filename, _):
                return key in self.beside_files or key in self._in_file(filename)
        return False

    def _in_file(self, filename: str) -> frozenset[Place]:
        if filename not in self._of_files:
            with self.database.read() as session:
                self._of_files[filename] = tombstones.withheld_places(session, [filename])
        return self._of_files[filename]

    def _in_hour_of(self, moment: datetime) -> frozenset[RecordKey]:
        hour = moment.replace(minute=0, second=0, microsecond=0)
        if hour not in self._of_hours:
            end = hour.replace(minute=59, second=59, microsecond=999_999)
            with self.database.read() as session:
                self._of_hours[hour] = tombstones.withheld_copies(session, hour, end)
        return self._of_hours[hour]
