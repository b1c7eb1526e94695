"""Indexing real-sized pages: ours on all cores, against the seed's design and against reading and parsing alone."""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from fastwarc.warc import ArchiveIterator, WarcRecordType
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree

from bench.pages import pages
from bench.peers import environment
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

_PAGES = 1_500
_SEED_PAGES = 24
_ALONE_PAGES = 200
_LARGE_BYTES = 2_000_000_000
_SEED = Path(__file__).with_name("seed_index.py")


def measure(folder: Path) -> list[Measurement]:
    """Return pages a second, and what they cost."""
    app = build_app(load_settings({"WEBSTRATA_DATA_DIR": str(folder)}))
    job_id, path = _job_with(app, pages(_PAGES))
    app.close()
    first, again = (_index(folder, job_id) for _ in range(2))
    alone = _ALONE_PAGES / _reading_alone(path)
    # The seed's design is two orders of magnitude slower: some pages are enough to know its rate.
    few = folder / "few.warc.gz"
    _write(few, pages(_SEED_PAGES))
    seed = _SEED_PAGES / _seconds_of_seed(few)
    rate, cpu = _PAGES / first.seconds, _PAGES / first.cpu_seconds
    results = [
        Measurement("webstrata index-job, to searchable", rate, "pages/s", ours=True),
        Measurement("the seed's design: warcio, BeautifulSoup for each helper, one transaction", seed, "pages/s"),
        Measurement("ours as many times the seed's", rate / seed, "×", asked="≥ 60, aiming at 100"),
        Measurement("ours for each CPU second", cpu, "pages/s"),
        Measurement("fastwarc and resiliparse text alone, for each CPU second", alone, "pages/s"),
        Measurement("ours of that", 100 * cpu / alone, "%", asked="≥ 60"),
        Measurement("again with nothing changed, times as fast", first.seconds / again.seconds, "×", asked="≥ 5"),
        Measurement("largest process", first.peak_megabytes, "MB", asked="≤ 400"),
    ]
    if os.environ.get("LARGE"):
        results.append(_large(folder / "large"))
    return results


@dataclass(frozen=True)
class _Run:
    """What an indexing took, its readers included."""

    seconds: float
    cpu_seconds: float
    peak_megabytes: float


def _index(folder: Path, job_id: int) -> _Run:
    """Index a job in a process of its own."""
    command = [sys.executable, "-m", "bench.index", str(folder), str(job_id)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return _Run(*map(float, done.stdout.splitlines()[-1].split()))


def _large(folder: Path) -> Measurement:
    """Return the peak memory of indexing one file of 2 GB."""
    app = build_app(load_settings({"WEBSTRATA_DATA_DIR": str(folder)}))
    some = list(islice(pages(200), 200))
    size = len(exchange(_answer(0, some[0]), "")[0].data)
    many = (some[number % len(some)] for number in range(_LARGE_BYTES // size + 1))
    job_id, path = _job_with(app, many)
    app.close()
    run = _index(folder, job_id)
    what = f"largest process, one WARC of {path.stat().st_size / 1e9:.1f} GB"
    return Measurement(what, run.peak_megabytes, "MB", asked="≤ 400")


def _job_with(app: App, bodies: Iterator[bytes]) -> tuple[int, Path]:
    """Make a job whose crawl has just ended with these pages."""
    job_id = queue_archive(app.database, app.archive_root, ("https://bench.example/",))
    with app.database.read() as session:
        folder = Path(jobs.load_job(session, job_id).output_dir)
    path = folder / "warcs" / "bench.warc.gz"
    size = _write(path, bodies)
    with app.database.write() as session:
        warc_id = captures.add_warc_file(session, job_id, path.relative_to(app.archive_root).as_posix())
        captures.acknowledge(session, warc_id, size)
        jobs.set_job(session, job_id, status=JobStatus.COMPLETED)
    return job_id, path


def _write(path: Path, bodies: Iterator[bytes]) -> int:
    with WarcFileWriter(path) as writer:
        for number, body in enumerate(bodies):
            writer.append(exchange(_answer(number, body), writer.warcinfo_id))
        writer.sync()
        return writer.size


def _answer(number: int, body: bytes) -> FetchResult:
    return FetchResult(
        url=f"https://bench.example/{number}",
        fetched_at=datetime.now(UTC),
        request_head=b"GET / HTTP/1.1\r\n\r\n",
        status=200,
        reason="OK",
        http_version="1.1",
        headers=((b"Content-Type", b"text/html; charset=utf-8"),),
        body=body,
    )


def _reading_alone(path: Path) -> float:
    """Return the CPU seconds of reading and parsing when every core does that, as every core is busy when we index."""
    cores = len(os.sched_getaffinity(0))
    with ProcessPoolExecutor(cores) as processes:
        return sum(processes.map(_read_and_parse, [path] * cores)) / cores


def _read_and_parse(path: Path) -> float:
    """Return the CPU seconds that some pages take when they are read, parsed and turned into text, and no more."""
    began = time.process_time()
    with path.open("rb") as file:
        responses = ArchiveIterator(file, record_types=WarcRecordType.response, parse_http=True)
        for record in islice(responses, _ALONE_PAGES):
            extract_plain_text(HTMLTree.parse(record.reader.read().decode("utf-8", "replace")))
    return time.process_time() - began


def _seconds_of_seed(path: Path) -> float:
    python = environment("seed-index", "warcio", "beautifulsoup4")
    done = subprocess.run([python, str(_SEED), str(path)], check=True, capture_output=True, text=True)
    return float(done.stdout)


def _main(folder: str, job_id: str) -> None:
    """Index a job and print the seconds it took, the CPU seconds, and the megabytes of the largest process."""
    app = build_app(load_settings({"WEBSTRATA_DATA_DIR": folder}))
    began, used = time.monotonic(), _cpu_seconds()
    assert index_job(int(job_id), database=app.database, archive_root=app.archive_root) == 0
    seconds, cpu = time.monotonic() - began, _cpu_seconds() - used
    peaks = (resource.getrusage(who).ru_maxrss for who in _ALL)
    print(seconds, cpu, max(peaks) / 1_024)
    app.close()


_ALL = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)


def _cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in _ALL]
    return sum(each.ru_utime + each.ru_stime for each in used)


if __name__ == "__main__":
    _main(*sys.argv[1:])
