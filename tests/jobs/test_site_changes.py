"""Two crawls of a site whose menu changed on every page, while few pages were edited."""

import re

from tests.jobs.test_lifecycle import queue
from tests.support.web_server import Answer, WebServer
from webstrata.db.changes.change_lists import EventFilter, EventView, list_events, list_template_changes
from webstrata.db.engine import Database
from webstrata.jobs.running.lifecycle import Runner
from webstrata.model.changes.values import ChangeType

PAGES = 200
MENU = ("Home", "Topics", "News", "About us", "Contact")
NEW_MENU = ("Home", "Topics", "Recalls", "News", "About us", "Contact us")
EDITS = {
    "/page/10": ("Give 160 mg every 4 hours.", "Give 80 mg every 4 hours."),
    "/page/20": ("</main>", "<h2>Side effects</h2><p>Some people feel sick for a day.</p></main>"),
    "/page/30": ("<p>Warning: never give it to a child under two.</p>", ""),
}
REASONS = {"/page/10": "dose", "/page/20": "section_added", "/page/30": "warning_removed"}
TOKEN, STAMP = "/page/40", "/page/50"
IGNORED = {
    TOKEN: "Session ID: 9f0c3b7ad2e84561b7c09d31",
    STAMP: "Last updated: 18 May 2026",
}


def site(menu: tuple[str, ...], token: str, stamp: str) -> dict[str, str]:
    """Return the pages of a site: a home page that leads to all others, which share a menu and a footer."""
    notes = {TOKEN: f"<p>Session ID: {token}</p>", STAMP: f"<p>Last updated: {stamp}</p>"}
    paths = [f"/page/{number}" for number in range(PAGES - 1)]
    links = "".join(f"<li><a href={path}>Medicine {path}</a></li>" for path in paths)
    return {"/": _page("Medicines", f"<ul>{links}</ul>", menu)} | {
        path: _page(f"Medicine {number}", _article(number) + notes.get(path, ""), menu)
        for number, path in enumerate(paths)
    }


def _article(number: int) -> str:
    return (
        f"<p>Medicine {number} lowers a fever of kind {number * 7}.</p><p>Give 160 mg every 4 hours.</p>"
        f"<p>Warning: never give it to a child under two.</p><p>Box {number} has {number + 3} tablets.</p>"
    )


def _page(title: str, content: str, menu: tuple[str, ...]) -> str:
    items = "".join(f"<li><a href=/page/{place}>{item}</a></li>" for place, item in enumerate(menu))
    return (
        f"<!doctype html><html lang=en><title>{title}</title><div class=top><ul>{items}</ul></div>"
        f"<main><h1>{title}</h1>{content}</main><div class=end><p>A site of the agency of medicines.</p></div>"
    )


def serve(web_server: WebServer, pages: dict[str, str]) -> None:
    web_server.answers |= {path: Answer(html.encode()) for path, html in pages.items()}


def events_of(database: Database, job_id: int) -> dict[str, EventView]:
    """Return the events of a job by their paths."""
    with database.read() as session:
        found = list_events(session, EventFilter(job_id=job_id, includes_unchanged=True), limit=1_000)
    events = {re.sub(r"^https?://[^/]+", "", event.normalized_url_group): event for event in found}
    assert len(events) == len(found)
    return events


def test_a_changed_menu_is_one_change_of_the_site_and_only_edited_pages_are_updated(
    runner: Runner, web_server: WebServer
) -> None:
    serve(web_server, site(MENU, "1c2d3e4f5a6b7c8d9e0f1a2b", "3 May 2026"))
    first = runner.run(queue(runner, web_server))
    assert {event.change_type for event in events_of(runner.database, first.job_id).values()} == {ChangeType.NEW_PAGE}

    pages = site(NEW_MENU, "9f0c3b7ad2e84561b7c09d31", "18 May 2026")
    for path, (before, after) in EDITS.items():
        assert pages[path].count(before) == 1
        pages[path] = pages[path].replace(before, after)
    serve(web_server, pages)
    second = runner.run(queue(runner, web_server))

    events = events_of(runner.database, second.job_id)
    assert len(events) == PAGES
    updated = {path: event for path, event in events.items() if event.change_type is ChangeType.UPDATED}
    assert updated.keys() == EDITS.keys()
    for path, code in REASONS.items():
        assert code in {reason.code for reason in updated[path].reasons}, updated[path]
    assert {events[path].change_type for path in events.keys() - EDITS.keys()} == {ChangeType.UNCHANGED}
    with runner.database.read() as session:
        (change,) = list_template_changes(session, EventFilter())
    assert (set(change.added_lines), set(change.removed_lines)) == ({"recalls", "contact us"}, {"contact"})

    for path, line in IGNORED.items():
        reasons = [reason for text, reason in events[path].ignored if text == line]
        assert len(reasons) == 1, events[path].ignored
        assert reasons[0].startswith("volatile: ")
