"""The CDX server, TimeMaps and TimeGates over a real archive."""

import gzip
import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from httpx import Response
from starlette.testclient import TestClient

from tests.support.fetched import fetched
from tests.web.replayed import MAY, SITE, archive_everything, archive_responses
from webstrata.app import App
from webstrata.replay import memento
from webstrata.site import create_site

FIRST, AGAIN = "20240503120509", "20240603120509"
NEWS = f"{SITE}/news"
DAYS = 10


@pytest.fixture(scope="module")
def job(shared_app: App) -> int:
    """A front page with its parts, news on ten days, every other like the day before, and a page that is hidden."""
    job = archive_everything(shared_app)
    first = fetched(NEWS, at=MAY + timedelta(days=61))
    days = [replace(first, fetched_at=first.fetched_at + timedelta(days=n), body=b"%d" % (n // 2)) for n in range(DAYS)]
    archive_responses(shared_app, days)
    archive_responses(shared_app, [fetched("https://sub.health.example/", at=MAY)], code="sub")
    archive_responses(shared_app, [fetched(f"{SITE}/hidden", at=MAY)], code="test")
    return job


@pytest.fixture(scope="module")
def reader(shared_app: App, job: int) -> TestClient:
    return TestClient(create_site(shared_app), follow_redirects=False)


def asked(reader: TestClient, path: str = "/cdx", status: int = 200, **parameters: Any) -> Response:
    given = {name.rstrip("_"): value for name, value in parameters.items()}
    response: Response = reader.get(path, params=given)
    assert response.status_code == status, response.text
    return response


def lines(reader: TestClient, **parameters: Any) -> list[str]:
    return asked(reader, **parameters).text.splitlines()


def test_a_line_is_written_as_in_the_dialect_that_is_requested(reader: TestClient) -> None:
    url = f"{SITE}/leaf.png"
    (line,) = lines(reader, url=url)
    key, timestamp, original, mime, status, digest, length = line.split(" ")
    assert (key, timestamp, original, mime, status) == ("example,health)/leaf.png", FIRST, url, "image/png", "200")
    assert len(digest) == 32
    assert int(length) > 0
    names, values = asked(reader, url=url, output="json").json()
    assert names == ["urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length"]
    assert " ".join(values) == line
    as_pywb = asked(reader, "/cdx/pywb", url=url).text
    found = json.loads(as_pywb.split(" ", 2)[2])
    assert as_pywb.startswith(f"{key} {timestamp} {{")
    assert (found["url"], found["mime"], found["status"], found["digest"]) == (url, mime, status, digest)
    assert found["filename"].endswith(".warc.gz")
    assert "/" not in found["filename"]
    (one,) = asked(reader, url=url, output="json", dialect="pywb").text.splitlines()
    assert json.loads(one) == {"urlkey": key, "timestamp": timestamp, **found}
    assert lines(reader, path="/cdx/search/cdx", url=url, fl="timestamp,statuscode") == [f"{FIRST} 200"]


def test_captures_are_listed_as_links_to_their_mementos(reader: TestClient) -> None:
    found = asked(reader, url=f"{SITE}/leaf.png", output="link")
    memento = (
        f'<http://testserver/web/{FIRST}/{SITE}/leaf.png>; rel="memento"; datetime="Fri, 03 May 2024 12:05:09 GMT"'
    )
    assert (found.headers["content-type"], found.text) == ("application/link-format", f"{memento}\n")
    assert asked(reader, url=f"{SITE}/*", output="link").text.count(",\n<") == len(lines(reader, url=f"{SITE}/*")) - 1


def test_nothing_found_is_an_empty_list_or_pywbs_404(reader: TestClient) -> None:
    assert asked(reader, url="never.example").text == ""
    assert asked(reader, url="never.example", output="json").json() == []
    assert "No Captures found" in asked(reader, "/cdx/pywb", 404, url="never.example").json()["message"]
    assert lines(reader, url=f"{SITE}/hidden") == []


def test_urls_are_matched_exactly_by_prefix_by_host_and_by_domain(reader: TestClient) -> None:
    def urls(**parameters: Any) -> set[str]:
        return {line.removeprefix(f"{SITE}/") for line in lines(reader, fl="original", **parameters)}

    assert urls(url=f"{SITE}/f*") == urls(url=f"{SITE}/f", matchType="prefix") == {"flu?a=1&b=2", "folder/"}
    host, domain = urls(url=SITE, matchType="host"), urls(url="*.health.example")
    assert "news" in host
    assert "https://sub.health.example/" not in host
    assert domain == host | {"https://sub.health.example/"}
    assert urls(url=SITE) == {"", "http://www.health.example/"}


def test_lists_are_bounded_sorted_filtered_and_collapsed(reader: TestClient) -> None:
    days = lines(reader, url=NEWS, fl="timestamp")
    assert len(days) == DAYS
    assert days == sorted(days)
    assert lines(reader, url=NEWS, fl="timestamp", sort="reverse") == days[::-1]
    assert lines(reader, url=NEWS, fl="timestamp", limit=3) == days[:3]
    assert lines(reader, url=NEWS, fl="timestamp", limit=-3) == days[-3:]
    assert lines(reader, url=NEWS, fl="timestamp", limit=2, offset=3) == days[3:5]
    assert lines(reader, url=NEWS, fl="timestamp", from_=days[2], to=days[4]) == days[2:5]
    assert lines(reader, url=NEWS, fl="timestamp", to=days[4][:8]) == days[:5]
    assert lines(reader, url=NEWS, fl="timestamp", closest=days[5], limit=3) == [days[5], days[4], days[6]]
    assert lines(reader, url=NEWS, fl="timestamp", collapse="digest") == days[::2]
    assert lines(reader, url=NEWS, fl="timestamp", collapse="digest", limit=-2) == days[-4::2]
    assert lines(reader, url=NEWS, fl="timestamp", collapse="timestamp:6") == days[:1]


def test_filters_of_either_dialect_leave_lines_out(reader: TestClient) -> None:
    def found(*filters: str, **parameters: Any) -> list[str]:
        return lines(reader, url=SITE + "/*", filter=filters, fl="statuscode,mimetype", **parameters)

    assert set(found("mimetype:image/.*")) == {"200 image/png"}
    assert set(found("!statuscode:[23]..", "=mimetype:text/html")) == {"410 text/html"}
    assert set(found("mime:png", dialect="pywb")) == {"200 image/png"}
    assert set(found("~status:4.*", dialect="pywb")) == {"410 text/html"}
    assert found("original:(a*)*(a*)*(a*)*b") == [], "a hostile expression takes no longer than others"


def test_a_long_list_comes_in_pages_and_continues_at_its_resume_key(
    reader: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webstrata.model.replay.cdx.BLOCK_LINES", 4)
    whole = lines(reader, url=SITE + "/*")
    pages = int(asked(reader, url=SITE + "/*", showNumPages="true").text)
    assert pages == -(-len(whole) // 4)
    assert asked(reader, "/cdx/pywb", url=SITE + "/*", showNumPages="true").json()["blocks"] == pages
    assert [line for page in range(pages) for line in lines(reader, url=SITE + "/*", page=page)] == whole
    assert "page must be below" in asked(reader, status=400, url=SITE + "/*", page=pages).json()["detail"]
    seen: list[str] = []
    key = ""
    while True:
        *part, blank, key = lines(reader, url=SITE + "/*", limit=5, showResumeKey="true", resumeKey=key) or ["", ""]
        if not key:
            break
        assert blank == ""
        seen += part
    assert seen == whole
    rows = asked(reader, url=SITE + "/*", limit=5, showResumeKey="true", output="json").json()
    assert rows[-2] == []
    rest = asked(reader, url=SITE + "/*", resumeKey=rows[-1][0], output="json").json()
    assert len(rest) - 1 == len(whole) - 5


def test_a_list_is_compressed_unless_that_is_refused(reader: TestClient) -> None:
    def raw(**parameters: str) -> bytes:
        given = {"url": f"{SITE}/*", **parameters}
        with reader.stream("GET", "/cdx", params=given, headers={"Accept-Encoding": "gzip"}) as response:
            return b"".join(response.iter_raw())

    assert gzip.decompress(raw()) == raw(gzip="false")


@pytest.mark.parametrize("query", ["", "url=", "url=mailto:x", "url=a.example&limit=x", "url=a.example&filter=("])
def test_a_query_that_makes_no_sense_is_refused_in_a_sentence(reader: TestClient, query: str) -> None:
    response = reader.get(f"/cdx?{query}")
    assert response.status_code == 400
    assert len(response.json()["detail"]) > 20


def test_a_job_has_its_cdxj_file(reader: TestClient, job: int) -> None:
    response = asked(reader, f"/api/jobs/{job}/cdxj")
    written = response.text.splitlines()
    assert f'"url": "{SITE}/leaf.png"' in response.text
    assert len(written) == len([*lines(reader, url="*.health.example", to="202405", filter="!urlkey:.*sub.*")])
    assert asked(reader, "/api/jobs/999/cdxj", 404).json()["detail"] == "Job not found"


@pytest.mark.parametrize(
    ("when", "exact"),
    [
        (None, AGAIN),
        ("Fri, 03 May 2024 12:05:09 GMT", FIRST),
        ("Mon, 01 Jan 1990 00:00:00 GMT", "20240503120508"),
        ("Mon, 01 Jan 2035 00:00:00 GMT", AGAIN),
    ],
)
def test_a_timegate_leads_to_the_capture_closest_in_time(reader: TestClient, when: str | None, exact: str) -> None:
    response = reader.get(f"/web/{SITE}/", headers={"Accept-Datetime": when} if when else {})
    assert response.status_code == 302
    assert response.headers["vary"] == "Accept-Datetime"
    # The first capture redirects to itself, and so gives way to the next.
    exact = FIRST if exact == "20240503120508" else exact
    assert response.headers["location"] == f"/web/{exact}/{SITE}/"
    links = response.headers["link"]
    assert f'<{SITE}/>; rel="original"' in links
    assert f'<http://testserver/web/{SITE}/>; rel="timegate"' in links
    assert f'<http://testserver/web/timemap/link/{SITE}/>; rel="timemap"' in links
    assert f'<http://testserver/web/{AGAIN}/{SITE}/>; rel="' in links
    assert 'last memento"; datetime="Mon, 03 Jun 2024 12:05:09 GMT"' in links


def test_a_memento_names_its_time_and_its_neighbours(reader: TestClient) -> None:
    response = reader.get(f"/web/{FIRST}/{SITE}/")
    assert response.headers["memento-datetime"] == "Fri, 03 May 2024 12:05:09 GMT"
    links = response.headers["link"]
    assert 'rel="first prev memento"; datetime="Fri, 03 May 2024 12:05:08 GMT"' in links
    assert 'rel="memento"; datetime="Fri, 03 May 2024 12:05:09 GMT"' in links
    assert 'rel="next last memento"; datetime="Mon, 03 Jun 2024 12:05:09 GMT"' in links
    assert reader.get(f"/web/{SITE}/", headers={"Accept-Datetime": "yesterday"}).status_code == 400


def test_a_timemap_lists_every_capture_in_pages(reader: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    text = asked(reader, f"/web/timemap/link/{NEWS}").text
    assert text.count('memento"; datetime=') == DAYS
    assert text.count('rel="first memento"') == text.count('rel="last memento"') == 1
    monkeypatch.setattr(memento.read_timemap, "__defaults__", (4,))
    found: list[str] = []
    address = f"/web/timemap/json/{NEWS}"
    while address:
        page = asked(reader, address).json()
        found += [one["uri"] for one in page["mementos"]["list"]]
        assert page["mementos"]["last"]["datetime"] == "2024-07-12T12:05:09Z"
        address = page.get("next", "").removeprefix("http://testserver")
    days = lines(reader, url=NEWS, fl="timestamp")
    assert found == [f"http://testserver/web/{day}/{NEWS}" for day in days]
    assert 'rel="timemap"; type="application/link-format"; until=' in asked(reader, f"/web/timemap/link/{NEWS}").text
    asked(reader, "/web/timemap/link/https://never.example/", 404)
    asked(reader, f"/web/timemap/xml/{NEWS}", 404)
