"""The process that reads PDFs for `content/reader/pdf.py`: takes a length and a PDF, returns a length and the text."""

import json
import os
import resource
import struct
import time
from dataclasses import asdict, dataclass

import pypdfium2 as pdfium
from pypdfium2 import raw

MAX_PAGES = 5_000
MAX_CHARACTERS = 500_000
"""The most characters of text, the same as for other pages."""

MAX_SECONDS = 10.0
"""After so many seconds no further page is read; the parent process waits some seconds longer."""

MAX_MEMORY = 1_000_000_000
"""The limit of address space in bytes: Python and the library alone take a quarter of it."""

_LENGTH = struct.Struct("!Q")
_IN, _OUT = 0, 1


@dataclass(frozen=True)
class PdfResult:
    """The text of a PDF; `trouble` is the reason if it could not be read completely."""

    title: str = ""
    text: str = ""
    trouble: str | None = None


def main() -> None:
    """Read PDFs until the input ends."""
    for kind, limit in ((resource.RLIMIT_AS, MAX_MEMORY), (resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 0)):
        resource.setrlimit(kind, (limit, limit))
    while head := _received(_LENGTH.size):
        (length,) = _LENGTH.unpack(head)
        answer = json.dumps(asdict(read(_received(length)))).encode()
        _send(_LENGTH.pack(len(answer)) + answer)


def read(content: bytes) -> PdfResult:
    """Return title and text of a PDF."""
    try:
        document = pdfium.PdfDocument(content)
    except pdfium.PdfiumError as error:
        return PdfResult(trouble=_reason(error))
    try:
        text, trouble = _text(document)
        return PdfResult(document.get_metadata_value("Title"), text, trouble)
    finally:
        document.close()


def _reason(error: pdfium.PdfiumError) -> str:
    if error.err_code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY):
        return "it is encrypted"
    return f"it is damaged: {error}"


def _text(document: pdfium.PdfDocument) -> tuple[str, str | None]:
    """Return the text of the pages, and what is missing from it."""
    ends = time.monotonic() + MAX_SECONDS
    count, room = len(document), MAX_CHARACTERS
    texts: list[str] = []
    unreadable = 0
    for number in range(count):
        if number >= MAX_PAGES or room <= 0 or time.monotonic() > ends:
            return "\n".join(texts), f"only the first {number} of its {count} pages were read"
        try:
            texts.append(_text_of_page(document, number)[:room])
            room -= len(texts[-1])
        except pdfium.PdfiumError:
            unreadable += 1
    return "\n".join(texts), f"{unreadable} of its {count} pages are damaged" if unreadable else None


def _text_of_page(document: pdfium.PdfDocument, number: int) -> str:
    page = document[number]
    try:
        words = page.get_textpage()
        try:
            return str(words.get_text_range())
        finally:
            words.close()
    finally:
        page.close()


def _received(length: int) -> bytes:
    """Return `length` bytes of the input; empty at its end."""
    parts = []
    while length > 0:
        part = os.read(_IN, min(length, 1_000_000))
        if not part:
            return b""
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def _send(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(_OUT, view) :]


if __name__ == "__main__":
    main()
