"""Sources, their schedules and their jobs, as a person at a terminal meets them."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine
from tests.support.shelf import Shelf
from tests.support.web_server import WebServer, page
from webstrata.cli.main import run
from webstrata.db.engine import Database

VPN = "vpn connect --password hunter2"


@pytest.fixture
def lines(plain_webstrata: CommandLine, sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """Command lines on one kind of database: what is said does not depend on it."""
    monkeypatch.setenv("WEBSTRATA_DATABASE_URL", sqlite_url)
    return plain_webstrata


def test_an_empty_list_states_how_to_add_a_source(lines: CommandLine) -> None:
    shown = lines("sources")
    assert shown.code == 0
    assert "No sources yet. Add one: webstrata sources add" in shown.out
    assert "webstrata seed-sources" in shown.out
    assert json.loads(lines("sources", "--json").out) == []


def test_the_baseline_can_be_seeded_twice_and_a_job_be_made_of_it(webstrata: CommandLine, data_dir: Path) -> None:
    assert "added hc, phac, cihr" in webstrata("seed-sources").out
    assert json.loads(webstrata("seed-sources", "--json").out) == {"added": [], "kept": ["hc", "phac", "cihr"]}
    made = webstrata("create-job", "--source", "hc")
    assert made.code == 0
    assert made.out.startswith("job 1 (hc-")
    assert "webstrata worker" in made.out
    again = json.loads(webstrata("create-job", "--source", "hc", "--json").out)
    assert (again["id"], again["source"], again["beside"]) == (2, "hc", [1])
    assert Path(again["output_dir"]).is_relative_to(data_dir / "archive" / "hc")
    assert json.loads((Path(again["output_dir"]) / "job.json").read_text())["job"]["id"] == 2
    (job,) = json.loads(webstrata("list-jobs", "--json", "--limit", "1").out)
    assert job["config"]["seeds"] == ["https://www.canada.ca/en/health-canada.html"]


def test_a_second_job_beside_an_unfinished_one_is_made_and_reported(lines: CommandLine) -> None:
    lines("sources", "add", "site", "example.org")
    lines("sources", "run", "site")
    assert "also unfinished: job 1 of site" in lines("sources", "run", "site").out


def test_a_source_is_added_scheduled_paused_and_removed(lines: CommandLine, data_dir: Path) -> None:
    added = lines("sources", "add", "site", "example.org", "--name", "The site", "--option", "max_pages=5")
    assert (added.code, added.out) == (0, "site is added; it has no schedule\n")
    assert "its next run is due now" in lines("sources", "schedule", "site", "7d").out
    assert "its next run is in " in lines("sources", "schedule", "site", "0 3 1 1 *").out
    (listed,) = json.loads(lines("sources", "--json").out)
    assert (listed["code"], listed["name"], listed["schedule"]) == ("site", "The site", "0 3 1 1 *")
    assert listed["job_config"]["crawl"] == {"max_pages": 5}
    assert "UTC)" in " ".join(lines("sources").out.split())
    assert lines("sources", "pause", "site").code == 0
    assert "paused" in lines("sources").out
    assert "its next run is in " in lines("sources", "resume", "site").out
    assert lines("sources", "schedule", "site", "none").out == "site: it has no schedule\n"
    assert "site is disabled" in lines("sources", "disable", "site").out
    assert lines("create-job", "--source", "site").message == "site is disabled: webstrata sources enable site"
    lines("sources", "enable", "site")
    kept = json.loads((data_dir / "archive" / "sources.json").read_text())
    assert [source["code"] for source in kept["sources"]] == ["site"]
    assert lines("sources", "remove", "site").code == 0
    assert json.loads(lines("sources", "--json").out) == []


def test_one_source_is_shown_with_what_its_jobs_are_made_from(lines: CommandLine) -> None:
    lines("sources", "add", "site", "example.org", "--option", "per_host_delay=2")
    shown = lines("sources", "show", "site")
    assert "https://example.org/" in shown.out
    assert "job_config.crawl.per_host_delay  2.0" in shown.out
    assert json.loads(lines("sources", "show", "site", "--json").out)["job_config"]["name_template"].startswith("site-")
    lines("sources", "run", "site")
    assert re.search(
        r"last_job.created_at  20\d\d-\d\d-\d\d \d\d:\d\d UTC$", lines("sources", "show", "site").out, re.MULTILINE
    )


def test_the_command_of_a_vpn_is_never_shown(lines: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "sources.yaml"
    options = f'{{enable_monitoring: true, enable_vpn_rotation: true, vpn_connect_command: "{VPN}"}}'
    file.write_text(f"site:\n  seeds: [example.org]\n  tool_options: {options}\n")
    assert "added site" in lines("sources", "import", str(file)).out
    lines("create-job", "--source", "site")
    for arguments in (
        ("sources", "--json"),
        ("sources", "show", "site"),
        ("sources", "show", "site", "--json"),
        ("show-job", "--id", "1"),
        ("show-job", "--id", "1", "--json"),
        ("list-jobs", "--json"),
    ):
        ended = lines(*arguments)
        assert ended.code == 0
        assert "hunter2" not in ended.out + ended.err
        assert "site" in ended.out


def test_a_site_that_is_archived_and_then_added_is_one_source(webstrata: CommandLine, web_server: WebServer) -> None:
    web_server.answers["/"] = page("Home", text="marmalade")
    assert "belongs to the source" not in webstrata("archive", web_server.url()).out
    (listed,) = json.loads(webstrata("sources", "--json").out)
    added = webstrata("sources", "add", "mine", web_server.url().rstrip("/"), "--schedule", "7d")
    assert added.code == 0
    assert f"{listed['code']} already has that URL and keeps its code; its next run is in" in added.out
    (after,) = json.loads(webstrata("sources", "--json").out)
    assert (after["code"], after["schedule"]) == (listed["code"], "7d")
    again = webstrata("archive", web_server.url("/index"))
    assert f"belongs to the source {listed['code']}" in again.out
    assert json.loads(webstrata("search", "marmalade", "--json").out)["total"] == 1


def test_sources_that_share_a_domain_are_named(lines: CommandLine) -> None:
    note = "note: phac shares a domain with hc: a page in the scope of both is captured for each"
    assert note in lines("seed-sources").out
    added = lines("sources", "add", "drugs", "canada.ca/en/drugs.html")
    assert added.out.splitlines()[0] == "drugs is added; it has no schedule"
    assert "note: drugs shares a domain with hc, phac" in added.out


def test_overlaps_do_not_disturb_a_script(lines: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "sources.yaml"
    file.write_text("a:\n  seeds: [example.org]\nb:\n  seeds: [example.org/b]\n")
    done = lines("sources", "import", str(file), "--json")
    assert json.loads(done.out) == {"added": ["a", "b"], "kept": []}
    assert "note: b shares a domain with a" in done.err


def test_a_source_is_edited(lines: CommandLine) -> None:
    lines("sources", "add", "site", "example.org", "--option", "max_pages=5", "--option", "max_depth=2")
    given = (
        *("--name", "The site", "--url", "www.example.org", "--seed", "example.org/en", "--seed", "example.org/fr"),
        *("--description", "What it is.", "--schedule", "0 3 1 1 *", "--option", "max_depth=3", "--unset", "max-pages"),
        *("--parameters", "id,lang"),
    )
    edited = json.loads(lines("sources", "edit", "SITE", *given, "--json").out)
    assert (edited["name"], edited["base_url"]) == ("The site", "https://www.example.org/")
    assert (edited["description"], edited["schedule"]) == ("What it is.", "0 3 1 1 *")
    assert edited["page_parameters"] == ["id", "lang"]
    entry = edited["job_config"]
    assert entry["default_seeds"] == ["https://example.org/en", "https://example.org/fr"]
    assert entry["crawl"] == {"max_depth": 3}
    assert lines("sources", "edit", "site", "--schedule", "none").out == "site is changed; it has no schedule\n"


def test_a_mistyped_address_can_be_taken_back(webstrata: CommandLine, data_dir: Path) -> None:
    refused = webstrata("archive", "http://10.1.2.3/")
    assert (refused.code, "is not a public address" in refused.message) == (1, True)
    assert webstrata("sources", "remove", "10-1-2-3").out == "10-1-2-3 is removed\n"
    assert json.loads(webstrata("sources", "--json").out) == json.loads(webstrata("list-jobs", "--json").out) == []
    assert not (data_dir / "archive" / "10-1-2-3").exists()


@pytest.mark.parametrize(
    "command",
    [
        ("create-job", "--source", "SITE"),
        ("sources", "show", "Site"),
        ("sources", "run", "SITE"),
        ("sources", "schedule", "SITE", "7d"),
        ("regroup", "--source", "SITE"),
        ("validate-job-config", "--source", "SITE"),
        ("search", "--source", "SITE", "word"),
        ("list-jobs", "--source", "SITE"),
    ],
    ids=" ".join,
)
def test_a_sources_code_may_be_typed_in_any_case(lines: CommandLine, command: tuple[str, ...]) -> None:
    assert "site is added" in lines("sources", "add", "Site", "example.org").out
    assert lines(*command).code == 0


def test_an_unknown_source_is_not_searched(lines: CommandLine, sqlite_url: str) -> None:
    empty = lines("search", "soup")
    assert (empty.code, empty.out) == (
        0,
        "Nothing is archived yet. Archive a site: webstrata archive https://example.org/\n",
    )
    assert json.loads(lines("search", "soup", "--json").out)["total"] == 0
    shelf = Shelf(Database(sqlite_url))
    shelf.page(shelf.job("site"), "https://example.org/", "2026-01-01", "leek soup")
    shelf.database.dispose()
    assert "1 page found" in lines("search", "soup", "--source", "site").out
    for more in ((), ("--appearances",), ("--json",)):
        refused = lines("search", "soup", "--source", "nope", *more)
        assert (refused.code, "there is no source 'nope' (known are site)" in refused.message) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("create-job", "--source", "nope"), 1, "there is no source 'nope' (known are site)"),
        (("sources", "edit", "site"), 2, "give at least one change"),
        (("sources", "edit", "nope", "--name", "x"), 1, "there is no source 'nope'"),
        (("sources", "edit", "site", "--unset", "max_page"), 2, "unknown option 'max_page'"),
        (("sources", "edit", "site", "--schedule", "often"), 2, "'often' is not a schedule"),
        (("sources", "show", "nope"), 1, "there is no source 'nope'"),
        (("sources", "pause", "site"), 1, "site has no schedule to pause"),
        (("sources", "schedule", "site", "often"), 2, "'often' is not a schedule"),
        (("sources", "schedule", "site", "61 * * * *"), 2, "'61' is not a valid minute"),
        (("sources", "add", "site", "example.org"), 1, "there is a source site already"),
        (("sources", "add", "Site!", "example.org"), 2, "'Site!' is not a source's code"),
        (("sources", "add", "other", "nonsense"), 2, "'nonsense' is not a web address"),
        (("sources", "add", "other"), 2, "Missing argument 'URL...'"),
        (("sources", "import", "nowhere.yaml"), 2, "nowhere.yaml: No such file or directory"),
        (("sources", "parameters", "site", "a b"), 2, "'a b' is not the name of a query parameter"),
        (("create-job", "--source", "site", "--option", "max_page=1"), 2, "unknown option 'max_page'"),
        (("create-job", "--source", "site", "--option", "max_pages=x"), 2, "a job's max_pages cannot be 'x'"),
        (("create-job", "--source", "site", "--option", "enable_vpn_rotation=yes"), 2, "needs enable_monitoring"),
        (("create-job",), 2, "Missing option '--source'"),
        (("regroup", "--source", "nope"), 1, "there is no source 'nope'"),
    ],
)
def test_what_cannot_be_done_is_reported_in_one_line(
    lines: CommandLine, arguments: tuple[str, ...], code: int, said: str
) -> None:
    lines("sources", "add", "site", "example.org")
    ended = lines(*arguments)
    assert ended.code == code
    assert said in ended.message


def test_page_parameters_are_set_and_pages_regrouped_by_them(lines: CommandLine) -> None:
    lines("sources", "add", "site", "example.org")
    assert lines("sources", "parameters", "site", "lang, id").out == "site: pages are identified by id, lang\n"
    (listed,) = json.loads(lines("sources", "--json").out)
    assert listed["page_parameters"] == ["id", "lang"]
    assert lines("sources", "parameters", "site", "none").out == "site: pages are identified by no query parameter\n"
    assert lines("regroup").out == "No source needs to be regrouped.\n"
    report = [{"source": "site", "snapshots": 0, "moved": 0, "relinked": 0}]
    assert json.loads(lines("regroup", "--source", "site", "--dry-run", "--json").out) == report


def test_pages_that_got_other_names_are_moved_on_request(lines: CommandLine, sqlite_url: str) -> None:
    shelf = Shelf(Database(sqlite_url))
    job = shelf.job("site")
    for number in (1, 2):
        shelf.page(job, f"https://example.org/recipe?id={number}", "2026-01-01", "leek soup")
    told = lines("sources", "parameters", "site", "id").out
    assert told == "site: pages are identified by id; now webstrata regroup --source site\n"
    assert "pages must be regrouped: site; webstrata regroup" in lines("sources").out
    assert lines("regroup", "--dry-run").out == "site: 2 of 2 snapshots would move to another page\n"
    assert lines("regroup").out == "site: 2 of 2 snapshots moved to another page\n"
    assert "webstrata regroup" not in lines("sources").out
    shelf.database.dispose()


def test_check_db_reports_the_kind_of_database(webstrata: CommandLine, database_kind: str) -> None:
    told = json.loads(webstrata("check-db", "--json").out)
    assert told["server"].lower().startswith(f"{database_kind} ")
    assert webstrata("check-db").out == (
        f"{told['database']} is ready, at schema version {told['schema']} ({told['server']})\n"
    )


def test_check_env_makes_the_archive_root(lines: CommandLine, data_dir: Path) -> None:
    shown = lines("check-env")
    assert (data_dir / "archive").is_dir()
    assert f"archive root: {data_dir / 'archive'} exists and can be written to" in " ".join(shown.out.split())


def test_check_env_states_when_the_archive_root_cannot_be_made(lines: CommandLine, data_dir: Path) -> None:
    data_dir.mkdir()
    (data_dir / "archive").write_text("a file")
    ended = lines("check-env")
    assert ended.code == 1
    assert str(data_dir / "archive") in ended.message


def test_the_old_name_runs_the_same_program_and_is_the_one_that_is_shown(
    data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["sources", "--help"], "ha-backend") == 0
    assert "Usage: ha-backend sources" in " ".join(capsys.readouterr().out.split())
    assert run(["show-job"], "ha-backend") == 2
    assert capsys.readouterr().err.startswith("ha-backend: give the number of a job")


def test_the_program_is_shown_under_the_name_it_was_called_by(data_dir: Path) -> None:
    called = "import sys; sys.argv = [{!r}, 'nonsense']; from webstrata.cli.main import main; main()"
    for path, name in (("/usr/bin/ha-backend", "ha-backend"), ("/x/__main__.py", "webstrata")):
        ended = subprocess.run([sys.executable, "-c", called.format(path)], capture_output=True, text=True, check=False)
        assert (ended.returncode, ended.stderr.split(":")[0]) == (2, name)
