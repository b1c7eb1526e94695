"""Indexing pages: ours to searchable, against the reading and parsing alone."""

import gzip
import os
import random
import time
from datetime import UTC, datetime
from pathlib import Path

from fastwarc.warc import ArchiveIterator, WarcRecordType
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree

from bench.report import Measurement
from webstrata.app import App, build_app
from webstrata.db import captures, jobs
from webstrata.index.pipeline import index_job
from webstrata.jobs.queueing import queue_archive
from webstrata.model.fetching import FetchResult
from webstrata.model.jobs import JobStatus
from webstrata.settings import load_settings
from webstrata.warc.record import exchange
from webstrata.warc.writer import WarcFileWriter

_GENERATED = 300
_PAGE_BYTES = 360_000


def measure(folder: Path) -> list[Measurement]:
    """Return pages a second: from WARC to searchable, and with nothing but reading and parsing."""
    app = build_app(load_settings({"WEBSTRATA_DATA_DIR": str(folder)}))
    pages = _pages()
    job_id, path = _job_with(app, pages)
    began = time.monotonic()
    assert index_job(job_id, database=app.database, archive_root=app.archive_root) == 0
    ours = time.monotonic() - began
    app.close()
    return [
        Measurement("webstrata index-job, one process", len(pages) / ours, "pages/s", ours=True),
        Measurement("fastwarc and resiliparse text alone", len(pages) / _read_and_parse(path), "pages/s"),
    ]


def _pages() -> list[bytes]:
    """Return real pages from PAGES=DIR (.html, .html.gz), else generated ones of a real page's size."""
    folder = os.environ.get("PAGES")
    if folder:
        files = sorted(Path(folder).rglob("*.html*"))
        return [gzip.decompress(f.read_bytes()) if f.suffix == ".gz" else f.read_bytes() for f in files]
    return [_generated(number) for number in range(_GENERATED)]


def _generated(number: int) -> bytes:
    """Return a page with the usual share of markup, scripts, links and text."""
    dice = random.Random(number)
    words = [f"term{n}" for n in range(3_000)]
    script = "var a=1;" * 8_000
    parts = [f"<!doctype html><html lang=en><title>Page {number}</title><script>{script}</script><body>"]
    while sum(map(len, parts)) < _PAGE_BYTES:
        text = " ".join(dice.choices(words, k=60))
        links = "".join(
            f'<li class="menu-item menu-item-{n}"><a href="/p/{dice.randrange(9_999)}">{n}</a></li>' for n in range(6)
        )
        parts.append(
            f'<div class="card card--wide"><h2 id="h{len(parts)}">{text[:40]}</h2><p>{text}</p><ul>{links}</ul></div>'
        )
    return "".join(parts).encode()


def _job_with(app: App, pages: list[bytes]) -> tuple[int, Path]:
    """Make a job whose crawl has just ended with these pages."""
    job_id = queue_archive(app.database, app.archive_root, ("https://bench.example/",))
    with app.database.read() as session:
        folder = Path(jobs.load_job(session, job_id).output_dir)
    path = folder / "warcs" / "bench.warc.gz"
    with WarcFileWriter(path) as writer:
        for number, body in enumerate(pages):
            result = FetchResult(
                url=f"https://bench.example/{number}",
                fetched_at=datetime.now(UTC),
                request_head=b"GET / HTTP/1.1\r\n\r\n",
                status=200,
                reason="OK",
                http_version="1.1",
                headers=((b"Content-Type", b"text/html; charset=utf-8"),),
                body=body,
            )
            writer.append(exchange(result, writer.warcinfo_id))
        writer.sync()
        size = writer.size
    with app.database.write() as session:
        warc_id = captures.add_warc_file(session, job_id, path.relative_to(app.archive_root).as_posix())
        captures.acknowledge(session, warc_id, size)
        jobs.set_job(session, job_id, status=JobStatus.COMPLETED)
    return job_id, path


def _read_and_parse(path: Path) -> float:
    began = time.monotonic()
    with path.open("rb") as file:
        for record in ArchiveIterator(file, record_types=WarcRecordType.response, parse_http=True):
            extract_plain_text(HTMLTree.parse(record.reader.read().decode("utf-8", "replace")))
    return time.monotonic() - began
