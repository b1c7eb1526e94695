"""How a job's WARC files end on the disk, beside what is acknowledged of them."""

from pathlib import Path

from webstrata.db.captures import KnownWarc
from webstrata.db.new_rows import Problem
from webstrata.errors import OutsideRootError
from webstrata.storage.paths import place_of
from webstrata.warc.adopting import JobFiles, left_out


def end_problem(archive_root: Path, job: JobFiles, warc: KnownWarc) -> Problem | None:
    """Return what is wrong behind the acknowledged bytes of a file that is read: a record that was cut off.

    What a crawl of ours left there is none: it is cut off before the file counts as finished.
    """
    if not warc.is_finished or not warc.committed_bytes:
        return None
    try:
        behind = place_of(archive_root, warc.path, job.output_dir).stat().st_size - warc.committed_bytes
    except (OutsideRootError, OSError):
        return None
    return Problem(warc.committed_bytes, left_out(behind), may_pass=True) if behind > 0 else None
