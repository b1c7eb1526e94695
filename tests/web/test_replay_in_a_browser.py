"""Archived pages in a real browser: they look as they did, and reach nothing but the archive."""

import base64
import json
import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import playwright
import pytest
from playwright.sync_api import Browser, Error, Frame, Page, Request

from tests.support.databases import FreshDatabase
from tests.support.fetched import fetched
from tests.support.web_server import Answer, WebServer, serving
from tests.web.conftest import fresh_app
from tests.web.live import served
from tests.web.replayed import MAY, archive_responses
from webstrata.app import App
from webstrata.db.operations import catalog

# What a browser does with a page does not depend on the database.
pytestmark = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)

FONT = next(Path(playwright.__file__).parent.rglob("*.ttf"))
"""A font with pictures, which no system has; its first ones are at U+EA60."""

FRAME = "iframe[name=___wb_replay_top_frame]"


def _png(red: int, green: int, blue: int, size: int = 60) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + bytes((red, green, blue)) * size) * size
    head = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


HOME = b"""<!doctype html><html><head><meta charset="utf-8"><title>Fever</title><link rel="stylesheet" href="/site.css">
</head><body><h1>Fever</h1><img src="/leaf.png" width="60" height="60" alt=""><p class="drawn"></p>
<p>&#xea60; &#xea61; &#xea62;</p><p id="dose">loading</p>
<p><a id="next" href="/flu">Flu</a> <a id="new" href="/flu" target="_blank">Flu</a>
<a id="gone" href="/gone">Gone</a></p>
<script src="/app.js"></script></body></html>"""
STYLE = b"""@font-face { font-family: Leaf; src: url(/fonts/leaf.ttf); }
body { margin: 0; background: #e6f2ea; font: 20px Leaf, sans-serif; }
.drawn { width: 300px; height: 90px; background: url("/stripe.png"); }"""
SCRIPT = b"""fetch("/data/dose.json").then((r) => r.json()).then(({ dose }) => {
  document.getElementById("dose").textContent = dose; document.body.dataset.ready = "yes";
});"""
"""A page with everything that a page loads."""


def _files(attack: bytes) -> dict[str, tuple[str, bytes]]:
    html, script = "text/html; charset=utf-8", "text/javascript"
    return {
        "/": (html, HOME),
        "/site.css": ("text/css", STYLE),
        "/app.js": (script, SCRIPT),
        "/leaf.png": ("image/png", _png(20, 120, 60)),
        "/stripe.png": ("image/png", _png(200, 90, 30)),
        "/fonts/leaf.ttf": ("font/ttf", FONT.read_bytes()),
        "/data/dose.json": ("application/json", b'{"dose": "One tablet every six hours"}'),
        "/flu": (html, b"<!doctype html><title>Flu</title><h1>Flu</h1>"),
        "/evil": (html, b"<!doctype html><title>Evil</title><body><h1>Evil</h1><script>" + attack + b"</script>"),
        "/markup": (html, _hostile_markup(attack)),
        "/headers": (html, b"<!doctype html><title>Headers</title><h1>Headers</h1><img src=/leaf.png>"),
        "/worker.js": (script, b"self.addEventListener('fetch', () => {});"),
    }


@dataclass
class Replayed:
    """An archived site that is off, and the server of its archive."""

    origin: str
    archived: str
    original: bytes
    """A picture of the page while its site was on."""
    snapshots: dict[str, int]

    @property
    def replay_origin(self) -> str:
        return self.origin.replace("127.0.0.1", "localhost")


@dataclass
class Tab:
    """A tab of a browser, and every request of it that was sent and got a response."""

    page: Page
    sent: list[Request] = field(default_factory=list)

    def note(self, request: Request) -> None:
        self.sent.append(request)

    @property
    def origins(self) -> set[str]:
        return {"/".join(request.url.split("/")[:3]) for request in self.sent if request.url.startswith("http")}


@pytest.fixture(scope="module")
def live_web() -> Iterator[WebServer]:
    """A server on the live web, to which nothing may be sent."""
    with serving() as server:
        server.otherwise = Answer(b"{}", headers=(("Access-Control-Allow-Origin", "*"),))
        yield server


