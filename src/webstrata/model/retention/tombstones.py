"""Tombstones: what remains of a snapshot that is withheld, in the database and beside its WARC file."""

import json
from dataclasses import asdict, dataclass
from datetime import datetime


@dataclass(frozen=True)
class WithheldCapture:
    """A snapshot that is no longer shown: which record it was, why and since when."""

    snapshot_id: int
    job_id: int | None
    source_code: str | None
    url: str
    captured_at: datetime
    digest: str | None
    warc_filename: str
    warc_offset: int | None
    warc_record_id: str | None
    reason: str
    created_at: datetime
    created_by: str

    @property
    def place(self) -> tuple[str, int | None]:
        """Return the key of a record: file name and offset, as the name does not change when the file is moved."""
        return self.warc_filename, self.warc_offset

    def to_line(self) -> str:
        """Return the tombstone as a line of JSON."""
        return json.dumps(asdict(self), default=datetime.isoformat)

    @classmethod
    def from_line(cls, line: str) -> "WithheldCapture":
        """Parse the tombstone in a line; ValueError, KeyError or TypeError when it is invalid."""
        values = json.loads(line)
        times = {name: datetime.fromisoformat(values[name]) for name in ("captured_at", "created_at")}
        if any(moment.tzinfo is None for moment in times.values()):
            raise ValueError("a time without its time zone")
        return cls(**{**values, **times})

    def shown(self) -> dict[str, object]:
        """Return what the API shows of it."""
        return {
            "snapshotId": self.snapshot_id,
            "url": self.url,
            "captureTimestamp": self.captured_at.isoformat(),
            "digest": self.digest,
            "reason": self.reason,
            "date": self.created_at.isoformat(),
        }

    @property
    def sentence(self) -> str:
        """Return in a sentence that the snapshot is withheld."""
        return f"Snapshot {self.snapshot_id} is withheld since {self.created_at:%Y-%m-%d}: {self.reason}"
