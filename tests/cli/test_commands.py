"""Every verb, as its user sees it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from io import StringIO
from pathlib import Path

import pytest
from sqlalchemy import update
from typer.main import get_command, get_group

from tests.cli.conftest import CommandLine
from tests.support.program import free_port
from tests.support.web_server import Answer, WebServer, linked_site, page
from webstrata import __version__
from webstrata.cli.commands import MODULES
from webstrata.cli.main import program
from webstrata.db.engine import Database
from webstrata.db.queue import jobs
from webstrata.db.schema.tables import WarcFile
from webstrata.index.version import INDEX_VERSION


def verbs(command: object, *words: str) -> Iterator[tuple[str, ...]]:
    """Yield every verb that the program has, by its words."""
    yield words
    for word, below in getattr(command, "commands", {}).items():
        yield from verbs(below, *words, word)


VERBS = list(verbs(get_command(program)))


def test_the_everyday_verbs_are_there() -> None:
    everyday = {
        "archive",
        "run",
        "serve",
        "worker",
        "search",
        "list-jobs",
        "show-job",
        "check-env",
        "check-db",
        "verify",
    }
    assert {verb[0] for verb in VERBS if verb} >= everyday | {"start-worker", "db"}


@pytest.mark.parametrize("flag", ["--help", "-h"])
@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: " ".join(verb) or "webstrata")
def test_every_verb_explains_itself(
    plain_webstrata: CommandLine, data_dir: Path, verb: tuple[str, ...], flag: str
) -> None:
    ended = plain_webstrata(*verb, flag)
    assert (ended.code, ended.err) == (0, "")
    assert " ".join(["Usage: webstrata", *verb]) in " ".join(ended.out.split())
    assert not data_dir.exists()


def test_without_a_verb_the_help_is_shown(plain_webstrata: CommandLine) -> None:
    ended = plain_webstrata()
    assert ended.code == 2
    assert all(verb[0] in ended.out for verb in VERBS if verb and verb[0] != "start-worker")


OF_THE_STAGES = {"webstrata.crawl.engine", "webstrata.index.pipeline", "webstrata.assets.stage", "uvloop"}
OF_THE_PAGES = {"fastapi", "granian", "jinja2", "turbohtml", "webstrata.api.server", "webstrata.web"}
OF_WRITING = {
    "alembic",
    "webstrata.jobs.running.lifecycle",
    "webstrata.coordination.permits",
    "webstrata.cli.jobs.progress",
}
OF_THE_DATABASE = {"sqlalchemy", "webstrata.app", "webstrata.db"}


SOME_TABLES = {
    f"webstrata.db.schema.{area}_tables"
    for area in ("audit", "collection", "integrity", "notification", "replay", "retention", "watching")
}
"""To declare a table takes a millisecond: those of all areas took a fifth of a short command's time."""


@pytest.mark.parametrize(
    ("command", "not_needed"),
    [
        ("--help", {*OF_THE_DATABASE, "pydantic", "structlog", "webstrata.settings"}),
        ("--version", {*OF_THE_DATABASE, "structlog", "webstrata.settings", "webstrata.cli.jobs.jobs"}),
        ("list-jobs", {*SOME_TABLES, "fastwarc", "webstrata.search", "webstrata.cli.searching"}),
        ("show-job --id 1", {"fastwarc", "webstrata.search", "webstrata.cli.searching"}),
        ("search words", {*SOME_TABLES, "fastwarc", "webstrata.cli.jobs.running"}),
        ("status", {*SOME_TABLES, "webstrata.cli.searching"}),
        ("sources", {*SOME_TABLES, "fastwarc", "webstrata.search", "webstrata.cli.jobs.jobs"}),
        ("changes", {*SOME_TABLES, "fastwarc", "webstrata.search", "webstrata.cli.jobs.jobs"}),
    ],
)
def test_a_command_loads_only_what_it_needs(data_dir: Path, command: str, not_needed: set[str]) -> None:
    asked = f"import sys; from webstrata.cli.main import run; run({command.split()!r}); print(*sys.modules)"
    subprocess.run([sys.executable, "-m", "webstrata", "db", "upgrade"], check=True, capture_output=True)
    ended = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    loaded = {*ended.stdout.splitlines()[-1].split()}
    assert loaded >= {"webstrata.cli.main", "typer"}
    assert sorted((OF_THE_STAGES | OF_THE_PAGES | OF_WRITING | not_needed) & loaded) == []


def test_the_table_of_commands_names_those_that_the_modules_have() -> None:
    for module, names in MODULES.items():
        found = get_group(import_module(f"webstrata.cli.{module}").verbs).commands
        assert tuple(found) == names


def test_without_a_database_setting_the_archive_is_an_sqlite_file(plain_webstrata: CommandLine, data_dir: Path) -> None:
    assert f"sqlite:///{data_dir / 'webstrata.db'} is ready" in plain_webstrata("check-db").out
    assert (data_dir / "webstrata.db").is_file()


