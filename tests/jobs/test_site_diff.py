"""Two crawls of a site of two hundred pages, compared: what was edited, added, removed, moved and unlinked."""

import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from html import escape
from threading import Event, Thread

import pytest
from sqlalchemy import delete, func, select
from starlette.testclient import TestClient

from tests.jobs.test_lifecycle import queue
from tests.notifications.conftest import Deliver, deliver, receiver
from tests.notifications.receiver import Receiver
from tests.support.waiting import wait_until
from tests.support.web_server import Answer, WebServer
from tests.web.conftest import Page, make_app
from webstrata.changes.site.choosing import RunChoice
from webstrata.changes.site.comparing import SiteComparison
from webstrata.changes.site.reporting import SiteReporting
from webstrata.changes.stage import ChangeTracking
from webstrata.db.schema.notification_tables import OutboxMessage
from webstrata.db.schema.watching_tables import SiteComparisonRow, SiteEventRow
from webstrata.db.sources import sources
from webstrata.db.watching.site_diff import CrawlDefaults
from webstrata.errors import UsageError
from webstrata.index.version import INDEX_VERSION
from webstrata.jobs.running.lifecycle import Runner
from webstrata.model.jobs.job import JobStatus
from webstrata.model.watching.site_diff import MoveEvidence, SiteDiff
from webstrata.model.watching.site_diff_json import site_diff_json
from webstrata.notifications.subscribing import subscribe
from webstrata.site import create_site

__all__ = ["deliver", "receiver"]

DEFAULTS = CrawlDefaults(max_depth=20, max_pages=10_000)
PAGES, FEW = 200, 60
MENU = ("Home", "Topics", "News", "About us", "Contact")
NEW_MENU = ("Home", "Topics", "Recalls", "News", "About us", "Contact us")
REMOVED, MOVED, NEW_PLACE, UNLINKED = "/page/150", "/page/160", "/moved/160", "/page/170"
EDITED = {"/list/0", "/page/20", "/page/30"}
ADDED = {"/page/500", "/page/501"}


def page(title: str, content: str, menu: tuple[str, ...]) -> Answer:
    items = "".join(f"<li><a href=/page/{place}>{item}</a></li>" for place, item in enumerate(menu))
    html = (
        f"<!doctype html><html lang=en><title>{title}</title><div class=top><ul>{items}</ul></div>"
        f"<main><h1>{title}</h1>{content}</main><div class=end><p>A site of the agency of medicines.</p></div>"
    )
    return Answer(html.encode())


def article(number: int) -> str:
    return (
        f"<p>Medicine {number} lowers a fever of kind {number * 7}, see report {number * 31 + 5}.</p>"
        "<p>Give 160 mg every 4 hours.</p><p>Warning: never give it to a child under two.</p>"
        f"<p>Box {number} has {number + 3} tablets of series {number * 13}.</p>"
    )


def site(numbers: Mapping[str, int], listed: list[str], menu: tuple[str, ...]) -> dict[str, Answer]:
    """Return a site: a home page, a list of all pages, the pages, and a sitemap that names all of them."""
    links = "".join(f"<li><a href={path}>Medicine {numbers[path]}</a></li>" for path in listed)
    pages = {
        "/": page("Medicines", "<p>All about medicines: <a href=/list/0>the list of all of them</a>.</p>", menu),
        "/list/0": page("The list of medicines", f"<p>Of this year.</p><ul>{links}</ul>", menu),
    }
    return pages | {path: page(f"Medicine {number}", article(number), menu) for path, number in numbers.items()}


def first_edition(count: int = PAGES) -> dict[str, Answer]:
    paths = {f"/page/{number}": number for number in range(count - 2)}
    return site(paths, [*paths], MENU)


