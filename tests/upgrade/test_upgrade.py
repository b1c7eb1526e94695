"""An archive of an older version is upgraded: nothing in it is lost, renumbered or found elsewhere than before.

The archive was crawled and indexed by the version with schema 0010: 37 snapshots in five jobs of four sources, with
revisits, a redirect, a 404, a PDF, pages in French, a stopped job, an imported WARC file, schedules and a report.

- `make_archive.py` makes its files, from `site.py`, `records.json`, `assets.json` and `files/`.
- `sqlite.sql` and `postgresql.sql` are its database: schema and rows as `.dump` and `pg_dump --inserts` write them, and
  the words of SQLite's full-text index as INSERTs. `@DATA@` is the placeholder for the data folder.
- `expected.json` is what that version showed of it. A search that expects only a URL leaves the choice of the capture
  to the ranking.

None of these may change. They came from real crawls of `site.py`, served on loopback, on shifted clocks. The tests use
commands, API and files alone, so that they need not follow when anything inside is renamed.
"""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from tests.upgrade import observing
from tests.upgrade.make_archive import HERE, make_archive, with_folder
from tests.upgrade.observing import ObservedArchive

EXPECTED: dict[str, Any] = json.loads((HERE / "expected.json").read_text(encoding="utf-8"))


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """The data folder of the older archive, without its database."""
    data = tmp_path / "data"
    make_archive(data)
    return data


@pytest.fixture
def upgraded(files: Path, empty_database_url: str) -> ObservedArchive:
    """The older archive after `webstrata db upgrade`."""
    _load(empty_database_url, files)
    archive = ObservedArchive(files, empty_database_url)
    archive.run("db", "upgrade")
    # Its audit log is older than the default policy: an administrator who wants to keep it sets a policy first.
    archive.run("retention", "set", "audit_log", "36500")
    return archive


def test_the_archive_is_made_as_it_was_written(files: Path) -> None:
    assert observing.warc_digests(files) == EXPECTED["warcs"]
    assert observing.asset_digests(files) == set(EXPECTED["assets"])


def test_an_older_archive_is_the_same_right_after_its_upgrade(upgraded: ObservedArchive) -> None:
    _check_all(upgraded)


def test_an_older_archive_is_the_same_after_its_jobs_are_indexed_again(upgraded: ObservedArchive) -> None:
    for job_id, *_ in EXPECTED["jobs"]:
        upgraded.run("index-job", "--id", str(job_id), "--again")
    _check_all(upgraded)


def test_a_lost_database_is_made_again_from_an_older_archives_files(files: Path, empty_database_url: str) -> None:
    archive = ObservedArchive(files, empty_database_url)
    archive.run("db", "upgrade")
    archive.run("rebuild")
    with archive.served() as client:
        _check_snapshots(client)
        _check_pages(client)
        _check_searches(client)
    assert observing.jobs(archive) == EXPECTED["jobs"]
    assert observing.asset_bytes(archive) == EXPECTED["totals"]["assetBytes"]
    assert _without_next_runs(observing.sources(archive)) == _without_next_runs(EXPECTED["sources"])
    _check_files(files)


def _check_all(archive: ObservedArchive) -> None:
    with archive.served() as client:
        _check_snapshots(client)
        _check_pages(client)
        _check_searches(client)
        assert observing.report(client, 1) == EXPECTED["report"]
    assert observing.sources(archive) == EXPECTED["sources"]
    assert observing.jobs(archive) == EXPECTED["jobs"]
    recorded = observing.audit_log(archive)
    assert recorded[: len(EXPECTED["audit_log"])] == EXPECTED["audit_log"]
    assert observing.asset_bytes(archive) == EXPECTED["totals"]["assetBytes"]
    _check_files(archive.data)


def _check_snapshots(client: httpx.Client) -> None:
    """Every id leads to the same capture, shown as the bytes that the site sent; and there are no others."""
    for expected in EXPECTED["snapshots"]:
        described = {name: value for name, value in expected.items() if name != "payload_of"}
        assert observing.snapshot_of(client, expected["id"]) == described
        archived = observing.archived_body(expected["payload_of"], expected["url"])
        assert observing.shows(client, expected["id"], archived), expected
    assert EXPECTED["totals"].items() >= observing.totals(client).items()


def _check_pages(client: httpx.Client) -> None:
    """Captures belong to the same pages and jobs."""
    found = {source: observing.editions(client, source) for source in EXPECTED["editions"]}
    assert found == EXPECTED["editions"]
    assert {of: observing.timeline(client, int(of)) for of in EXPECTED["timelines"]} == EXPECTED["timelines"]
    assert {of: observing.latest(client, int(of)) for of in EXPECTED["latest"]} == EXPECTED["latest"]


def _check_searches(client: httpx.Client) -> None:
    """The first hit of each search is the same."""
    for expected in EXPECTED["searches"]:
        found = observing.first_hit(client, expected["search"])
        wanted = {name: value for name, value in expected.items() if name != "search"}
        assert {name: found.get(name) for name in wanted} == wanted, expected["search"]


def _check_files(data: Path) -> None:
    """No WARC file and no asset has changed, and every id that was promised still is."""
    assert observing.warc_digests(data) == EXPECTED["warcs"]
    assert observing.asset_digests(data) >= set(EXPECTED["assets"])
    journals = observing.journals(data)
    for path, promised in observing.journals(HERE / "files").items():
        assert journals[path].startswith(promised), path


def _without_next_runs(sources: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return sources without the time of their next run, which may be an older one after a rebuild."""
    return [{name: value for name, value in source.items() if name != "next_run_at"} for source in sources]


def _load(database_url: str, data: Path) -> None:
    """Fill an empty database with the dump for its kind."""
    if database_url.startswith("sqlite:///"):
        with closing(sqlite3.connect(database_url.removeprefix("sqlite:///"))) as sqlite:
            sqlite.executescript(_dump("sqlite.sql", data))
        return
    with psycopg.connect(database_url, autocommit=True) as postgresql:
        postgresql.execute(_dump("postgresql.sql", data).encode())


def _dump(name: str, data: Path) -> str:
    return with_folder((HERE / name).read_text(encoding="utf-8"), data)
