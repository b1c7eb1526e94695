"""Withheld records, looked up file by file: an archive may have withheld far more than one job refers to."""

from collections.abc import Container
from dataclasses import dataclass, field

from webstrata.db.engine import Database
from webstrata.db.retention import tombstones

Place = tuple[str, int | None]
"""The name of a WARC file and an offset in it."""


@dataclass(frozen=True)
class WithheldRecords(Container[Place]):
    """The records that get no snapshot, because they are withheld."""

    database: Database
    beside_files: frozenset[Place] = frozenset()
    """Those that are listed beside the files of the job."""
    _of_files: dict[str, frozenset[Place]] = field(default_factory=dict)

    def __contains__(self, place: object) -> bool:
        """Return whether the record at a place is withheld."""
        if not isinstance(place, tuple):
            return False
        if place in self.beside_files:
            return True
        filename = place[0]
        if filename not in self._of_files:
            with self.database.read() as session:
                self._of_files[filename] = tombstones.withheld_places(session, [filename])
        return place in self._of_files[filename]