def second_edition() -> dict[str, Answer]:
    """Return the site with a new menu, three edits, two new pages, one removed, one moved and one unlinked."""
    paths = {f"/page/{number}": number for number in range(PAGES - 2) if f"/page/{number}" not in (REMOVED, MOVED)}
    paths |= {NEW_PLACE: 160, **{path: int(path.rpartition("/")[2]) for path in ADDED}}
    pages = site(paths, [path for path in paths if path != UNLINKED], NEW_MENU)
    for path, before, after in (("/page/20", b"160 mg", b"80 mg"), ("/page/30", b"<p>Warning: never", b"<p>Never")):
        assert pages[path].body.count(before) == 1
        pages[path] = Answer(pages[path].body.replace(before, after))
    return pages


def serve(web_server: WebServer, pages: Mapping[str, Answer]) -> None:
    web_server.answers.clear()
    urls = "".join(f"<url><loc>{web_server.url(path)}</loc></url>" for path in pages)
    web_server.answers |= {
        **pages,
        "/robots.txt": Answer(f"Sitemap: {web_server.url('/sitemap.xml')}\n".encode(), headers=()),
        "/sitemap.xml": Answer(f"<urlset>{urls}</urlset>".encode(), headers=(("Content-Type", "text/xml"),)),
    }


def compare(runner: Runner, older: RunChoice = None, newer: RunChoice = None) -> SiteDiff:
    with runner.database.read() as session:
        (code,) = sources.known_codes(session)
    return SiteComparison(runner.database, runner.archive_root, DEFAULTS).compare(code, older, newer)


def path_of(page_name: str) -> str:
    return re.sub(r"^https?://[^/]+", "", page_name) or "/"


def test_two_crawls_of_a_site_show_exactly_what_was_done_to_it(
    runner: Runner, web_server: WebServer, receiver: Receiver, deliver: Deliver
) -> None:
    serve(web_server, first_edition())
    first = runner.run(queue(runner, web_server))
    subscribe(runner.database, f"{receiver.origin}/hook", source_id=1, min_significance=0.0)
    subscribe(runner.database, f"{receiver.origin}/each", source_id=1, min_significance=0.0, digest=False)
    serve(web_server, second_edition())
    second = runner.run(queue(runner, web_server))

    diff = compare(runner)

    assert (diff.older.job_id, diff.newer.job_id) == (first.job_id, second.job_id)
    assert diff.why_nothing_removed is None
    assert {path_of(one.page) for one in diff.added} == ADDED
    assert [path_of(one.page.page) for one in diff.removed] == [REMOVED]
    assert [(path_of(one.old.page), path_of(one.new.page)) for one in diff.moved] == [(MOVED, NEW_PLACE)]
    assert [path_of(one.page) for one in diff.unlinked] == [UNLINKED]
    assert {path_of(one.page.page) for one in diff.changed} == EDITED
    assert [one.significance for one in diff.changed] == sorted(
        (one.significance for one in diff.changed), reverse=True
    )
    (template,) = diff.templates
    assert (set(template.added_lines), set(template.removed_lines)) == ({"recalls", "contact us"}, {"contact"})
    counts = {"added": 2, "removed": 1, "moved": 1, "unlinked": 1, "changed": 3}
    assert diff.counts == {**counts, "restored": 0, "unavailable": 0, "not_seen": 0}
    assert_shown(runner, diff)
    assert_printed(runner, diff)
    assert_in_feeds(runner, diff)
    assert_in_digest(receiver, deliver, diff)
    assert_reported_once(runner, receiver, deliver)


def assert_printed(runner: Runner, diff: SiteDiff) -> None:
    """Assert that `webstrata site-diff --json` prints a diff."""
    url = runner.database.url.render_as_string(hide_password=False)
    printed = subprocess.run(
        [sys.executable, "-m", "webstrata", "site-diff", diff.source, "--json"],
        env={
            **os.environ,
            "WEBSTRATA_DATABASE_URL": url,
            "WEBSTRATA_ARCHIVE_ROOT": str(runner.archive_root),
            "WEBSTRATA_DATA_DIR": str(runner.archive_root.parent),
        },
        capture_output=True,
        check=True,
    )
    assert json.loads(printed.stdout) == site_diff_json(diff)


