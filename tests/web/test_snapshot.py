import hashlib
from datetime import timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.web.archive import MAY, SITE, Answer, keep
from tests.web.conftest import TOKEN, MakeClient, Page
from webstrata.app import App
from webstrata.db.schema.tables import Capture, Snapshot
from webstrata.warc.reader import iter_records
from webstrata.web.snapshot import MOST_LINKS
from webstrata.web.viewer.viewer_frame import can_be_framed


@pytest.fixture
def three(app: App) -> list[int]:
    """Three captures of one page, a month apart; the last says something new."""
    texts = ["Every six hours.", "Every six hours.", "Every four hours."]
    answers = [Answer(f"{SITE}fever", "Fever", text, MAY + timedelta(days=30 * n)) for n, text in enumerate(texts)]
    return keep(app, answers)


def test_a_capture_is_shown_in_a_frame_that_can_do_nothing(client: TestClient, three: list[int]) -> None:
    page = Page(client.get(f"/snapshot/{three[0]}"))
    assert page.status == 200
    frame = page.one("iframe")
    assert frame.attributes["src"] == f"/api/snapshots/raw/{three[0]}?banner=false&inertLinks=true"
    assert frame.attributes["sandbox"] in {"", None}
    assert frame.attributes["title"] == "The archived page: Fever"
    assert "Every six hours." in client.get(f"/api/snapshots/raw/{three[0]}").text


def test_only_allowed_front_ends_may_show_a_capture_in_a_frame_of_theirs(client: TestClient, three: list[int]) -> None:
    shown, home = (client.get(path).headers for path in (f"/snapshot/{three[0]}", "/"))
    allowed = "frame-ancestors 'self' http://localhost:3000 http://localhost:5173 https://healtharchive.ca "
    assert f"{allowed}https://www.healtharchive.ca;" in shown["content-security-policy"]
    assert shown["content-security-policy"].startswith("default-src 'self';")
    assert "frame-ancestors 'self';" in home["content-security-policy"]
    assert shown["x-frame-options"] == home["x-frame-options"] == "SAMEORIGIN"


def test_what_is_known_of_a_capture_is_reported(client: TestClient, three: list[int]) -> None:
    page = Page(client.get(f"/snapshot/{three[0]}"))
    assert page.text("h1") == "Fever"
    assert page.text(".kicker").startswith("Captured 3 May 2024, 12:05 UTC")
    assert "ago" in page.text(".kicker .age")
    assert page.one(".kicker time").attributes["title"] == "3 May 2024, 12:05:09 UTC"
    original = page.one(".address a")
    assert original.attributes["href"] == f"{SITE}fever"
    assert original.attributes["rel"] == "noopener noreferrer nofollow"
    facts = page.text(".about")
    for words in ("Health Agency", "200 OK", "English", "health-20240503", str(three[0])):
        assert words in facts


def test_the_timeline_has_a_tick_for_each_capture(client: TestClient, three: list[int]) -> None:
    page = Page(client.get(f"/snapshot/{three[1]}"))
    ticks = page.all(".strip a")
    assert [tick.attributes["href"] for tick in ticks] == [f"/snapshot/{snapshot_id}" for snapshot_id in three]
    assert [tick.attributes["aria-label"] for tick in ticks] == [
        "3 May 2024, 12:05 UTC, first capture",
        "2 June 2024, 12:05 UTC, same as the previous capture, shown here",
        "2 July 2024, 12:05 UTC, different from the previous capture",
    ]
    assert [tick.attributes.get("aria-current") for tick in ticks] == [None, "true", None]
    heights = [int(node.attributes["height"] or 0) for node in page.all(".strip .stroke")]
    assert heights[2] > heights[0] == heights[1]
    assert page.texts(".legend li") == ["Different from the previous capture", "Same, or first capture"]
    assert "3 snapshots; the content changed once." in page.text(".timeline")


def test_the_date_that_a_page_states_is_shown(client: TestClient, app: App) -> None:
    dated = Answer(f"{SITE}dated", "Dated", '<meta itemprop="datePublished" content="2024-04-30">words')
    (snapshot_id,) = keep(app, [dated])
    assert "2024-04-30, as the page states" in Page(client.get(f"/snapshot/{snapshot_id}")).text(".about")


