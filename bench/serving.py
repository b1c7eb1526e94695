"""Serving: searches a second over HTTP with many clients, and how long the small answers take, on both databases."""

import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate, cycle
from pathlib import Path
from urllib.parse import urlencode

from sqlalchemy import insert

from bench.report import Measurement
from bench.search_data import Asked, fill, settle
from webstrata.db.engine import Database
from webstrata.db.migrate import upgrade
from webstrata.db.schema.tables import ArchiveJob

_SMALL, _LARGE = 100_000, 1_000_000
_CLIENTS = 16
_SECONDS = 8.0
_QUESTIONS = 1_000
"""Different questions that readers put, some far more often than others."""
_SMALL_ANSWERS = ("/api/health", "/api/stats", "/api/sources", "/metrics")
_MOST_MS = 20
_JOBS = 10_000
_START_SECONDS = 60
_PROCESSES = os.cpu_count() or 1


def measure(folder: Path) -> list[Measurement]:
    """Return searches a second and the times of the small answers; `LARGE=1` takes a million snapshots too."""
    sizes = (_SMALL, _LARGE) if os.environ.get("LARGE") else (_SMALL,)
    return [found for size in sizes for url in _databases(folder, size) for found in _measured(folder, url, size)]


def _databases(folder: Path, size: int) -> Iterator[str]:
    kinds = os.environ.get("DATABASES", "sqlite postgresql").split()
    if "sqlite" in kinds:
        yield f"sqlite:///{folder / f'{size}.db'}"
    if "postgresql" in kinds:
        from tests.support.postgres import started

        with tempfile.TemporaryDirectory(prefix="webstrata-bench-pg-") as place, started(Path(place)) as server:
            yield server.url(server.create())


def _measured(folder: Path, url: str, size: int) -> Iterator[Measurement]:
    database = Database(url)
    upgrade(database)
    asked = fill(database, size)
    _add_jobs(database)
    settle(database)
    where = f"{size:,} on {'SQLite' if database.is_sqlite else 'PostgreSQL'}"
    database.dispose()
    with served(folder, url) as port:
        for path in _SMALL_ANSWERS:
            # Warm in every process first: each works its questions out once.
            load(port, [path], seconds=_SECONDS / 4)
            seen = load(port, [path], clients=1)
            yield Measurement(f"{path}, {where}: p95", float(seen["p95"]), "ms", asked=f"≤ {_MOST_MS}")
        if size == _SMALL:
            yield from _searches(port, asked, where)


def _searches(port: int, asked: Asked, where: str) -> Iterator[Measurement]:
    """Measure the words of the other searches, again and again; readers' habits; and questions nobody asked before."""
    words = [f"/api/search?{urlencode({'q': word})}" for some in asked.words.values() for word in some]
    chance = random.Random(7)
    questions = list(_questions(chance, asked, _QUESTIONS))
    habits = chance.choices(questions, cum_weights=list(accumulate(1 / (n + 1) for n in range(_QUESTIONS))), k=50_000)
    for name, paths, wish in (
        (f"the same {len(words)} words", words, "≥ 1,000"),
        (f"readers' habits: {_QUESTIONS:,} questions, a few of them most of the time", habits, None),
        ("never the same question", list(_questions(chance, asked, 20_000)), None),
    ):
        load(port, paths, seconds=_SECONDS / 4)
        seen = load(port, paths if wish else paths[5_000:])
        yield Measurement(f"{name}, {where}, {_CLIENTS} clients", float(seen["per_second"]), "searches/s", asked=wish)
        yield Measurement(f"{name}, {where}: p95", float(seen["p95"]), "ms")


def _questions(chance: random.Random, asked: Asked, count: int) -> Iterator[str]:
    """Yield questions of one to three words and a first day, no two the same."""
    words = [word for some in asked.words.values() for word in some]
    seen: set[str] = set()
    while len(seen) < count:
        chosen = " ".join(chance.sample(words, chance.choice((1, 1, 2, 3))))
        day = f"20{chance.randint(10, 19)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
        path = f"/api/search?{urlencode({'q': chosen, 'from': day})}"
        if path not in seen:
            seen.add(path)
            yield path


def _add_jobs(database: Database) -> None:
    """Add as many jobs as an archive of that age has: those who watch it count them."""
    rows = [
        {"source_id": 1, "name": f"job {number}", "output_dir": "", "status": status, "pages_crawled": number}
        for number, status in zip(range(_JOBS), cycle(["indexed"] * 9 + ["failed"]), strict=False)
    ]
    with database.write() as session:
        session.execute(insert(ArchiveJob), rows)


@contextmanager
def served(folder: Path, url: str) -> Iterator[int]:
    """Serve an archive with a process for each processor, as on a machine that does nothing else."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = int(probe.getsockname()[1])
    environment = os.environ | {"WEBSTRATA_DATABASE_URL": url, "WEBSTRATA_DATA_DIR": str(folder / "data")}
    command = [sys.executable, "-m", "webstrata", "serve", "--no-worker", "--port", str(port)]
    with (folder / "server.log").open("ab") as log:
        server = subprocess.Popen([*command, "--processes", str(_PROCESSES)], env=environment, stdout=log, stderr=log)
    try:
        _wait(server, port, folder / "server.log")
        yield port
    finally:
        server.terminate()
        server.wait()


def _wait(server: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/api/health", timeout=_START_SECONDS).close()
        except OSError:
            if server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the server does not answer: {log.read_text(encoding='utf-8')[-2_000:]}") from None
            time.sleep(0.1)
        else:
            return


def load(port: int, paths: Sequence[str], *, clients: int = _CLIENTS, seconds: float = _SECONDS) -> dict[str, float]:
    """Ask for a while from a process of its own, and return what it saw; every answer must be a good one."""
    command = [sys.executable, "-m", "bench.load", "--port", str(port)]
    ran = subprocess.run(
        [*command, "--clients", str(clients), "--seconds", str(seconds)],
        input="\n".join(paths),
        text=True,
        stdout=subprocess.PIPE,
        check=True,
    )
    seen = json.loads(ran.stdout)
    assert list(seen["statuses"]) == ["200"], seen
    return {name: seen[name] for name in ("answers", "per_second", "p50", "p95")}