def assert_in_feeds(runner: Runner, diff: SiteDiff) -> None:
    """Assert that the feeds of the source have what the second run found, and nothing else of it."""
    client = TestClient(create_site(make_app(runner.database, runner.archive_root.parent)))
    address = "/api/changes/{}?source=" + diff.source
    items = client.get(address.format("feed.json")).json()["items"]
    of_run = [one for one in items if datetime.fromisoformat(one["date_published"]) > diff.older.last_capture]
    words = Counter(one["title"].partition(":")[0] for one in of_run)
    assert words == {"Changed": 3, "New page": 2, "Removed": 1, "Moved": 1, "Unlinked": 1, "Template changed": 1}
    (moved,) = (one for one in of_run if one["title"].startswith("Moved"))
    assert (MOVED in moved["content_text"], NEW_PLACE in moved["content_text"]) == (True, True)
    for format_ in ("rss", "atom"):
        text = client.get(address.format(format_)).text
        assert all(escape(one["id"]) in text for one in of_run)


def assert_in_digest(receiver: Receiver, deliver: Deliver, diff: SiteDiff) -> None:
    """Assert that a subscriber gets what a diff reports in one message, each fact with an id of its own."""
    deliver().deliver_due()
    (digest,) = receiver.accepted("/hook")
    data = digest.json["data"]
    kinds = {"updated": 3, "new_page": 2, "removed": 1, "moved": 1, "unlinked": 1, "template": 1}
    assert (data["jobId"], data["byType"], data["total"]) == (diff.newer.job_id, kinds, 9)
    pages: dict[str, set[str]] = {}
    for change in data["changes"]:
        pages.setdefault(change["changeType"], set()).add(path_of(change["page"]))
    assert (pages["updated"], pages["new_page"]) == (EDITED, ADDED)
    assert (pages["removed"], pages["moved"], pages["unlinked"]) == ({REMOVED}, {MOVED}, {UNLINKED})
    (moved,) = (one for one in data["changes"] if one["changeType"] == "moved")
    assert path_of(moved["newPage"]) == NEW_PLACE
    runs = f"{diff.older.job_id}-{diff.newer.job_id}"
    assert moved["eventId"].startswith(f"moved-{runs}-")
    assert moved["compareUrl"].endswith(f"/sources/{diff.source}/diff?from={diff.older.job_id}&to={diff.newer.job_id}")
    assert len({one["eventId"] for one in data["changes"]}) == 9
    one_by_one = [message.json for message in receiver.accepted("/each")]
    assert Counter(one["data"]["changeType"] for one in one_by_one) == kinds
    assert {one["id"] for one in one_by_one} == {one["eventId"] for one in data["changes"]}


def assert_reported_once(runner: Runner, receiver: Receiver, deliver: Deliver) -> None:
    """Assert that computing and indexing again notifies no one, also after the database lost what it had sent."""
    with runner.database.write() as session:
        for table in (OutboxMessage, SiteEventRow, SiteComparisonRow):
            session.execute(delete(table))
    reporting = SiteReporting(runner.database, runner.archive_root, DEFAULTS)
    ChangeTracking(runner.database, runner.archive_root, INDEX_VERSION, site_reporting=reporting).compute(1)
    with runner.database.read() as session:
        assert session.scalar(select(func.count()).select_from(SiteEventRow)) == 4
    deliver().deliver_due()
    assert len(receiver.received) == 1 + 9


def assert_shown(runner: Runner, diff: SiteDiff) -> None:
    """Assert that the API and the page show a diff."""
    client = TestClient(create_site(make_app(runner.database, runner.archive_root.parent)))
    assert client.get(f"/api/sources/{diff.source}/site-diff?from={diff.older.job_id}").json() == site_diff_json(diff)
    shown = Page(client.get(f"/sources/{diff.source}/diff"))
    heads = [head.split() for head in shown.texts(".day h2")]
    names = (("Changed", 3), ("Template", 201), ("Added", 2), ("Removed", 1), ("Moved", 1), ("Unlinked", 1))
    assert [(head[0], int(head[-2])) for head in heads] == list(names)
    for snapshot in (diff.removed[0].page, diff.moved[0].new, diff.unlinked[0], *diff.added):
        assert f'href="/snapshot/{snapshot.snapshot_id}"' in shown.html
    assert client.get(f"/api/sources/{diff.source}/site-diff?from=yesterday").status_code == 422
    assert client.get(f"/sources/{diff.source}/diff?from=2001-01-01").status_code == 422