def test_older_and_newer_captures_are_one_step_away(client: TestClient, three: list[int]) -> None:
    links = Page(client.get(f"/snapshot/{three[1]}")).links(".timeline-head a")
    assert links == {"← Older": f"/snapshot/{three[0]}", "Newer →": f"/snapshot/{three[2]}"}
    assert Page(client.get(f"/snapshot/{three[2]}")).links(".timeline-head a") == {"← Older": f"/snapshot/{three[1]}"}


def test_a_page_that_was_captured_once_reports_it(client: TestClient, app: App) -> None:
    (only,) = keep(app, [Answer(SITE, "Front", "Hello.")])
    page = Page(client.get(f"/snapshot/{only}"))
    assert "The only capture of this page so far." in page.text(".timeline")
    assert not page.all(".strip")


def test_errors_in_the_timeline_are_explained(client: TestClient, app: App) -> None:
    answers = [Answer(f"{SITE}a", "A", "Hello.", MAY + timedelta(days=n), status=404 if n else 200) for n in range(2)]
    page = Page(client.get(f"/snapshot/{keep(app, answers)[1]}"))
    assert page.texts(".legend li")[-1] == "Not available"
    assert [tick.attributes["class"] for tick in page.all(".strip a.bad")] == ["tick bad"]


def test_a_block_page_is_marked_and_leads_to_the_latest_good_capture(client: TestClient, app: App) -> None:
    gone = ("Page not found", "The page does not exist.")
    said = [("Fever", "Every six hours."), ("Fever", "Every four hours."), gone, gone]
    answers = [Answer(f"{SITE}fever", *words, MAY + timedelta(days=n)) for n, words in enumerate(said)]
    _, good, bad, _ = keep(app, answers)
    page = Page(client.get(f"/snapshot/{bad}"))
    (chip,) = page.all(".about .chip")
    assert page.texts(".about .chip") == ["! Page not found"]
    assert 'its title is "page not found"' in (chip.attributes["title"] or "")
    assert page.links(".timeline-head a")["Latest good capture"] == f"/snapshot/{good}"
    assert len(page.all(".strip a.bad")) == 2
    assert "page not found" in (page.all(".strip a.bad")[0].attributes["aria-label"] or "")
    assert "Latest good capture" not in Page(client.get(f"/snapshot/{good}")).text(".timeline-head")
    assert "! Page not found" in Page(client.get("/search?view=snapshots&includeDuplicates=true")).texts(".facts .chip")


def test_the_time_of_the_capture_is_reported_once_and_what_is_not_shown(client: TestClient, app: App) -> None:
    (only,) = keep(app, [Answer(SITE, "Front", "Hello.")])
    page = Page(client.get(f"/snapshot/{only}"))
    assert page.text("article").count("3 May 2024") == 2, "above, and in the citation"
    assert "without images, style sheets and scripts" in page.text(".archived-note")
    framed = client.get(page.one("iframe").attributes["src"] or "")
    assert "2024-05-03" not in framed.text
    alone = client.get(page.links(".archived-bar a")["Open alone"] or "")
    assert "2024-05-03 12:05:09 UTC" in alone.text


def test_links_are_listed_with_the_captures_closest_in_time(client: TestClient, app: App) -> None:
    linking = '<a href="/fever">Fever</a> <a href="/gone">Gone</a> <a href="https://other.example/x?y">x</a>'
    older, *_ = keep(app, [Answer(f"{SITE}fever", "Fever in May", "One.", MAY)])
    newer, front, _gone = keep(
        app,
        [
            Answer(f"{SITE}fever", "Fever in July", "Two.", MAY + timedelta(days=60)),
            Answer(SITE, "Front", linking, MAY + timedelta(days=40)),
            Answer(f"{SITE}gone", "Gone", "No.", MAY, status=404),
        ],
    )
    page = Page(client.get(f"/snapshot/{front}"))
    assert page.links(".page-links a") == {"Fever in July": f"/snapshot/{newer}"}
    assert page.texts(".page-links li") == [
        "Fever in July health.example/fever",
        "health.example/gone not archived",
        "other.example/x not archived",
    ]
    assert (
        page.text(".page-links > .hint")
        == "This page links to 3 pages. Archived ones open at the capture closest in time."
    )
    assert not Page(client.get(f"/snapshot/{older}")).all(".page-links")


