"""Pages that are made to stall or kill a parser cost only themselves, while crawling and while indexing."""

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import select

from tests.support import program as programs
from tests.support.program import Program
from tests.support.web_server import Answer, WebServer, linked_site, page
from webstrata.content.reader.page_requests import SMALL_PAGE
from webstrata.db.captures import problems
from webstrata.db.engine import Database
from webstrata.db.operations import catalog
from webstrata.db.schema.tables import Capture, Snapshot

CONSTRUCTIONS: dict[str, Callable[[int], str]] = {
    "bodies": lambda n: f"<body a{n}=1>",
    "formatting": lambda n: f"<b x={n}><p>",
    "attributes": lambda n: f"a{n}=1 " if n else "<p ",
    "deep": lambda n: "<div>",
    "tables": lambda n: "<table><tr><td>",
    "fostered": lambda n: "<table>x<b>",
    "strays": lambda n: "<div><b></div><span></i>",
    "lists": lambda n: "<ul><li></x>",
    "unclosed": lambda n: "<a title='",
    "comment": lambda n: "<!--",
    "microdata": lambda n: "<div itemscope itemprop=a>",
    "frames": lambda n: "<frameset>",
}


def hostile(unit: Callable[[int], str], size: int) -> bytes:
    parts: list[str] = []
    length = 0
    while length < size:
        parts.append(unit(len(parts)))
        length += len(parts[-1])
    return "".join(parts).encode()[:size]


def hostile_site(web_server: WebServer, ordinary: int, sizes: tuple[int, ...]) -> set[str]:
    """Let a site have hostile pages among ordinary ones, of every construction and size; return their paths."""
    bodies = {f"/hostile/{name}/{size}": hostile(unit, size) for name, unit in CONSTRUCTIONS.items() for size in sizes}
    web_server.answers |= linked_site(ordinary) | {path: Answer(body) for path, body in bodies.items()}
    # A header must not switch a limit off.
    path, body = f"/hostile/bodies/{sizes[0]}", bodies[f"/hostile/bodies/{sizes[0]}"]
    unstated = (("Content-Type", "application/octet-stream"),)
    web_server.answers[path] = Answer(b"<html>" + body, headers=unstated)
    web_server.answers["/"] = page("Home", *bodies, *(f"/page/{n}" for n in range(ordinary)))
    return set(bodies)


@pytest.fixture
def program(database_url: str, tmp_path: Path) -> Program:
    return Program(tmp_path / "data", {"WEBSTRATA_DATABASE_URL": database_url})


def archive(program: Program, database: Database, web_server: WebServer, ordinary: int, paths: set[str]) -> list[str]:
    """Archive the site, make sure that its ordinary pages are all there, and return the problems."""
    ended = program.run("archive", web_server.url())
    assert ended.returncode == 0, ended.stderr
    with database.read() as session:
        captured = set(session.scalars(select(Capture.url)))
        titles = {row.url: row.title for row in session.scalars(select(Snapshot))}
        job = catalog.job(session, 1)
        found = problems.problems_of_job(session, 1, limit=1_000)
    assert job is not None
    assert job.status == "indexed"
    assert captured >= {web_server.url(path) for path in (*paths, *(f"/page/{n}" for n in range(ordinary)))}
    assert [n for n in range(ordinary) if not titles.get(web_server.url(f"/page/{n}"))] == []
    assert [web_server.paths().count(path) for path in paths] == [1] * len(paths)
    return [problem.reason for problem in found]


@pytest.mark.timeout(300)
def test_hostile_pages_are_captured_once_and_cost_no_other_page(
    program: Program, database: Database, web_server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Some pages take all the processor time that they are allowed, which is longer on a busy machine.
    monkeypatch.setattr(programs, "PATIENCE_SECONDS", 240)
    paths = hostile_site(web_server, 10, (3 * SMALL_PAGE, 400_000))
    reasons = archive(program, database, web_server, 10, paths)
    assert {"reading it takes more than 1500 MB of memory"} == set(reasons)


@pytest.mark.soak
@pytest.mark.timeout(1_200)
def test_hostile_pages_of_any_size_cost_no_other_page(
    program: Program, database: Database, web_server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "PATIENCE_SECONDS", 1_000)
    paths = hostile_site(web_server, 60, (100_000, 1_000_000, 9_900_000))
    reasons = archive(program, database, web_server, 60, paths)
    assert all(reason.startswith("reading it ") for reason in reasons)
