"""An archive that cannot be written to: it is read as ever, and what would write says why it cannot."""

import json
import os
import shutil
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.program import PYTHON, Program, free_port, listens
from tests.support.waiting import wait_until
from tests.support.web_server import linked_site, serving
from webstrata.db.engine import Database
from webstrata.db.queue import jobs

OBEYING_PERMISSIONS = ("setpriv", "--bounding-set=-dac_override", *PYTHON) if os.geteuid() == 0 else PYTHON
"""The program without root's right to write everywhere."""


@pytest.fixture(scope="module")
def archived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of an archive with one indexed job."""
    data = tmp_path_factory.mktemp("archived") / "data"
    with serving() as server:
        server.answers.update(linked_site(3))
        ended = Program(data).run("archive", server.url())
    assert ended.returncode == 0, ended.stderr
    return data


@pytest.fixture
def read_only(archived: Path, tmp_path: Path) -> Iterator[Program]:
    """The program over a copy of the archive in which nothing can be written."""
    shutil.copytree(archived, tmp_path / "data")
    with write_protected(tmp_path / "data", tmp_path / "home") as program:
        yield program


@contextmanager
def write_protected(data: Path, home: Path) -> Iterator[Program]:
    """Let nothing be written to a data folder while the block lasts; yield the program over it."""
    folders = [data, *(path for path in data.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    try:
        yield Program(home, {"WEBSTRATA_DATA_DIR": str(data)}, OBEYING_PERMISSIONS)
    finally:
        for folder in folders:
            folder.chmod(0o755)


@pytest.mark.parametrize(
    "arguments",
    [("search", "page"), ("list-jobs",), ("show-job", "--id", "1"), ("status",), ("sources",), ("check-db",)],
    ids=" ".join,
)
def test_what_reads_works_and_states_nothing_of_it(
    read_only: Program, archived: Path, arguments: tuple[str, ...]
) -> None:
    as_ever = Program(archived).run(*arguments)
    ended = read_only.run(*arguments)
    assert (ended.returncode, ended.stderr) == (0, "")
    first = as_ever.stdout.splitlines()[0].replace(str(archived), read_only.settings["WEBSTRATA_DATA_DIR"])
    assert ended.stdout.splitlines()[0] == first


def test_its_warc_files_can_be_verified(read_only: Program) -> None:
    ended = read_only.run("verify", read_only.settings["WEBSTRATA_DATA_DIR"])
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize(
    "arguments",
    [
        ("archive", "http://127.0.0.1:9/"),
        ("worker", "--once"),
        ("sources", "add", "other", "http://other.example/"),
        ("resume-job", "--id", "1"),
        ("index-job", "--id", "1", "--again"),
        ("rebuild", "--missing"),
        ("db", "upgrade"),
        ("check-env",),
    ],
    ids=" ".join,
)
def test_what_writes_states_in_one_line_that_it_cannot(read_only: Program, arguments: tuple[str, ...]) -> None:
    ended = read_only.run(*arguments)
    (line,) = ended.stderr.splitlines()
    folder = read_only.settings["WEBSTRATA_DATA_DIR"]
    assert (ended.returncode, line) in (
        (1, f"webstrata: the data folder {folder} cannot be written to"),
        (1, f"webstrata: the data folder {folder}/archive cannot be written to"),
    )


def test_a_new_archive_in_a_folder_that_cannot_be_written_to_is_refused_so(read_only: Program) -> None:
    inside = Path(read_only.settings["WEBSTRATA_DATA_DIR"]) / "archive"
    for place in (inside, inside / "deeper"):
        ended = replace(read_only, settings={"WEBSTRATA_DATA_DIR": str(place)}).run("list-jobs")
        assert (ended.returncode, ended.stderr) == (1, f"webstrata: the data folder {place} cannot be written to\n")


@pytest.mark.parametrize("left", [("-wal", "-shm"), ("-wal",)], ids=" ".join)
def test_what_a_killed_process_left_beside_the_database_is_read_too(
    archived: Path, tmp_path: Path, left: tuple[str, ...]
) -> None:
    killed = tmp_path / "killed"
    shutil.copytree(archived, killed)
    database = Database(f"sqlite:///{killed / 'webstrata.db'}")
    with database.write() as session:
        jobs.ensure_source(session, "late", name="Late", base_url=None)
    shutil.copytree(killed, tmp_path / "copy")
    database.dispose()
    for suffix in {"-wal", "-shm"} - {*left}:
        (tmp_path / "copy" / f"webstrata.db{suffix}").unlink()
    with write_protected(tmp_path / "copy", tmp_path / "home") as program:
        assert "late" in program.run("sources").stdout


def test_it_is_served_without_a_worker_and_reports_it_once(read_only: Program) -> None:
    port = free_port()
    with read_only.started("serve", "--port", str(port), "--processes", "2") as server:
        wait_until(lambda: server.process.poll() is not None or listens(port), "it serves")
        found = json.loads(_body(port, "/api/search?q=page&view=pages"))
        assert found["total"]
        snapshot = found["results"][0]["id"]
        for path in ("/", "/search?q=page", f"/snapshot/{snapshot}", f"/api/snapshots/raw/{snapshot}", "/jobs/1"):
            assert _status(port, path) == 200, path
        report = {"category": "broken_snapshot", "description": "The page is broken in many places."}
        assert _status(port, "/api/reports", report) == 409
        said = server.output
    assert said.count("archive.read_only") == 1
    assert "the worker ended" not in said
    assert "Traceback" not in said


def _body(port: int, path: str) -> bytes:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as response:
        return bytes(response.read())


def _status(port: int, path: str, sent: object = None) -> int | None:
    """Return the status code of what is served, or None while nothing is."""
    data = None if sent is None else json.dumps(sent).encode()
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}", data=data, headers={"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return None
