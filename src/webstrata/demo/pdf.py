"""A one-page PDF of plain text, written object by object."""

from collections.abc import Sequence

PAGE_WIDTH, PAGE_HEIGHT = 595, 842  # A4 in points
MARGIN = 56
HEADING_MARK = "# "


def text_pdf(lines: Sequence[str]) -> bytes:
    """Return a PDF showing the lines on one A4 page; a line that starts with "# " is a heading, the first its title."""
    title = lines[0].removeprefix(HEADING_MARK)
    content = _content_stream(lines)
    return _file(
        [
            b"<< /Type /Catalog /Pages 2 0 R /Lang (en) >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents 4 0 R"
            b" /Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>" % (PAGE_WIDTH, PAGE_HEIGHT),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
            _font(b"Helvetica"),
            _font(b"Helvetica-Bold"),
            b"<< /Title %s >>" % _string(title),
        ]
    )


def _font(name: bytes) -> bytes:
    return b"<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >>" % name


def _content_stream(lines: Sequence[str]) -> bytes:
    shown = [b"BT", b"%d %d Td" % (MARGIN, PAGE_HEIGHT - MARGIN)]
    for line in lines:
        heading = line.startswith(HEADING_MARK)
        shown.append(b"/F2 15 Tf 24 TL" if heading else b"/F1 11 Tf 17 TL")
        shown.append(b"T* %s Tj" % _string(line.removeprefix(HEADING_MARK)))
    return b"\n".join([*shown, b"ET"])


def _string(text: str) -> bytes:
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return b"(" + escaped.encode("cp1252") + b")"


def _file(objects: Sequence[bytes]) -> bytes:
    """Number the objects (first the catalog, last the information) and close with the table of their offsets."""
    parts = [b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"]
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(sum(map(len, parts)))
        parts.append(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    table_offset = sum(map(len, parts))
    size = len(objects) + 1
    parts.append(b"xref\n0 %d\n0000000000 65535 f \n" % size)
    parts.extend(b"%010d 00000 n \n" % offset for offset in offsets)
    parts.append(b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\n" % (size, len(objects)))
    parts.append(b"startxref\n%d\n%%%%EOF\n" % table_offset)
    return b"".join(parts)
