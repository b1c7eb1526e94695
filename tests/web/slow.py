"""A slow connection to a site: every page arrives in small pieces, as over a bad line, and is painted as it comes."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import HTTPError
from urllib.request import urlopen

from playwright.sync_api import Page

PIECE_BYTES = 400
PIECES_TO_SEE = 6
"""So many pieces hold the whole head of a page and something to paint."""

SECONDS = 30

_A_FRAME = "new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))"
_PAINTED = "performance.getEntriesByName('first-paint').length > 0"


class SlowLine:
    """Passes a page of a site on piece by piece; what the page loads comes at once."""

    def __init__(self, origin: str) -> None:
        self._origin = origin
        self._more = threading.Semaphore(0)
        self._whole = threading.Event()
        self._path = ""

    def load(self, page: Page, path: str) -> None:
        """Open a page; whenever the browser has painted what it has, the next piece comes."""
        self._whole.clear()
        self._path = path
        self._more.release(PIECES_TO_SEE)
        page.goto(path, wait_until="commit")
        page.wait_for_function(_PAINTED)
        pieces = 0
        while not self._whole.is_set():
            self._more.release()
            pieces += 1
            page.evaluate(_A_FRAME)
        assert pieces > 3, "part of it came after the first was painted"
        page.wait_for_load_state()
        page.evaluate(_A_FRAME)

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """Pass an answer on."""
        # A stream of news has no end that one could wait for; to a browser, 204 says that there are none.
        is_news = request.path.endswith("/events")
        status, kind, body = (204, "", b"") if is_news else _fetched(self._origin + request.path)
        request.send_response(status)
        request.send_header("Content-Type", kind)
        request.end_headers()
        if request.path != self._path:
            request.wfile.write(body)
            return
        for piece in _pieces(body):
            request.wfile.write(piece)
            request.wfile.flush()
            assert self._more.acquire(timeout=SECONDS)
        self._whole.set()


@contextmanager
def slow_line(origin: str) -> Iterator[tuple[SlowLine, str]]:
    """Yield a slow line to a site, and the address of its near end."""
    line = SlowLine(origin)

    class PassOn(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            line.answer(self)

        def log_message(self, *_: object) -> None:
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), PassOn)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield line, f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def _pieces(body: bytes) -> Iterator[bytes]:
    """Cut a page behind lines: half a word that grows moves the rest of its line, and no style sheet can help that."""
    piece = b""
    for line in body.splitlines(keepends=True):
        piece += line
        if len(piece) >= PIECE_BYTES:
            yield piece
            piece = b""
    yield piece


def _fetched(url: str) -> tuple[int, str, bytes]:
    try:
        with urlopen(url, timeout=SECONDS) as answer:
            return answer.status, answer.headers["Content-Type"], answer.read()
    except HTTPError as error:
        return error.code, error.headers["Content-Type"], error.read()
