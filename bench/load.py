"""`python -m bench.load`: clients that ask a server as fast as it answers, on plain sockets, in a process of their own.

Reads what to ask from standard input, a path a line, and writes what it saw as JSON to standard output.
"""

import argparse
import json
import selectors
import socket
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import cycle

_PIECE = 262_144
_HEAD_END = b"\r\n\r\n"
_LENGTH = b"content-length:"
_LAST_CHUNK = b"\r\n0\r\n\r\n"
_PATIENCE_SECONDS = 30


class Client:
    """One connection that sends its next request when the answer to the last one is whole."""

    def __init__(self, port: int, headers: bytes) -> None:
        """Connect."""
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE_SECONDS)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._tail = b" HTTP/1.1\r\nHost: 127.0.0.1\r\n" + headers + b"\r\n"
        self._got = b""
        self._began = 0.0

    def ask(self, path: bytes) -> None:
        """Send a request."""
        self._began = time.perf_counter()
        self.socket.sendall(b"GET " + path + self._tail)

    def answered(self) -> tuple[int, float] | None:
        """Take in what came; return status and seconds once the answer is whole."""
        piece = self.socket.recv(_PIECE)
        if not piece:
            raise ConnectionError("the server hung up in the middle of an answer")
        self._got += piece
        head, found, body = self._got.partition(_HEAD_END)
        if not found or not _is_whole(head, body):
            return None
        self._got = b""
        return int(head[9:12]), time.perf_counter() - self._began


def asked(port: int, paths: Iterator[bytes], clients: int, seconds: float, headers: bytes) -> dict[str, object]:
    """Ask for so long with so many clients and return how many answers came, and how long they took."""
    watched = selectors.DefaultSelector()
    for _ in range(clients):
        client = Client(port, headers)
        watched.register(client.socket, selectors.EVENT_READ, client)
        client.ask(next(paths))
    times: list[float] = []
    statuses: Counter[int] = Counter()
    began = time.perf_counter()
    while time.perf_counter() - began < seconds:
        ready = watched.select(_PATIENCE_SECONDS)
        if not ready:
            raise TimeoutError(f"no answer within {_PATIENCE_SECONDS} seconds")
        for key, _ in ready:
            answer = key.data.answered()
            if answer is not None:
                statuses[answer[0]] += 1
                times.append(answer[1] * 1000)
                key.data.ask(next(paths))
    return _told(times, statuses, time.perf_counter() - began)


def _is_whole(head: bytes, body: bytes) -> bool:
    """Tell whether a body is complete: by its length, or, when it comes in chunks, by the last of them."""
    folded = head.lower()
    if _LENGTH not in folded:
        return body.endswith(_LAST_CHUNK)
    place = folded.index(_LENGTH) + len(_LENGTH)
    return len(body) >= int(folded[place:].partition(b"\r\n")[0])


def _told(times: list[float], statuses: Counter[int], seconds: float) -> dict[str, object]:
    times.sort()
    return {
        "answers": len(times),
        "per_second": len(times) / seconds,
        "p50": times[len(times) // 2],
        "p95": times[int(len(times) * 0.95)],
        "statuses": dict(statuses),
    }


def main() -> None:
    """Ask as the arguments say."""
    parser = argparse.ArgumentParser(prog="python -m bench.load", description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--header", action="append", default=[], help="Name: value")
    wanted = parser.parse_args()
    paths = [line.strip().encode() for line in sys.stdin if line.strip()]
    headers = "".join(f"{header}\r\n" for header in wanted.header).encode()
    json.dump(asked(wanted.port, cycle(paths), wanted.clients, wanted.seconds, headers), sys.stdout)


if __name__ == "__main__":
    main()
