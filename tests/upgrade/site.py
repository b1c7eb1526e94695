"""The sites in the archive that is upgraded: every response of their servers, byte for byte.

Nothing here may change: the WARC files, the rows of the dumps and the expectations were made from these bytes.
"""

import zlib
from dataclasses import dataclass

HARBOUR, OBSERVATORY = "http://harbour.example", "http://observatory.example"
LIGHTHOUSE, MUSEUM = "http://lighthouse.example", "http://museum.example"
HTML = "text/html; charset=utf-8"


@dataclass(frozen=True)
class SiteResponse:
    """One HTTP response: the head as the server sends it, and the body without transfer encoding."""

    status: str
    headers: tuple[tuple[str, str], ...]
    body: bytes = b""
    is_chunked: bool = False

    @property
    def head(self) -> bytes:
        """Return the status line and the headers."""
        length = ("Transfer-Encoding", "chunked") if self.is_chunked else ("Content-Length", str(len(self.body)))
        lines = [f"HTTP/1.1 {self.status}", *(f"{name}: {value}" for name, value in (*self.headers, length))]
        return "".join(f"{line}\r\n" for line in lines).encode() + b"\r\n"


def stored_gzip(data: bytes) -> bytes:
    """Return a gzip member of stored blocks, which is the same bytes whatever zlib there is."""
    blocks = [data[start : start + 0xFFFF] for start in range(0, len(data), 0xFFFF)] or [b""]
    written = b"".join(
        bytes([number == len(blocks)])
        + len(block).to_bytes(2, "little")
        + (len(block) ^ 0xFFFF).to_bytes(2, "little")
        + block
        for number, block in enumerate(blocks, start=1)
    )
    trailer = zlib.crc32(data).to_bytes(4, "little") + (len(data) & 0xFFFFFFFF).to_bytes(4, "little")
    return b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" + written + trailer


def _page(language: str, title: str, *paragraphs: str, links: tuple[str, ...] = ()) -> bytes:
    text = "\n".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    anchors = "\n".join(f'<li><a href="{link}">{link.strip("/") or "home"}</a></li>' for link in links)
    return (
        f'<!doctype html>\n<html lang="{language}">\n<head><meta charset="utf-8"><title>{title}</title>'
        f'<link rel="stylesheet" href="/style.css"></head>\n'
        f"<body>\n<main>\n<h1>{title}</h1>\n{text}\n</main>\n<nav><ul>\n{anchors}\n</ul></nav>\n</body>\n</html>\n"
    ).encode()


def _html(body: bytes, *headers: tuple[str, str]) -> SiteResponse:
    return SiteResponse("200 OK", (("Content-Type", HTML), *headers), body)


def _pdf(*lines: str) -> bytes:
    """Return a PDF of one page, not compressed."""
    shown = "\n".join(f"BT /F1 12 Tf 60 {740 - 20 * place} Td ({line}) Tj ET" for place, line in enumerate(lines))
    resources = "/Resources << /Font << /F1 3 0 R >> >>"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R {resources} >>",
        f"<< /Length {len(shown)} >>\nstream\n{shown}\nendstream",
        "<< /Title (Dredging report) >>",
    ]
    written, places = "%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(written))
        written += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    trailer = f"trailer\n<< /Size {size} /Root 1 0 R /Info {len(objects)} 0 R >>\nstartxref\n{len(written)}\n%%EOF\n"
    return f"{written}xref\n0 {size}\n0000000000 65535 f \n{table}{trailer}".encode()


_PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c49444154789c63f8cfc0000003010100c9fe92ef0000000049454e44ae426082"
)
_STYLE = SiteResponse("200 OK", (("Content-Type", "text/css"),), b"main { max-width: 40em }\n")
_NO_ROBOTS = SiteResponse("404 Not Found", (("Content-Type", "text/plain"),), b"no rules\n")
_NOT_FOUND = SiteResponse(
    "404 Not Found", (("Content-Type", HTML),), _page("en", "Page not found", "There is no such page in the harbour.")
)
_HARBOUR_LINKS = (
    *("/en/ferries", "/fr/traversiers", "/en/tides", "/fr/marees", "/en/anchor", "/fr/ancien", "/en/news"),
    *("/en/contact", "/en/old-ferries", "/en/winter", "/en/item?id=7", "/en/item?id=8", "/files/dredging.pdf"),
    "/files/notice.txt",
)
_ANCIEN = (
    '<html lang="fr"><head><title>Le vieux château</title></head><body><h1>Le vieux château</h1>'
    "<p>Le château fort gardait jadis l'entrée du chenal ; ses fenêtres donnent sur la forêt.</p></body></html>\n"
).encode("latin-1")
_NEWS = _page(
    "en", "Harbour news", "The dredging of the north channel begins in May.", "A walrus was seen at the quay."
)
_CONTACT = _page("en", "Contact", "Write to the harbour master, or call the office on weekdays.")
_NOTICE = b"NOTICE TO MARINERS\n\nThe red buoy at Gull Rock is unlit until further notice.\n"