def test_a_redirect_is_a_move_and_one_to_the_home_page_a_removal(runner: Runner, web_server: WebServer) -> None:
    pages = first_edition(FEW)
    serve(web_server, pages)
    runner.run(queue(runner, web_server))
    for path, target in (("/page/40", "/page/700"), ("/page/41", "/")):
        pages[path] = Answer(status=301, headers=(("Location", target),))
    pages["/page/700"] = page(
        "Medicine 40, new edition", "<p>Everything about it was written anew this year.</p>", MENU
    )
    pages["/page/42"] = Answer(b"<title>Sorry</title>Internal error", status=500)
    serve(web_server, pages)
    runner.run(queue(runner, web_server))

    diff = compare(runner)
    assert [(path_of(one.old.page), path_of(one.new.page), one.evidence) for one in diff.moved] == [
        ("/page/40", "/page/700", MoveEvidence.REDIRECT)
    ]
    ((removed, reason),) = [(path_of(one.page.page), one.reason) for one in diff.removed]
    assert (removed, reason.partition(",")[0]) == ("/page/41", "it leads to the home page")
    (unavailable,) = diff.unavailable
    assert (path_of(unavailable.page.page), unavailable.reason.split()[-4]) == ("/page/42", "500")
    assert diff.added == ()


def interrupt(web_server: WebServer, before: int) -> None:
    asked = re.compile(r"/page/[2-9][0-9]")
    wait_until(lambda: any(map(asked.match, web_server.paths()[before:])), "half of the second crawl is done")
    os.kill(os.getpid(), signal.SIGINT)


def test_runs_that_are_not_complete_report_nothing_as_removed(runner: Runner, web_server: WebServer) -> None:
    serve(web_server, first_edition(FEW))
    first = runner.run(queue(runner, web_server)).job_id
    held, pages = Event(), first_edition(FEW)
    del pages["/page/40"]
    serve(web_server, pages)
    web_server.answers |= {f"/page/{number}": Answer(waits_for=held) for number in range(20, FEW)}
    job_id = queue(runner, web_server, concurrency=1)
    interrupting = Thread(target=interrupt, args=(web_server, len(web_server.paths())))
    interrupting.start()
    stopped = runner.run(job_id)
    interrupting.join()
    held.set()
    serve(web_server, pages)
    assert stopped.status is JobStatus.STOPPED
    limited = runner.run(queue(runner, web_server, max_pages=20)).job_id
    single = runner.run(queue(runner, web_server, max_depth=0, use_sitemaps=False)).job_id
    reasons = {
        stopped.job_id: f"job {stopped.job_id} was stopped",
        limited: f"job {limited} reached a limit with",
        single: f"job {single} captured single pages",
    }
    for job_id, reason in reasons.items():
        diff = compare(runner, first, job_id)
        assert (diff.removed, diff.unlinked) == ((), ()), job_id
        assert (diff.why_nothing_removed or "").startswith(reason)
        assert diff.counts["not_seen"] > FEW / 2
    with pytest.raises(UsageError, match=r"no run of .* before"):
        compare(runner, single, first)


def serve_plain(web_server: WebServer, numbers: Mapping[str, int], listed: list[str]) -> None:
    """Serve a site without a sitemap: only its list leads to its pages."""
    web_server.answers.clear()
    web_server.answers |= site(numbers, listed, ())


