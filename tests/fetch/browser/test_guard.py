"""No way leads from a page to an address that the network guard refuses."""

import asyncio
import json
import socket

import pytest

from tests.fetch.browser.opening import browser_fetcher, render_all
from tests.fetch.fetching import resolving
from tests.support.web_server import Answer, WebServer, redirect, serving
from webstrata.errors import BlockedAddressError, TransientFetchError
from webstrata.fetch.guard import NetworkGuard

SPELLINGS = (
    *("127.0.0.1", "2130706433", "0x7f.1", "0177.0.0.1", "017700000001", "127.1", "localhost", "0.0.0.0", "0"),
    *("[::ffff:127.0.0.1]", "[::1]", "[::]", "[64:ff9b::7f00:1]", "127.0.0.1."),
)

ATTEMPTS = """<!doctype html><body><script>
const hosts = HOSTS, port = PORT, dgram = DGRAM;
const urls = hosts.map((host) => `http://${host}:${port}/`);
for (const url of urls) {
  new Image().src = url + 'image';
  fetch(url + 'fetch', {mode: 'no-cors'}).catch(() => {});
  fetch(url + 'post', {method: 'POST', body: 'x', mode: 'no-cors'}).catch(() => {});
  navigator.sendBeacon(url + 'beacon', 'x');
  new EventSource(url + 'events');
  try { new WebSocket(url.replace('http', 'ws') + 'socket'); } catch {}
  document.body.append(Object.assign(document.createElement('iframe'), {src: url + 'frame'}));
  document.head.append(Object.assign(document.createElement('link'), {rel: 'stylesheet', href: url + 'style'}));
  document.head.append(Object.assign(document.createElement('link'), {rel: 'preconnect', href: url}));
  document.head.append(Object.assign(document.createElement('link'), {rel: 'prefetch', href: url + 'prefetch'}));
  document.head.append(Object.assign(document.createElement('link'), {rel: 'dns-prefetch', href: url}));
  document.body.append(Object.assign(document.createElement('object'), {data: url + 'object'}));
  const inner = `<script>fetch('${url}inner', {mode: 'no-cors'})<\\/script>`;
  document.head.append(Object.assign(document.createElement('style'), {textContent:
    `@import '${url}import'; @font-face { font-family: f; src: url('${url}font') }
     body { font-family: f; background: url('${url}css') }`}));
  document.head.append(Object.assign(document.createElement('link'), {rel: 'modulepreload', href: url + 'module'}));
  document.head.append(Object.assign(document.createElement('link'), {rel: 'prerender', href: url + 'prerender'}));
  document.head.append(Object.assign(document.createElement('script'), {type: 'speculationrules',
    textContent: JSON.stringify({prefetch: [{source: 'list', urls: [url + 'speculated'], eagerness: 'immediate'}]})}));
  document.body.append(Object.assign(document.createElement('video'), {src: url + 'video', autoplay: true}));
  const link = Object.assign(document.createElement('a'), {href: '#', ping: url + 'ping'});
  document.body.append(link);
  link.click();
  fetch(url + 'alive', {mode: 'no-cors', keepalive: true}).catch(() => {});
  for (const scheme of ['view-source:', 'ftp:', 'filesystem:'])
    document.body.append(Object.assign(document.createElement('iframe'), {src: scheme + url.replace('http:', '')}));
  for (const src of [
    'data:text/html,' + encodeURIComponent(inner), URL.createObjectURL(new Blob([inner], {type: 'text/html'})),
  ]) document.body.append(Object.assign(document.createElement('iframe'), {src}));
}
window.open(urls[0] + 'popup');
const form = document.createElement('form');
Object.assign(form, {action: urls[0] + 'form', method: 'post', target: '_blank'});
document.body.append(form);
form.submit();
document.body.append(Object.assign(document.createElement('iframe'), {src: 'file:///etc/hostname', id: 'file'}));
document.body.append(Object.assign(document.createElement('iframe'), {src: 'chrome://version'}));
fetch('file:///etc/hostname').then((found) => found.text()).then((text) => document.body.append('read ' + text))
  .catch(() => {});
const work = `for (const url of ${JSON.stringify(urls)}) {
  fetch(url + 'worker', {mode: 'no-cors'}).catch(() => {});
  try { new WebSocket(url.replace('http', 'ws')); } catch {}
}`;
const script = URL.createObjectURL(new Blob([work]));
new Worker(script);
try { new SharedWorker(script); } catch {}
new Image().src = '/redirect';
fetch('/redirect').catch(() => {});
try { navigator.serviceWorker.register('/worker.js').catch(() => {}); } catch {}
const blank = document.body.appendChild(document.createElement('iframe')).contentWindow;
for (const place of [window, blank]) {
  const Peer = place.RTCPeerConnection;
  if (Peer) {
    const peer = new Peer({iceServers: [{urls: `stun:127.0.0.1:${dgram}`}]});
    peer.createDataChannel('x');
    peer.createOffer().then((offer) => peer.setLocalDescription(offer));
  }
}
document.body.append('tried');
</script>"""