_IN_BOTH: dict[str, SiteResponse] = {
    "/robots.txt": _NO_ROBOTS,
    "/style.css": _STYLE,
    "/en/tides": _html(
        _page("en", "Tide tables", "High water at the pier is at noon on Tuesday.", links=("/", "/fr/marees"))
    ),
    "/fr/marees": _html(
        _page(
            "fr",
            "Table des marées",
            "La pleine mer est à midi à côté de la jetée ; la marée basse découvre l’estran.",
            "Le cœur du port reste à flot.",
            links=("/en/tides",),
        )
    ),
    "/en/anchor": _html(
        _page("en", "The old anchor", "The old anchor was raised from the sea bed by divers.").replace(
            b"</main>", b'<img src="/anchor.png" alt="The anchor"></main>'
        )
    ),
    "/anchor.png": SiteResponse("200 OK", (("Content-Type", "image/png"),), _PICTURE),
    "/fr/ancien": SiteResponse("200 OK", (("Content-Type", "text/html; charset=iso-8859-1"),), _ANCIEN),
    "/en/news": _html(stored_gzip(_NEWS), ("Content-Encoding", "gzip")),
    "/en/contact": SiteResponse("200 OK", (("Content-Type", HTML),), _CONTACT, is_chunked=True),
    "/en/old-ferries": SiteResponse("301 Moved Permanently", (("Location", "/en/ferries"),)),
    "/en/item?id=7": _html(_page("en", "Item seven", "A brass sextant, made in 1871.")),
    "/en/item?id=8": _html(_page("en", "Item eight", "A wooden barometer, gift of the pilots.")),
    "/files/dredging.pdf": SiteResponse(
        "200 OK",
        (("Content-Type", "application/pdf"),),
        _pdf("Dredging report", "The sediment of the north channel was surveyed in autumn."),
    ),
    "/files/notice.txt": SiteResponse("200 OK", (("Content-Type", "text/plain; charset=us-ascii"),), _NOTICE),
}
_HOME = _html(
    _page("en", "Harbour of Gull Rock", "Welcome to the harbour.", links=_HARBOUR_LINKS), ("ETag", '"home-1"')
)
_FIRST_HARBOUR = {
    "/": _HOME,
    "/en/ferries": _html(
        _page("en", "Ferry timetable", "The ferry to the islands leaves at eight.", "Dogs travel free.", links=("/",))
    ),
    "/fr/traversiers": _html(
        _page("fr", "Horaire des traversiers", "Le traversier d’été part à huit heures.", links=("/en/ferries", "/"))
    ),
    "/en/winter": _html(_page("en", "Winter closing", "The slipway is closed by ice from December on.")),
}
_SECOND_HARBOUR = {
    "/": SiteResponse("304 Not Modified", (("ETag", '"home-1"'),)),
    "/en/ferries": _html(
        _page(
            "en",
            "Ferry timetable",
            "The ferry to the islands leaves at nine.",
            "Dogs need a ticket from April on.",
            links=("/", "/en/bridge"),
        )
    ),
    "/fr/traversiers": _html(
        _page("fr", "Horaire des traversiers", "Le traversier d’été part à neuf heures.", links=("/en/ferries", "/"))
    ),
    "/en/winter": _NOT_FOUND,
    "/en/bridge": _html(_page("en", "The swing bridge", "The swing bridge opens for tall ships twice a day.")),
}
_OBSERVATORY = {
    "/robots.txt": SiteResponse("200 OK", (("Content-Type", "text/plain"),), b"User-agent: *\nDisallow: /private/\n"),
    "/": _html(
        _page(
            "en", "Observatory", "Tide gauges and weather.", links=("/gauges", "/fr/météo", "/private/log", "/en/ferry")
        )
    ),
    "/style.css": _STYLE,
    "/gauges": _html(_page("en", "Gauges", "The gauge at the pier counts centimetres of high water.", links=("/",))),
    "/fr/m%C3%A9t%C3%A9o": _html(
        _page("fr", "Météo marine", "Coup de vent prévu près des îles, mer forte.", links=("/",))
    ),
    "/en/ferry": _html(_page("en", "Wind and the ferry", "In a gale no ferry sails to the islands.", links=("/",))),
}
_LIGHTHOUSE = {
    "/robots.txt": _NO_ROBOTS,
    "/": _html(
        _page(
            "en", "The lighthouse", "The lamp of the lighthouse turns every ten seconds.", links=("/keeper", "/stairs")
        )
    ),
    "/style.css": _STYLE,
    "/keeper": _html(_page("en", "The keeper", "The last keeper left in 1987.", links=("/",))),
}
_MUSEUM = {
    "/": _html(_page("fr", "Musée de la mer", "Le musée montre un scaphandre et des cartes anciennes.")),
    "/salle": _html(_page("fr", "La salle des phares", "La lentille de Fresnel pèse deux tonnes.")),
}

EDITIONS: dict[str, dict[str, SiteResponse]] = {
    "harbour-1": {HARBOUR + path: response for path, response in (_IN_BOTH | _FIRST_HARBOUR).items()},
    "harbour-2": {HARBOUR + path: response for path, response in (_IN_BOTH | _SECOND_HARBOUR).items()},
    "observatory": {OBSERVATORY + path: response for path, response in _OBSERVATORY.items()},
    "lighthouse": {LIGHTHOUSE + path: response for path, response in _LIGHTHOUSE.items()},
    "museum": {MUSEUM + path: response for path, response in _MUSEUM.items()},
}
"""What each crawl of the archive was sent, by URL; whatever else it asked for was not found."""
