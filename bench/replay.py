"""Replay: archived files a second against pywb in the same run, raw records of a large WARC file, CDX queries.

`SIZE=` scales it down: 1 is a WARC file of 1 GB and a million captures.
"""

import os
import random
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import insert

from bench.peers import environment
from bench.report import Measurement
from bench.serving import load, served
from webstrata.app import App, build_app
from webstrata.db.captures import captures
from webstrata.db.engine import Database
from webstrata.db.queue import jobs
from webstrata.db.schema.tables import Capture
from webstrata.db.sql.statistics import refresh_statistics
from webstrata.index.pipeline import index_job
from webstrata.model.crawl.fetching import FetchResult
from webstrata.model.jobs.job import JobConfig, JobStatus
from webstrata.model.urls import surt
from webstrata.settings import load_settings
from webstrata.warc.record import exchange
from webstrata.warc.writer import WarcFileWriter

_SIZE = float(os.environ.get("SIZE", "1"))
_FILES = 2_000
_FILE_BYTES = 15_000
_LARGE_BYTES = int(1_000_000_000 * _SIZE)
_LARGE_RECORD_BYTES = 250_000
_CAPTURES = int(1_000_000 * _SIZE)
_BATCH = 10_000
_SITE = "https://bench.example"
_NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
_START_SECONDS = 60
_PYWB = ("pywb==2.10.0", "setuptools<81")


def measure(folder: Path) -> list[Measurement]:
    """Return the rate of `id_`, ours and pywb's, and the times of raw records and CDX queries."""
    data = folder / "data"
    url = f"sqlite:///{folder / 'archive.db'}"
    app = build_app(load_settings({"WEBSTRATA_DATA_DIR": str(data), "WEBSTRATA_DATABASE_URL": url}))
    chance = random.Random(7)
    files = _archive(app, "small", [(f"{_SITE}/file/{n}", chance.randbytes(_FILE_BYTES)) for n in range(_FILES)])
    large = _archive(app, "large", _large_bodies(chance))
    _add_captures(app.database)
    app.close()
    addresses = [f"/web/20240501120000id_/{_SITE}/file/{n}" for n in range(_FILES)]
    raw = [f"/web/20240501120000id_/{_SITE}/large/{n}" for n in range(_LARGE_BYTES // _LARGE_RECORD_BYTES)]
    found = []
    with served(folder, url) as port:
        load(port, addresses, seconds=2)
        ours = load(port, addresses)
        chance.shuffle(raw)
        seen = load(port, raw, clients=1)
        where = f"raw record of a WARC file of {large.stat().st_size / 1e9:.2f} GB"
        found += [
            Measurement("webstrata, id_", ours["per_second"], "files/s", ours=True),
            Measurement(f"{where}: p95", seen["p95"], "ms", asked="≤ 20"),
        ]
        for name, queries in _queries(chance).items():
            seen = load(port, queries, clients=1)
            asked = Measurement(f"CDX query of {name}, {_CAPTURES:,} captures: p95", seen["p95"], "ms", asked="≤ 30")
            found.append(asked)
    with _pywb(folder / "pywb", files) as port:
        theirs = [path.replace("/web/", "/bench/") for path in addresses]
        load(port, theirs, seconds=2)
        found.insert(1, Measurement("pywb, id_", load(port, theirs)["per_second"], "files/s"))
    return found


def _large_bodies(chance: random.Random) -> Iterator[tuple[str, bytes]]:
    for number in range(_LARGE_BYTES // _LARGE_RECORD_BYTES):
        yield f"{_SITE}/large/{number}", chance.randbytes(_LARGE_RECORD_BYTES)


def _archive(app: App, code: str, bodies: "Iterator[tuple[str, bytes]] | list[tuple[str, bytes]]") -> Path:
    """Write files into a WARC file, index it as a job and return its path."""
    folder = app.archive_root / code
    path = folder / "warcs" / f"{code}.warc.gz"
    path.parent.mkdir(parents=True)
    with WarcFileWriter(path) as writer:
        for url, body in bodies:
            writer.append(exchange(_fetched(url, body), writer.warcinfo_id))
        writer.sync()
        size = writer.size
    with app.database.write() as session:
        source = jobs.ensure_source(session, code, name=code, base_url=_SITE)
        config = JobConfig(seeds=(_SITE,))
        job = jobs.add_job(session, source, name=code, output_dir=str(folder), config=config, queued_at=_NOON)
        file = captures.add_warc_file(session, job, path.relative_to(app.archive_root).as_posix())
        captures.acknowledge(session, file, size)
        jobs.set_job(session, job, status=JobStatus.COMPLETED)
    assert index_job(job, database=app.database, archive_root=app.archive_root) == 0
    return path


def _fetched(url: str, body: bytes) -> FetchResult:
    headers = ((b"Content-Type", b"application/octet-stream"), (b"Content-Length", str(len(body)).encode()))
    return FetchResult(url, _NOON, b"GET / HTTP/1.1\r\n\r\n", 200, "OK", "1.1", headers, body)


def _add_captures(database: Database) -> None:
    """Add captures of many URLs, ten of each; only the index of captures is asked about them."""
    for start in range(0, _CAPTURES, _BATCH):
        rows = [_row(number) for number in range(start, min(start + _BATCH, _CAPTURES))]
        with database.write() as session:
            session.execute(insert(Capture), rows)
    refresh_statistics(database)


def _row(number: int) -> dict[str, object]:
    url = f"{_SITE}/{number // 10 % 1_000}/{number // 10}"
    return {
        "job_id": 1,
        "source_id": 1,
        "warc_file_id": 1,
        "warc_offset": -1 - number,
        "warc_length": 9,
        "warc_record_id": f"<{number}>",
        "record_type": "response",
        "url": url,
        "url_key": surt(url),
        "capture_timestamp": _NOON + timedelta(days=number % 10),
        "status_code": 200,
        "mime_type": "text/html",
        "payload_digest": f"sha1:{number // 20}",
    }


def _queries(chance: random.Random) -> dict[str, list[str]]:
    numbers = [chance.randrange(max(1, _CAPTURES // 10)) for _ in range(500)]
    return {
        "one URL": [f"/cdx?url={_SITE}/{n % 1_000}/{n}&limit=100" for n in numbers],
        "a prefix": [f"/cdx?url={_SITE}/{n % 1_000}/*&limit=100&output=json" for n in numbers],
        "a prefix, filtered and collapsed": [
            f"/cdx?url={_SITE}/{n % 1_000}/*&limit=100&filter=statuscode:200&collapse=digest" for n in numbers
        ],
    }


@contextmanager
def _pywb(folder: Path, warc: Path) -> Iterator[int]:
    """Serve a WARC file with pywb, as its manual says."""
    programs = Path(environment("pywb", *_PYWB)).parent
    folder.mkdir()
    for command in (["init", "bench"], ["add", "bench", str(warc)]):
        subprocess.run([programs / "wb-manager", *command], cwd=folder, check=True, capture_output=True)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = int(probe.getsockname()[1])
    with (folder / "log").open("wb") as log:
        command = [str(programs / "pywb"), "--bind", "127.0.0.1", "--port", str(port), "--directory", str(folder)]
        server = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        _wait(port)
        yield port
    finally:
        server.terminate()
        server.wait()


def _wait(port: int) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/bench/", timeout=5).close()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
        else:
            return
