"""An audit of the clean demo shop by the command: its time, waits included, and the memory of all its processes."""

import os
import subprocess
import sys
import time
from pathlib import Path

from bench.report import Measurement
from tests.audit.shops import shops
from tests.support.web_server import serving

_RUNS = 3
"""The shortest counts: an audit waits most of its time, and whatever else runs only makes it longer."""

_LOOK_SECONDS = 0.1
_MEGABYTE = 1_000_000


def measure(folder: Path) -> list[Measurement]:
    with serving() as server:
        server.answers.update(shops.clean())
        runs = [_run(folder / str(number), server.url("/")) for number in range(_RUNS)]
    seconds, peak = min(seconds for seconds, _ in runs), max(peak for _, peak in runs)
    what = "audit of the clean demo shop: home page and product page on desktop and mobile"
    return [
        Measurement(f"{what}, from the command to its end", seconds, "seconds", asked="≤ 25"),
        Measurement(f"{what}, its processes and the browser's together (PSS)", peak / _MEGABYTE, "MB", asked="≤ 900"),
    ]


def _run(folder: Path, url: str) -> tuple[float, int]:
    """Return how long an audit takes, and the most memory that it uses."""
    settings = {"WEBSTRATA_DATA_DIR": str(folder), "WEBSTRATA_ALLOW_PRIVATE_NETWORKS": "127.0.0.0/8"}
    command = [sys.executable, "-m", "webstrata", "audit", url, "--json"]
    began, peak = time.monotonic(), 0
    with subprocess.Popen(command, env=os.environ | settings, stdout=subprocess.PIPE) as audit:
        while audit.poll() is None:
            peak = max(peak, sum(map(_memory, _family(audit.pid))))
            time.sleep(_LOOK_SECONDS)
        seconds = time.monotonic() - began
        printed = audit.stdout.read() if audit.stdout else b""
    if audit.returncode or b'"completed"' not in printed:
        raise SystemExit(f"the audit did not complete: {printed.decode()[-500:]}")
    return seconds, peak


def _family(pid: int) -> list[int]:
    """Return a process and all that descend from it."""
    found = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [one for child in task.read_text().split() for one in _family(int(child))]
        except OSError:
            continue
    return found


def _memory(pid: int) -> int:
    """Return the bytes of a process, its share of what it has in common with others; 0 when it has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)