def test_the_version_is_shown(plain_webstrata: CommandLine) -> None:
    assert plain_webstrata("--version").out == f"webstrata {__version__}\n"


def test_archive_states_what_it_brought_and_what_is_next(
    webstrata: CommandLine, web_server: WebServer, data_dir: Path
) -> None:
    web_server.answers |= {**linked_site(4), "/page/1": Answer(status=500)}
    ended = webstrata("archive", web_server.url())
    assert ended.code == 0
    lines = dict(line.strip().split("  ", 1) for line in ended.out.splitlines() if line.strip())
    assert lines["archived"] == f"{web_server.url()} (job 1, indexed)"
    assert lines["captured"] == "7 URLs, 4 snapshots"
    assert lines["new"] == "4 pages"
    assert lines["not fetched"].startswith(f"1, such as {web_server.url('/page/1')}: the server answered 500")
    assert Path(lines["WARC files"]).is_relative_to(data_dir / "archive")
    kept = sorted(file.suffixes for file in Path(lines["WARC files"]).iterdir())
    assert kept == [[".cdxj"], [".warc", ".gz"]], "a WARC file, and the journal of its ids"
    assert lines["next"] == "webstrata serve"


def test_archive_again_reports_what_is_different(webstrata: CommandLine, web_server: WebServer) -> None:
    web_server.answers |= {"/": page("Home", "/a"), "/a": page("A", text="before")}
    webstrata("archive", web_server.url())
    web_server.answers["/a"] = page("A", text="after")
    again = webstrata("archive", web_server.url())
    assert "1 page since the last run, 1 unchanged" in again.out
    assert "(job 2, indexed)" in again.out


def test_an_address_without_its_scheme_means_https(webstrata: CommandLine) -> None:
    address = f"127.0.0.1:{free_port()}"
    ended = webstrata("archive", address)
    assert ended.code == 1
    assert ended.message.startswith(f"https://{address}/")


def test_options_of_archive_are_obeyed(webstrata: CommandLine, web_server: WebServer) -> None:
    web_server.answers |= linked_site(9)
    limited = webstrata("archive", web_server.url(), "--max-pages", "3")
    assert "3 snapshots" in limited.out
    assert "the page limit was reached" in limited.out
    assert len([path for path in web_server.pages() if not path.startswith("/image/")]) == 3
    shallow = webstrata("archive", web_server.url("/page/2"), "--max-depth", "0")
    assert "1 snapshot\n" in shallow.out


def test_every_crawl_option_of_archive_is_a_setting_of_its_job(
    webstrata: CommandLine, web_server: WebServer, database: Database
) -> None:
    web_server.answers["/"] = page("Home")
    options = {
        "--max-pages": ("max_pages", 3),
        "--max-depth": ("max_depth", 2),
        "--max-seconds": ("max_seconds", 60.0),
        "--max-bytes": ("max_bytes", 1_000_000),
        "--delay": ("per_host_delay", 0.0),
        "--per-host-concurrency": ("per_host_concurrency", 2),
        "--max-crawl-delay": ("max_crawl_delay", 5.0),
        "--jitter": ("jitter", 0.5),
        "--fetcher": ("fetcher", "http"),
    }
    given = [word for option, (_, value) in options.items() for word in (option, str(value))]
    assert webstrata("archive", web_server.url(), *given).code == 0
    with database.read() as session:
        config = jobs.load_job(session, 1).config
    assert config.crawl == dict(options.values())


def test_what_was_archived_is_found_and_json_has_the_same_content(
    webstrata: CommandLine, web_server: WebServer
) -> None:
    web_server.answers |= linked_site(3)
    webstrata("archive", web_server.url())
    shown = webstrata("search", "marmalade", "number2")
    assert shown.code == 0
    assert "3 pages found, 1 with all words" in shown.out
    assert webstrata("search", "marmalade", "--limit", "2").out.startswith("3 pages found, the first 2:\n")
    assert shown.out.splitlines()[2] == "Page 2"
    found = json.loads(webstrata("search", "marmalade", "--json").out)
    assert found["total"] == 3
    assert {hit["url"] for hit in found["results"]} == {web_server.url(f"/page/{n}") for n in range(3)}
    nothing = webstrata("search", "xylophone")
    assert (nothing.code, nothing.out) == (0, "Nothing found. Try fewer or different words.\n")
    told = webstrata("search", "--appearances", "marmalade")
    assert [line.split()[0] for line in told.out.splitlines()] == ["3", "first", "last"]
    assert json.loads(webstrata("search", "--appearances", "marmalade", "--json").out)["captures"] == 3
    assert "No capture contains" in webstrata("search", "--appearances", "xylophone").out


