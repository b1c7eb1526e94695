"""Preview pictures of sources: a file for each job, named by the snapshot that it shows."""

from dataclasses import dataclass
from pathlib import Path

from webstrata.errors import StorageError
from webstrata.storage.output_file import new_file
from webstrata.storage.paths import confined

FOLDER = ".previews"
"""Where the previews are by default, in the archive folder."""

_SUFFIX = ".jpg"


@dataclass(frozen=True)
class PreviewFiles:
    """The previews of an archive."""

    folder: Path

    def find(self, job_id: int, snapshot_id: int) -> Path | None:
        """Return the picture of a snapshot that a job captured, if there is one."""
        path = self._path(job_id, snapshot_id)
        return path if path.is_file() else None

    def snapshots(self) -> frozenset[int]:
        """Return the snapshots that have a picture."""
        numbers = (path.stem.partition("-")[2] for path in self.folder.glob(f"*{_SUFFIX}"))
        return frozenset(int(number) for number in numbers if number.isdigit())

    def write(self, job_id: int, snapshot_id: int, picture: bytes) -> None:
        """Store a picture; earlier ones of the job are removed."""
        path = self._path(job_id, snapshot_id)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            for earlier in path.parent.glob(f"{job_id}-*{_SUFFIX}"):
                earlier.unlink(missing_ok=True)
        except OSError as error:
            raise StorageError(f"{path.parent}: {error.strerror}") from error
        with new_file(path, force=True) as file:
            file.write(picture)

    def _path(self, job_id: int, snapshot_id: int) -> Path:
        return confined(self.folder, f"{job_id}-{snapshot_id}{_SUFFIX}")
