"""A web server on loopback that answers as it is told, byte for byte, and remembers who asked for what and when."""

import gzip
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus

import pytest

LOOPBACK = "127.0.0.1"
HEAD_END = b"\r\n\r\n"
MOST_PATIENT_SECONDS = 60


@dataclass
class Request:
    """One request as it arrived, and when its answer left."""

    head: bytes
    started: float
    ended: float | None = None

    @property
    def path(self) -> str:
        """Return path and query as the client wrote them."""
        return self.head.split(b" ", 2)[1].decode("latin-1")

    def header(self, name: str) -> str | None:
        """Return a header's value."""
        for line in self.head.decode("latin-1").split("\r\n")[1:]:
            key, _, value = line.partition(": ")
            if key.lower() == name.lower():
                return value
        return None


@dataclass(frozen=True)
class Answer:
    """What the server sends: an ordinary answer, or `raw` bytes that may be no HTTP at all."""

    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "text/html; charset=utf-8"),)
    raw: bytes | None = None
    closes: bool = False
    waits_for: threading.Event | None = None
    """The answer leaves once this is set."""

    def wire(self) -> bytes:
        """Return the bytes to send."""
        if self.raw is not None:
            return self.raw
        phrase = HTTPStatus(self.status).phrase
        lines = [f"HTTP/1.1 {self.status} {phrase}", *(f"{name}: {value}" for name, value in self.headers)]
        return "\r\n".join([*lines, f"Content-Length: {len(self.body)}"]).encode("latin-1") + HEAD_END + self.body


NOT_FOUND = Answer(b"<title>Not here</title>", status=404)

Script = Answer | Sequence[Answer] | Callable[[Request], Answer]


@dataclass
class WebServer:
    """A running server; what `answers` holds for a path is sent, of a sequence the last one again and again."""

    origin: str
    answers: dict[str, Script] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    otherwise: Script = NOT_FOUND
    _asked: dict[str, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def port(self) -> int:
        """Return the port it listens on."""
        return int(self.origin.rpartition(":")[2])

    def url(self, path: str = "/") -> str:
        """Return the address of a path."""
        return self.origin + path

    def paths(self) -> list[str]:
        """Return what was asked for, in order."""
        return [request.path for request in list(self.requests)]

    def pages(self) -> list[str]:
        """Return what was asked for besides robots.txt, in order."""
        return [path for path in self.paths() if path != "/robots.txt"]

    def answer_to(self, request: Request) -> Answer:
        """Return what a request gets."""
        script = self.answers.get(request.path, self.otherwise)
        if callable(script):
            return script(request)
        if isinstance(script, Answer):
            return script
        with self._lock:
            turn = self._asked.get(request.path, 0)
            self._asked[request.path] = turn + 1
        return script[min(turn, len(script) - 1)]


def page(title: str, *links: str, text: str = "") -> Answer:
    """Return a page with links."""
    anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    return Answer(f"<!doctype html><html><title>{title}</title><body><p>{text}</p>{anchors}</body></html>".encode())


def robots(*lines: str) -> Answer:
    """Return a robots.txt."""
    return Answer("\n".join(lines).encode(), headers=(("Content-Type", "text/plain"),))


def redirect(target: str, status: int = 302) -> Answer:
    """Return a redirect."""
    return Answer(status=status, headers=(("Location", target),))


def gzipped(answer: Answer) -> Answer:
    """Return an answer whose body is packed, and says so."""
    return Answer(gzip.compress(answer.body, mtime=0), answer.status, (*answer.headers, ("Content-Encoding", "gzip")))


def linked_site(pages: int) -> dict[str, Script]:
    """Return a home page, the pages it leads to and a picture on each, all different."""
    site: dict[str, Script] = {"/": page("Home", *(f"/page/{n}" for n in range(pages)), text="where it begins")}
    for n in range(pages):
        shown = page(f"Page {n}", "/", f"/page/{(n + 1) % pages}", text=f"marmalade number{n} " * 40)
        site[f"/page/{n}"] = Answer(shown.body.replace(b"</body>", f'<img src="/image/{n}.png"></body>'.encode()))
        site[f"/image/{n}.png"] = Answer(b"\x89PNG" + bytes([n % 256]) * 200, headers=(("Content-Type", "image/png"),))
    return site


def slowly(seconds: float, answer: Answer | None = None) -> Script:
    """Let an answer take its time; without one it is a page that is called like its path."""

    def answering(request: Request) -> Answer:
        time.sleep(seconds)
        return answer or page(request.path)

    return answering


def most_at_once(requests: Sequence[Request]) -> int:
    """Return how many requests were under way at the same time at most, by the server's log."""
    moments = sorted((moment, step) for r in requests for moment, step in ((r.started, 1), (r.ended or r.started, -1)))
    under_way, most = 0, 0
    for _, step in moments:
        under_way += step
        most = max(most, under_way)
    return most


@pytest.fixture
def web_server() -> Iterator[WebServer]:
    """A server without pages."""
    with serving() as server:
        yield server


@contextmanager
def serving(
    answers: Mapping[str, Script] | None = None, host: str = LOOPBACK, tls: ssl.SSLContext | None = None
) -> Iterator[WebServer]:
    """Serve while the block runs."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family) as listener:
        shown = f"[{host}]" if ":" in host else host
        scheme = "https" if tls else "http"
        server = WebServer(f"{scheme}://{shown}:{listener.getsockname()[1]}", dict(answers or {}))
        connections: set[socket.socket] = set()
        accepting = threading.Thread(target=_accept, args=(listener, server, connections, tls), daemon=True)
        accepting.start()
        try:
            yield server
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            accepting.join()
            for connection in list(connections):
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)


def _accept(
    listener: socket.socket, server: WebServer, connections: set[socket.socket], tls: ssl.SSLContext | None
) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        connections.add(connection)
        threading.Thread(target=_serve, args=(connection, server, connections, tls), daemon=True).start()


def _serve(
    connection: socket.socket, server: WebServer, connections: set[socket.socket], tls: ssl.SSLContext | None
) -> None:
    # A client that leaves in the middle is part of what is tested.
    with suppress(OSError), connection:
        wrapped = tls.wrap_socket(connection, server_side=True) if tls else connection
        while (head := _read_head(wrapped)) and _answer(wrapped, server, head):
            pass
    connections.discard(connection)


def _read_head(connection: socket.socket) -> bytes:
    head = b""
    while HEAD_END not in head:
        part = connection.recv(65_536)
        if not part:
            return b""
        head += part
    return head


def _answer(connection: socket.socket, server: WebServer, head: bytes) -> bool:
    """Answer one request and tell whether the connection stays open."""
    request = Request(head, time.monotonic())
    # Known before it is answered: who has the answer finds the request in the log.
    server.requests.append(request)
    answer = server.answer_to(request)
    if answer.waits_for is not None:
        answer.waits_for.wait(MOST_PATIENT_SECONDS)
    # Taken before the last byte leaves: the client cannot know the end of the answer sooner.
    request.ended = time.monotonic()
    connection.sendall(answer.wire())
    return not answer.closes
