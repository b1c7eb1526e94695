"""Reading of PDFs in a separate process, so that a malicious one can only crash that process."""

import atexit
import json
import os
import re
import socket
import struct
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

from webstrata.content.blocks import OTHER, Block, blocks_of

MAX_PDF_BYTES = 64_000_000
MAX_SECONDS = 15.0

_PROCESS = (sys.executable, "-P", "-m", "webstrata.content.reader.pdf_process")
_LENGTH = struct.Struct("!Q")
_WORD_BREAK = re.compile("[\x02\ufffe]\\s*")
"""The library's characters for a hyphen at the end of a line."""

_CONTROL = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]")
_TOO_SLOW = f"it could not be read within {MAX_SECONDS:g} seconds"
_DEADLY = "reading it crashed the process"


@dataclass(frozen=True)
class Pdf:
    """The text of a PDF."""

    title: str = ""
    text: str = ""
    blocks: str = ""
    trouble: str | None = None
    """Why it could not be read, or not completely; None when it was read."""


def read_pdf(content: bytes) -> Pdf:
    """Return the text of a PDF; for an unreadable one it is empty, and `trouble` has the reason."""
    if len(content) > MAX_PDF_BYTES:
        return Pdf(trouble=f"{len(content)} bytes are more than is read of a PDF")
    return _reader(os.getpid()).read(content)


class PdfReader:
    """Reads PDFs one after the other in a process that is started when needed, and restarted when it ended."""

    def __init__(self, max_seconds: float = MAX_SECONDS) -> None:
        self._max_seconds = max_seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._line: socket.socket | None = None
        self._lock = Lock()

    def read(self, content: bytes) -> Pdf:
        """Return the text of a PDF."""
        with self._lock:
            # An earlier PDF may have left the process in a bad state: try once more in a new one.
            is_fresh = self._process is None
            reply = self._read_in_process(content)
            if reply.trouble == _DEADLY and not is_fresh:
                reply = self._read_in_process(content)
            return reply

    def close(self) -> None:
        """End the process, if there is one."""
        if self._line is not None:
            self._line.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._line = self._process = None

    def _read_in_process(self, content: bytes) -> Pdf:
        try:
            return _pdf(self._exchanged(content))
        except TimeoutError:
            self.close()
            return Pdf(trouble=_TOO_SLOW)
        except (OSError, EOFError):
            self.close()
            return Pdf(trouble=_DEADLY)

    def _exchanged(self, content: bytes) -> bytes:
        line = self._line or self._start()
        ends = time.monotonic() + self._max_seconds
        line.settimeout(self._max_seconds)
        line.sendall(_LENGTH.pack(len(content)))
        line.sendall(content)
        (length,) = _LENGTH.unpack(_received(line, _LENGTH.size, ends))
        return _received(line, length, ends)

    def _start(self) -> socket.socket:
        self._line, other = socket.socketpair()
        with other:
            end = other.fileno()
            self._process = subprocess.Popen(_PROCESS, stdin=end, stdout=end, stderr=subprocess.DEVNULL)  # noqa: S603
        return self._line


@lru_cache(maxsize=1)
def _reader(_process_id: int) -> PdfReader:
    """Return this process's reader; a reader that a fork inherited belongs to the parent."""
    reader = PdfReader()
    atexit.register(reader.close)
    return reader


def _received(line: socket.socket, length: int, ends: float) -> bytes:
    parts = []
    while length > 0:
        line.settimeout(max(ends - time.monotonic(), 0.001))
        part = line.recv(min(length, 1_000_000))
        if not part:
            raise EOFError
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def _pdf(reply: bytes) -> Pdf:
    found = json.loads(reply)
    text, blocks = blocks_of(Block(_tidy(line), OTHER, is_main=True) for line in _lines(found["text"]))
    return Pdf(_title(found["title"]), text, blocks, found["trouble"])


def _lines(text: str) -> list[str]:
    return _WORD_BREAK.sub("", text).splitlines()


def _tidy(text: str) -> str:
    return _CONTROL.sub("", text).encode("utf-8", "replace").decode()


def _title(stated: str) -> str:
    """Return the title that a PDF states, unless it is a program's placeholder or a file name."""
    title = " ".join(_tidy(stated).removeprefix("Microsoft Word - ").removeprefix("Microsoft PowerPoint - ").split())
    return "" if title.lower() in ("untitled", "untitled document", "title") else title
