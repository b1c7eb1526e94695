"""Progress: a live view on a terminal, lines elsewhere."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import StringIO

import pytest
from rich.console import Console

from tests.support.program import Program
from tests.support.web_server import Answer, WebServer, linked_site, page
from webstrata.cli.jobs.job_state import JobState
from webstrata.cli.jobs.progress import FIRST_LINE_AFTER, HOSTS_SHOWN, LINE_EVERY, LiveView, line, printing_lines
from webstrata.crawl.tally import CrawlProgress
from webstrata.db.queue.frontier import FrontierCounts
from webstrata.logs import harmless
from webstrata.model.crawl.run_reports import CrawlReport, HostReport, busiest
from webstrata.model.jobs.estimates import Stage

SECONDS = 30

on_one_database = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
"""What a terminal shows does not depend on the database."""
HOSTILE = "\x1b]0;owned\x07\x1b[2J[bold red]\r\n\u202eevil"
SHOW_CURSOR = "\x1b[?25h"

COUNTS = FrontierCounts(pending=1_200, in_progress=16, finished=345, error=5)
REPORT = CrawlReport(
    345,
    12_300_000,
    {"http_503": 12, "timeout": 3, "dns": 2, "tls": 2, "connect": 1, "robots": 1, "proxy": 1},
    busiest({f"host-{n}.example.org": HostReport(100 - n, 1_000_000, n) for n in range(30)}),
    123.45,
)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def drawn(state: JobState, width: int = 80, height: int = 24, *, colours: bool = False) -> str:
    """Return what a terminal of a size shows."""
    written = StringIO()
    console = Console(
        file=written, width=width, height=height, force_terminal=colours, color_system="truecolor" if colours else None
    )
    console.print(LiveView(state))
    return written.getvalue()


def job(
    label: str = "https://example.org/", report: CrawlReport = REPORT, clock: Callable[[], float] = time.monotonic
) -> JobState:
    state = JobState(f"archiving {harmless(label)}", clock=clock)
    state.record_crawl(CrawlProgress(COUNTS, report))
    return state


def test_the_view_reports_how_far_how_fast_what_waits_and_what_failed() -> None:
    clock = Clock()
    state = job(clock=clock)
    clock.now += 75
    title, bar, speed, queue, errors, heading, *hosts = drawn(state).splitlines()
    assert title.rstrip() == "archiving https://example.org/"
    assert "━" in bar
    assert "crawling, 350 of 1,566 URLs, about 0:00:16 left" in bar
    assert speed.rstrip() == "0:01:15  123.5 responses a second, 12.3 MB"
    assert queue.rstrip() == "1,200 waiting, 16 in progress"
    assert errors.rstrip() == "errors: 12 http_503, 3 timeout, 2 dns, 2 tls, 1 connect, 2 of other kinds"
    assert heading.split() == ["host", "responses", "size", "errors"]
    assert hosts[0].split() == ["host-0.example.org", "100", "1.0", "MB", "0"]
    assert len(hosts) == HOSTS_SHOWN


def test_the_view_states_when_pages_are_indexed() -> None:
    state = job()
    assert "indexed" not in drawn(state)
    state.record_indexed(1_000)
    state.record_indexed(200)
    assert "indexed 1,200 snapshots" in drawn(state)


def test_before_the_first_response_the_view_states_what_is_done() -> None:
    shown = drawn(JobState("archiving https://example.org/"))
    assert "reading robots.txt and the first page" in shown
    assert "0 of 0" not in shown


def test_one_bar_goes_through_all_stages() -> None:
    clock = Clock()
    state = JobState("archiving x", clock=clock)
    shares, words = [], []

    def look() -> None:
        assert state.share is not None
        shares.append(state.share)
        words.append(state.words)
        clock.now += 10

    for done in (500, 1_000):
        state.record_crawl(CrawlProgress(FrontierCounts(pending=1_000 - done, finished=done), CrawlReport(rate=50)))
        look()
    state.record_indexed(100)
    for done in (0, 250, 1_000):
        state.read(done, 1_000)
        look()
    for done in (0, 400, 1_000):
        state.record_plugins(done, 1_000)
        look()
    assert shares == sorted(shares)
    assert shares[0] == pytest.approx(1 / 3)
    assert shares[-1] == 1
    assert words == [
        "crawling, 500 of 1,000 URLs, at least 0:00:20 left",
        "crawling, 1,000 of 1,000 URLs, about 0:00:10 left",
        "indexing, 0% read, 100 snapshots",
        "indexing, 25% read, 100 snapshots, about 0:00:40 left",
        "indexing, all read, counting links, 100 snapshots, about 0:00:05 left",
        "running plugins on 0 of 1,000 captures",
        "running plugins on 400 of 1,000 captures, about 0:00:15 left",
        "comparing with earlier captures",
    ]


@pytest.mark.parametrize("size", [(80, 24), (60, 12), (40, 10), (30, 8), (20, 24), (200, 60)])
def test_the_view_fits_its_terminal(size: tuple[int, int]) -> None:
    width, height = size
    hosts = {f"a-very-long-name-of-a-host-{n}.example.org": HostReport(10**9, 10**15, 10**9) for n in range(30)}
    state = job("https://example.org/" + "x" * 300, CrawlReport(1, 1, {"k" * 50: 1, "l" * 50: 2}, hosts, 10**6))
    state.record_indexed(5)
    lines = drawn(state, width, height).splitlines()
    assert max(map(len, lines)) <= width
    assert len(lines) < height


def test_what_strangers_wrote_does_not_reach_the_terminal_as_it_is() -> None:
    report = CrawlReport(1, 1, {HOSTILE: 1}, {HOSTILE: HostReport(1, 1, 1)}, 1)
    shown = drawn(job(HOSTILE, report), 200, 40)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", shown)
    assert shown.count("[bold red]") == 3, "no markup is obeyed either"
    assert not re.search(r"[\x00-\x1f\u202e]", line(job(HOSTILE, report)))


def test_colours_are_left_out_when_no_one_wants_them(monkeypatch: pytest.MonkeyPatch) -> None:
    coloured = re.compile(r"\x1b\[[0-9;]*\b(?:3[0-9]|4[0-9]|9[0-7])[0-9;]*m")
    assert coloured.search(drawn(job(), colours=True))
    monkeypatch.setenv("NO_COLOR", "1")
    assert not coloured.search(drawn(job(), colours=True))


def test_a_line_reports_the_same_in_short() -> None:
    clock = Clock()
    state = job(clock=clock)
    clock.now += 75
    assert line(state) == (
        "archiving https://example.org/: crawling, 350 of 1,566 URLs, about 0:00:16 left, 5 failed, "
        "1,200 waiting, 16 in progress, 123.5 responses a second, 12.3 MB; "
        "errors: 12 http_503, 3 timeout, 2 dns, 2 tls, 1 connect, 2 of other kinds"
    )
    assert line(JobState("archiving x")) == "archiving x: reading robots.txt and the first page"


def test_progress_is_printed_every_two_seconds_even_without_changes(capsys: pytest.CaptureFixture[str]) -> None:
    assert max(FIRST_LINE_AFTER, LINE_EVERY) <= 2
    deadline, printed = time.monotonic() + SECONDS, ""
    with printing_lines(job(), 0.01, 0.01):
        while printed.count("\n") < 3:
            assert time.monotonic() < deadline
            captured = capsys.readouterr()
            assert captured.out == ""
            printed += captured.err
    assert {*printed.splitlines()} <= {line(job()), line(job()).replace("about", "at least")}


@dataclass
class Terminal:
    """A terminal of its own, and the program that runs in it."""

    process: subprocess.Popen[bytes]
    ours: int
    theirs: int
    shown: str = ""
    settings: list[object] = field(default_factory=list)

    def shows(self, *words: str) -> str:
        """Return what is shown once all the words have been."""
        deadline = time.monotonic() + SECONDS
        while not all(word in self.shown for word in words):
            assert time.monotonic() < deadline, f"{words} was not all shown, the last: {self.shown[-400:]!r}"
            if select.select([self.ours], [], [], 0.1)[0]:
                self.shown += os.read(self.ours, 65_536).decode(errors="replace")
        return self.shown


@contextmanager
def in_a_terminal(program: Program, *arguments: str, term: str = "xterm-256color") -> Iterator[Terminal]:
    """Run the program in a terminal of 80 columns and 24 lines."""
    program.folder.mkdir(exist_ok=True)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "webstrata", *arguments],
        cwd=program.folder,
        env={**program.environment, "TERM": term},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    terminal = Terminal(process, ours, theirs, settings=termios.tcgetattr(theirs))
    try:
        yield terminal
    finally:
        process.kill()
        process.wait()
        os.close(theirs)
        os.close(ours)


@pytest.fixture
def held(web_server: WebServer) -> Iterator[threading.Event]:
    """A site one of whose pages comes only when this is set."""
    waiting = threading.Event()
    web_server.answers |= {**linked_site(5), "/page/4": Answer(page("Slow").body, waits_for=waiting)}
    yield waiting
    waiting.set()


@on_one_database
def test_a_terminal_shows_the_view_and_then_the_summary(
    program: Program, web_server: WebServer, held: threading.Event
) -> None:
    with in_a_terminal(program, "archive", web_server.url()) as terminal:
        host = web_server.origin.removeprefix("http://")
        shown = terminal.shows(f"archiving {web_server.url()}", "━", "9 of 10 URLs", "in progress", f"{host} ")
        assert "crawl.start" not in shown
        held.set()
        ending = terminal.shows("captured", "10 URLs", "run-1.json", "webstrata serve")
        assert "Traceback" not in ending
        assert terminal.process.wait(SECONDS) == 0


@on_one_database
def test_a_terminal_is_left_as_it_was_after_an_interrupt(
    program: Program, web_server: WebServer, held: threading.Event
) -> None:
    with in_a_terminal(program, "archive", web_server.url()) as terminal:
        terminal.shows("9 of 10 URLs")
        terminal.process.send_signal(signal.SIGINT)
        ending = terminal.shows("job 1, stopped", "run the same command again to continue")
        assert terminal.process.wait(SECONDS) == 130
        assert ending.rindex(SHOW_CURSOR) > ending.rindex("\x1b[?25l")
        assert termios.tcgetattr(terminal.theirs) == terminal.settings
        assert "Traceback" not in ending


@on_one_database
def test_a_terminal_that_can_do_nothing_gets_no_codes(program: Program, web_server: WebServer) -> None:
    web_server.answers |= linked_site(5)
    with in_a_terminal(program, "archive", web_server.url(), term="dumb") as terminal:
        assert "\x1b" not in terminal.shows("webstrata serve")


@on_one_database
def test_elsewhere_there_is_no_view(program: Program, web_server: WebServer) -> None:
    web_server.answers |= linked_site(5)
    ended = program.run("archive", web_server.url())
    assert ended.returncode == 0
    assert "━" not in ended.stdout + ended.stderr
    assert "\x1b" not in ended.stdout + ended.stderr


def test_an_index_states_in_plain_lines_how_much_is_read() -> None:
    state = JobState("indexing job 7", Stage.INDEX, clock=Clock())
    assert line(state) == "indexing job 7: 0 snapshots"
    state.record_indexed(1_200)
    state.read(30, 120)
    assert line(state) == "indexing job 7: 25% read, 1,200 snapshots"