@pytest.fixture(scope="module")
def replayed(
    browser: Browser,
    live_web: WebServer,
    fresh_database_url: FreshDatabase,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Replayed]:
    """A site that was photographed, archived and switched off."""
    folders = [tmp_path_factory.mktemp(name) for name in ("archive", "server")]
    with fresh_app(fresh_database_url, folders[0]) as app, served(app.settings, folders[1]) as origin:
        files = _files(_attack(origin, live_web.origin))
        answers = {path: Answer(body, headers=(("Content-Type", kind),)) for path, (kind, body) in files.items()}
        with serving(answers) as site:
            picture, archived = _photograph(browser, site.origin), site.origin
        headers = {"/headers": _hostile_headers(live_web.origin)}
        archive_responses(
            app,
            [
                fetched(f"{archived}{path}", body, at=MAY, content_type=kind, headers=headers.get(path, ()))
                for path, (kind, body) in files.items()
            ],
        )
        yield Replayed(origin, archived, picture, _snapshots(app, archived))


def _photograph(browser: Browser, origin: str) -> bytes:
    page = browser.new_page(viewport={"width": 800, "height": 600})
    page.goto(origin)
    page.wait_for_selector("body[data-ready]")
    page.evaluate("document.fonts.ready.then(() => null)")
    picture = page.screenshot()
    page.close()
    return picture


def _snapshots(app: App, archived: str) -> dict[str, int]:
    with app.database.read() as session:
        return {one.url.removeprefix(archived): one.id for one in catalog.job_snapshots(session, 1, limit=50, offset=0)}


@pytest.fixture
def tab(browser: Browser) -> Iterator[Tab]:
    context = browser.new_context(viewport={"width": 1300, "height": 1200})
    opened = Tab(context.new_page())
    # Of the whole context: also what service workers send.
    context.on("requestfinished", opened.note)
    yield opened
    context.close()


def _attack(app: str, live: str) -> bytes:
    """Return a script that tries what an archived page must not do, and then lists what came of it."""
    return (
        """
const app = APP, live = LIVE, here = location.origin, results = {};
async function attempt(name, act) {
  const never = new Promise((_, reject) => setTimeout(reject, 700, new Error("no response")));
  try { results[name] = `done: ${await Promise.race([act(), never])}`; }
  catch (error) { results[name] = `refused: ${error.name}`; }
}
const text = async (url, options) => (await fetch(url, options)).text();
const post = (url) => fetch(url, { method: "POST", mode: "no-cors", body: "x" }).then((r) => r.type);
const loads = (kind, set) => new Promise((resolve, reject) => {
  const element = document.createElement(kind);
  element.onload = () => resolve("loaded");
  element.onerror = () => reject(new Error("not loaded"));
  set(element);
  document.body.append(element);
});
const send = (url) => {
  const form = Object.assign(document.createElement("form"), { method: "POST", action: url });
  document.body.append(form);
  HTMLFormElement.prototype.submit.call(form);
};
(async () => {
  await attempt("read the API", () => text(`${app}/api/stats`));
  await attempt("read a page with its cookie", () => text(`${app}/jobs`, { credentials: "include" }));
  await attempt("read the live web", () => text(`${live}/read`));
  await attempt("write to the API", () => post(`${app}/api/reports`));
  await attempt("write to the live web", () => post(`${live}/write`));
  await attempt("load a picture of the live web", () => loads("img", (e) => { e.src = `${live}/picture`; }));
  await attempt("run a script of the live web", () => loads("script", (e) => { e.src = `${live}/script.js`; }));
  await attempt("read the parent's storage", () => window.parent.localStorage.getItem("secret"));
  await attempt("read the parent's page", () => window.parent.document.title);
  for (const url of ["/web/2024id_/" + ARCHIVED + "/worker.js", "/replay/vendor/wabac.js", "/replay/worker.js?x=1"]) {
    await attempt(`install ${url.slice(0, 14)}`, () => ServiceWorkerContainer.prototype.register.call(
      navigator.serviceWorker, here + url, { scope: "/replay/w/archive/" }).then((r) => r.scope && "installed"));
  }
  for (const url of [`${app}/login`, `${live}/form`]) await attempt(`send a form ${url}`, () => send(url));
  const quietly = (act) => { try { act(); } catch { /* refused */ } };
  quietly(() => navigator.sendBeacon(`${live}/beacon`, "x"));
  quietly(() => new WebSocket(live.replace("http", "ws")));
  quietly(() => new EventSource(`${live}/events`));
  quietly(() => window.open(`${live}/window`));
  quietly(() => loads("iframe", (e) => { e.src = `${live}/frame`; }).catch(() => null));
  quietly(() => loads("link", (e) => { e.rel = "prefetch"; e.href = `${live}/prefetch`; }).catch(() => null));
  quietly(() => loads("link", (e) => { e.rel = "stylesheet"; e.href = `${live}/style.css`; }).catch(() => null));
  quietly(() => navigator.serviceWorker.controller.postMessage({ msg_type: "removeColl", name: "archive" }));
  const collection = `${here}/replay/w/api/c/archive`;
  await attempt("delete the collection", async () => (await fetch(collection, { method: "DELETE" })).status);
  quietly(() => { document.cookie = "webstrata_admin=forged; path=/"; });
  results.cookies = document.cookie;
  quietly(() => { results.secret = localStorage.getItem("secret"); });
  document.body.dataset.results = JSON.stringify(results);
})();
""".replace("APP", repr(app))
        .replace("LIVE", repr(live))
        .replace("ARCHIVED", "'https://x.example'")
        .encode()
    )


