"""The wheels of the locked runtime packages, so that tests install the product without a network."""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.console import CACHE, run, say
from tools.environment import digest, lock, pip

WHEELS = CACHE / "wheels"
STAMP = "runtime.stamp"


def ensure() -> None:
    """Make the folder hold exactly the wheels that runtime.lock names."""
    expected = digest(lock("runtime"))
    stamp = WHEELS / STAMP
    if stamp.is_file() and stamp.read_text(encoding="ascii") == expected:
        return
    say("Fetching the wheels that the packaging tests install from")
    CACHE.mkdir(exist_ok=True)
    with TemporaryDirectory(dir=CACHE) as folder:
        fetch = pip("wheel", "--require-hashes", "--wheel-dir", folder, "-r", lock("runtime"))
        run(fetch, "Could not fetch the wheels. Is the network there?")
        (Path(folder) / STAMP).write_text(expected, encoding="ascii")
        shutil.rmtree(WHEELS, ignore_errors=True)
        shutil.copytree(folder, WHEELS)
