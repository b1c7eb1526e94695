"""Sources as people add, edit and remove them."""

from pathlib import Path

import pytest

from tests.jobs.rows import set_row
from tests.support.fetched import fetched, write_warc
from tests.support.shelf import Shelf
from webstrata.db.engine import Database
from webstrata.db.sources import sources
from webstrata.errors import ConflictError, UsageError
from webstrata.jobs.folders.manifest import read_manifests
from webstrata.jobs.folders.registering import register_job_dir
from webstrata.jobs.running.queueing import queue_archive, queue_tool_job
from webstrata.jobs.sources.registry import make_job
from webstrata.jobs.sources.source_commands import AddedSource, EditedSource, SourceCommands, SourceRequest
from webstrata.model.jobs.job import JobStatus
from webstrata.model.jobs.registry import SourceView

SITE = "https://example.org/"


@pytest.fixture
def orders(database: Database, root: Path) -> SourceCommands:
    return SourceCommands(database, root)


def view(database: Database, code: str) -> SourceView:
    with database.read() as session:
        return sources.source_view(session, code)


def codes(database: Database) -> list[str]:
    with database.read() as session:
        return sources.known_codes(session)


@pytest.mark.parametrize("code", ["", "mine", "example-org"])
def test_adding_the_address_of_an_archived_site_schedules_its_source(
    database: Database, root: Path, orders: SourceCommands, code: str
) -> None:
    queue_archive(database, root, (SITE,), crawl={"max_pages": 3})
    wanted = SourceRequest(("http://www.example.org",), code, "The site", schedule="7d", options={"max_depth": 2})
    assert orders.add(wanted) == AddedSource("example-org", is_new=False)
    assert codes(database) == ["example-org"]
    seen = view(database, "example-org")
    assert (seen.name, seen.schedule, seen.base_url) == ("The site", "7d", SITE)
    assert seen.job_config
    assert seen.job_config["crawl"] == {"max_pages": 3, "max_depth": 2}


def test_adding_an_address_again_takes_nothing_away(database: Database, orders: SourceCommands) -> None:
    orders.add(SourceRequest((SITE,), "first", "Its name", "What it is.", "7d"))
    before = view(database, "first")
    assert orders.add(SourceRequest((SITE,), "second")) == AddedSource("first", is_new=False)
    assert view(database, "first") == before
    with pytest.raises(ConflictError, match="there is a source first already"):
        orders.add(SourceRequest((SITE,), "first", schedule="1d"))


def test_another_path_is_another_source_which_names_those_on_its_domain(
    database: Database, orders: SourceCommands
) -> None:
    orders.add(SourceRequest((SITE,), "all"))
    added = orders.add(SourceRequest((f"{SITE}news/",), "news"))
    assert added == AddedSource("news", is_new=True, overlaps=("all",))
    assert orders.add(SourceRequest((SITE, f"{SITE}shop/"), "both")).overlaps == ("all", "news")
    assert orders.add(SourceRequest(("https://other.example/",), "other")).overlaps == ()


def test_an_edit_changes_what_is_given_and_nothing_else(database: Database, orders: SourceCommands) -> None:
    orders.add(SourceRequest((SITE,), "site", "Site", schedule="7d", options={"max_pages": 3, "initial_workers": 2}))
    orders.edit("site", EditedSource(options={"max_depth": 1}, unset=("max_pages", "initial_workers"), schedule="none"))
    seen = view(database, "site")
    assert (seen.name, seen.schedule, seen.next_run_at) == ("Site", None, None)
    assert seen.job_config
    assert (seen.job_config["crawl"], seen.job_config["default_tool_options"]) == ({"max_depth": 1}, {})
    orders.edit("site", EditedSource(base_url="www.example.org", page_parameters=("id",)))
    assert (view(database, "site").base_url, view(database, "site").page_parameters) == (
        "https://www.example.org/",
        ("id",),
    )


def test_an_edit_that_fails_in_one_part_changes_no_other(database: Database, orders: SourceCommands) -> None:
    orders.add(SourceRequest((SITE,), "site", "Site"))
    before = view(database, "site")
    for wrong in (EditedSource(name="New", schedule="often"), EditedSource(name="New", page_parameters=("a b",))):
        with pytest.raises(UsageError):
            orders.edit("site", wrong)
    assert view(database, "site") == before


def test_a_source_whose_jobs_brought_nothing_is_removed_with_them(
    database: Database, root: Path, orders: SourceCommands
) -> None:
    failed = queue_archive(database, root, (SITE,))
    set_row(database, failed, status=JobStatus.FAILED)
    make_job(database, root, "example-org")
    chosen = root / "chosen"
    queue_tool_job(database, root, name="tool", urls=(SITE,), output_dir=chosen)
    (chosen / "notes.txt").write_text("not ours")
    orders.add(SourceRequest(("https://other.example/",), "other"))
    orders.remove("example-org")
    assert codes(database) == ["other"]
    assert not (root / "example-org").exists()
    assert [path.name for path in chosen.iterdir()] == ["notes.txt"]
    written = read_manifests(root)
    assert written.jobs == [], "a rebuild does not bring back what was removed"
    assert [source["code"] for source in written.sources] == ["other"]


def test_a_source_with_captures_cannot_be_removed(database: Database, orders: SourceCommands) -> None:
    shelf = Shelf(database)
    shelf.page(shelf.job("kept"), SITE, "2026-01-01", "leek soup")
    with pytest.raises(ConflictError, match="kept has snapshots: it can only be disabled") as refused:
        orders.remove("kept")
    assert refused.value.command == "webstrata sources disable kept"
    assert codes(database) == ["kept"]


def test_warc_files_that_were_not_indexed_yet_are_captures_too(
    database: Database, root: Path, orders: SourceCommands, tmp_path: Path
) -> None:
    orders.add(SourceRequest((SITE,), "site"))
    folder = tmp_path / "warcs"
    folder.mkdir()
    write_warc(folder / "a.warc.gz", [fetched(SITE, "Hello")])
    register_job_dir(database, root, "site", folder)
    with pytest.raises(ConflictError, match="site has WARC files"):
        orders.remove("site")
    zimit = SourceRequest(("https://z.example/",), "z", options={"engine": "zimit"})
    made = make_job(database, root, orders.add(zimit).code)
    write_warc(Path(made.output_dir) / "warcs" / "a.warc.gz", [fetched(SITE, "Hello")])
    with pytest.raises(ConflictError, match="z has WARC files in "):
        orders.remove("z")
    assert codes(database) == ["site", "z"]


def test_a_source_is_not_removed_from_under_a_job_that_runs(
    database: Database, root: Path, orders: SourceCommands
) -> None:
    job_id = queue_archive(database, root, (SITE,))
    set_row(database, job_id, status=JobStatus.RUNNING)
    with pytest.raises(ConflictError, match="job 1 of example-org is running: stop it first"):
        orders.remove("example-org")
    assert codes(database) == ["example-org"]
