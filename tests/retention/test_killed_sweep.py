"""Passes that kill -9 ends at any step, and passes at the same time, leave no row without its file's true state."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.retention.rows import NOW
from webstrata.db.engine import Database

ROOT = Path(__file__).parents[2]


def url_of(database: Database) -> str:
    return database.engine.url.render_as_string(hide_password=False)


def test_killed_before_any_of_its_steps_a_sweep_leaves_rows_true(database: Database, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.retention.dying_sweep", url_of(database), str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    rounds = told["steps"]
    assert rounds > 10
    assert told == {"steps": rounds, "wrong": [], "end": [[], []], "left": [rounds, rounds], "gone": rounds}


BEGINNING = """
import sys
from datetime import datetime
from webstrata.db.engine import Database
from webstrata.retention.sweep import run_requested_pass

database = Database(sys.argv[1])
database.ping()
print("ready", flush=True)
sys.stdin.readline()
print(run_requested_pass(database, datetime.fromisoformat(sys.argv[2])) is not None, flush=True)
"""


@pytest.mark.soak
def test_of_eight_processes_that_are_drawn_at_once_one_begins_a_pass(database: Database) -> None:
    command = [sys.executable, "-c", BEGINNING, url_of(database), NOW.isoformat()]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen(command, **pipes) for _ in range(8)]  # type: ignore[call-overload]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    begun = [process.communicate(timeout=100)[0].splitlines()[-1] for process in processes]
    assert sorted(begun) == ["False"] * 7 + ["True"]
