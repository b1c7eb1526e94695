"""Watched folders and sites: removed, moved and unlinked pages and changed templates reach feeds and receivers."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime

from starlette.testclient import TestClient

from tests.jobs.test_site_diff import MENU, NEW_MENU, article, page
from tests.jobs.test_watches import DAY, check_all, orders, view
from tests.notifications.conftest import LOOPBACK, Deliver, deliver, receiver
from tests.notifications.receiver import Receiver
from tests.support.web_server import WebServer
from tests.web.conftest import Page, make_app
from webstrata.fetch.guard import NetworkGuard
from webstrata.jobs.running.lifecycle import Runner
from webstrata.model.watching.site_events import SiteEvent, SiteEventKind
from webstrata.model.watching.watches import Watch, WatchRequest, WatchRules, WatchScope
from webstrata.notifications.subscribing import subscribe
from webstrata.site import create_site

__all__ = ["deliver", "receiver"]

GUARD = NetworkGuard(LOOPBACK)


def serve_folder(server: WebServer, numbers: dict[str, int], listed: list[str], menu: tuple[str, ...]) -> None:
    links = "".join(f"<li><a href={path}>Medicine {numbers[path]}</a></li>" for path in listed)
    server.answers.clear()
    server.answers |= {
        "/news/": page("News", f"<p>All the news.</p><ul>{links}</ul>", menu),
        **{path: page(f"Medicine {number}", article(number), menu) for path, number in numbers.items()},
    }


def feed_titles(runner: Runner, watch: Watch) -> Counter[str]:
    client = TestClient(create_site(make_app(runner.database, runner.archive_root.parent)))
    items = client.get(f"/api/watches/{watch.id}/feed.json").json()["items"]
    assert len({one["id"] for one in items}) == len(items)
    assert len(client.get(f"/api/watches/{watch.id}/rss").text.split("<item>")) == len(items) + 1
    return Counter(one["title"].partition(":")[0] for one in items)


def test_a_watched_folder_reports_what_became_of_its_pages(
    runner: Runner, web_server: WebServer, receiver: Receiver, deliver: Deliver
) -> None:
    paths = {f"/news/{number}": number for number in range(12)}
    serve_folder(web_server, paths, [*paths], MENU)
    request = WatchRequest(web_server.url("/news/"), scope=WatchScope.FOLDER)
    watch, _ = orders(runner).add_notifying(request, [f"{receiver.origin}/hook"], GUARD)
    one_page = orders(runner).add(WatchRequest(web_server.url("/news/4")))
    now = datetime.now(UTC)
    check_all(runner, now)
    check_all(runner, now)
    assert feed_titles(runner, watch) == {}

    left = {path: number for path, number in paths.items() if path not in ("/news/3", "/news/4")}
    serve_folder(
        web_server, left | {"/news/new-4": 4}, [one for one in left if one != "/news/5"] + ["/news/new-4"], MENU
    )
    orders(runner).set_paused(one_page.id, True)
    check_all(runner, now + DAY)
    kinds = {"Removed": 1, "Moved": 1, "Unlinked": 1}
    assert {kind: feed_titles(runner, watch)[kind] for kind in ("Removed", "Moved", "Unlinked", "Unavailable")} == {
        **kinds,
        "Unavailable": 0,
    }
    assert feed_titles(runner, one_page) == {"Unavailable": 1}, "its own first check came after the older run"
    shown = view(runner.database, watch)
    assert shown.last_change_runs is not None
    assert (shown.last_change_path or "").startswith(f"/sources/{shown.source_code}/diff?from=")
    deliver().deliver_due()
    (digest,) = receiver.accepted("/hook")
    by_type = digest.json["data"]["byType"]
    assert {kind: by_type.get(kind, 0) for kind in ("removed", "moved", "unlinked", "unavailable")} == {
        "removed": 1,
        "moved": 1,
        "unlinked": 1,
        "unavailable": 0,
    }
    client = TestClient(create_site(make_app(runner.database, runner.archive_root.parent)))
    assert client.get(shown.last_change_path or "").status_code == 200
    assert str(shown.last_change_path) in Page(client.get("/watches")).html.replace("&amp;", "&")


def test_a_fact_that_runs_of_two_scopes_find_is_reported_once_to_each(
    runner: Runner, web_server: WebServer, receiver: Receiver, deliver: Deliver
) -> None:
    paths = {f"/news/{number}": number for number in range(12)}
    home = {"/": page("Home", "<p>All <a href=/news/>news</a></p>", MENU)}
    serve_folder(web_server, paths, [*paths], MENU)
    web_server.answers |= home
    for name, url, scope in (("folder", "/news/", WatchScope.FOLDER), ("site", "/", WatchScope.SITE)):
        request = WatchRequest(web_server.url(url), scope=scope)
        orders(runner).add_notifying(request, [f"{receiver.origin}/{name}"], GUARD)
    now = datetime.now(UTC)
    check_all(runner, now)
    check_all(runner, now)
    subscribe(runner.database, f"{receiver.origin}/source", source_id=1)

    def removed() -> dict[str, int]:
        deliver().deliver_due()
        return {
            hook: sum(one.json["data"]["byType"].get("removed", 0) for one in receiver.accepted(f"/{hook}"))
            for hook in ("folder", "site", "source")
        }

    serve_folder(web_server, paths, [one for one in paths if one != "/news/3"], MENU)
    del web_server.answers["/news/3"]
    web_server.answers |= home
    assert len([*check_all(runner, now + DAY), *check_all(runner, now + DAY)]) == 2
    assert removed() == {"folder": 1, "site": 1, "source": 1}

    serve_folder(web_server, paths, [*paths], MENU)
    web_server.answers |= home
    check_all(runner, now + 2 * DAY)
    check_all(runner, now + 2 * DAY)
    serve_folder(web_server, paths, [one for one in paths if one != "/news/3"], MENU)
    del web_server.answers["/news/3"]
    web_server.answers |= home
    check_all(runner, now + 3 * DAY)
    check_all(runner, now + 3 * DAY)
    assert removed() == {"folder": 2, "site": 2, "source": 2}, "it came back, and was removed again"


def test_a_run_with_nothing_but_a_changed_template_is_announced(
    runner: Runner, web_server: WebServer, receiver: Receiver, deliver: Deliver
) -> None:
    paths = {f"/news/{number}": number for number in range(12)}
    serve_folder(web_server, paths, [*paths], MENU)
    request = WatchRequest(web_server.url("/news/"), scope=WatchScope.FOLDER)
    watch, _ = orders(runner).add_notifying(request, [f"{receiver.origin}/watch"], GUARD)
    selected = orders(runner).add(WatchRequest(web_server.url("/news/"), scope=WatchScope.FOLDER, select="main"))
    now = datetime.now(UTC)
    check_all(runner, now)
    check_all(runner, now)
    subscribe(runner.database, f"{receiver.origin}/source", source_id=1)
    serve_folder(web_server, paths, [*paths], NEW_MENU)
    check_all(runner, now + DAY)
    deliver().deliver_due()
    for hook in ("/watch", "/source"):
        messages = receiver.accepted(hook)
        assert {kind for one in messages for kind in one.json["data"]["byType"]} == {"template"}, hook
    assert feed_titles(runner, watch) == {"Template changed": 1}
    assert feed_titles(runner, selected) == {}


def test_site_events_belong_to_a_watch_by_address_threshold_and_time() -> None:
    now = datetime(2026, 5, 1, tzinfo=UTC)
    folder = Watch(
        id=1,
        source_id=1,
        url="https://example.org/news/",
        scope=WatchScope.FOLDER,
        page="https://example.org/news",
        rules=WatchRules(),
        min_significance=0.3,
        schedule="1d",
        paused=False,
        next_run_at=now,
        created_at=now,
        first_job_id=5,
    )

    def removed(address: str, new: str | None = None) -> SiteEvent:
        kind = SiteEventKind.MOVED if new else SiteEventKind.REMOVED
        return SiteEvent(kind, address, "", "", new_page=new)

    assert folder.may_report_site_event(removed("https://example.org/news/1"), 5)
    assert not folder.may_report_site_event(removed("https://example.org/news/1"), 4), "before the first check"
    assert not folder.may_report_site_event(removed("https://example.org/newsletter"), 5)
    assert folder.may_report_site_event(removed("https://example.org/a", "https://example.org/news/a"), 5)
    strict = replace(folder, min_significance=0.5)
    assert strict.may_report_site_event(removed("https://example.org/news/1"), 5)
    assert not strict.may_report_site_event(removed("https://example.org/news/1", "https://example.org/b"), 5)
    assert not replace(folder, first_job_id=None).may_report_site_event(removed("https://example.org/news/1"), 5)
