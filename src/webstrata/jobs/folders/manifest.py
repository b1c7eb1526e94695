"""Manifests of sources and jobs beside the archive's files, from which a lost database can be rebuilt.

<job's folder>/job.json                     a job and its source
<archive root>/.journals/job-<id>/job.json  the same for a job whose files lie outside of the archive root
<archive root>/sources.json                 every source, also those without a job

They are written atomically, and only their owner can read them, as a configuration may contain secrets.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import structlog

from webstrata.db.engine import Database
from webstrata.db.sources import manifests
from webstrata.db.sources.manifests import Facts
from webstrata.errors import NotFoundError, StorageError, UsageError
from webstrata.storage.disk import write_atomically
from webstrata.storage.paths import recorded_as
from webstrata.warc.cdxj import EXTERNAL_FOLDER

log = structlog.get_logger()

JOB_FILE = "job.json"
SOURCES_FILE = "sources.json"
VERSION = 1

_JOB_KIND, _SOURCES_KIND = "webstrata-job", "webstrata-sources"
_MAX_BYTES = 64_000_000
_INSIDE_A_JOB = frozenset({"warcs", "collections", "archive", "logs"})


@dataclass(frozen=True)
class JobManifest:
    """A job and its source from their manifests, and the folder that holds the job's files."""

    output_dir: Path
    job: Facts
    source: Facts


@dataclass
class Manifests:
    """The manifests in an archive root."""

    jobs: list[JobManifest] = field(default_factory=list)
    sources: list[Facts] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    """Why manifests could not be read, each with the file's name."""


def write_manifest(database: Database, job_id: int, *, archive_root: Path | None = None) -> None:
    """Write a job's manifest; a write error is logged and does not fail the job.

    Nothing is written into a folder outside of the archive root, if the root is given.
    """
    with database.read() as session:
        job, source, output_dir = manifests.job_facts(session, job_id)
    if source is None:
        return
    path = manifest_path(job_id, Path(output_dir), archive_root)
    if not Path(output_dir).exists():
        # A missing folder is not made: its disk may only be unmounted.
        log.error("manifest.failed", file=str(path), reason="the job's folder is gone")
        return
    place = output_dir if archive_root is None else recorded_as(archive_root, Path(output_dir))
    _write(path, {"kind": _JOB_KIND, "output_dir": place, "source": source, "job": job})


def refresh_manifest(database: Database, job_id: int, *, archive_root: Path) -> None:
    """Update the manifest of a job that has one."""
    with database.read() as session:
        output_dir = manifests.job_facts(session, job_id)[2]
    if manifest_path(job_id, Path(output_dir), archive_root).exists():
        write_manifest(database, job_id, archive_root=archive_root)


def write_sources(database: Database, archive_root: Path) -> None:
    """Write all sources to a file; a write error is only logged."""
    with database.read() as session:
        sources = manifests.source_facts(session)
    _write(archive_root / SOURCES_FILE, {"kind": _SOURCES_KIND, "sources": sources})


def source_names(archive_root: Path) -> dict[str, str]:
    """Return the names of the sources in `sources.json`, by code; empty when it cannot be read."""
    try:
        listed = _sources(archive_root / SOURCES_FILE)
    except (UsageError, StorageError):
        return {}
    return {str(source["code"]): str(source["name"]) for source in listed}


def read_manifests(archive_root: Path) -> Manifests:
    """Return every job and source that has a manifest in an archive root; unreadable ones are reported."""
    found = Manifests()
    for path in _job_files(archive_root, found.problems):
        try:
            found.jobs.append(_job_manifest(archive_root, path))
        except (UsageError, StorageError) as error:
            found.problems.append(f"{path}: {error}")
    path = archive_root / SOURCES_FILE
    try:
        if path.exists():
            found.sources = _sources(path)
    except (UsageError, StorageError) as error:
        found.problems.append(f"{path}: {error}")
    return found


def manifest_path(job_id: int, output_dir: Path, archive_root: Path | None) -> Path:
    """Return the path of a job's manifest."""
    elsewhere = archive_root is not None and not output_dir.resolve().is_relative_to(archive_root.resolve())
    if archive_root is not None and (elsewhere or output_dir.is_file()):
        return archive_root / EXTERNAL_FOLDER / f"job-{job_id}" / JOB_FILE
    return output_dir / JOB_FILE


def _write(path: Path, content: Mapping[str, object]) -> None:
    stamped = {"version": VERSION, "written_at": datetime.now(UTC).isoformat(), **content}
    try:
        write_atomically(path, json.dumps(stamped, indent=2, ensure_ascii=False).encode("utf-8", "replace"))
    except (StorageError, NotFoundError) as error:
        log.error("manifest.failed", file=str(path), reason=str(error))


def _job_files(archive_root: Path, problems: list[str]) -> Iterator[Path]:
    """Yield the manifests below an archive root, in order; a job's own folder is not searched further."""
    waiting = [archive_root]
    while waiting:
        folder = waiting.pop()
        if (folder / JOB_FILE).is_file():
            yield folder / JOB_FILE
            continue
        try:
            inside = sorted(entry for entry in folder.iterdir() if entry.is_dir() and not entry.is_symlink())
        except OSError as error:
            problems.append(f"{folder}: {error.strerror or error}")
            continue
        waiting += reversed([entry for entry in inside if _may_hold_jobs(entry)])


def _may_hold_jobs(folder: Path) -> bool:
    if folder.name == EXTERNAL_FOLDER:
        return True
    return not folder.name.startswith(".") and folder.name not in _INSIDE_A_JOB


def _job_manifest(archive_root: Path, path: Path) -> JobManifest:
    content = _content(path, _JOB_KIND)
    job, source = (_mapping(content, name) for name in ("job", "source"))
    folder = path.parent
    if folder.parent == archive_root / EXTERNAL_FOLDER:
        # A single file in the archive root is named relative to it; others by their whole path.
        folder = archive_root / str(content.get("output_dir"))
    return JobManifest(folder, manifests.checked_job(job), manifests.checked_source(source))


def _sources(path: Path) -> list[Facts]:
    listed = _content(path, _SOURCES_KIND).get("sources")
    if not isinstance(listed, list) or not all(isinstance(source, dict) for source in listed):
        raise UsageError("it lists no sources")
    return [manifests.checked_source(source) for source in listed]


def _content(path: Path, kind: str) -> Mapping[str, object]:
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise UsageError(f"it is larger than {_MAX_BYTES} bytes")
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise StorageError(error.strerror or str(error)) from error
    except (ValueError, RecursionError):
        raise UsageError("it is not JSON") from None
    if not isinstance(content, dict) or content.get("kind") != kind:
        raise UsageError("it was not written by Webstrata")
    if content.get("version") != VERSION:
        raise UsageError(f"its version is {content.get('version')!r}; this program reads {VERSION}")
    return content


def _mapping(content: Mapping[str, object], name: str) -> Mapping[str, object]:
    found = content.get(name)
    if not isinstance(found, dict):
        raise UsageError(f"it has no {name}")
    return found
