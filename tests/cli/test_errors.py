"""What goes wrong is said in one line, and the exit code tells what kind it was."""

import json
import socket
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine
from tests.support.program import Program, free_port
from tests.support.web_server import Answer, WebServer, page, robots, serving
from webstrata.db.engine import Database


@pytest.mark.parametrize(
    "arguments",
    [
        ("frobnicate",),
        ("archive",),
        ("archive", "--max-pages", "0", "example.org"),
        ("archive", "--max-pages", "many", "example.org"),
        ("archive", "--jitter", "2", "example.org"),
        ("archive", "--fetcher", "ftp", "example.org"),
        ("archive", "--unknown", "example.org"),
        ("search",),
        ("search", "word", "--from", "yesterday"),
        ("search", "word", "--from", "2026-02-01", "--to", "2026-01-01"),
        ("show-job",),
        ("show-job", "--id", "first"),
        ("list-jobs", "--status", "asleep"),
        ("serve", "--port", "99999"),
        ("db", "frobnicate"),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_two_and_states_what_would_be_right(
    plain_webstrata: CommandLine, arguments: tuple[str, ...]
) -> None:
    ended = plain_webstrata(*arguments)
    assert ended.code == 2
    assert ended.message


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("archive", "--max-pages", "lots", "example.org"), "'--max-pages': 'lots' is not a whole number"),
        (("archive", "--max-pages", "0", "example.org"), "'--max-pages': '0' must be at least 1"),
        (
            ("archive", "--fetcher", "ftp", "example.org"),
            "'--fetcher': 'ftp' is not one of 'http', 'null', 'browser', 'auto'",
        ),
        (("serve", "--port", "99999"), "'--port': '99999' must be at most 65,535"),
    ],
)
def test_a_wrong_value_is_repeated_and_explained_in_plain_words(
    plain_webstrata: CommandLine, arguments: tuple[str, ...], words: str
) -> None:
    assert plain_webstrata(*arguments).message == f"Invalid value for {words} (see --help)"


@pytest.mark.parametrize(
    "url", ["ftp://example.org/", "http://", "mailto:a@example.org", "http://exa mple.org/", "http://:80"]
)
def test_what_is_no_address_is_wrong_usage(webstrata: CommandLine, data_dir: Path, url: str) -> None:
    ended = webstrata("archive", url)
    assert (ended.code, ended.message) == (
        2,
        f"{url!r} is not a web address (expected something like https://example.org/)",
    )
    assert not (data_dir / "archive").exists()