def test_very_many_links_are_listed_in_part(client: TestClient, app: App) -> None:
    linking = "".join(f'<a href="/{n}">{n}</a> ' for n in range(MOST_LINKS + 7))
    (front,) = keep(app, [Answer(SITE, "Front", linking)])
    answer = client.get(f"/snapshot/{front}")
    page = Page(answer)
    assert len(page.all(".page-links li")) == MOST_LINKS
    assert page.all(".page-links .hint")[-1].text() == "7 more are not listed."
    assert len(answer.content) < 60_000


def test_a_citation_is_ready_to_copy(client: TestClient, three: list[int]) -> None:
    page = Page(client.get(f"/snapshot/{three[0]}"))
    assert page.one("#citation").text().splitlines() == [
        "“Fever”. Health Agency.",
        f"{SITE}fever",
        "Captured 3 May 2024, 12:05:09 UTC.",
        f"http://testserver/snapshot/{three[0]}",
        f"SHA-256 of the content: {hashlib.sha256(client.get(f'/web/20240503id_/{SITE}fever').content).hexdigest()}",
    ]


def test_a_citation_behind_a_tls_proxy_has_the_address_that_readers_use(client: TestClient, three: list[int]) -> None:
    headers = {"Host": "archive.example", "X-Forwarded-Proto": "https"}
    page = Page(client.get(f"/snapshot/{three[0]}", headers=headers))
    assert f"https://archive.example/snapshot/{three[0]}\n" in page.one("#citation").text()


def test_a_capture_can_be_downloaded(client: TestClient, three: list[int]) -> None:
    download = Page(client.get(f"/snapshot/{three[0]}")).one(".archived-bar a[download]")
    assert download.attributes["href"] == f"/api/snapshots/raw/{three[0]}"
    assert download.attributes["download"] == f"snapshot-{three[0]}.html"


def test_the_record_of_a_capture_is_a_warc_file_of_its_own(
    client: TestClient, three: list[int], tmp_path: Path
) -> None:
    response = client.get(f"/snapshot/{three[1]}/record")
    assert response.headers["content-disposition"] == f'attachment; filename="snapshot-{three[1]}.warc.gz"'
    file = tmp_path / "record.warc.gz"
    file.write_bytes(response.content)
    (record,) = iter_records(file)
    assert record.url == f"{SITE}fever"
    assert client.get("/snapshot/999/record").status_code == 404


def test_a_day_leads_to_the_closest_capture_or_states_that_there_is_none(client: TestClient, three: list[int]) -> None:
    def led(**asked: str) -> str:
        response = client.get("/snapshot/closest", params=asked, follow_redirects=False)
        return str(response.headers.get("location", response.status_code))

    assert led(url=f"{SITE}fever", date="2024-05-03") == f"/snapshot/{three[0]}"
    assert led(url=f"{SITE}fever", date="2031-01-01") == f"/snapshot/{three[-1]}"
    assert led(url=f"{SITE}fever", timestamp="20240503120509") == f"/snapshot/{three[0]}"
    assert led(url=f"{SITE}never") == "404"
    assert led(url="javascript:alert(1)") == "400"
    assert led(url=f"{SITE}fever", timestamp="now") == "400"
    missing = Page(client.get("/snapshot/closest", params={"url": f"{SITE}never"}))
    assert missing.links()[f"{SITE}never"] == f"{SITE}never"


def test_a_calendar_shows_the_days_with_captures(client: TestClient, three: list[int]) -> None:
    page = Page(client.get(f"/calendar/page/{three[0]}"))
    assert page.links(".month a")["3"] == f"/snapshot/{three[0]}"
    source = Page(client.get("/calendar/source/health?year=2024"))
    assert source.links(".month a")["3"] == "/search?source=health&from=2024-05-03&to=2024-05-03&view=snapshots"
    assert "No captures in 1999" in Page(client.get("/calendar/source/health?year=1999")).text()
    assert client.get("/calendar/source/none").status_code == 404
    assert client.get("/calendar/page/999").status_code == 404


def test_a_response_that_was_an_error_is_marked_with_a_sign(client: TestClient, app: App) -> None:
    (gone,) = keep(app, [Answer(f"{SITE}gone", "Gone", "No such page.", status=404)])
    assert Page(client.get(f"/snapshot/{gone}")).text(".about .chip") == "✕ 404 Not Found"


