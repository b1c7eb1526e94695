"""ReplayWeb.page, as its users have it, with the WACZ file of a page."""

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.support.fetched import fetched
from tests.support.foreign import npm_package
from tests.support.web_server import Answer, Request, WebServer, serving
from tests.web.replayed import JUNE, MAY, archive_responses
from tests.web.test_replay_in_a_browser import _png
from webstrata.app import App
from webstrata.http.ranges import requested_range
from webstrata.model.captures import Original
from webstrata.warc.packages.contents import ExportRequest
from webstrata.warc.packages.export import export_captures
from webstrata.warc.packages.formats import PackageFormat

pytestmark = [
    pytest.mark.soak,
    pytest.mark.timeout(300),
    pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True),
]

URL = "http://127.0.0.1:8089/"
EMBEDDED = """<!doctype html><script src="/ui.js"></script>
<replay-web-page source="/page.wacz" url="%s" replayBase="/replay/" embed="replayonly"></replay-web-page>"""


def files_of(wacz: bytes) -> dict[str, tuple[str, bytes]]:
    """Return what a site that embeds ReplayWeb.page serves."""
    package = npm_package("replaywebpage@2.4.6")
    script = "text/javascript"
    return {
        "/": ("text/html", (EMBEDDED % URL).encode()),
        "/ui.js": (script, (package / "ui.js").read_bytes()),
        "/replay/ui.js": (script, (package / "ui.js").read_bytes()),
        "/replay/sw.js": (script, (package / "sw.js").read_bytes()),
        "/page.wacz": ("application/wacz", wacz),
    }


def answer(request: Request, files: dict[str, tuple[str, bytes]]) -> Answer:
    """Answer to GET and HEAD, also for a part of a file."""
    kind, body = files.get(request.path.partition("?")[0], ("text/plain", b""))
    if not body:
        return Answer(status=404)
    headers = [("Content-Type", kind), ("Accept-Ranges", "bytes")]
    asked = request.header("range")
    part = requested_range(asked, len(body)) if asked else None
    if part:
        headers.append(("Content-Range", f"bytes {part.start}-{part.stop - 1}/{len(body)}"))
        body = body[part.start : part.stop]
    found = Answer(body, 206 if part else 200, tuple(headers))
    return replace(found, raw=found.wire()[: -len(body)]) if request.head.startswith(b"HEAD ") else found


def test_a_page_that_was_not_modified_is_shown_with_its_resources(app: App, page: Page, tmp_path: Path) -> None:
    captured = [
        fetched(URL, '<title>Leaf</title><link rel="stylesheet" href="/a.css"><img src="/leaf.png">', at=MAY),
        fetched(f"{URL}a.css", "img { width: 77px }", at=MAY, content_type="text/css"),
        fetched(f"{URL}leaf.png", _png(20, 120, 60), at=MAY, content_type="image/png"),
    ]
    archive_responses(app, captured, code="leaf")
    for one in captured:
        again = replace(one, fetched_at=JUNE, status=304, headers=(), body=b"")
        archive_responses(app, [again], code="leaf", original=Original("", one.url, one.fetched_at))
    wacz, request = tmp_path / "leaf.wacz", ExportRequest(source_code="leaf")
    export_captures(app.database, app.archive_root, request, wacz, PackageFormat.WACZ, lambda *_: None)
    files = files_of(wacz.read_bytes())
    with serving() as site:
        site.otherwise = lambda request: answer(request, files)
        assert shown(page, site) == ["Leaf", 60, 77]


def shown(page: Page, site: WebServer) -> list[object]:
    """Return the title of the replayed page and the widths of its image: its own, and by the style sheet."""
    page.goto(site.url().replace("127.0.0.1", "localhost"))
    for _ in range(100):
        found = next((frame for frame in page.frames if f"mp_/{URL}" in frame.url), None)
        if found is not None:
            found.locator("img").wait_for()
            found.wait_for_function("document.images[0].naturalWidth > 0 && document.styleSheets.length > 0")
            values: list[object] = found.evaluate(
                "[document.title, document.images[0].naturalWidth, document.images[0].width]"
            )
            return values
        page.wait_for_timeout(200)
    return [frame.url for frame in page.frames]
