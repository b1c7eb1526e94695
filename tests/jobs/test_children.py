"""Child processes, and what ties them to us."""

import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.support.program import alive
from tests.support.waiting import wait_until
from webstrata.jobs.running import children
from webstrata.jobs.running.children import run_child

TIED_CHILD = """
import signal, sys, threading
from pathlib import Path
from webstrata.jobs.running.children import Lifeline
told, stubborn = Path(sys.argv[1]), sys.argv[2] == "stubborn"
over = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: None if stubborn else over.set())
lifeline = Lifeline.from_parent()
told.write_text(f"{lifeline.leader} {__import__('os').getpid()}")
over.wait(60)
told.write_text("asked to end")
"""


def child(folder: Path, manner: str = "docile") -> tuple[list[str], Path]:
    script = folder / "child.py"
    script.write_text(TIED_CHILD)
    return [sys.executable, str(script), str(folder / "told"), manner], folder / "told"


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_a_child_ends_with_its_exit_code_or_the_signal_that_killed_it() -> None:
    quiet = threading.Event()
    assert run_child(python("raise SystemExit(7)"), None, quiet) == 7
    assert run_child(python("import os; os.kill(os.getpid(), 9)"), None, quiet) == -signal.SIGKILL


def test_a_child_gets_its_leaders_id_and_is_asked_to_end(tmp_path: Path) -> None:
    command, told = child(tmp_path)
    interrupted = threading.Event()
    codes: list[int] = []
    running = threading.Thread(target=lambda: codes.append(run_child(command, "here:1:x", interrupted)))
    running.start()
    wait_until(lambda: told.exists() and told.read_text().startswith("here:1:x "), "the child heard it")
    interrupted.set()
    running.join()
    assert codes == [0]
    assert told.read_text() == "asked to end"


def test_a_child_that_does_not_listen_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "GRACE_SECONDS", 0.2)
    command, told = child(tmp_path, "stubborn")
    interrupted = threading.Event()
    codes: list[int] = []
    running = threading.Thread(target=lambda: codes.append(run_child(command, None, interrupted)))
    running.start()
    wait_until(told.exists, "the child runs")
    interrupted.set()
    running.join()
    assert codes == [-signal.SIGKILL]


def test_what_a_child_leaves_behind_ends_with_it(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    spawn = f"""
import subprocess, sys
left = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open({str(pid_file)!r}, "w").write(str(left.pid))
"""
    assert run_child(python(spawn), None, threading.Event()) == 0
    left = int(pid_file.read_text())
    wait_until(lambda: not alive(left), "what it left behind has ended")


@pytest.mark.parametrize("manner", ["docile", "stubborn"])
def test_a_child_whose_parent_is_killed_ends_in_good_order_or_soon(tmp_path: Path, manner: str) -> None:
    command, told = child(tmp_path, manner)
    parent = f"""
import threading
from webstrata.jobs.running import children
children.run_child({command!r}, "me", threading.Event())
"""
    impatient = "import webstrata.jobs.running.children as ties; ties.GRACE_SECONDS = 0.5\n"
    (tmp_path / "child.py").write_text(impatient + TIED_CHILD)
    leading = subprocess.Popen(python(parent))
    try:
        wait_until(lambda: told.exists() and told.read_text().startswith("me "), "the child runs")
        pid = int(told.read_text().split()[1])
        assert alive(pid)
    finally:
        leading.kill()
        leading.wait()
    wait_until(lambda: not alive(pid), "the child has ended", 10)
    assert told.read_text() == ("asked to end" if manner == "docile" else f"me {pid}")


def test_a_child_without_a_parent_reports_it(tmp_path: Path) -> None:
    command, told = child(tmp_path)
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode != 0
    assert "does not name the process that leads the job" in ended.stderr
    assert not told.exists()
