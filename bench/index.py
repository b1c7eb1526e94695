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
from webstrata.app import build_app
from webstrata.db.captures import captures
from webstrata.db.queue import jobs
from webstrata.index.pipeline import index_job
from webstrata.jobs.running.queueing import queue_archive
from webstrata.model.crawl.fetching import FetchResult
from webstrata.model.jobs.job import JobStatus
from webstrata.settings import load_settings
from webstrata.warc.record import exchange
from webstrata.warc.writer import WarcFileWriter

_PAGES = 3_000
_ROUNDS = 3
_SEED_PAGES = 24
_ALONE_PAGES = 200
_LARGE_BYTES = 2_000_000_000
_SEED = Path(__file__).with_name("seed_index.py")


def measure(folder: Path) -> list[Measurement]:
    """Return pages a second, and what they cost: the best of some rounds, as the machine's own speed varies."""
    many, few = folder / "many.warc.gz", folder / "few.warc.gz"
    _write(many, pages(_PAGES))
    # The seed's design is two orders of magnitude slower: some pages are enough to know its rate.
    _write(few, pages(_SEED_PAGES))
    rounds = [_round(folder / str(number), many, few) for number in range(_ROUNDS)]
    alone = _ALONE_PAGES / min(one.alone_seconds for one in rounds)
    seed = _SEED_PAGES / min(one.seed_seconds for one in rounds)
    rate = _PAGES / min(one.first.seconds for one in rounds)
    cpu = _PAGES / min(one.first.cpu_seconds for one in rounds)
    again = max(one.first.seconds / one.again.seconds for one in rounds)
    results = [
        Measurement("webstrata index-job, to searchable", rate, "pages/s", ours=True),
        Measurement("the seed's design: warcio, BeautifulSoup for each helper, one transaction", seed, "pages/s"),
        Measurement("ours as many times the seed's", rate / seed, "×", asked="≥ 38, on real pages 40"),
        Measurement("ours for each CPU second", cpu, "pages/s"),
        Measurement("fastwarc and resiliparse text alone, for each CPU second", alone, "pages/s"),
        Measurement("ours of that", 100 * cpu / alone, "%", asked="≥ 60"),
        Measurement("again with nothing changed, times as fast", again, "×", asked="≥ 5"),
        Measurement("largest process", max(one.first.peak_megabytes for one in rounds), "MB", asked="≤ 400"),
    ]
    if os.environ.get("LARGE"):
        results.append(_large(folder / "large"))
    return results


def _round(folder: Path, many: Path, few: Path) -> "_Round":
    """Measure everything once, one after the other, so that none has the better hour."""
    job_id = _job_of(folder, many)
    first, again = (_index(folder, job_id) for _ in range(2))
    return _Round(first, again, _reading_alone(many), _seconds_of_seed(few))


@dataclass(frozen=True)
class _Round:
    """What was measured in one go."""

    first: "_Run"
    again: "_Run"
    alone_seconds: float
    seed_seconds: float


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
    some = list(islice(pages(200), 200))
    size = sum(map(len, exchange(_answer(0, some[0]), "")[0].compressed()))
    warc = folder / "large.warc.gz"
    _write(warc, (some[number % len(some)] for number in range(_LARGE_BYTES // size + 1)))
    run = _index(folder, _job_of(folder, warc))
    what = f"largest process, one WARC of {warc.stat().st_size / 1e9:.1f} GB"
    return Measurement(what, run.peak_megabytes, "MB", asked="≤ 400")


def _job_of(folder: Path, warc: Path) -> int:
    """Make an archive with a job whose crawl has just ended with this file."""
    app = build_app(load_settings({"WEBSTRATA_DATA_DIR": str(folder)}))
    job_id = queue_archive(app.database, app.archive_root, ("https://bench.example/",))
    with app.database.read() as session:
        path = Path(jobs.load_job(session, job_id).output_dir) / "warcs" / "bench.warc.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.hardlink_to(warc)
    with app.database.write() as session:
        warc_id = captures.add_warc_file(session, job_id, path.relative_to(app.archive_root).as_posix())
        captures.acknowledge(session, warc_id, path.stat().st_size)
        jobs.set_job(session, job_id, status=JobStatus.COMPLETED)
    app.close()
    return job_id


def _write(path: Path, bodies: Iterator[bytes]) -> None:
    with WarcFileWriter(path) as writer:
        for number, body in enumerate(bodies):
            writer.append(exchange(_answer(number, body), writer.warcinfo_id))
        writer.sync()


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
