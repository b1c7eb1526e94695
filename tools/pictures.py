"""Take the pictures of the docs: the demo archive, as a real browser shows it."""

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tools import system_packages

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
WIDTH, HEIGHT = 1080, 760
TALLER = {"compare.png": 1_010}
"""Heights of the pictures of pages whose point is further down."""
PICTURES = {
    "search.png": "/search?q=fever",
    "snapshot.png": "/search?q=maximum+dose",
    "compare.png": "/changes?minSignificance=0.3",
}
OPENED = {
    "snapshot.png": 'main a[href^="/snapshot/"]',
    "compare.png": '.change-list a[href^="/compare"]:has-text("Fever in children –")',
}
"""The link that leads to what a picture shows, where it is not the page itself."""


def main() -> None:
    """Write every picture."""
    chromium = system_packages.find(system_packages.BROWSER)
    if chromium is None:
        raise SystemExit("pictures: no Chromium; `make test` would install one")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        demo_archive(Path(folder)) as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, path in PICTURES.items():
            take(browser, address + path, FOLDER / name, OPENED.get(name))
        browser.close()


def take(browser: Browser, address: str, file: Path, link: str | None) -> None:
    """Write a picture of a page, or of the page that the first such link on it leads to."""
    page = browser.new_page(viewport={"width": WIDTH, "height": TALLER.get(file.name, HEIGHT)})
    page.goto(address)
    if link is not None:
        page.locator(link).first.click()
        page.wait_for_load_state("networkidle")
    page.screenshot(path=file)
    page.close()
    print(f"written: {file.relative_to(FOLDER.parents[1])}")


@contextmanager
def demo_archive(folder: Path) -> Iterator[str]:
    """Run the program on a demo archive of its own and yield its address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    environment = os.environ | {"WEBSTRATA_DATA_DIR": str(folder)}
    process = subprocess.Popen([sys.executable, "-m", "webstrata", "run", "--port", str(port)], env=environment)
    try:
        wait_for(f"http://127.0.0.1:{port}")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)


def wait_for(address: str) -> None:
    """Return when the program answers."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            urllib.request.urlopen(f"{address}/api/health", timeout=5).close()  # noqa: S310 - our own server
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.2)
        else:
            return
    raise SystemExit("pictures: the program did not start")


if __name__ == "__main__":
    main()
