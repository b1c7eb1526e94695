"""Progress: a bar on a terminal, lines elsewhere."""

import os
import pty
import select
import subprocess
import sys
import threading
import time
from pathlib import Path

from tests.support.program import Program
from tests.support.web_server import Answer, WebServer, linked_site, page

SECONDS = 30


def seen_on_a_terminal(terminal: int, *words: str) -> str:
    """Return what a terminal shows once it has shown all the words."""
    shown, deadline = "", time.monotonic() + SECONDS
    while not all(word in shown for word in words):
        assert time.monotonic() < deadline, f"{words} was not all shown, the last: {shown[-200:]!r}"
        if select.select([terminal], [], [], 0.1)[0]:
            shown += os.read(terminal, 65_536).decode(errors="replace")
    return shown


def test_a_terminal_shows_a_bar_and_then_the_summary(tmp_path: Path, web_server: WebServer) -> None:
    held = threading.Event()
    web_server.answers |= {**linked_site(5), "/page/4": Answer(page("Slow").body, waits_for=held)}
    program = Program(tmp_path / "data", {"TERM": "xterm-256color", "COLUMNS": "120", "LINES": "40"})
    program.folder.mkdir()
    terminal, side = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "webstrata", "archive", web_server.url()],
        cwd=program.folder,
        env=program.environment,
        stdin=side,
        stdout=side,
        stderr=side,
        start_new_session=True,
    )
    os.close(side)
    try:
        shown = seen_on_a_terminal(terminal, f"archiving {web_server.url()}", "━", " 9/10")
        assert "crawl.start" not in shown
        held.set()
        ending = seen_on_a_terminal(terminal, "captured", "10 answers", "webstrata serve")
        assert "Traceback" not in shown + ending
        assert process.wait(SECONDS) == 0
    finally:
        held.set()
        process.kill()
        process.wait()
        os.close(terminal)


def test_elsewhere_there_is_no_bar(tmp_path: Path, web_server: WebServer) -> None:
    web_server.answers |= linked_site(5)
    ended = Program(tmp_path / "data").run("archive", web_server.url())
    assert ended.returncode == 0
    assert "━" not in ended.stdout + ended.stderr
    assert "\x1b[" not in ended.stdout + ended.stderr