def _hostile_headers(live: str) -> list[tuple[bytes, bytes]]:
    """Return response headers by which a server leads browsers elsewhere, or has them delete, store or report."""
    endpoints = json.dumps({"group": "live", "max_age": 600, "endpoints": [{"url": f"{live}/report-to"}]})
    links = (f"<{live}/{rel}>; rel={rel}; as=script" for rel in ("preload", "preconnect", "modulepreload", "prefetch"))
    return [
        (name.encode(), value.encode())
        for name, value in [
            ("Refresh", f"0; url={live}/refresh"),
            ("Location", f"{live}/location"),
            ("Link", ", ".join(links)),
            ("Link", f"<{live}/style.css>; rel=stylesheet"),
            ("Content-Security-Policy", f"img-src 'none'; report-uri {live}/csp; report-to live"),
            ("Content-Security-Policy-Report-Only", f"default-src 'none'; report-uri {live}/csp; report-to live"),
            ("Reporting-Endpoints", f'default="{live}/endpoint", live="{live}/endpoint"'),
            ("Report-To", endpoints),
            ("NEL", '{"report_to": "live", "max_age": 600, "success_fraction": 1.0}'),
            ("Speculation-Rules", f'"{live}/speculation.json"'),
            ("Clear-Site-Data", '"*"'),
            ("Set-Cookie", "webstrata_admin=forged; Path=/"),
            ("Service-Worker-Allowed", "/"),
            ("X-Frame-Options", "DENY"),
            ("Document-Policy", "force-load-at-top"),
            ("Cross-Origin-Embedder-Policy-Report-Only", 'require-corp; report-to="live"'),
            ("SourceMap", f"{live}/map"),
            ("Content-Disposition", "inline"),
            ("X-Split", "a\r\nSet-Cookie: webstrata_admin=split"),
        ]
    ]


