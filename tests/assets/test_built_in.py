"""What the built-in plugins make of pages and files."""

import pytest

from tests.assets.archives import NEW_YEAR
from webstrata.assets.media import MediaPlugin, sort_of
from webstrata.assets.naming import identifier_for, path_for
from webstrata.assets.page import PagePlugin
from webstrata.assets.plugin import AssetType, CapturedContent, NormalizedAsset, Plugin

URL = "https://site.example/guide/dose"


def captured(
    body: bytes, content_type: str = "text/html", url: str = URL, kind: AssetType = AssetType.PAGE
) -> CapturedContent:
    return CapturedContent(url, kind, body, NEW_YEAR, 200, {"content-type": content_type})


def only(plugin: Plugin, content: CapturedContent) -> NormalizedAsset:
    (asset,) = plugin.normalize(content)
    return asset


def test_a_page_is_its_title_and_text_in_utf_8() -> None:
    page = "<title>Fièvre</title><body><p>Dès  38 °C :   voir</p><p>un médecin</p>".encode("iso-8859-1")
    asset = only(PagePlugin(), captured(page, "text/html; charset=iso-8859-1"))
    assert asset.content.decode("utf-8") == "Fièvre\n\nDès 38 °C : voir\nun médecin\n"
    assert asset.record.metadata["title"] == "Fièvre"


def test_a_page_in_other_bytes_that_has_the_same_content_has_the_same_checksum() -> None:
    one = only(PagePlugin(), captured("<meta charset=utf-8><title>é</title><p>é</p>".encode()))
    other = only(PagePlugin(), captured("<title>e\u0301</title><p  class=x>e\u0301</p>".encode("utf-16")))
    assert one.record.checksum == other.record.checksum


def test_a_page_may_hold_nothing_or_what_no_database_keeps() -> None:
    assert only(PagePlugin(), captured(b"")).content == b"\n\n\n"
    odd = only(PagePlugin(), captured(b"<title>a&#0;b\0c</title><p>&#xD800;\0</p>"))
    assert b"\0" not in odd.content
    odd.content.decode("utf-8")


def test_plugins_support_what_they_are_for() -> None:
    assert [PagePlugin().supports(kind) for kind in ("page", "media", "else")] == [True, False, False]
    assert [MediaPlugin().supports(kind) for kind in ("page", "media", "else")] == [False, True, False]


def test_a_file_stays_as_it_is() -> None:
    body = bytes(range(256))
    asset = only(MediaPlugin(), captured(body, "application/pdf", "https://site.example/a", AssetType.MEDIA))
    assert asset.content == body
    assert asset.record.normalized_path == "media/document/site.example/a.pdf"


@pytest.mark.parametrize(
    ("media_type", "path", "extension", "category"),
    [
        ("image/jpeg", "/photo", "jpg", "image"),
        ("image/jpeg", "/photo.JPEG", "jpg", "image"),
        ("image/svg+xml", "/a.svg", "svg", "image"),
        ("image/x-strange", "/a.str", "str", "image"),
        ("video/mp4", "/film.php", "mp4", "video"),
        ("audio/mpeg", "/", "mp3", "audio"),
        ("font/woff2", "/f", "woff2", "font"),
        ("text/css", "/s", "css", "style"),
        ("text/javascript", "/s.php", "js", "script"),
        ("application/pdf", "/download?id=1", "pdf", "document"),
        ("text/plain", "/robots.txt", "txt", "document"),
        ("application/json", "/api", "json", "other"),
        ("application/octet-stream", "/report.pdf", "pdf", "document"),
        ("application/octet-stream", "/report", "bin", "other"),
        (None, "/photo.jpeg", "jpeg", "image"),
        (None, "/page.verylongextension", "bin", "other"),
        ("application/x-unknown", "/a.dat", "dat", "other"),
    ],
)
def test_a_file_is_sorted_by_its_type_or_else_its_address(
    media_type: str | None, path: str, extension: str, category: str
) -> None:
    assert sort_of(media_type, f"https://site.example{path}") == (extension, category)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/", "page/site.example/index.txt"),
        ("/a", "page/site.example/a.txt"),
        ("/a/", "page/site.example/a/index.txt"),
        ("/a.html", "page/site.example/a.html.txt"),
        ("/a.txt", "page/site.example/a.txt"),
    ],
)
def test_a_path_shows_the_address(path: str, expected: str) -> None:
    assert path_for("page", f"https://site.example{path}", "txt") == expected


@pytest.mark.parametrize(
    "path", ["/a?x=1", "/%2e%2e/%2Fetc", "/a\\b", "/" + "x/" * 50, "/" + "y" * 5_000, "/.hidden", "/é", "/a%00b"]
)
def test_a_path_that_cannot_show_the_whole_address_has_a_hash_and_is_safe(path: str) -> None:
    found = path_for("page", f"https://site.example:8443{path}", "txt")
    assert found.startswith("page/site.example_8443/")
    assert len(found) < 1_000
    assert found.isascii()
    assert not any(part.startswith(".") for part in found.split("/"))
    assert found != path_for("page", f"https://site.example:8443{path}&more", "txt")


def test_an_identifier_is_short_enough_for_a_database() -> None:
    long = "https://site.example/" + "x" * 10_000
    assert len(identifier_for(long)) <= 2_048
    assert identifier_for(long) != identifier_for(long + "y")
    assert identifier_for("HTTPS://Site.example:443/a#b") == "https://site.example/a"


def test_the_text_of_a_capture_is_read_in_its_charset() -> None:
    assert captured("żółć".encode("iso-8859-2"), "text/plain; charset=iso-8859-2", kind=AssetType.MEDIA).text == "żółć"
    page = captured(b"<meta charset=windows-1251><p>\xcf\xf0\xe8\xe2\xe5\xf2</p>")
    assert (page.charset, page.media_type) == ("cp1251", "text/html")
    assert "Привет" in page.text
