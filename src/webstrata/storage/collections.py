"""Paths of the collections that a replay server such as pywb reads: a folder `job-<id>` for each job."""

from pathlib import Path

ARCHIVE_FOLDER = "archive"


def collection_folder(collections_dir: Path, job_id: int) -> Path:
    """Return the folder of a job's collection."""
    return collections_dir / f"job-{job_id}"


def collection_index(folder: Path) -> Path:
    """Return the index of a collection, which is written last."""
    return folder / "indexes" / "index.cdxj"


def has_collection(collections_dir: Path, job_id: int) -> bool:
    """Return whether a job has a complete collection."""
    return collection_index(collection_folder(collections_dir, job_id)).is_file()
