"""A browser ends with its worker, however the worker ends, and leaves nothing."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import uvloop

from tests.fetch.browser.opening import browser_fetcher, work_folders
from tests.fetch.fetching import ON_LOOPBACK
from tests.support.waiting import wait_until
from tests.support.web_server import Answer, WebServer
from webstrata.errors import FetchError, TransientFetchError
from webstrata.fetch.browser import supervisor
from webstrata.fetch.browser.launch import BrowserPool
from webstrata.fetch.browser.options import BrowserOptions, PageOptions

OPEN = """
import asyncio, sys
from tests.fetch.browser.opening import browser_fetcher

async def main():
    async with browser_fetcher() as fetcher:
        await fetcher.render(sys.argv[1])
        await fetcher.render(sys.argv[1] + "slow")

asyncio.run(main())
"""


def processes_in(folder: Path) -> list[int]:
    """Return the processes that were started for a work folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if str(folder).encode() in command:
            found.append(int(process.name))
    return found


def test_after_kill_9_no_process_and_no_folder_is_left(web_server: WebServer) -> None:
    web_server.answers |= {"/": Answer(b"<p>here"), "/slow": Answer(b"<script>for (;;) {}</script>")}
    worker = subprocess.Popen([sys.executable, "-c", OPEN, web_server.url()])
    wait_until(lambda: "/slow" in web_server.paths(), "the page is open")
    (folder,) = work_folders(worker.pid)
    assert len(processes_in(folder)) > 2
    worker.kill()
    worker.wait()
    wait_until(lambda: not processes_in(folder) and not folder.exists(), "nothing is left")


@pytest.mark.soak
def test_a_browser_that_crashes_costs_its_page_and_the_next_one_has_another(web_server: WebServer) -> None:
    web_server.answers |= {"/": Answer(b"<p>here"), "/crash": Answer(b"<script>for (;;) {}</script>")}

    async def crash() -> tuple[str, str]:
        async with browser_fetcher() as fetcher:
            await fetcher.render(web_server.url())
            (folder,) = work_folders(os.getpid())
            crashing = asyncio.create_task(fetcher.render(web_server.url("/crash")))
            await asyncio.to_thread(wait_until, lambda: "/crash" in web_server.paths(), "the page is open")
            os.killpg(int((folder / supervisor.PROCESS).read_text()), signal.SIGKILL)
            try:
                reason = f"fetched {(await crashing).status}"
            except TransientFetchError as error:
                reason = error.kind
            again = await fetcher.render(web_server.url())
            assert again.rendering is not None
            return reason, again.rendering.text

    reason, text = uvloop.run(crash())
    assert reason in {"browser", "fetched 200"}
    assert text == "here"
    assert work_folders(os.getpid()) == set()


@pytest.mark.parametrize(
    ("printed", "reason"),
    [
        ("[1118/2006:FATAL:zygote_host_impl_linux.cc:128] No usable sandbox!", "lets no unprivileged user create user"),
        ("libnss3.so: cannot open shared object file", "does not start: libnss3.so: cannot open shared object file"),
    ],
)
def test_a_browser_that_does_not_start_fails_with_what_it_printed(tmp_path: Path, printed: str, reason: str) -> None:
    program = tmp_path / "chromium"
    program.write_text(f"#!/bin/sh\necho '{printed}' >&2\nexit 1\n")
    program.chmod(0o700)

    async def start() -> None:
        async with BrowserPool(BrowserOptions(ON_LOOPBACK, program)) as pool, pool.open_page(PageOptions()):
            raise AssertionError

    with pytest.raises(FetchError, match=reason):
        uvloop.run(start())
    assert work_folders(os.getpid()) == set()