def test_a_page_reaches_no_private_address_in_any_way(monkeypatch: pytest.MonkeyPatch) -> None:
    lookups: list[str] = []

    def rebinding(host: str, port: int, *rest: object, **more: object) -> list[object]:
        lookups.append(host)
        is_first = lookups.count(host) == 1
        return resolving("127.0.0.3" if host == "site.example" and is_first else "127.0.0.1")(host, port)

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    with serving() as private, serving(host="127.0.0.3") as site, _datagrams() as datagrams, _on_ipv6(private) as v6:
        private.otherwise = Answer(b"secret")
        hosts = [*SPELLINGS, "innocent.example"]
        body = ATTEMPTS.replace("HOSTS", json.dumps(hosts)).replace("PORT", str(private.port))
        site.answers |= {
            "/": Answer(body.replace("DGRAM", str(datagrams.getsockname()[1])).encode()),
            "/redirect": redirect(private.url("/redirected")),
            "/worker.js": Answer(b"fetch('/from-service-worker')", headers=(("Content-Type", "text/javascript"),)),
        }
        guard = NetworkGuard(allowed_endpoints=frozenset({("127.0.0.3", site.port)}))
        (result,) = render_all(f"http://site.example:{site.port}/", used=browser_fetcher(guard), run=asyncio.run)
        assert result.rendering is not None
        assert "tried" in result.rendering.text
        assert "/redirect" in site.paths()
        assert "read " not in result.rendering.text
        assert private.requests == []
        with pytest.raises(BlockingIOError):
            v6.accept()
        assert "/from-service-worker" not in site.paths()
        datagrams.setblocking(False)
        with pytest.raises(BlockingIOError):
            datagrams.recv(100)
    # Chromium itself resolves nothing, and a name is resolved once for all requests.
    assert sorted(set(lookups)) == ["innocent.example", "localhost", "site.example"]
    assert lookups.count("site.example") == 1


def test_an_allowed_websocket_is_passed_through_and_an_unreachable_page_is_an_error(
    web_server: WebServer,
) -> None:
    web_server.answers |= {
        "/": Answer(b"<p>here<script>new WebSocket(`ws://${location.host}/socket`)</script>"),
        "/socket": Answer(raw=b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"),
    }
    render_all(web_server.url())
    (upgrade,) = [request for request in web_server.requests if request.path == "/socket"]
    assert (upgrade.header("Upgrade"), upgrade.header("Connection")) == ("websocket", "Upgrade")
    with serving() as server:
        gone = server.url()
    with pytest.raises(TransientFetchError, match=f"{gone}: connection refused"):
        render_all(gone)
    with pytest.raises(BlockedAddressError, match=r"169\.254\.169\.254 is not a public address"):
        render_all("http://169.254.169.254/latest/meta-data/")


def _on_ipv6(server: WebServer) -> socket.socket:
    """Return a listener on the port of a server, on the loopback address of IPv6."""
    listener = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
    listener.bind(("::1", server.port))
    listener.listen()
    listener.setblocking(False)
    return listener


def _datagrams() -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listener.bind(("127.0.0.1", 0))
    return listener
