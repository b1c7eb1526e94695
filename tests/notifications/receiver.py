"""A receiver of webhooks on loopback: it remembers requests and responds as a test asks."""

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Received:
    """One request, and the status that it got."""

    path: str
    headers: dict[str, str]
    body: bytes
    status: int

    @property
    def json(self) -> dict[str, Any]:
        parsed: dict[str, Any] = json.loads(self.body)
        return parsed

    def is_signed_with(self, secret: str) -> bool:
        """Check the signature as the documentation describes it."""
        key = base64.b64decode(secret.removeprefix("whsec_"))
        signed = f"{self.headers['webhook-id']}.{self.headers['webhook-timestamp']}.".encode() + self.body
        expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        return self.headers["webhook-signature"] == f"v1,{expected}"


@dataclass
class Receiver:
    """A running receiver; `respond` chooses the status of each request."""

    origin: str = ""
    received: list[Received] = field(default_factory=list)
    respond: Callable[[str], int] = lambda path: 204
    arrived: threading.Event = field(default_factory=threading.Event)

    def accepted(self, path: str) -> list[Received]:
        """Return the requests to a path that got a good status, in order."""
        return [one for one in self.received if one.path == path and one.status // 100 == 2]

    def keys(self, path: str) -> list[str]:
        """Return the event ids that a path accepted, in order."""
        return [one.json["id"] for one in self.accepted(path)]


@contextmanager
def receiving() -> Iterator[Receiver]:
    """Run a receiver while the block lasts."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.arrived.set()
            status = receiver.respond(self.path)
            headers = {name.lower(): value for name, value in self.headers.items()}
            receiver.received.append(Received(self.path, headers, body, status))
            self.send_response(status)
            if status // 100 == 3:
                self.send_header("Location", f"{receiver.origin}/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver.origin = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
