"""Watches: checked on their schedule, silent about history, narrowed to the parts that count."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from tests.jobs.test_lifecycle import queue
from tests.support.web_server import Answer, WebServer
from webstrata.db.engine import Database
from webstrata.db.queue import jobs
from webstrata.db.sources import sources
from webstrata.db.watching import saved_searches, watches
from webstrata.errors import ConflictError, NotFoundError, UsageError
from webstrata.jobs.running.lifecycle import Runner
from webstrata.jobs.watching.files import WATCHING_FILE, restore_watching
from webstrata.jobs.watching.saved_search_commands import SavedSearchCommands
from webstrata.jobs.watching.schedule import queue_due_watches
from webstrata.jobs.watching.watch_commands import WatchCommands
from webstrata.model.jobs.job import JobStatus
from webstrata.model.watching.watches import Watch, WatchRequest, WatchScope, WatchView, read_ignored

DAY = timedelta(days=1)


def medicine(dose: str, offer: str = "Ten boxes left", link: str = "") -> Answer:
    html = (
        "<!doctype html><html lang=en><title>Medicine</title><main><h1>Medicine</h1>"
        f"<p id=dose>Adults take {dose} every four hours.</p><p class=offer>{offer}</p>{link}"
        "<p>Ask your doctor before you give it to a child.</p></main>"
    )
    return Answer(html.encode())


def orders(runner: Runner) -> WatchCommands:
    return WatchCommands(runner.database, runner.archive_root)


def check_all(runner: Runner, now: datetime) -> list[int]:
    """Queue what is due and run it, as a worker does."""
    queued = queue_due_watches(runner.database, runner.archive_root, now)
    for job_id in queued:
        assert runner.run(job_id).status is JobStatus.INDEXED
    return queued


def view(database: Database, watch: Watch) -> WatchView:
    with database.read() as session:
        (found,) = watches.list_watches(session, watch_id=watch.id)
    return found


def test_a_watch_reports_edits_that_count_and_nothing_from_before(runner: Runner, web_server: WebServer) -> None:
    web_server.answers["/medicine"] = medicine("100 mg")
    runner.run(queue(runner, web_server))
    web_server.answers |= {"/": medicine("1 g", link="<a href=/medicine>It</a>"), "/medicine": medicine("200 mg")}
    url = web_server.url("/medicine")
    plain = orders(runner).add(WatchRequest(url))
    selected = orders(runner).add(WatchRequest(url, select="#dose"))
    ignoring = orders(runner).add(WatchRequest(url, ignore=("#dose", "boxes"), min_significance=0.0))
    now = datetime.now(UTC)

    (first,) = check_all(runner, now)
    with runner.database.read() as session:
        config = jobs.load_job(session, first).config
        assert (config.seeds, config.crawl["max_depth"], config.crawl["max_pages"]) == ((url,), 0, 1)
    assert check_all(runner, now) == []
    assert [view(runner.database, one).changes for one in (plain, selected, ignoring)] == [0, 0, 0]

    web_server.answers["/medicine"] = medicine("400 mg")
    check_all(runner, now + DAY)
    web_server.answers["/medicine"] = medicine("400 mg", "Only three boxes left in the shop, hurry now")
    check_all(runner, now + 2 * DAY)
    web_server.answers["/medicine"] = medicine("400 mg", "Sold out, and never to be had again")
    (last,) = check_all(runner, now + 3 * DAY)

    shown = view(runner.database, plain)
    assert (shown.last_check_status, shown.watch.last_job_id, shown.watch.first_job_id) == ("indexed", last, first)
    assert shown.changes >= 1
    assert view(runner.database, selected).changes == 1
    assert view(runner.database, selected).last_change_summary
    assert view(runner.database, ignoring).changes == 1, "one edit is only of the dose, one only of lines with boxes"


def test_a_watched_folder_reports_new_pages_after_its_first_check(runner: Runner, web_server: WebServer) -> None:
    web_server.answers |= {
        "/news/": medicine("1 g", link="<a href=/news/1>One</a> <a href=/other>Other</a>"),
        "/news/1": medicine("100 mg", "First news of this year"),
        "/other": medicine("2 g"),
    }
    watch = orders(runner).add(WatchRequest(web_server.url("/news/"), scope=WatchScope.FOLDER))
    now = datetime.now(UTC)
    check_all(runner, now)
    assert view(runner.database, watch).changes == 0
    web_server.answers |= {
        "/news/": medicine("1 g", link="<a href=/news/1>One</a> <a href=/other>Other</a> <a href=/news/2>Two</a>"),
        "/news/2": medicine("300 mg", "Second news of this year"),
        "/other": medicine("9 g"),
    }
    check_all(runner, now + DAY)
    with runner.database.read() as session:
        pages = watches.events_of_watch(session, watch.id, 10)
    assert len(pages) == view(runner.database, watch).changes >= 1
    assert "/other" not in {request.path for request in web_server.requests}


def test_watches_of_one_source_share_a_job_and_wait_for_one_under_way(runner: Runner, web_server: WebServer) -> None:
    for number in range(5):
        web_server.answers[f"/{number}"] = medicine(f"{number} g")
        orders(runner).add(WatchRequest(web_server.url(f"/{number}"), every="6h"))
    now = datetime.now(UTC)
    (job_id,) = queue_due_watches(runner.database, runner.archive_root, now)
    assert queue_due_watches(runner.database, runner.archive_root, now + 9 * DAY) == []
    with pytest.raises(ConflictError, match=f"job {job_id} of"):
        orders(runner).check(1)
    assert runner.run(job_id).captured == 5
    orders(runner).set_paused(1, True)
    assert orders(runner).remove(2).id == 2
    with pytest.raises(NotFoundError):
        orders(runner).check(2)
    (again,) = queue_due_watches(runner.database, runner.archive_root, now + DAY)
    with runner.database.read() as session:
        assert len(jobs.load_job(session, again).config.seeds) == 3
        assert sources.source_view(session, "127-0-0-1-" + str(web_server.port)).schedule is None


def test_a_rebuild_brings_watches_and_saved_searches_back(
    runner: Runner, web_server: WebServer, database: Database
) -> None:
    watch = orders(runner).add(WatchRequest(web_server.url("/a"), "2h", select="main", ignore=(".ad",)))
    saved = SavedSearchCommands(database, runner.archive_root).add("Recalls", {"q": "recall", "type": "html"})
    with database.write() as session:
        watches.remove_watch(session, watch.id)
        saved_searches.remove_search(session, saved.id)
    assert restore_watching(database, runner.archive_root) == []
    with database.read() as session:
        assert watches.load_watch(session, watch.id) == watch
        assert saved_searches.load_search(session, "Recalls") == saved
    assert orders(runner).add(WatchRequest(web_server.url("/b"))).id > watch.id
    path = runner.archive_root / WATCHING_FILE
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "watches": [{"id": 0}, *content["watches"]]}))
    assert len(restore_watching(database, runner.archive_root)) == 1
    path.write_bytes(b"\xff{")
    assert len(restore_watching(database, runner.archive_root)) == 1


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (WatchRequest("ftp://example.org/"), "ftp"),
        (WatchRequest("https://example.org/", every="often"), "often"),
        (WatchRequest("https://example.org/", select="p["), "not a CSS selector"),
        (WatchRequest("https://example.org/", ignore=("css:!!",)), "not a CSS selector"),
        (WatchRequest("https://example.org/", min_significance=2), "between 0 and 1"),
        (WatchRequest("https://example.org/", ignore=("a",) * 21), "more than 20"),
    ],
)
def test_what_cannot_be_watched_is_refused(runner: Runner, request_: WatchRequest, words: str) -> None:
    with pytest.raises(UsageError, match=words.replace("[", r"\[")):
        orders(runner).add(request_)
    with runner.database.read() as session:
        assert watches.count_watches(session) == 0


def test_selectors_are_distinguished_from_texts() -> None:
    selectors = (".ad", "#x", "aside", "p > a", "div.ad", "time[datetime]", "css:ad")
    texts = ("Advertisement", "Last updated", "Note: new", "text:aside")
    assert all(read_ignored(one).startswith("css:") for one in selectors)
    assert all(read_ignored(one).startswith("text:") for one in texts)
