"""`webstrata audit URL` and `--file`: verdicts, interruptions, restarts and refusals."""

import json
import signal
import threading
from pathlib import Path

import pytest

from tests.audit.shops.pages import ENGLISH, home
from tests.support.program import Program
from tests.support.waiting import wait_until
from tests.support.web_server import Answer, WebServer
from webstrata.cli.audits.auditing import read_shops
from webstrata.errors import UsageError

PATIENCE_SECONDS = 60


def audits_of(program: Program) -> list[dict[str, object]]:
    from webstrata.db.auditing import sessions
    from webstrata.db.engine import Database

    database = Database(f"sqlite:///{program.folder / 'webstrata.db'}")
    with database.read() as session:
        found = sessions.list_audits(session)
    database.dispose()
    return [{"id": one.id, "status": one.status.value, "attempts": one.attempts} for one in found]


def test_an_interrupted_audit_continues_when_the_command_is_run_again(web_server: WebServer, tmp_path: Path) -> None:
    released = threading.Event()
    web_server.answers["/"] = Answer(home(ENGLISH), waits_for=released)
    program = Program(tmp_path / "data")
    with program.started("audit", web_server.url("/")) as started:
        wait_until(lambda: "/" in web_server.paths(), "the page is requested", PATIENCE_SECONDS)
        started.signal(signal.SIGINT)
        assert started.ended() == 130
        assert "run the same command again to continue it" in started.output
    (waiting,) = audits_of(program)
    assert (waiting["status"], waiting["attempts"]) == ("queued", 0)
    released.set()
    done = program.run("audit", web_server.url("/"), "--json")
    assert done.returncode == 0, done.stderr
    verdict = json.loads(done.stdout)
    assert (verdict["id"], verdict["status"], verdict["error_summary"]) == (waiting["id"], "partial", "PDP not found")
    assert [page["status"] for page in verdict["pages"]] == ["ok", "ok"]


def test_many_shops_are_audited_and_their_failures_named(web_server: WebServer, tmp_path: Path) -> None:
    file = tmp_path / "shops.txt"
    file.write_text(f"# shops\n{web_server.url('/gone')}\n\n{web_server.url('/gone')}\nhttp://10.0.0.1/ # private\n")
    done = Program(tmp_path / "data").run("audit", "--file", str(file))
    assert done.returncode == 1, done.stderr
    lines = done.stdout.splitlines()
    assert sorted(line.partition("failed")[2].strip() for line in lines[:2]) == [
        "http://10.0.0.1/ (All viewports failed)",
        f"{web_server.url('/gone')} (All viewports failed)",
    ]
    assert lines[2] == "2 audits: 0 with evidence, 2 failed"


def test_a_file_that_names_no_shops_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "shops.txt"
    for content, reason in (
        (b"https://a.example/\nnot a shop\n", "line 2: 'not a shop' is not a web address"),
        (b"# nothing\n", "must name between 1 and"),
        (b"\xff\xfe\0", "not a text file"),
    ):
        file.write_bytes(content)
        with pytest.raises(UsageError, match=reason):
            read_shops(file)
    with pytest.raises(UsageError, match="cannot be read"):
        read_shops(tmp_path)
    file.write_text("a.example\nhttps://a.example/ # the same\n")
    assert read_shops(file) == ["https://a.example/"]
