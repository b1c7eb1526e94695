"""`watch`, `watches`, `site-diff` and `save-search` as a person types them."""

import json

from tests.cli.conftest import CommandLine
from tests.support.web_server import WebServer, linked_site, page


def test_a_page_is_watched_listed_paused_and_removed(webstrata: CommandLine, web_server: WebServer) -> None:
    assert "No watches yet" in webstrata("watches").out
    url = web_server.url("/news")
    added = webstrata("watch", url, "--every", "6h", "--select", "main", "--ignore", ".ad", "--ignore", "Updated")
    assert (added.code, added.out.splitlines()[0].split(" (")[0]) == (0, f"watch 1: {url}")
    (listed,) = json.loads(webstrata("watches", "--json").out)
    assert (listed["url"], listed["scope"], listed["select"]) == (url, "page", "main")
    assert (listed["ignore"], listed["lastChange"]) == (["css:.ad", "text:Updated"], None)
    assert "already" in webstrata("watch", url, "--select", "main", "--ignore", ".ad", "--ignore", "Updated").message
    assert json.loads(webstrata("check-watch", "1", "--json").out) == {"watch": 1, "jobId": 1}
    assert webstrata("pause-watch", "1").code == webstrata("resume-watch", "1").code == 0
    assert "not a CSS selector" in webstrata("watch", url, "--select", "p[").message
    assert webstrata("watch", url, "--notify", "gopher://example.org/").code != 0
    assert len(json.loads(webstrata("watches", "--json").out)) == 1
    notified = webstrata("watch", web_server.url("/other"), "--notify", "https://example.org/hook")
    assert "whsec_" in notified.out
    assert webstrata("remove-watch", "1").code == 0
    assert webstrata("remove-watch", "1").code == 1


def test_a_refused_address_leaves_neither_a_watch_nor_a_source(webstrata: CommandLine) -> None:
    of_secrets = "https://user:secret@example.org/", "slack://secret", "tgram://secret"
    for address in ("gopher://example.org/", "mailto://", "no such target", *of_secrets):
        refused = webstrata(
            "watch", "https://example.org/", "--notify", "https://example.org/hook", "--notify", address
        )
        assert refused.code == 2
        assert "secret" not in refused.err
    refused = webstrata("watch", "http://10.1.2.3/page")
    assert (refused.code, "WEBSTRATA_ALLOW_PRIVATE_NETWORKS" in refused.message) == (2, True)
    assert json.loads(webstrata("watches", "--json").out) == []
    assert json.loads(webstrata("sources", "--json").out) == []
    assert json.loads(webstrata("notify-targets", "--json").out) == {"targets": [], "subscriptions": []}


def test_a_site_diff_is_printed_and_a_search_saved(webstrata: CommandLine, web_server: WebServer) -> None:
    web_server.answers |= linked_site(3)
    assert webstrata("archive", web_server.url()).code == 0
    code = f"127-0-0-1-{web_server.port}"
    assert "needs two runs" in webstrata("site-diff", code).message
    web_server.answers["/page/0"] = page("Page 0", "/new", text="other words")
    web_server.answers["/new"] = page("New", text="A page about something else entirely.")
    assert webstrata("archive", web_server.url()).code == 0
    shown = webstrata("site-diff", code)
    assert f"Added: 1 page\n+ 127.0.0.1:{web_server.port}/new\n" in shown.out
    diff = json.loads(webstrata("site-diff", code, "--from", "1", "--to", "2", "--json").out)
    assert (diff["counts"]["added"], diff["added"][0]["title"]) == (1, "New")
    assert "date" in webstrata("site-diff", code, "--from", "yesterday").message
    assert webstrata("save-search", "Words", "other words", "--source", code).code == 0
    assert [one["name"] for one in json.loads(webstrata("saved-searches", "--json").out)] == ["Words"]
    assert webstrata("remove-saved-search", "Words").code == 0