def test_pages_that_nothing_leads_to_any_more_are_requested_before_they_count_as_removed(
    runner: Runner, web_server: WebServer
) -> None:
    paths = {f"/page/{number}": number for number in range(FEW)}
    serve_plain(web_server, paths, [*paths])
    first = runner.run(queue(runner, web_server)).job_id
    left = {path: number for path, number in paths.items() if path not in ("/page/40", "/page/41")}
    left["/moved/41"] = 41
    serve_plain(web_server, left, [path for path in left if path != "/page/42"])
    before = len(web_server.paths())
    second = runner.run(queue(runner, web_server))
    asked = web_server.paths()[before:]
    assert asked.count("/page/40") == asked.count("/page/42") == 1
    assert second.reason is None

    diff = compare(runner)
    assert diff.why_nothing_removed is None
    assert [(path_of(one.page.page), one.reason) for one in diff.removed] == [("/page/40", "status 404")]
    assert [path_of(one.page) for one in diff.unlinked] == ["/page/42"]
    assert [(path_of(one.old.page), path_of(one.new.page)) for one in diff.moved] == [("/page/41", "/moved/41")]
    assert diff.counts["not_seen"] == diff.counts["added"] == 0

    unasked = runner.run(queue(runner, web_server, recheck_known_pages=False)).job_id
    diff = compare(runner, first, unasked)
    assert (diff.counts["removed"], diff.counts["unlinked"], diff.counts["not_seen"]) == (0, 0, 2)
    assert diff.why_nothing_removed == "2 pages of the older run were not requested"


def test_when_most_pages_are_missing_they_are_not_requested_and_not_removed(
    runner: Runner, web_server: WebServer
) -> None:
    paths = {f"/page/{number}": number for number in range(FEW)}
    serve_plain(web_server, paths, [*paths])
    runner.run(queue(runner, web_server))
    serve_plain(web_server, paths, ["/page/1"])
    before = len(web_server.paths())
    runner.run(queue(runner, web_server))
    assert len(web_server.paths()[before:]) < 10
    diff = compare(runner)
    assert (diff.counts["removed"], diff.counts["not_seen"]) == (0, FEW - 1)
    assert (diff.why_nothing_removed or "").endswith("look like an outage")


def test_known_pages_do_not_make_a_complete_run_reach_its_page_limit(runner: Runner, web_server: WebServer) -> None:
    paths = {f"/page/{number}": number for number in range(20)}
    serve_plain(web_server, paths, [*paths])
    runner.run(queue(runner, web_server, max_pages=25))
    serve_plain(
        web_server,
        paths | {f"/new/{number}": number + 50 for number in range(5)},
        [*[f"/new/{number}" for number in range(5)], *[path for path in paths if path > "/page/12"]],
    )
    ended = runner.run(queue(runner, web_server, max_pages=25))
    assert (ended.reason, ended.captured) == (None, 25)
    assert compare(runner).why_nothing_removed == "2 pages of the older run were not requested"


def sections() -> dict[str, Answer]:
    """Return a site of two sections, whose pages share a line with those of their section."""
    pages = {"/": page("Home", "<p>Sections: <a href=/a/>A</a></p><p><a href=/b/>B</a></p>", MENU)}
    for name in "ab":
        paths = {f"/{name}/{number}": number for number in range(14)}
        links = "".join(f"<li><a href={path}>Medicine {number}</a></li>" for path, number in paths.items())
        pages[f"/{name}/"] = page(f"Section {name}", f"<p>Of section {name}.</p><ul>{links}</ul>", MENU)
        for path, number in paths.items():
            pages[path] = page(f"Medicine {number}", f"<p>You are in section {name}.</p>{article(number)}", MENU)
    return pages


def test_a_failed_list_unlinks_nothing_and_a_part_of_a_site_has_no_other_template(
    runner: Runner, web_server: WebServer
) -> None:
    serve_pages = sections()
    web_server.answers |= serve_pages
    first = runner.run(queue(runner, web_server)).job_id
    web_server.answers["/b/"] = Answer(b"<title>Sorry</title>Internal error", status=500)
    failing = runner.run(queue(runner, web_server)).job_id
    web_server.answers["/b/"] = serve_pages["/b/"]
    limited = runner.run(queue(runner, web_server, max_pages=16)).job_id

    diff = compare(runner, first, failing)
    assert diff.why_nothing_removed is None
    assert {name: count for name, count in diff.counts.items() if count} == {"unavailable": 1}
    diff = compare(runner, first, limited)
    assert {name for name, count in diff.counts.items() if count} == {"not_seen"}
    assert diff.templates == ()
