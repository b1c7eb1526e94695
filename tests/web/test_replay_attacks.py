"""What archived scripts try besides requests: connections, workers, frames and headers that lead to the live web."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Frame

from tests.support.web_server import WebServer
from tests.web.test_replay_in_a_browser import Replayed, Tab, _frame, _hostile_headers, live_web, replayed, tab

pytestmark = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)

__all__ = ["live_web", "replayed", "tab"]

ATTACKS = """async ([live, port]) => {
  const results = {};
  async function attempt(name, act) {
    const never = new Promise((_, reject) => setTimeout(reject, 900, new Error("no response")));
    try { results[name] = `done: ${await Promise.race([act(), never])}`; }
    catch (error) { results[name] = `refused: ${error.name}`; }
  }
  const quietly = (act) => { try { act(); } catch { /* refused */ } };
  const add = (kind, values) => {
    const element = Object.assign(document.createElement(kind), values);
    document.body.append(element);
    return element;
  };
  const code = `fetch("${live}/worker").then((r) => r.text()).then(() => postMessage("read"), () => postMessage("no"))`;
  const blob = (text, type) => URL.createObjectURL(new Blob([text], { type }));
  await attempt("worker", () => new Promise((resolve, reject) => {
    const worker = new Worker(blob(code, "text/javascript"));
    worker.onmessage = ({ data }) => (data === "read" ? resolve(data) : reject(new Error(data)));
    worker.onerror = reject;
  }));
  for (const Kind of [Worker, SharedWorker]) {
    await attempt(`data ${Kind.name}`, () => new Promise((resolve, reject) => {
      const worker = new Kind(`data:text/javascript,${encodeURIComponent(code)}`);
      worker.onmessage = ({ data }) => (data === "read" ? resolve(data) : reject(new Error(data)));
      worker.onerror = reject;
    }));
  }
  await attempt("domain", () => { document.domain = "localhost"; return document.domain === "" || null; });
  await attempt("opener", () => (window.opener ?? window.top.opener).location.href);
  const page = `<script>fetch("${live}/frame-script").then(() => parent.postMessage("read", "*"));
    new Image().src = "${live}/frame-picture"; top.location = "${live}/frame-top";</` + "script>";
  for (const src of [`data:text/html,${encodeURIComponent(page)}`, blob(page, "text/html")]) {
    await attempt(`frame ${src.slice(0, 4)}`, () => new Promise((resolve) => {
      window.addEventListener("message", ({ data }) => data === "read" && resolve(data));
      add("iframe", { src });
    }));
  }
  await attempt("frame srcdoc", () => new Promise((resolve) => {
    window.addEventListener("message", ({ data }) => data === "read" && resolve(data));
    add("iframe", { srcdoc: page });
  }));
  await attempt("module", () => import(`${live}/module.js`));
  await attempt("worklet", () => CSS.paintWorklet.addModule(`${live}/worklet.js`));
  quietly(() => add("link", { rel: "preconnect", href: live }));
  quietly(() => add("link", { rel: "preload", as: "fetch", href: `${live}/preload` }));
  quietly(() => add("link", { rel: "modulepreload", href: `${live}/modulepreload` }));
  quietly(() => add("link", { rel: "prerender", href: `${live}/prerender` }));
  quietly(() => add("link", { rel: "icon", href: `${live}/icon.png` }));
  quietly(() => add("link", { rel: "manifest", href: `${live}/manifest` }));
  quietly(() => add("script", { type: "speculationrules", textContent: JSON.stringify({
    prefetch: [{ source: "list", urls: [`${live}/speculated`], requires: [] }],
    prerender: [{ source: "list", urls: [`${live}/prerendered`] }] }) }));
  quietly(() => add("a", { href: "#x", ping: `${live}/ping` }).click());
  quietly(() => add("object", { data: `${live}/object` }));
  quietly(() => add("video", { src: `${live}/film.mp4`, poster: `${live}/poster.png` }));
  quietly(() => add("style", { textContent: `@import "${live}/import.css"; body { background: url(${live}/b.png) }` }));
  quietly(() => fetch(`${live}/kept`, { keepalive: true, mode: "no-cors" }).catch(() => null));
  quietly(() => new Request(`${live}/request`));
  quietly(() => window.top.history.pushState({}, "", "/jobs"));
  quietly(() => window.top.postMessage({ wb_type: "load", url: `${live}/message` }, "*"));
  await attempt("call", async () => {
    const call = new RTCPeerConnection({ iceServers: [{ urls: `stun:127.0.0.1:${port}` }] });
    call.createDataChannel("x");
    await call.setLocalDescription(await call.createOffer());
    await new Promise((resolve) => setTimeout(resolve, 800));
    return "called";
  });
  await attempt("transport", async () => { await new WebTransport(`https://127.0.0.1:${port}/x`).ready; });
  return results;
}"""

LEAVING = """([live, way]) => {
  const link = Object.assign(document.createElement("a"), { href: `${live}/${way}` });
  document.body.append(link);
  setTimeout(() => {
    if (way === "download") link.download = "x";
    if (way === "top" || way === "download") { if (way === "top") link.target = "_top"; link.click(); }
    if (way === "parent") window.parent.location = link.href;
    if (way === "href") window.top.location.href = link.href;
    if (way === "refresh") document.head.append(
      Object.assign(document.createElement("meta"), { httpEquiv: "refresh", content: `0; url=${link.href}` }));
  });
}"""
"""Ways to lead the frame, or the page around it, to the live web."""


@contextmanager
def _noting_connections() -> Iterator[tuple[str, list[str]]]:
    """Accept connections and packets at a port, and note them: a browser may connect before it sends anything."""
    noted: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as stream, socket.socket(type=socket.SOCK_DGRAM) as packets:
        port = stream.getsockname()[1]
        packets.bind(("127.0.0.1", port))

        def accept() -> None:
            try:
                while True:
                    stream.accept()[0].close()
                    noted.append("connection")
            except OSError:
                return

        def receive() -> None:
            try:
                while True:
                    packets.recv(2_000)
                    noted.append("packet")
            except OSError:
                return

        threads = [threading.Thread(target=act, daemon=True) for act in (accept, receive)]
        for thread in threads:
            thread.start()
        yield str(port), noted
        stream.shutdown(socket.SHUT_RDWR)


def _unrewritten(tab: Tab, replayed: Replayed) -> Frame:
    """Return the frame with a page that wabac.js does not rewrite: as if a script had found a way around it."""
    frame = _frame(tab, replayed, "/flu")
    address = f"{replayed.replay_origin}/replay/w/archive/20240503120509id_/{replayed.archived}/flu"
    frame.evaluate("(address) => { location.href = address; }", address)
    frame.wait_for_url("**id_/**")
    frame.wait_for_selector("h1")
    return frame


def test_an_archived_script_opens_no_connection(tab: Tab, replayed: Replayed) -> None:
    frame = _unrewritten(tab, replayed)
    with _noting_connections() as (port, noted):
        results = frame.evaluate(ATTACKS, [f"http://127.0.0.1:{port}", port])
        tab.page.wait_for_timeout(500)
        assert noted == []
    assert {name: said for name, said in results.items() if said.startswith("done")} == {}
    assert tab.page.url.startswith(f"{replayed.origin}/snapshot/")
    assert tab.origins == {replayed.origin, replayed.replay_origin}


@pytest.mark.parametrize("way", ["download", "top", "parent", "href", "refresh"])
def test_an_archived_script_leads_nowhere(tab: Tab, replayed: Replayed, way: str) -> None:
    frame = _unrewritten(tab, replayed)
    viewer = tab.page.url
    with _noting_connections() as (port, noted):
        frame.evaluate(LEAVING, [f"http://127.0.0.1:{port}", way])
        tab.page.wait_for_timeout(700)
        assert (noted, tab.page.url) == ([], viewer)


def test_headers_of_an_archived_response_do_nothing(tab: Tab, replayed: Replayed, live_web: WebServer) -> None:
    tab.page.context.add_cookies([{"name": "webstrata_admin", "value": "secret", "url": replayed.origin}])
    frame = _frame(tab, replayed, "/headers")
    frame.wait_for_selector("h1")
    tab.page.wait_for_timeout(1500)
    sent = frame.evaluate("fetch(location.href).then((response) => [...response.headers].map(([name]) => name))")
    hostile = {name.decode().lower() for name, _ in _hostile_headers("")}
    # The policy and the links are those of this archive.
    assert hostile & set(sent) == {"content-security-policy", "link", "content-disposition"}
    assert frame.evaluate("document.images[0].naturalWidth") == 60
    assert live_web.paths() == []
    assert [cookie.get("value") for cookie in tab.page.context.cookies()] == ["secret"]
    assert tab.origins == {replayed.origin, replayed.replay_origin}