def test_a_host_that_does_not_resolve_is_named(webstrata: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    async def unknown(*_: object, **__: object) -> list[object]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr("uvloop.Loop.getaddrinfo", unknown)
    ended = webstrata("archive", "http://nowhere.example/")
    assert ended.code == 1
    assert "http://nowhere.example/" in ended.message
    assert "does not resolve (is the network up?)" in ended.message


def test_a_refused_connection_is_named(webstrata: CommandLine) -> None:
    with serving() as gone:
        pass
    ended = webstrata("archive", gone.url())
    assert ended.code == 1
    assert ended.message.endswith("connection refused")


@pytest.mark.parametrize(
    ("status", "phrase"), [(403, "Forbidden"), (404, "Not Found"), (410, "Gone"), (500, "Internal Server Error")]
)
def test_a_site_that_refuses_is_reported_with_its_response(
    webstrata: CommandLine, web_server: WebServer, status: int, phrase: str
) -> None:
    web_server.answers["/"] = Answer(b"no", status=status)
    ended = webstrata("archive", web_server.url())
    assert (ended.code, ended.message) == (1, f"{web_server.url()}: the server answered {status} {phrase}")
    (listed,) = json.loads(webstrata("list-jobs", "--json").out)
    assert (listed["status"], listed["status_reason"]) == ("failed", ended.message)
    pages = int(status < 500)
    how_far = f"progress  {pages} of 1 URLs fetched, {1 - pages} failed; {pages} snapshots can be searched"
    assert how_far in webstrata("show-job", "--id", "1").out


def test_a_site_whose_robots_txt_forbids_everything_is_reported(webstrata: CommandLine, web_server: WebServer) -> None:
    web_server.answers["/robots.txt"] = robots("User-agent: *", "Disallow: /")
    ended = webstrata("archive", web_server.url())
    assert (ended.code, ended.message) == (1, f"{web_server.url()}: robots.txt does not allow it")


def test_a_private_address_is_refused_with_the_setting_that_would_allow_it(
    webstrata: CommandLine, web_server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WEBSTRATA_ALLOW_PRIVATE_NETWORKS")
    ended = webstrata("archive", web_server.url())
    assert ended.code == 1
    assert "WEBSTRATA_ALLOW_PRIVATE_NETWORKS=127.0.0.1 would allow it" in ended.message
    assert web_server.requests == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("WEBSTRATA_COLOUR", "red"),
        ("WEBSTRATA_PORT", "http"),
        ("WEBSTRATA_MAX_PAGES", "0"),
        ("WEBSTRATA_RESPECT_ROBOTS", "perhaps"),
        ("WEBSTRATA_ALLOW_PRIVATE_NETWORKS", "10.0.0.1/8"),
        ("HEALTHARCHIVE_LOG_LEVEL", "loud"),
    ],
)
def test_a_setting_that_is_unknown_or_does_not_parse_is_named(
    plain_webstrata: CommandLine, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    for verb in ("list-jobs", "check-env"):
        ended = plain_webstrata(verb)
        assert ended.code == 1
        assert name in ended.message


def test_a_database_at_another_version_is_refused_with_the_command_that_mends_it(
    webstrata: CommandLine, database: Database
) -> None:
    assert webstrata("check-db").code == 0
    execute(database, "UPDATE alembic_version SET version_num = '0000'")
    newer = webstrata("archive", "http://example.org/")
    assert newer.code == 1
    assert "0000, unknown to this program: install a newer webstrata" in newer.message
    execute(database, "DELETE FROM alembic_version")
    lost = webstrata("serve", "--port", str(free_port()))
    assert lost.code == 1
    assert "has lost its schema version: restore a backup, or move it away and run `webstrata rebuild`" in lost.message


def execute(database: Database, statement: str) -> None:
    with database.write() as session:
        session.connection().exec_driver_sql(statement)


def test_a_database_that_cannot_be_reached_is_named_without_its_password(
    plain_webstrata: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"127.0.0.1:{free_port()}/archive"
    monkeypatch.setenv("WEBSTRATA_DATABASE_URL", f"postgresql://user:s3cret@{address}")
    ended = plain_webstrata("check-db")
    assert ended.code == 1
    assert address in ended.message
    assert "s3cret" not in ended.err


@pytest.mark.parametrize(
    "verb", [("list-jobs",), ("check-env",), ("archive", "http://127.0.0.1:1/"), ("db", "upgrade")]
)
def test_a_folder_that_cannot_be_made_is_named(
    plain_webstrata: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, verb: tuple[str, ...]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("WEBSTRATA_DATA_DIR", str(tmp_path / "file" / "data"))
    ended = plain_webstrata(*verb)
    assert ended.code == 1
    assert str(tmp_path / "file") in ended.message
    assert "WEBSTRATA_DATA_DIR must be a folder" in ended.message


def test_a_database_that_is_garbage_leads_to_the_command_that_makes_it_again(
    plain_webstrata: CommandLine, web_server: WebServer, data_dir: Path
) -> None:
    web_server.answers["/"] = page("Home", text="marmalade")
    assert plain_webstrata("archive", web_server.url()).code == 0
    file = data_dir / "webstrata.db"
    file.write_bytes(b"no database " * 1000)
    for verb in (("list-jobs",), ("db", "upgrade"), ("archive", web_server.url()), ("rebuild",)):
        ended = plain_webstrata(*verb)
        advice = "move it away, and `webstrata rebuild` makes it again from the WARC files"
        assert (ended.code, ended.message) == (1, f"sqlite:///{file} is not a SQLite database: {advice}")
    file.rename(data_dir / "garbage")
    assert plain_webstrata("rebuild").code == 0
    assert "1 page found" in plain_webstrata("search", "marmalade").out


def test_the_database_of_another_program_is_named_and_left_alone(
    plain_webstrata: CommandLine, empty_database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Database(empty_database_url)
    execute(other, "CREATE TABLE wp_posts (id INTEGER)")
    monkeypatch.setenv("WEBSTRATA_DATABASE_URL", empty_database_url)
    for verb in (("list-jobs",), ("db", "upgrade")):
        ended = plain_webstrata(*verb)
        assert ended.code == 1
        advice = "is the database of another program: WEBSTRATA_DATABASE_URL must name another one"
        assert ended.message == f"{other.shown} {advice}"
    other.dispose()


def test_an_archive_folder_that_cannot_be_made_is_named(
    webstrata: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("WEBSTRATA_ARCHIVE_ROOT", str(tmp_path / "file" / "archive"))
    ended = webstrata("archive", "http://127.0.0.1:1/")
    assert ended.code == 1
    assert str(tmp_path / "file") in ended.message


def test_an_unknown_job_is_named(webstrata: CommandLine) -> None:
    ended = webstrata("show-job", "--id", "77")
    assert (ended.code, ended.message) == (1, "there is no job 77")


@pytest.mark.parametrize("verb", ["serve", "run"])
def test_a_busy_port_is_reported_before_any_work(
    webstrata: CommandLine, web_server: WebServer, data_dir: Path, verb: str
) -> None:
    ended = webstrata(verb, "--port", str(web_server.port))
    assert ended.code == 1
    assert ended.message.startswith(f"port {web_server.port} on 127.0.0.1 is in use; choose another with --port")
    assert not (data_dir / "archive").exists()


def test_an_address_that_is_not_ours_to_listen_on_is_reported(webstrata: CommandLine) -> None:
    ended = webstrata("serve", "--host", "203.0.113.1", "--port", str(free_port()))
    assert ended.code == 1
    assert ended.message.startswith("cannot listen on 203.0.113.1")


def test_a_real_process_fails_without_a_traceback_too(program: Program, web_server: WebServer) -> None:
    program = replace(program, settings={**program.settings, "WEBSTRATA_LOG_LEVEL": "ERROR"})
    web_server.answers["/"] = Answer(b"no", status=403)
    refused = program.run("archive", web_server.url())
    assert (refused.returncode, refused.stdout) == (1, "")
    # On a slow machine, lines of progress come before it.
    printed = [line for line in refused.stderr.splitlines() if not line.startswith("archiving ")]
    assert printed == [f"webstrata: {web_server.url()}: the server answered 403 Forbidden"]
    unknown = program.run("frobnicate")
    assert (unknown.returncode, unknown.stderr.count("\n")) == (2, 1)


def test_a_reader_that_leaves_early_is_no_reason_for_a_traceback(program: Program, web_server: WebServer) -> None:
    web_server.answers["/"] = page("Home")
    assert program.run("archive", web_server.url()).returncode == 0
    shell = replace(program, command=("sh", "-c", f'"{program.command[0]}" -m webstrata "$@" | true', "sh"))
    ended = shell.run("show-job", "--id", "1", "--json")
    assert "Traceback" not in ended.stderr
    assert "Exception ignored" not in ended.stderr


def test_a_job_that_needs_a_missing_browser_is_refused_before_it_exists(tmp_path: Path) -> None:
    script = tmp_path / "without_browser.py"
    script.write_text(
        "import webstrata.fetch.browser.programs as programs\n"
        "programs.find_spec = lambda _name: None\n"
        "from webstrata.cli.main import main\n"
        "main()\n"
    )
    program = Program(tmp_path / "data", command=(sys.executable, str(script)))
    refused = program.run("archive", "http://127.0.0.1:9/", "--fetcher", "browser")
    assert refused.returncode != 0
    assert "pip install 'webstrata[browser]'" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert json.loads(program.run("list-jobs", "--json").stdout) == []
