"""ARC files as older crawlers wrote them, versions 1 and 2, plain or a gzip member for each record."""

import gzip

V1, V2 = 1, 2
_FIELDS = {
    V1: b"URL IP-address Archive-date Content-type Archive-length",
    V2: b"URL IP-address Archive-date Content-type Result-code Checksum Location Offset Filename Archive-length",
}


def page(title: str) -> bytes:
    """Return a response, with line ends as the earliest crawlers stored them."""
    body = f"<title>{title}</title><p>wash your hands".encode()
    return b"HTTP/1.0 200 Document follows\nDate: Mon, 04 Nov 1996 14:21:06 GMT\nContent-type: text/html\n\n" + body


def arc_line(version: int, url: str, date: str, mime_type: str, length: int) -> bytes:
    """Return the line that begins a record."""
    more = "" if version == V1 else " 200 fac069150613fe55599cc7fa88aa089d - 209 IA-001102.arc"
    return f"{url} 127.10.100.2 {date} {mime_type}{more} {length}\n".encode()


def arc_records(version: int, *pages: tuple[str, str, str, bytes]) -> list[bytes]:
    """Return the records of a file: the one that describes it, then one for each URL, date, type and content."""
    block = b"%d 0 Alexa Internet\n%s\n" % (version, _FIELDS[version])
    described = (
        arc_line(version, "filedesc://IA-001102.arc", "19960923142103", "text/plain", len(block)) + block + b"\n"
    )
    return [
        described,
        *(arc_line(version, url, date, kind, len(content)) + content + b"\n" for url, date, kind, content in pages),
    ]


def arc_file(records: list[bytes], *, packed: bool) -> bytes:
    """Return a file of records."""
    return b"".join(map(gzip.compress, records)) if packed else b"".join(records)
