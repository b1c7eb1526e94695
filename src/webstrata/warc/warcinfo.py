"""Reading the warcinfo record that opens a WARC file: its writer, source and job."""

import re
from dataclasses import dataclass
from pathlib import Path

from fastwarc.warc import WarcRecordType

from webstrata.warc.parsing import BrokenError, as_broken, opened, parsed_records

_MAX_BYTES = 65_536
_JOB = re.compile(r"job (\d{1,9}): (.+)")


@dataclass(frozen=True)
class WarcOrigin:
    """The source and the job that a file was written for, as far as the warcinfo record names them."""

    source_code: str | None = None
    job_id: int | None = None
    job_name: str | None = None


def origin_of(warc_path: Path) -> WarcOrigin:
    """Return the source and job of a file; empty for files of other tools, or with a damaged beginning."""
    fields = _fields(warc_path)
    job = _JOB.fullmatch(fields.get("description", ""))
    return WarcOrigin(
        source_code=fields.get("ispartof"),
        job_id=int(job.group(1)) if job else None,
        job_name=job.group(2) if job else None,
    )


def _fields(warc_path: Path) -> dict[str, str]:
    with opened(warc_path) as file:
        try:
            with as_broken():
                record = next(parsed_records(file), None)
                if record is None or record.record_type != WarcRecordType.warcinfo:
                    return {}
                block = record.reader.read(_MAX_BYTES).decode("utf-8", "replace")
        except BrokenError:
            return {}
    lines = (line.partition(":") for line in block.splitlines())
    return {name.strip().lower(): value.strip() for name, _, value in lines}
