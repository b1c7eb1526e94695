"""The site that crawlers are measured on: linked pages of one size, served by nginx on loopback."""

import random
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PAGES = 3_000
PAGE_BYTES = 15_000
_LINKS = 20


def write_site(folder: Path, pages: int = PAGES) -> None:
    """Write pages that link to each other so that every one is reachable from the first."""
    dice = random.Random(1)
    words = [f"word{n}" for n in range(5_000)]
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(pages):
        targets = {(number * 2 + 1) % pages, (number * 2 + 2) % pages, *(dice.randrange(pages) for _ in range(_LINKS))}
        links = " ".join(f'<a href="/{target}.html">page {target}</a>' for target in sorted(targets))
        head = f"<!doctype html><html lang=en><title>Page {number}</title><h1>Page {number}</h1><p>{links}</p><p>"
        text = " ".join(dice.choices(words, k=(PAGE_BYTES - len(head)) // 8))
        (folder / f"{number}.html").write_text(f"{head}{text}</p></html>")
    shutil.copyfile(folder / "0.html", folder / "index.html")
    (folder / "robots.txt").write_text("User-agent: *\nAllow: /\n")


@contextmanager
def nginx(root: Path, work: Path) -> Iterator[str]:
    """Serve a folder on a free loopback port and yield its origin."""
    binary = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/bin")
    if binary is None:
        raise SystemExit("bench: nginx is missing (Debian: apt-get install nginx-light)")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    config = work / "nginx.conf"
    config.write_text(
        f"daemon off; pid {work}/nginx.pid; error_log {work}/error.log; worker_processes 1; user root;\n"
        f"events {{ worker_connections 512; }}\n"
        f"http {{ access_log off; default_type text/html; types {{ text/html html; text/plain txt; }} "
        f"server {{ listen 127.0.0.1:{port}; root {root}; keepalive_requests 100000; }} }}\n"
    )
    process = subprocess.Popen([binary, "-p", str(work), "-c", str(config), "-e", str(work / "error.log")])
    try:
        _wait_for(port)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise SystemExit("bench: nginx did not start")
