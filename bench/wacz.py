"""Export of a job as a WACZ file, against `cp` and `sha256sum` of the same bytes in the same run.

`SIZE=` scales it down: 1 is a job of 1 GB.
"""

import os
import random
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path

from bench.report import Measurement
from webstrata.app import App, build_app
from webstrata.db.captures import captures
from webstrata.db.queue import jobs
from webstrata.index.pipeline import index_job
from webstrata.model.crawl.fetching import FetchResult
from webstrata.model.jobs.job import JobConfig, JobStatus
from webstrata.settings import load_settings
from webstrata.warc.packages.contents import ExportRequest
from webstrata.warc.packages.export import export_captures
from webstrata.warc.packages.formats import PackageFormat
from webstrata.warc.record import exchange
from webstrata.warc.writer import WarcFileWriter

_SIZE = float(os.environ.get("SIZE", "1"))
_BYTES = int(1_000_000_000 * _SIZE)
_RECORD_BYTES = 40_000
_SITE = "https://bench.example"
_NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


def measure(folder: Path) -> list[Measurement]:
    """Return how long an export takes, and how long copying and hashing its WARC file."""
    settings = {"WEBSTRATA_DATA_DIR": str(folder), "WEBSTRATA_DATABASE_URL": f"sqlite:///{folder / 'archive.db'}"}
    app = build_app(load_settings(settings))
    warc = _archive(app)
    warc.read_bytes()
    begun = time.perf_counter()
    subprocess.run(["cp", warc, folder / "copy"], check=True)
    subprocess.run(["sha256sum", folder / "copy"], check=True, stdout=subprocess.DEVNULL)
    theirs = time.perf_counter() - begun
    begun = time.perf_counter()
    request = ExportRequest(job_id=1)
    export_captures(app.database, app.archive_root, request, folder / "a.wacz", PackageFormat.WACZ, lambda *_: None)
    ours = time.perf_counter() - begun
    app.close()
    size = f"{warc.stat().st_size / 1e9:.2f} GB"
    return [
        Measurement(f"WACZ of a job of {size}", ours, "s"),
        Measurement(f"cp and sha256sum of {size}", theirs, "s"),
        Measurement("WACZ against cp and sha256sum", ours / theirs, "times as long", asked="≤ 2"),
    ]


def _archive(app: App) -> Path:
    """Write and index a job of one WARC file."""
    chance, folder = random.Random(7), app.archive_root / "bench"
    path = folder / "warcs" / "bench.warc.gz"
    with WarcFileWriter(path) as writer:
        for number in range(_BYTES // _RECORD_BYTES):
            body = chance.randbytes(_RECORD_BYTES)
            headers = ((b"Content-Type", b"application/octet-stream"),)
            url = f"{_SITE}/{number}"
            result = FetchResult(url, _NOON, b"GET / HTTP/1.1\r\n\r\n", 200, "OK", "1.1", headers, body)
            writer.append(exchange(result, writer.warcinfo_id))
        writer.sync()
        size = writer.size
    with app.database.write() as session:
        source = jobs.ensure_source(session, "bench", name="bench", base_url=_SITE)
        config = JobConfig(seeds=(_SITE,))
        job = jobs.add_job(session, source, name="bench", output_dir=str(folder), config=config, queued_at=_NOON)
        file = captures.add_warc_file(session, job, path.relative_to(app.archive_root).as_posix())
        captures.acknowledge(session, file, size)
        jobs.set_job(session, job, status=JobStatus.COMPLETED)
    assert index_job(job, database=app.database, archive_root=app.archive_root) == 0
    return path
