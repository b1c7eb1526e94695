"""PDFs small enough to be written by hand."""

import zlib
from collections.abc import Sequence


def pdf_of(pages: Sequence[Sequence[str]], title: str | None = None, trailer: bytes = b"") -> bytes:
    """Return a PDF of pages of lines, in Latin letters."""
    numbers = range(len(pages))
    kids = b" ".join(b"%d 0 R" % (4 + 2 * number) for number in numbers)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(pages)),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, lines in zip(numbers, pages, strict=True):
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R"
            b" /Resources << /Font << /F1 3 0 R >> >> >>" % (5 + 2 * number)
        )
        objects.append(_stream(b"\n".join(_shown(line, place) for place, line in enumerate(lines))))
    if title is not None:
        objects.append(b"<< /Title (%s) >>" % title.encode("latin-1"))
        trailer += b" /Info %d 0 R" % len(objects)
    return pdf_from(objects, trailer)


def pdf_from(objects: Sequence[bytes], trailer: bytes = b"") -> bytes:
    """Return a PDF of some objects, the first of which is its catalogue."""
    written, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    return b"".join(
        (
            written,
            b"xref\n0 %d\n0000000000 65535 f \n" % size,
            table,
            b"trailer\n<< /Size %d /Root 1 0 R%s >>\nstartxref\n%d\n%%%%EOF" % (size, trailer, len(written)),
        )
    )


def _stream(content: bytes) -> bytes:
    packed = zlib.compress(content)
    return b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed)


def _shown(line: str, place: int) -> bytes:
    return b"BT /F1 10 Tf 50 %d Td (%s) Tj ET" % (750 - 14 * place, line.encode("cp1252"))
