import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.support.waiting import wait_until
from tools.console import ROOT

TARGETS = {"run", "quick", "test", "surface", "soak", "lint", "typecheck", "bench", "pictures"} | {
    *("install", "install-dev", "lock", "clean")
}
# Like a real server it takes a moment to close: make 4.3 stumbles over a child that is gone before make noticed Ctrl-C.
PROGRAM = """#!/bin/sh
trap 'sleep 0.3; exit 0' INT
printf '%s\\n' "$@" > arguments.partial
mv arguments.partial arguments
while :; do sleep 0.02; done
"""


def make(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    clean = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    # A shell that runs tests in the background has them ignore Ctrl-C, and make would inherit that.
    command = ["env", "--default-signal=INT", "make", "--no-print-directory", *arguments]
    return subprocess.Popen(
        command, cwd=folder, env=clean, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, process_group=0
    )


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree with our Makefile, a set-up that has nothing to do, and a program that runs until Ctrl-C."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "setup.py").write_text("", encoding="utf-8")
    program = tmp_path / ".venv" / "bin" / "webstrata"
    program.parent.mkdir(parents=True)
    program.write_text(PROGRAM, encoding="utf-8")
    program.chmod(0o755)
    return tmp_path


def run_and_interrupt(tree: Path, *variables: str) -> tuple[list[str], str]:
    """Return the arguments that `make run` gave the program, and what make said when Ctrl-C was pressed."""
    process = make(tree, "run", *variables)
    arguments = tree / "arguments"
    try:
        wait_until(arguments.exists, "the program runs")
    finally:
        os.killpg(process.pid, signal.SIGINT)
        output, _ = process.communicate(timeout=30)
    return arguments.read_text(encoding="utf-8").splitlines(), output


def test_plain_make_lists_every_target_with_a_sentence(tree: Path) -> None:
    output, _ = make(tree).communicate(timeout=30)
    listed = dict(re.findall(r"^  ([a-z-]+) +(.+\.)$", output, re.MULTILINE))
    assert listed.keys() == TARGETS | {"help"}


def test_clean_removes_what_set_up_fetched_and_keeps_the_archive(tree: Path) -> None:
    for folder in ("src/webstrata/web/static/vendor", "tests", "bench", "webstrata-data"):
        (tree / folder).mkdir(parents=True)
    process = make(tree, "clean")
    output, _ = process.communicate(timeout=30)
    assert process.returncode == 0, output
    assert not (tree / "src/webstrata/web/static/vendor").exists()
    assert (tree / "webstrata-data").is_dir()


def test_run_starts_the_demo(tree: Path) -> None:
    arguments, _ = run_and_interrupt(tree)
    assert arguments == ["run"]


def test_run_passes_site_and_port_on_as_they_are(tree: Path) -> None:
    site = "https://example.org/?a=1&b='two words';id"
    arguments, _ = run_and_interrupt(tree, f"SITE={site}", "PORT=9000")
    assert arguments == ["run", site, "--port", "9000"]


def test_ctrl_c_ends_run_without_an_error(tree: Path) -> None:
    _, output = run_and_interrupt(tree)
    assert output == ""