def test_jobs_are_listed_and_shown_and_json_has_the_same_content(webstrata: CommandLine, web_server: WebServer) -> None:
    assert "No jobs yet" in webstrata("list-jobs").out
    assert json.loads(webstrata("list-jobs", "--json").out) == []
    web_server.answers["/"] = page("Home")
    webstrata("archive", web_server.url())
    listed = webstrata("list-jobs")
    assert "indexed" in listed.out
    assert f"127-0-0-1-{web_server.port}" in listed.out
    assert listed.out.split()[1] == "name"
    (job,) = json.loads(webstrata("list-jobs", "--json", "--status", "indexed").out)
    assert json.loads(webstrata("show-job", "--id", "1", "--json").out) == job | {"problems": []}
    assert (job["id"], job["status"], job["pages_crawled"]) == (1, "indexed", 1)
    assert "indexed" in webstrata("show-job", "--id", "1").out
    assert webstrata("list-jobs", "--status", "failed").out == "No matching jobs.\n"


def test_urls_and_snapshots_are_the_same_numbers_everywhere(webstrata: CommandLine, web_server: WebServer) -> None:
    web_server.answers.update(linked_site(3))
    summary = webstrata("archive", web_server.url()).out
    assert "7 URLs, 4 snapshots" in summary
    header, row, *_ = (line.split() for line in webstrata("list-jobs").out.splitlines())
    listed = dict(zip(header, row, strict=False))
    assert (listed["URLs"], listed["failed"], listed["snapshots"]) == ("7", "0", "4")
    assert "4 snapshots can be searched" in webstrata("index-job", "--id", "1").out
    assert webstrata("index-job", "--all").out == "every job is indexed by this version\n"
    assert webstrata("archive", web_server.url()).code == 0
    unchanged = webstrata("search", "marmalade", "--every-capture").out
    assert unchanged.startswith("6 snapshots found")
    assert webstrata("search", "marmalade", "--appearances").out.startswith("6 snapshots contain it")
    assert webstrata("search", "marmalade").out.startswith("3 pages found")


def test_check_env_shows_every_setting_and_where_it_came_from_and_no_secret(
    plain_webstrata: CommandLine, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBSTRATA_ADMIN_TOKEN", "hunter2-token")
    monkeypatch.setenv("HEALTHARCHIVE_DATABASE_URL", "postgresql://archive:hunter2-password@db.example/archive")
    shown = plain_webstrata("check-env")
    settings = {knob["name"]: knob for knob in json.loads(plain_webstrata("check-env", "--json").out)}
    for text in (shown.out, shown.err, json.dumps(settings)):
        assert "hunter2" not in text
    assert settings["admin_token"]["origin"] == "WEBSTRATA_ADMIN_TOKEN (environment)"
    assert settings["database_url"]["value"] == "postgresql://archive:********@db.example/archive"
    assert settings["database_url"]["origin"] == "HEALTHARCHIVE_DATABASE_URL (environment)"
    assert settings["max_depth"]["origin"] == "default"
    assert all(name in shown.out for name in settings)
    assert (data_dir / "archive").is_dir()


def test_check_db_and_db_tell_the_version(
    plain_webstrata: CommandLine, empty_database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBSTRATA_DATABASE_URL", empty_database_url)
    assert "is at schema version none" in plain_webstrata("db", "status").out
    upgraded = plain_webstrata("db", "upgrade")
    assert upgraded.code == 0
    assert "is ready, at schema version" in plain_webstrata("check-db").out


def test_going_back_a_version_asks_first(webstrata: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    webstrata("db", "upgrade")
    monkeypatch.setattr("sys.stdin", StringIO("n\n"))
    assert webstrata("db", "downgrade", "base").code == 130
    assert webstrata("check-db").code == 0
    monkeypatch.setattr("sys.stdin", StringIO("y\n"))
    ended = webstrata("db", "downgrade", "base")
    assert ended.code == 0
    assert "is at schema version base" in ended.out


def test_what_the_program_wrote_passes_its_own_check(
    webstrata: CommandLine, web_server: WebServer, data_dir: Path
) -> None:
    web_server.answers |= linked_site(5)
    webstrata("archive", web_server.url())
    ended = webstrata("verify", str(data_dir / "archive"), "--json")
    report = json.loads(ended.out)
    assert (ended.code, report["files"], report["findings"]) == (0, 1, [])


def test_jobs_of_an_earlier_version_are_counted_and_brought_up_to_date(
    webstrata: CommandLine, database: Database, web_server: WebServer
) -> None:
    web_server.answers.update(linked_site(3))
    assert webstrata("archive", web_server.url()).code == 0
    with database.write() as session:
        session.execute(update(WarcFile).values(index_version=INDEX_VERSION - 1))
    assert "1 job indexed by an earlier version: webstrata index-job --all" in webstrata("status").out
    assert json.loads(webstrata("status", "--json").out)["outdated_jobs"] == 1
    found = webstrata("search", "marmalade")
    assert found.out.startswith("3 pages found")
    assert "1 job indexed by an earlier version" in found.err
    done = webstrata("index-job", "--all")
    assert (done.code, done.out) == (0, "job 1 is indexed: 4 snapshots can be searched\n")
    assert json.loads(webstrata("status", "--json").out)["outdated_jobs"] == 0
    assert webstrata("index-job").code == webstrata("index-job", "--all", "--id", "1").code == 2