def _hostile_markup(attack: bytes) -> bytes:
    """Return a page that tries the same with scripts of every kind, and with markup alone."""
    app, live = (re.search(rb"%s = '([^']+)'" % name, attack) for name in (rb"app", rb"live"))
    assert app is not None
    assert live is not None
    markup = b"""<!doctype html><html><head><base href="LIVE/base/"><title>Markup</title>
<meta http-equiv="set-cookie" content="webstrata_admin=forged; path=/">
<meta http-equiv="refresh" content="0; url=LIVE/meta">
<link rel="prefetch" href="LIVE/prefetch"><link rel="dns-prefetch" href="LIVE">
<link rel="manifest" href="LIVE/manifest">
<style>@import "LIVE/import.css"; body { background: url(LIVE/back.png); }
@font-face { font-family: x; src: url(LIVE/f) }
</style></head><body style="background: url(LIVE/style.png); font-family: x" onload="document.body.dataset.began = 1">
<h1>Markup</h1><img src="x" onerror="document.body.dataset.began = 2"><img src="LIVE/a.png" srcset="LIVE/b.png 2x">
<noscript><img src="LIVE/noscript.png"></noscript><svg onload="document.body.dataset.began = 3">
<image href="LIVE/svg.png" /></svg><video autoplay src="LIVE/v.mp4" poster="LIVE/p.png"></video>
<object data="APP/api/stats"></object><embed src="LIVE/embed"><iframe src="APP/jobs"></iframe>
<iframe srcdoc="<script>parent.document.body.dataset.began = 4; top.location = 'LIVE/top'</script>"></iframe>
<iframe src="javascript:parent.document.body.dataset.began = 5"></iframe>
<form id="write" method="post" action="APP/login" target="_top"><button id="send">Send</button></form>
<form id="away" method="post" action="LIVE/form"><button id="leave" formaction="LIVE/form2">Send</button></form>
<script>document.body.dataset.began = 6;</script><script src="/worker.js"></script>"""
    return markup.replace(b"APP", app[1]).replace(b"LIVE", live[1]) + b"<script>" + attack + b"</script></body></html>"


def _frame(tab: Tab, replayed: Replayed, path: str = "/") -> Frame:
    tab.page.goto(f"{replayed.origin}/snapshot/{replayed.snapshots[path]}")
    element = tab.page.query_selector(FRAME)
    assert element is not None
    frame = element.content_frame()
    assert frame is not None
    frame.wait_for_url(f"{replayed.replay_origin}/replay/w/archive/**")
    return frame


def test_a_page_looks_as_it_did_with_its_site_switched_off(tab: Tab, replayed: Replayed) -> None:
    frame = _frame(tab, replayed)
    frame.wait_for_selector("body[data-ready]")
    assert frame.inner_text("#dose") == "One tablet every six hours"
    tab.page.eval_on_selector(
        FRAME,
        "(frame) => frame.style.cssText = 'position: fixed; top: 0; left: 0; width: 800px; height: 600px; z-index: 9'",
    )
    frame.evaluate("document.fonts.ready.then(() => null)")
    picture = tab.page.locator(FRAME).screenshot()
    assert _difference(tab.page, replayed.original, picture) <= 0.01
    assert tab.origins == {replayed.origin, replayed.replay_origin}


def test_an_archived_script_reaches_nothing_but_the_archive(tab: Tab, replayed: Replayed, live_web: WebServer) -> None:
    tab.page.context.add_cookies([{"name": "webstrata_admin", "value": "secret", "url": replayed.origin}])
    tab.page.goto(f"{replayed.origin}/docs")
    tab.page.evaluate("localStorage.setItem('secret', 'ours')")
    frame = _frame(tab, replayed, "/flu")
    # With `id_` the page is not rewritten: as if a script had found a way around wabac.js's wrappers.
    address = f"{replayed.replay_origin}/replay/w/archive/20240503120509id_/{replayed.archived}/evil"
    frame.evaluate("(address) => { location.href = address; }", address)
    frame.wait_for_selector("body[data-results]")
    results = json.loads(frame.get_attribute("body", "data-results") or "")
    done = {name: said.removeprefix("done: ") for name, said in results.items() if str(said).startswith("done")}
    # A form does nothing, and reports nothing.
    assert set(done.values()) == {"404", "undefined"}
    assert all(name.startswith(("send a form", "delete the collection")) for name in done)
    assert "secret" not in results["cookies"]
    assert results.get("secret") is None
    assert tab.page.url.startswith(f"{replayed.origin}/snapshot/")
    assert tab.page.context.cookies(replayed.origin)[0].get("value") == "secret"
    assert [request.url for request in tab.sent if request.method == "POST"] == []
    with pytest.raises(Error, match=r"Failed to set|SecurityError"):
        frame.evaluate("(live) => { window.top.location = `${live}/top`; }", live_web.origin)
    assert tab.origins == {replayed.origin, replayed.replay_origin}
    assert live_web.paths() == []
    # The worker still replays this archive.
    assert _frame(tab, replayed, "/flu").inner_text("h1") == "Flu"


