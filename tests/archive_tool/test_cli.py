"""archive-tool as it is run by hand."""

import logging
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import structlog

from tests.crawl.runs import archive_of, assert_sound
from tests.jobs.rows import job_row
from tests.support.web_server import Answer, WebServer, linked_site
from webstrata.archive_tool.cli import run
from webstrata.db.engine import Database


@dataclass(frozen=True)
class Ended:
    """How a run ended and what it printed."""

    code: int
    out: str
    err: str


Tool = Callable[..., Ended]


@pytest.fixture
def data_dir(tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, value in {
        "DATA_DIR": str(tmp_path / "data"),
        "DATABASE_URL": database_url,
        "ALLOW_PRIVATE_NETWORKS": "127.0.0.1/32",
        "MAX_RETRIES": "1",
    }.items():
        monkeypatch.setenv(f"WEBSTRATA_{name}", value)
    return tmp_path / "data"


@pytest.fixture
def archive_tool(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Tool]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level

    def run_tool(*arguments: str) -> Ended:
        capsys.readouterr()
        code = run([*arguments])
        printed = capsys.readouterr()
        assert "Traceback" not in printed.out + printed.err
        return Ended(code, printed.out, printed.err)

    yield run_tool
    root.handlers, root.level = handlers, level
    structlog.reset_defaults()


def told(web_server: WebServer, folder: Path) -> list[str]:
    return ["--seeds", web_server.url(), "--name", "trial", "--output-dir", str(folder)]


def test_started_by_hand_it_makes_a_job_of_its_own_and_continues_with_it(
    archive_tool: Tool, data_dir: Path, database: Database, web_server: WebServer
) -> None:
    site = linked_site(3)
    late = site["/page/1"]
    assert isinstance(late, Answer)
    web_server.answers |= {**site, "/page/1": (Answer(status=500), late)}
    folder = data_dir / "archive" / "trials" / "one"
    first = archive_tool(*told(web_server, folder), "--relax-perms", "--initial-workers", "2")
    assert first.code == 0, first.err
    assert first.out.startswith("job 1 is completed\n5 URLs in ")
    row = job_row(database)
    assert (row.name, row.output_dir, row.status, row.crawler_exit_code) == ("trial", str(folder), "completed", 0)
    for file in (folder, folder / "warcs", *folder.glob("warcs/*")):
        assert file.stat().st_mode & stat.S_IROTH
    assert archive_tool(*told(web_server, folder)).out.startswith("job 1 is completed\n7 URLs")
    assert sorted(path for path in web_server.pages() if path == "/page/1") == ["/page/1"] * 2
    assert len(web_server.pages()) == len(linked_site(3)) + 1
    assert_sound(archive_of(database, data_dir / "archive", 1))


def test_a_crawl_that_gets_nothing_has_failed(
    archive_tool: Tool, data_dir: Path, database: Database, web_server: WebServer
) -> None:
    web_server.answers["/"] = Answer(status=500)
    ended = archive_tool(*told(web_server, data_dir / "archive" / "one"))
    assert ended.code == 1
    assert "job 1 is failed" in ended.out
    assert (job_row(database).status, job_row(database).crawler_exit_code) == ("failed", 1)


def test_a_folder_outside_of_the_archive_root_is_refused(
    archive_tool: Tool, tmp_path: Path, web_server: WebServer
) -> None:
    ended = archive_tool(*told(web_server, tmp_path / "elsewhere"))
    assert ended.code == 1
    assert ended.err.startswith("archive-tool: ")
    assert "is not in the archive root" in ended.err
    assert not (tmp_path / "elsewhere").exists()


def test_a_dry_run_states_what_it_would_do_and_does_nothing(
    archive_tool: Tool, data_dir: Path, web_server: WebServer
) -> None:
    ended = archive_tool(*told(web_server, data_dir / "archive" / "one"), "--dry-run")
    assert ended.code == 0
    assert ended.out.startswith(f"would crawl {web_server.url()} as 'trial' into ")
    assert not data_dir.exists()
    assert web_server.requests == []


def test_wrong_usage_is_one_line_and_help_is_help(archive_tool: Tool) -> None:
    wrong = archive_tool("--seeds", "x")
    assert wrong.code == 2
    assert wrong.err.count("\n") == 1
    shown = archive_tool("--help")
    assert shown.code == 0
    assert "--initial-workers" in shown.out
    assert "--tied" not in shown.out
