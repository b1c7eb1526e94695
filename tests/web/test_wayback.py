"""Captures replayed by URL and time, as readers, browsers and programs ask for them."""

import gzip
import re
from datetime import timedelta

import pytest
from httpx import Response
from starlette.testclient import TestClient

from tests.support.fetched import fetched
from tests.web.conftest import Page
from tests.web.replayed import HOME, LATIN, MAY, PACKED, PNG, SITE, archive_everything, archive_responses
from webstrata.app import App
from webstrata.site import create_site

FIRST, AGAIN = "20240503120509", "20240603120509"
PAGES = {"", "mp_", "if_"}


@pytest.fixture(scope="module")
def reader(shared_app: App) -> TestClient:
    archive_everything(shared_app)
    return TestClient(create_site(shared_app), follow_redirects=False)


def get(reader: TestClient, path: str, status: int = 200, **headers: str) -> Response:
    response: Response = reader.get(path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    assert response.status_code == status, response.text
    return response


@pytest.mark.parametrize(
    ("asked", "exact"),
    [
        ("2024", AGAIN),
        ("2", AGAIN),
        ("202405", FIRST),
        ("1999", FIRST),
        ("20240519000000", FIRST),
        ("20240520000000", AGAIN),
    ],
)
def test_a_page_is_replayed_at_its_exact_time(reader: TestClient, asked: str, exact: str) -> None:
    redirect = get(reader, f"/web/{asked}/{SITE}/", 302)
    assert redirect.headers["location"] == f"/web/{exact}/{SITE}/"
    page = get(reader, redirect.headers["location"])
    assert page.headers["memento-datetime"].endswith("2024 12:05:09 GMT")
    assert "Grippe" in page.text


@pytest.mark.parametrize(
    "written",
    [
        *("health.example", "http://health.example/", "https:/health.example/", "https%3A%2F%2Fwww.health.example%2F"),
        "HTTPS://HEALTH.EXAMPLE:443",
    ],
)
def test_a_url_is_found_however_it_is_written(reader: TestClient, written: str) -> None:
    assert "Grippe" in get(reader, f"/web/{FIRST}/{written}").text


def test_a_page_is_found_with_or_without_its_slash(reader: TestClient) -> None:
    assert get(reader, f"/web/2024/{SITE}/folder", 302).headers["location"] == f"/web/{FIRST}/{SITE}/folder/"


def test_links_and_resources_of_a_page_lead_to_captures_of_the_same_time(reader: TestClient) -> None:
    page = Page(get(reader, f"/web/{FIRST}/{SITE}/"))
    links = page.links("a")
    assert links["Flu"] == f"/web/{FIRST}/{SITE}/flu?a=1&b=2#part"
    assert links["Top"] == "#top"
    assert links["Away"] == f"/web/{FIRST}/https://elsewhere.example/"
    assert links["All captures"] == f"/web/*/{SITE}/"
    image = page.one("img").attributes
    assert image["src"] == f"/web/{FIRST}im_/{SITE}/leaf.png"
    assert image["srcset"] == f"/web/{FIRST}im_/{SITE}/leaf.png 2x"
    assert page.one("link").attributes["href"] == f"/web/{FIRST}cs_/{SITE}/site.css"
    assert page.one("script").attributes["src"] == f"/web/{FIRST}js_/{SITE}/app.js"
    assert not page.all("[target=_blank]")
    framed = Page(get(reader, f"/web/{FIRST}if_/{SITE}/"))
    assert framed.links("a")["Flu"] == f"/web/{FIRST}if_/{SITE}/flu?a=1&b=2#part"
    assert not framed.all("#webstrata-banner")


def test_a_style_sheet_refers_to_captures(reader: TestClient) -> None:
    style = get(reader, f"/web/{FIRST}cs_/{SITE}/site.css")
    assert style.text == (
        f'@import "/web/{FIRST}cs_/{SITE}/more.css"; body{{background:url("/web/{FIRST}im_/{SITE}/leaf.png")}}'
    )


@pytest.mark.parametrize("modifier", ["id_", "im_", "js_"])
def test_archived_bytes_come_unmodified_without_a_redirect(reader: TestClient, modifier: str) -> None:
    response = get(reader, f"/web/2024{modifier}/{SITE}/leaf.png")
    assert response.content == PNG
    assert response.headers["content-type"] == "image/png"
    assert response.headers["content-location"] == f"/web/{FIRST}{modifier}/{SITE}/leaf.png"
    assert get(reader, f"/web/{FIRST}id_/{SITE}/").text == HOME
    assert get(reader, f"/web/{AGAIN}id_/{SITE}/").text == HOME, "what is unchanged comes from where it was stored"
    assert get(reader, f"/web/{FIRST}id_/{SITE}/flu?a=1&b=2").content == LATIN


def test_a_page_in_another_charset_reads_the_same(reader: TestClient) -> None:
    page = get(reader, f"/web/{FIRST}/{SITE}/flu?a=1&b=2")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "À l'hôpital." in page.text


def test_packed_bytes_are_passed_on_to_clients_that_can_unpack_them(reader: TestClient) -> None:
    path = f"/web/{FIRST}id_/{SITE}/packed"
    with reader.stream("GET", path, headers={"Accept-Encoding": "gzip"}) as packed:
        assert b"".join(packed.iter_raw()) == PACKED
        assert packed.headers["content-encoding"] == "gzip"
    plain = get(reader, path, Accept_Encoding="identity")
    assert "content-encoding" not in plain.headers
    assert plain.content == gzip.decompress(PACKED)
    assert "Wash your hands" in get(reader, f"/web/{FIRST}/{SITE}/packed", Accept_Encoding="identity").text


def test_archived_redirects_and_errors_are_replayed_as_such(reader: TestClient) -> None:
    for modifier in ("", "id_"):
        moved = get(reader, f"/web/{FIRST}{modifier}/{SITE}/moved", 302)
        assert moved.headers["location"] == f"/web/{FIRST}{modifier}/{SITE}/flu?a=1&b=2"
        assert "Gone" in get(reader, f"/web/{FIRST}{modifier}/{SITE}/gone", 410).text
        assert get(reader, f"/web/{FIRST}{modifier}/{SITE}/empty", 204).content == b""


def test_a_redirect_to_itself_gives_way_to_the_page(reader: TestClient) -> None:
    second_before = "20240503120508"
    assert get(reader, f"/web/{second_before}/http://www.health.example/", 302).headers["location"] == (
        f"/web/{FIRST}/{SITE}/"
    )
    assert get(reader, f"/web/{second_before}id_/http://www.health.example/", 301).headers["location"] == (
        f"/web/{second_before}id_/{SITE}/"
    )
    assert "Not archived" in get(reader, f"/web/{FIRST}/{SITE}/loop", 404).text


def test_original_headers_have_names_of_their_own_and_do_nothing(reader: TestClient) -> None:
    headers = get(reader, f"/web/{FIRST}id_/{SITE}/").headers
    assert headers["x-archive-orig-content-type"] == "text/html; charset=utf-8"
    assert headers["x-archive-orig-refresh"] == "0; url=https://evil.example/"
    for name in ("set-cookie", "refresh", "x-archive-orig-set-cookie", "x-archive-orig-x-long"):
        assert name not in headers
    assert "secret" not in str(headers)
    assert "preload" not in headers["link"]


@pytest.mark.parametrize(
    "path", [f"/web/{FIRST}{m}/{SITE}/{p}" for m in ("", "id_", "js_") for p in ("", "app.js", "gone")]
)
def test_everything_archived_is_sandboxed_and_may_be_framed(reader: TestClient, path: str) -> None:
    headers = reader.get(path).headers
    policy = headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none';")
    assert "script" not in policy
    assert "allow-" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert "x-frame-options" not in headers


@pytest.mark.parametrize("dest", ["script", "style", "worker", "serviceworker", "sharedworker", "Script"])
def test_a_browser_gets_nothing_to_run_on_our_origin(reader: TestClient, dest: str) -> None:
    for path in (f"/web/{FIRST}id_/{SITE}/app.js", f"/web/{FIRST}js_/{SITE}/app.js", f"/web/2024cs_/{SITE}/site.css"):
        refused = get(reader, path, 403, Sec_Fetch_Dest=dest)
        assert "never run here" in refused.text
        assert refused.headers["content-type"].startswith("text/plain")
    get(reader, f"/web/{FIRST}id_/{SITE}/app.js", 403, Service_Worker="script")
    assert get(reader, f"/web/{FIRST}im_/{SITE}/leaf.png", Sec_Fetch_Dest="image").content == PNG


def test_a_part_of_a_file_can_be_requested(reader: TestClient) -> None:
    path, size = f"/web/{FIRST}id_/{SITE}/leaf.png", len(PNG)
    whole = get(reader, path)
    assert whole.headers["accept-ranges"] == "bytes"
    etag = whole.headers["etag"]
    for asked, part in (("0-3", PNG[:4]), ("100-", PNG[100:]), ("-5", PNG[-5:]), ("2000-99999", PNG[2000:])):
        response = get(reader, path, 206, Range=f"bytes={asked}", If_Range=etag)
        assert response.content == part
        begin = size - 5 if asked == "-5" else int(asked.partition("-")[0])
        assert response.headers["content-range"] == f"bytes {begin}-{begin + len(part) - 1}/{size}"
    assert get(reader, path, 416, Range="bytes=99999-").headers["content-range"] == f"bytes */{size}"
    for ignored in ("bytes=5-2", "bytes=0-1,4-5", "lines=1-2", "bytes=-"):
        assert get(reader, path, Range=ignored).content == PNG
    assert get(reader, path, Range="bytes=0-3", If_Range='"another"').content == PNG
    assert get(reader, path, 304, If_None_Match=etag).content == b""
    text = get(reader, f"/web/{FIRST}id_/{SITE}/packed", 206, Range="bytes=0-1499", Accept_Encoding="identity")
    assert text.content == gzip.decompress(PACKED)[:1_500]


def test_head_and_post_get_what_is_archived(reader: TestClient) -> None:
    head = reader.head(f"/web/{FIRST}id_/{SITE}/")
    assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", str(len(HOME)))
    assert reader.post(f"/web/{FIRST}id_/{SITE}/data.json", data={"a": "b"}).json() == {"a": 1}
    moved = reader.post(f"/web/2024/{SITE}/data.json")
    assert (moved.status_code, moved.headers["location"]) == (307, f"/web/{FIRST}/{SITE}/data.json")


def test_what_is_not_archived_is_reported_honestly_and_the_live_address_offered(reader: TestClient) -> None:
    page = Page(get(reader, f"/web/2024/{SITE}/never?x=%22%3E", 404))
    assert "This archive has no capture of" in page.text()
    live = page.one("main a[rel~=noreferrer]")
    assert live.attributes["href"] == f"{SITE}/never?x=%22%3E"
    assert "nofollow" in live.attributes["rel"]
    assert get(reader, f"/web/2024im_/{SITE}/never.png", 404).headers["content-type"].startswith("text/plain")


@pytest.mark.parametrize(
    "path",
    [
        *(
            "/web/2024/",
            "/web/",
            "/web/2024/mailto:me@example.org",
            "/web/2024/http://[",
            "/web/123456789012345/a.example",
        ),
        *("/web/2024zz_/a.example", "/web/*/", "/web/*/no%20host", "/web/javascript:alert(1)", "/web/2024/%00"),
        *("/web/timemap/link/nothing", "/web/2024/%FF%FE"),
    ],
)
def test_an_address_without_sense_is_refused_in_a_sentence(reader: TestClient, path: str) -> None:
    page = Page(get(reader, path, 400))
    assert re.search("expected|missing|must", page.text())


def test_a_lost_file_is_reported_and_another_capture_shown_where_there_is_one(app: App) -> None:
    archive_responses(app, [fetched(f"{SITE}/a", "<title>Old</title>", at=MAY)])
    kept = set(app.archive_root.rglob("*.warc.gz"))
    archive_responses(
        app, [fetched(f"{SITE}/{name}", "<title>New</title>", at=MAY + timedelta(days=9)) for name in "ab"]
    )
    for file in set(app.archive_root.rglob("*.warc.gz")) - kept:
        file.write_bytes(b"\x1f\x8b garbage")
    reader = TestClient(create_site(app), follow_redirects=False)
    assert get(reader, f"/web/2025/{SITE}/a", 302).headers["location"] == f"/web/{FIRST}/{SITE}/a"
    assert "Could not locate" in get(reader, f"/web/2025/{SITE}/b", 404).text


def test_captures_are_listed_by_year_and_by_prefix(reader: TestClient) -> None:
    page = Page(get(reader, f"/web/*/{SITE}/"))
    assert "3 captures" in page.text()
    assert page.links("tbody a")["3 June 2024, 12:05:09 UTC"] == f"/web/{AGAIN}/{SITE}/"
    assert page.links("nav[aria-label=Years] a") == {"2024": f"/web/2024*/{SITE}/"}
    assert "no captures" in Page(get(reader, f"/web/2023*/{SITE}/", 404)).text()
    listed = Page(get(reader, "/web/*/health.example/f*"))
    assert listed.links("tbody a") == {
        f"{SITE}/flu?a=1&b=2": f"/web/*/{SITE}/flu?a=1&b=2",
        f"{SITE}/folder/": f"/web/*/{SITE}/folder/",
    }
