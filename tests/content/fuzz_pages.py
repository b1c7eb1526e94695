"""A coverage-guided fuzz run over the reading of pages: `python fuzz_pages.py CORPUS -max_total_time=SECONDS`.

It runs with atheris, in an environment of its own; what a page may do to its reader is documented, all else is a find.
"""

import sys

import atheris

with atheris.instrument_imports(include=["webstrata.content"]):
    from webstrata.content.html import read_links
    from webstrata.content.kinds import PageKind, page_kind
    from webstrata.content.links import outlinks
    from webstrata.content.reader.page_requests import SMALL_PAGE, ReadPage
    from webstrata.content.reading import Body
    from webstrata.content.rewriting.body_start import body_start
    from webstrata.model.urls import url_group

URL = "https://a.example/folder/page"
TYPES = ("text/html", "text/html; charset=utf-8", "application/xhtml+xml", "application/octet-stream", None)


def read(data: bytes) -> None:
    """Read a page of at most the size that is read in place, in every way that there is."""
    content_type, body = TYPES[data[0] % len(TYPES)] if data else None, data[1:SMALL_PAGE]
    kind = page_kind(content_type, body, URL)
    if kind is PageKind.PDF:
        return
    reading = ReadPage(kind or PageKind.HTML, Body(URL, body, content_type, None)).read()
    # Whatever was read can be stored: no half of a surrogate pair, a letter for every line.
    (reading.title + reading.text + reading.metadata).encode()
    if reading.text:
        assert len(reading.blocks) == reading.text.count("\n") + 1
    links = read_links(body, content_type, URL).links
    assert len(links) == len({link.url for link in links})
    assert outlinks([link.url for link in links], None, URL, url_group) is not None
    assert 0 <= body_start(body) <= len(body)


if __name__ == "__main__":
    atheris.Setup(sys.argv, read)
    atheris.Fuzz()