def test_hostile_titles_and_addresses_stay_text(client: TestClient, app: App) -> None:
    (hostile,) = keep(app, [Answer(SITE, "&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;", "Hello.")])
    with app.database.write() as session:
        row = session.get(Snapshot, hostile)
        assert row is not None
        row.url = 'javascript:alert("1")'
    page = Page(client.get(f"/snapshot/{hostile}"))
    assert page.text("h1") == "</title><script>alert(1)</script>"
    assert not page.all("main script")
    assert not page.all("a[href^=javascript]")
    assert page.text(".address") == 'javascript:alert("1")'


def test_a_capture_whose_bytes_are_gone_reports_it_instead_of_an_empty_frame(
    client: TestClient, app: App, three: list[int]
) -> None:
    for warc in app.archive_root.rglob("*.warc.gz"):
        warc.unlink()
    page = Page(client.get(f"/snapshot/{three[0]}"))
    assert page.status == 200
    assert not page.all("iframe")
    assert "Underlying WARC file for this snapshot is missing." in page.text(".unframed")


def test_a_row_without_a_page_is_shown_alone(client: TestClient, app: App, three: list[int]) -> None:
    with app.database.write() as session:
        row = session.get(Snapshot, three[1])
        assert row is not None
        row.normalized_url_group = None
    page = Page(client.get(f"/snapshot/{three[1]}"))
    assert "The only capture of this page so far." in page.text(".timeline")


def test_a_file_that_a_frame_cannot_show_is_offered_as_a_download(client: TestClient, app: App) -> None:
    (file,) = keep(app, [Answer(SITE, "Dose card", "Hello.")])
    with app.database.write() as session:
        row = session.get(Snapshot, file)
        assert row is not None
        row.mime_type = "application/pdf"
    page = Page(client.get(f"/snapshot/{file}"))
    assert not page.all("iframe")
    assert page.one(".unframed a").attributes["download"] == f"snapshot-{file}.pdf"


@pytest.mark.parametrize(
    ("mime_type", "shown"),
    [(None, True), ("text/html", True), ("image/png", True), ("image/svg+xml", False), ("application/pdf", False)],
)
def test_only_what_a_sandboxed_frame_shows_is_framed(mime_type: str | None, shown: bool) -> None:
    assert can_be_framed(mime_type) is shown


def test_a_page_with_thousands_of_captures_stays_small(client: TestClient, app: App) -> None:
    ids = keep(app, [Answer(SITE, "Air", f"Value {n}", MAY + timedelta(hours=n)) for n in range(500)])
    response = client.get(f"/snapshot/{ids[250]}")
    assert len(response.content) < 60_000
    assert "380 more captures are not drawn" in Page(response).text(".timeline")


def test_an_unknown_snapshot_is_a_page_that_reports_it(make_client: MakeClient) -> None:
    page = Page(make_client().get("/snapshot/999"))
    assert page.status == 404
    assert "There is no such snapshot in this archive." in page.text()


@pytest.mark.parametrize("number", ["0", "-1", "9" * 40])
def test_an_impossible_snapshot_is_not_found(make_client: MakeClient, number: str) -> None:
    assert Page(make_client().get(f"/snapshot/{number}")).status == 404


def test_readers_who_are_no_administrators_get_no_link_to_the_job(make_client: MakeClient, app: App) -> None:
    (only,) = keep(app, [Answer(SITE, "Front", "Hello.")])
    assert "health-20240503" in Page(make_client().get(f"/snapshot/{only}")).links()
    page = Page(make_client(token=TOKEN).get(f"/snapshot/{only}"))
    assert "health-20240503" in page.text(".about")
    assert "health-20240503" not in page.links()


def test_a_time_that_the_record_does_not_name_is_called_uncertain(client: TestClient, app: App) -> None:
    (certain, doubtful) = keep(app, [Answer(SITE, "One", "Hello."), Answer(f"{SITE}two", "Two", "Hello again.")])
    with app.database.write() as session:
        capture_id = session.get_one(Snapshot, doubtful).capture_id
        session.get_one(Capture, capture_id).date_source = "http"
    said = "uncertain: the record's date cannot be read, this is the Date header of the response"
    assert client.get(f"/snapshot/{doubtful}").text.replace("&#39;", "'").count(said) == 2
    assert "uncertain" not in client.get(f"/snapshot/{certain}").text
