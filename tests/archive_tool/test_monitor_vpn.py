"""The VPN's command as the monitor runs it: real commands."""

import os
import shlex
import sys
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.waiting import wait_until
from webstrata.archive_tool.monitor.vpn import Rotation, rotate
from webstrata.model.crawl.monitoring import VpnCommand


def shell(script: str, seconds: float = 30) -> VpnCommand:
    return VpnCommand(f"sh -c {shlex.quote(script)}", timedelta(seconds=seconds))


def rotated(command: VpnCommand) -> Rotation:
    return rotate(command, threading.Event(), grace=0.1)


def test_a_command_that_ends_well_has_changed_the_vpn(tmp_path: Path) -> None:
    done = rotated(shell(f"echo s3cr3t > {shlex.quote(str(tmp_path / 'done'))}"))
    assert (done.went_well, done.exit_code) == (True, 0)
    assert "ended with exit code 0" in done.summary
    assert (tmp_path / "done").exists()


def test_what_a_command_states_is_neither_shown_nor_kept(capfd: pytest.CaptureFixture[str]) -> None:
    done = rotated(shell("echo s3cr3t; echo s3cr3t >&2; exit 3"))
    assert (done.went_well, done.exit_code) == (False, 3)
    assert "ended with exit code 3" in done.summary
    assert "s3cr3t" not in repr(done) + "".join(capfd.readouterr())


def test_much_output_does_not_block_a_command() -> None:
    assert rotated(shell("head -c 10000000 /dev/zero")).went_well


def test_a_command_has_no_input_to_wait_for() -> None:
    assert rotated(shell('read line; test -z "$line"')).went_well


def test_no_shell_reads_the_command(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    assert rotated(VpnCommand(f"echo hello ; touch {shlex.quote(str(mark))}")).went_well
    assert not mark.exists()


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("no-such-command-s3cr3t connect", "the VPN's command was not found"),
        ("/dev/null s3cr3t", "the VPN's command could not be run: Permission denied"),
        ("echo s3cr3t\0", "the VPN's command could not be run: it contains a NUL character"),
        ("'s3cr3t", "the VPN's command cannot be read: No closing quotation"),
    ],
)
def test_a_command_that_cannot_be_run_is_reported_without_being_shown(command: str, said: str) -> None:
    assert rotated(VpnCommand(command)) == Rotation(went_well=False, summary=said)


def test_a_command_that_does_not_end_is_killed_with_all_that_it_started(tmp_path: Path) -> None:
    note = tmp_path / "child"
    stubborn = "import os, signal, subprocess, sys; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
    stubborn += f"child = subprocess.Popen(['sleep', '600']); open({str(note)!r}, 'w').write(str(child.pid)); "
    stubborn += "child.wait(); signal.pause()"
    killed: list[Rotation] = []
    ended = threading.Event()
    command = VpnCommand(f"{sys.executable} -c {shlex.quote(stubborn)}", timedelta(seconds=60))
    thread = threading.Thread(target=lambda: killed.append(rotate(command, ended, grace=0.1)))
    thread.start()
    wait_until(lambda: note.exists() and bool(note.read_text()), "the command has a child")
    ended.set()
    thread.join(30)
    assert killed[0].summary == "the VPN's command was ended with the crawl"
    wait_until(lambda: not runs(int(note.read_text())), "the child is gone too")


def test_a_command_has_only_so_much_time() -> None:
    late = rotated(shell("sleep 600", seconds=0.2))
    assert (late.went_well, late.exit_code) == (False, None)
    assert late.summary == "the VPN's command did not end within 0.2 seconds and was killed"


def test_what_a_command_leaves_running_when_it_ends_well_is_left(tmp_path: Path) -> None:
    note = tmp_path / "vpn"
    assert rotated(shell(f"sleep 600 & echo $! > {shlex.quote(str(note))}")).went_well
    pid = int(note.read_text())
    assert runs(pid)
    os.kill(pid, 9)


def runs(pid: int) -> bool:
    """Tell whether a process is there and no mere entry that nobody has asked for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
