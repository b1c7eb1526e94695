import json
import os
from datetime import datetime
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine
from tests.support.fetched import fetched, write_warc
from tests.support.folders import ARCHIVE, STATE, CrawledFolder
from webstrata.db.engine import Database
from webstrata.db.queue import jobs
from webstrata.model.jobs.job import JobStatus
from webstrata.replay.raw import raw_page


@pytest.fixture
def folder(database: Database, data_dir: Path) -> CrawledFolder:
    root = data_dir / "archive"
    made = CrawledFolder.made(database, root, root / "hc" / "job")
    made.warc(f".tmpa/{ARCHIVE}/one.warc.gz", "https://example.org/a")
    made.state(".tmpa")
    return made


def test_a_folder_is_registered_as_the_manual_says(webstrata: CommandLine, database: Database, tmp_path: Path) -> None:
    with database.write() as session:
        jobs.ensure_source(session, "hc", name="Health", base_url=None)
    write_warc(tmp_path / "disk" / "a.warc.gz", [fetched()])
    command = ("register-job-dir", "--source", "hc", "--output-dir", str(tmp_path / "disk"))
    done = webstrata(*command, "--name", "old disk", "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert (told["job_id"], told["is_new"], told["notes"]) == (1, True, [])
    again = webstrata(*command)
    assert again.code == 1
    assert "is the folder of job 1" in again.message


def test_what_was_registered_and_what_to_do_next_is_reported(
    webstrata: CommandLine, database: Database, data_dir: Path, tmp_path: Path
) -> None:
    with database.write() as session:
        jobs.ensure_source(session, "hc", name="Health", base_url=None)
    write_warc(tmp_path / "disk" / "a.warc.gz", [fetched()])
    (tmp_path / "disk" / "b.warc").touch()
    done = webstrata("register-job-dir", "--source", "hc", "--output-dir", str(tmp_path / "disk"))
    assert done.code == 0
    assert "job 1 is" in done.out
    assert "1 WARC file (" in done.out
    assert "b.warc: an empty file" in done.out
    assert "webstrata index-job 1" in done.out


def test_where_a_file_could_not_be_read_is_shown(webstrata: CommandLine, database: Database, tmp_path: Path) -> None:
    with database.write() as session:
        jobs.ensure_source(session, "hc", name="Health", base_url=None)
    file = tmp_path / "disk" / "a.warc.gz"
    extents = write_warc(file, [fetched(f"https://example.org/{n}") for n in range(3)], requests=False)
    damaged = bytearray(file.read_bytes())
    damaged[extents[1].offset + 30 : extents[1].offset + 90] = bytes(60)
    file.write_bytes(damaged)
    done = webstrata("register-job-dir", "--source", "hc", "--output-dir", str(tmp_path / "disk"), "--index")
    assert "2 snapshots can be searched; problems: 1 (webstrata show-job 1 lists them)" in done.out
    assert f"a.warc.gz: byte {extents[1].offset}: " in webstrata("show-job", "--id", "1").out
    shown = json.loads(webstrata("show-job", "--id", "1", "--json").out)
    assert [problem["offset"] for problem in shown["problems"]] == [extents[1].offset]
    assert datetime.fromisoformat(shown["created_at"]).isoformat() == shown["created_at"]


def test_a_record_that_was_cut_off_at_the_end_of_a_file_is_shown(
    webstrata: CommandLine, database: Database, tmp_path: Path
) -> None:
    with database.write() as session:
        jobs.ensure_source(session, "hc", name="Health", base_url=None)
    file = tmp_path / "disk" / "a.warc.gz"
    extents = write_warc(file, [fetched(f"https://example.org/{n}") for n in range(3)], requests=False)
    file.write_bytes(file.read_bytes()[: extents[2].offset + 100])
    webstrata("register-job-dir", "--source", "hc", "--output-dir", str(tmp_path / "disk"))
    for _ in range(2):
        done = webstrata("index-job", "--id", "1")
        assert "2 snapshots can be searched; problems: 1 (webstrata show-job 1 lists them)" in done.out
    shown = webstrata("show-job", "--id", "1").out
    assert f"a.warc.gz: byte {extents[2].offset}: its last 100 bytes are not a complete record" in shown


@pytest.mark.parametrize("path", ["disk", "disk/a.warc.gz", "data/archive/hc/a.warc.gz"])
def test_what_is_registered_and_indexed_can_be_found_and_shown(
    webstrata: CommandLine, database: Database, data_dir: Path, tmp_path: Path, path: str
) -> None:
    with database.write() as session:
        jobs.ensure_source(session, "hc", name="Health", base_url=None)
    root = data_dir / "archive"
    root.mkdir(parents=True)
    place = tmp_path / path
    file = place if place.suffix else place / "a.warc.gz"
    write_warc(file, [fetched(body="<title>Measles</title><p>Two doses.")])
    done = webstrata("register-job-dir", "--source", "hc", "--output-dir", str(place), "--index", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["job_id"] == 1
    assert [entry.name for entry in file.parent.iterdir()] == ["a.warc.gz"]
    (found,) = json.loads(webstrata("search", "doses", "--json").out)["results"]
    assert found["title"] == "Measles"
    assert raw_page(database, root, found["id"]).content == b"<title>Measles</title><p>Two doses."
    assert (root / ".journals" / "job-1" / "captures.cdxj").is_file()


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("path", ["disk/odd.name", "disk"])
def test_what_is_registered_as_a_warc_counts_as_one_before_and_after_it_is_indexed(
    webstrata: CommandLine, database: Database, data_dir: Path, tmp_path: Path, path: str, whole: bool
) -> None:
    with database.write() as session:
        jobs.ensure_source(session, "hc", name="Health", base_url=None)
    (data_dir / "archive").mkdir(parents=True)
    file = tmp_path / "disk" / "odd.name"
    extents = write_warc(file, [fetched(), fetched("https://example.org/2")], requests=False)
    if not whole:
        os.truncate(file, extents[1].offset + 20)

    def warc_bytes() -> tuple[int, int]:
        (source,) = json.loads(webstrata("storage", "--json").out)["sources"]
        return json.loads(webstrata("show-job", "--id", "1", "--json").out)["warc_bytes_total"], source["warc"]

    size = file.stat().st_size
    assert webstrata("register-job-dir", "--source", "hc", "--output-dir", str(tmp_path / path)).code == 0
    assert warc_bytes() == (size, size)
    assert webstrata("index-job", "--id", "1").code == 0
    assert warc_bytes() == (size, size)
    assert webstrata("storage", "--scan").code == 0
    assert warc_bytes() == (size, size)


@pytest.mark.parametrize(
    ("path", "source", "message"),
    [("gone", "hc", "No such file"), (".", "hc", "no WARC files in"), ("disk", "nobody", "no source 'nobody'")],
)
def test_what_cannot_be_registered_is_reported_in_one_line(
    webstrata: CommandLine, database: Database, tmp_path: Path, path: str, source: str, message: str
) -> None:
    with database.write() as session:
        jobs.ensure_source(session, "hc", name="Health", base_url=None)
    write_warc(tmp_path / "disk" / "a.warc.gz", [fetched()])
    done = webstrata("register-job-dir", "--source", source, "--output-dir", str(tmp_path / path))
    assert done.code == 1
    assert message in done.message


def test_a_dry_run_lists_what_the_next_run_deletes(
    webstrata: CommandLine, folder: CrawledFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBSTRATA_LOG_LEVEL", "INFO")
    would = webstrata("cleanup-job", "--id", "1", "--dry-run")
    assert would.code == 0
    assert f"would delete  {folder.output / '.tmpa'}" in would.out
    assert "including 1 WARC file; would be found but no longer shown: 1 snapshot" in would.out
    assert len(folder.files()) == 2
    done = webstrata("cleanup-job", "--id", "1", "--json")
    told = json.loads(done.out)
    assert (told["mode"], told["dry_run"], told["snapshots_lost"]) == ("temp", False, 1)
    assert [Path(part["path"]).name for part in told["deleted"]] == [".tmpa", STATE]
    assert folder.files() == []
    assert '"event": "cleanup.deleted"' in done.err
    again = webstrata("cleanup-job", "--id", "1")
    assert (again.code, again.out) == (0, "job 1: there is nothing to clean up\n")


@pytest.mark.parametrize("whole_folder", [True, False])
def test_a_job_whose_files_are_gone_is_not_reported_to_be_indexed(
    webstrata: CommandLine, database: Database, tmp_path: Path, whole_folder: bool
) -> None:
    with database.write() as session:
        jobs.ensure_source(session, "hc", name="Health", base_url=None)
    disk = tmp_path / "disk"
    write_warc(disk / "a.warc.gz", [fetched(body="<title>Measles</title><p>Two doses.")])
    webstrata("register-job-dir", "--source", "hc", "--output-dir", str(disk), "--index")
    (disk / "a.warc.gz").unlink()
    if whole_folder:
        disk.rmdir()
    for options in ((), ("--again",), ()):
        ended = webstrata("index-job", "--id", "1", *options)
        assert (ended.code, ended.out) == (1, "")
        said = f"the folder of job 1 is gone: {disk}" if whole_folder else f"{disk / 'a.warc.gz'} is not there"
        assert ended.message == said
        assert json.loads(webstrata("show-job", "--id", "1", "--json").out)["status"] == "index_failed"
    assert "Measles" in webstrata("search", "doses").out


@pytest.mark.parametrize("options", [(), ("--again",)])
def test_a_job_that_was_cleaned_up_is_not_indexed_again_and_stays_as_it_is(
    webstrata: CommandLine, database: Database, data_dir: Path, options: tuple[str, ...]
) -> None:
    with database.write() as session:
        jobs.ensure_source(session, "hc", name="Health", base_url=None)
    output = data_dir / "archive" / "hc" / "job"
    write_warc(output / ".tmpa" / ARCHIVE / "one.warc.gz", [fetched(body="<title>Measles</title><p>Two doses.")])
    webstrata("register-job-dir", "--source", "hc", "--output-dir", str(output), "--index")
    assert webstrata("cleanup-job", "--id", "1").code == 0
    ended = webstrata("index-job", "--id", "1", *options)
    assert ended.code == 1
    assert ended.message == (
        "job 1 cannot be indexed again: cleanup-job deleted its WARC files; its snapshots (1) stay searchable"
    )
    shown = json.loads(webstrata("show-job", "--id", "1", "--json").out)
    assert (shown["status"], shown["status_reason"], shown["problems"]) == ("indexed", None, [])
    write_warc(output / "warcs" / "two.warc.gz", [fetched("https://example.org/new")])
    assert "job 1 is indexed: 2 snapshots" in webstrata("index-job", "--id", "1").out


def test_warc_files_are_kept_when_they_should_be(webstrata: CommandLine, folder: CrawledFolder) -> None:
    done = webstrata("cleanup-job", "--id", "1", "--mode", "temp-nonwarc")
    assert done.code == 0
    assert f"moved  {folder.output}/.tmpa/{ARCHIVE}/one.warc.gz to {folder.output}/warcs/one.warc.gz" in done.out
    assert folder.files() == ["warcs/one.warc.gz"]


def test_refusals_are_one_line_and_change_nothing(
    webstrata: CommandLine, folder: CrawledFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = webstrata("cleanup-job", "--id", "9")
    assert (missing.code, missing.message) == (1, "there is no job 9")
    assert webstrata("cleanup-job", "--id", "1", "--mode", "all").code == 2
    folder.set(status=JobStatus.RUNNING)
    assert "job 1 is running" in webstrata("cleanup-job", "--id", "1", "--force").message
    folder.set(status=JobStatus.INDEX_FAILED)
    monkeypatch.setenv("HEALTHARCHIVE_REPLAY_BASE_URL", "https://replay.example")
    refused = webstrata("cleanup-job", "--id", "1")
    assert refused.code == 1
    assert "--force" in refused.message
    assert len(folder.files()) == 2
    assert webstrata("cleanup-job", "--id", "1", "--force").code == 0
    assert folder.files() == []


def test_an_empty_archive_shows_what_to_do_next(webstrata: CommandLine, data_dir: Path) -> None:
    (data_dir / "archive").mkdir(parents=True)
    done = webstrata("storage")
    assert done.code == 0, done.err
    assert "webstrata archive https://" in done.out


def test_storage_is_shown_by_source_and_kind(webstrata: CommandLine, folder: CrawledFolder) -> None:
    before = webstrata("storage")
    assert "1 job was never measured: webstrata storage --scan" in before.out
    done = webstrata("storage", "--scan", "--json")
    assert done.code == 0
    told = json.loads(done.out)
    size = (folder.output / ".tmpa" / ARCHIVE / "one.warc.gz").stat().st_size
    (source,) = told["sources"]
    assert (source["code"], source["warc"], source["temp"]) == ("hc", size, size)
    assert told["problems"] == []
    assert told["database_bytes"] > 0
    shown = webstrata("storage").out
    assert "hc" in shown
    assert "never" not in shown


def test_too_little_room_is_a_problem_for_scripts_too(
    webstrata: CommandLine, folder: CrawledFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBSTRATA_MIN_FREE_BYTES", str(10**18))
    done = webstrata("storage")
    assert done.code == 1
    assert "problem: only" in done.out


def test_files_of_an_unknown_source_are_refused_with_the_command_that_adds_it(
    webstrata: CommandLine, tmp_path: Path
) -> None:
    write_warc(tmp_path / "a.warc.gz", [fetched()])
    refused = webstrata("register-job-dir", "--source", "New", "--output-dir", str(tmp_path / "a.warc.gz"))
    assert refused.code == 1
    assert "there is no source 'new' (there is none yet); add it: webstrata sources add new https://" in refused.message
    assert webstrata("sources", "add", "new", "https://example.org/").code == 0
    taken = webstrata("register-job-dir", "--source", "New", "--output-dir", str(tmp_path / "a.warc.gz"))
    assert (taken.code, "1 WARC file" in taken.out) == (0, True)
