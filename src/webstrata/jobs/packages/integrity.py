"""Integrity checks of the whole archive: WARC files, the offsets of their records in the database, and blobs."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from webstrata.assets.blobs import AssetStore
from webstrata.db.captures import payloads
from webstrata.db.engine import Database
from webstrata.db.operations import integrity
from webstrata.db.operations.integrity import RecordedWarc
from webstrata.errors import NotFoundError, OutsideRootError, StorageError
from webstrata.model.captures import Original
from webstrata.model.integrity.checks import BLOBS, FILES, CheckedPart, CheckPosition, IntegrityProblem
from webstrata.storage.paths import place_of
from webstrata.warc.verify import Finding, Report, verify

OnFile = Callable[[int, int], None]
"""Progress callback, called with (bytes done, bytes in total)."""

_BLOBS_A_PART = 200


class InterruptedCheckError(Exception):
    """A check was interrupted in the middle of a file."""


def verify_archive(database: Database, archive_root: Path, on_file: OnFile) -> Report:
    """Read every recorded file to its last acknowledged byte and return what is wrong, and where."""
    report = Report()
    with database.read() as session:
        files = integrity.recorded_warcs(session)
    total, done = sum(file.committed_bytes for file in files), 0
    for file in files:
        _verify_warc(database, archive_root, file, report)
        done += file.committed_bytes
        on_file(done, total)
    with database.read() as session:
        digests = list(integrity.blobs_on_disk(session))
    _verify_blobs(archive_root, digests, report)
    return report


@dataclass(frozen=True)
class NextPart:
    """A part of a check: its problems, and the position after it."""

    position: CheckPosition
    found: CheckedPart


def next_part(
    database: Database, archive_root: Path, position: CheckPosition, is_interrupted: Callable[[], bool]
) -> NextPart | None:
    """Check the next WARC file, or some blobs after the last file; None when everything was checked.

    InterruptedCheckError when it is interrupted in a file, which is then checked again.
    """
    report = Report()
    if position.stage == FILES:
        with database.read() as session:
            file = integrity.warc_after(session, int(position.last))
        if file is not None:
            _verify_warc(database, archive_root, file, report, is_interrupted)
            return NextPart(CheckPosition(FILES, str(file.id)), as_part(report))
        position = CheckPosition(BLOBS, "")
    with database.read() as session:
        digests = list(integrity.blobs_on_disk(session, position.last, _BLOBS_A_PART))
    if not digests:
        return None
    _verify_blobs(archive_root, digests, report)
    return NextPart(CheckPosition(BLOBS, digests[-1]), as_part(report))


def as_part(report: Report) -> CheckedPart:
    """Return a report in the form that is stored."""
    problems = [IntegrityProblem(str(found.path), found.offset, found.reason) for found in report.findings]
    return CheckedPart(report.files, report.records, report.bytes_read, problems)


def _verify_warc(
    database: Database,
    archive_root: Path,
    file: RecordedWarc,
    report: Report,
    is_interrupted: Callable[[], bool] = lambda: False,
) -> None:
    try:
        path = place_of(archive_root, file.path, file.output_dir)
    except OutsideRootError as error:
        report.findings.append(Finding(Path(file.path), 0, str(error)))
        return
    if not path.is_file():
        if not file.may_be_gone:
            report.findings.append(Finding(path, 0, f"the file of job {file.job_id} is missing"))
        return
    missing = file.committed_bytes - path.stat().st_size
    if missing > 0:
        report.findings.append(Finding(path, path.stat().st_size, f"{missing} acknowledged bytes are missing"))
    places: dict[int, str] = {}

    def note(offset: int, record_id: str) -> None:
        if is_interrupted():
            raise InterruptedCheckError
        places[offset] = record_id

    found = verify([path], lambda original: _is_held(database, original), note)
    report.files, report.records = report.files + found.files, report.records + found.records
    report.bytes_read += found.bytes_read
    # Only up to the last acknowledged byte: the rest is being written, or was left by a killed writer.
    report.findings += [finding for finding in found.findings if finding.offset < file.committed_bytes]
    for offset, record_id in integrity.recorded_offsets(database, file.id):
        if reason := _mismatch(places.get(offset), record_id):
            report.findings.append(Finding(path, offset, reason))


def _mismatch(in_file: str | None, in_database: str) -> str | None:
    if in_file is None:
        return "the database has a capture here, but no record begins at this byte"
    if in_file and in_database and in_file.strip("<>") != in_database.strip("<>"):
        return f"the database has the record {in_database} here, the file has {in_file}"
    return None


def _is_held(database: Database, original: Original) -> bool:
    with database.read() as session:
        return bool(payloads.payload_places(session, original))


def _verify_blobs(archive_root: Path, digests: Iterable[str], report: Report) -> None:
    store = AssetStore(archive_root)
    for digest in digests:
        report.files += 1
        try:
            report.bytes_read += len(store.get(digest))
        except (StorageError, NotFoundError) as error:
            report.findings.append(Finding(store.root, 0, str(error)))
