import pytest

from webstrata.content.kinds import PageKind, page_kind

HTML, PDF, TEXT = PageKind.HTML, PageKind.PDF, PageKind.TEXT
URL = "https://example.org/page"
PNG = b"\x89PNG\r\n\x1a\n\0\0"


@pytest.mark.parametrize(
    ("content_type", "body", "kind"),
    [
        ("text/html", b"anything", HTML),
        ("Text/HTML; charset=utf-8", b"<p>x", HTML),
        ("application/xhtml+xml", b"<?xml version='1.0'?><html>", HTML),
        ("text/html", b"%PDF-1.4", PDF),
        ("text/html", PNG, None),
        ("text/html", b"", None),
        ("application/pdf", b"%PDF-1.4", PDF),
        ("application/pdf", b"some bytes before %PDF-1.7", PDF),
        ("application/pdf", b"damaged", PDF),
        ("application/pdf", b"<!DOCTYPE html><title>Not found", HTML),
        ("text/plain", b"words", TEXT),
        ("text/plain; charset=iso-8859-1", b"\xe9t\xe9", TEXT),
        ("text/plain", b"\xff\xfew\0o\0r\0d\0", TEXT),
        ("text/plain", b"<!-- x --> <!doctype html><p>", HTML),
        ("text/plain", b"\xef\xbb\xbf<html lang=en>", HTML),
        ("text/plain", b"<p>an example of markup", TEXT),
        ("text/plain", b"%PDF-1.4", PDF),
        ("text/plain", b"\0\1\2\3", None),
        ("text/plain", PNG, None),
        ("text/markdown", b"# Words", TEXT),
        ("application/octet-stream", b"%PDF-1.4", PDF),
        ("application/octet-stream", b"<html>", HTML),
        ("application/octet-stream", b"words", None),
        (None, b"<!doctype html><p>", HTML),
        (None, b"  <p>x", HTML),
        (None, b"%PDF-1.4", PDF),
        (None, b"words", None),
        (None, b'{"a": 1}', None),
        ("", b"<title>x", HTML),
        ("application/xml", b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">', HTML),
        ("application/xml", b"<rss>", None),
        ("text/xml", b"<svg>", None),
        ("image/svg+xml", b"<svg><a>", None),
        ("application/json", b'"<html>"', None),
        ("text/css", b"p{}", None),
        ("text/javascript", b"<!--", None),
        ("application/javascript", b"document.write('<html>')", None),
        ("text/csv", b"a,b", None),
        ("image/png", b"<html>", None),
        ("font/woff2", b"wOF2", None),
        ("nonsense", b"<html>", None),
    ],
)
def test_a_page_is_what_it_states_unless_its_bytes_say_otherwise(
    content_type: str | None, body: bytes, kind: PageKind | None
) -> None:
    assert page_kind(content_type, body, URL) is kind


@pytest.mark.parametrize(
    ("path", "content_type", "kind"),
    [
        ("/notes.txt", "text/plain", TEXT),
        ("/notes.txt", None, TEXT),
        ("/NOTES.TXT", "application/octet-stream", None),
        ("/data.json", "text/plain", None),
        ("/app.min.js", "text/plain", None),
        ("/style.css?v=2", "text/plain", None),
        ("/robots.txt", "text/plain", None),
        ("/about/robots.txt", "text/plain", TEXT),
        ("/page.js", "text/html", HTML),
    ],
)
def test_text_for_programs_is_no_page(path: str, content_type: str | None, kind: PageKind | None) -> None:
    assert page_kind(content_type, b"words", f"https://example.org{path}") is kind


def test_what_has_no_web_address_is_no_page() -> None:
    assert page_kind("text/plain", b"words", "urn:text:https://example.org/") is None
    assert page_kind("text/plain", b"20260101", "dns:example.org") is None