@pytest.mark.parametrize("modifier", ["", "mp_", "if_", "id_"])
def test_a_page_that_the_server_rewrites_runs_no_script_and_reaches_and_changes_nothing(
    tab: Tab, replayed: Replayed, live_web: WebServer, modifier: str
) -> None:
    page = tab.page
    page.context.add_cookies([{"name": "webstrata_admin", "value": "secret", "url": replayed.origin}])
    page.goto(f"{replayed.origin}/docs")
    page.evaluate("localStorage.setItem('secret', 'ours')")
    address = f"{replayed.origin}/web/20240503120509{modifier}/{replayed.archived}/markup"
    tab.sent.clear()
    page.goto(address)
    assert page.inner_text("h1") == "Markup"
    for button in ("#send", "#leave"):
        page.click(button)
    # Scripts of the page run before it has loaded; what a test evaluates runs in spite of the sandbox.
    assert page.evaluate("[self.origin, Object.keys(document.body.dataset).join()]") == ["null", ""]
    assert page.url == address
    asked = {request.url.removeprefix(replayed.origin) for request in tab.sent}
    assert all(path.startswith("/web/") for path in asked), asked
    assert {request.method for request in tab.sent} == {"GET"}
    assert live_web.paths() == []
    page.goto(f"{replayed.origin}/docs")
    assert page.evaluate("localStorage.getItem('secret')") == "ours"
    assert page.evaluate("navigator.serviceWorker.getRegistrations().then((found) => found.length)") == 0
    assert [one.get("value") for one in page.context.cookies(replayed.origin)] == ["secret"]


def test_an_archived_page_cannot_leave_its_frame_for_other_sites(
    tab: Tab, replayed: Replayed, live_web: WebServer
) -> None:
    for away in (f"{live_web.origin}/away", f"{replayed.origin}/jobs"):
        frame = _frame(tab, replayed, "/flu")
        frame.evaluate("(away) => { setTimeout(() => location.assign(away)); }", away)
        frame.wait_for_url("chrome-error://**")
    assert live_web.paths() == []
    assert f"{replayed.origin}/jobs" not in {request.url for request in tab.sent}


def test_links_lead_to_captures_and_to_an_honest_page_without_one(tab: Tab, replayed: Replayed) -> None:
    for link in ("#next", "#new"):
        frame = _frame(tab, replayed)
        frame.click(link)
        frame.wait_for_selector("text=Flu")
        assert frame.inner_text("h1") == "Flu"
    frame = _frame(tab, replayed)
    frame.click("#gone")
    frame.wait_for_selector("text=Not archived")
    assert "This archive has no capture of" in frame.inner_text("body")


def test_an_archived_page_never_has_the_window_for_itself(tab: Tab, replayed: Replayed) -> None:
    tab.page.goto(f"{replayed.replay_origin}/replay/?timestamp=20240503120509&url={replayed.archived}/flu")
    assert tab.page.url == f"{replayed.origin}/web/20240503120509/{replayed.archived}/flu"
    tab.page.goto(f"{replayed.replay_origin}/replay/w/archive/20240503120509mp_/{replayed.archived}/flu")
    assert tab.page.url == f"{replayed.origin}/web/20240503120509/{replayed.archived}/flu"


def _difference(page: Page, one: bytes, other: bytes) -> float:
    """Return the share of pixels that differ, by more than the noise of antialiasing."""
    pictures = [f"data:image/png;base64,{base64.b64encode(picture).decode()}" for picture in (one, other)]
    blank = page.context.new_page()
    share = blank.evaluate(
        """async (pictures) => {
          const [a, b] = await Promise.all(pictures.map(async (address) => {
            const image = new Image(); image.src = address; await image.decode();
            const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
            canvas.drawImage(image, 0, 0);
            return canvas.getImageData(0, 0, image.width, image.height);
          }));
          if (a.width !== b.width || a.height !== b.height) return 1;
          let differing = 0;
          for (let at = 0; at < a.data.length; at += 4) {
            const distance = (n) => Math.abs(a.data[at + n] - b.data[at + n]);
            if (Math.max(distance(0), distance(1), distance(2)) > 16) differing += 1;
          }
          return differing / (a.data.length / 4);
        }""",
        pictures,
    )
    blank.close()
    return float(share)
