"""`show`: reading a snapshot in the terminal."""

import json

from tests.cli.conftest import CommandLine
from tests.support.web_server import WebServer, page


def test_a_snapshot_is_read_with_its_url_and_the_time_of_its_capture(
    webstrata: CommandLine, web_server: WebServer
) -> None:
    web_server.answers["/"] = page(
        "Jam", "<p>Three jars of marmalade.</p><table><tr><td>May</td><td>4</td></tr></table>"
    )
    webstrata("archive", web_server.url())
    assert "To read one: webstrata show 1" in webstrata("search", "marmalade").out
    shown = webstrata("show", "1")
    head, _, text = shown.out.partition("\n\n")
    assert (shown.code, head.splitlines()[0].split()) == (0, ["snapshot", "1"])
    assert "captured  20" in head
    assert f"URL  {web_server.url()}" in head
    assert text.splitlines() == ["Three jars of marmalade.", "May 4"]
    found = json.loads(webstrata("show", "1", "--json").out)
    assert (found["snapshot"], found["title"], found["text"]) == (1, "Jam", text.rstrip("\n"))


def test_a_snapshot_that_cannot_be_read_is_an_error_with_the_reason(webstrata: CommandLine) -> None:
    missing = webstrata("show", "7")
    assert (missing.code, missing.err) == (1, "webstrata: there is no snapshot 7\n")
