from datetime import timedelta

import pytest
from playwright.sync_api import Page as BrowserPage
from starlette.testclient import TestClient

from tests.support.changed import DOSE, write_event
from tests.web.archive import MAY, SITE, Answer, keep
from tests.web.conftest import MakeClient, Page
from webstrata.app import App
from webstrata.changes.stage import ChangeTracking
from webstrata.db.queue import jobs
from webstrata.index.version import INDEX_VERSION
from webstrata.model.changes.values import EditKind, LineEdit, PageLine, WordEdit
from webstrata.model.jobs.job import JobStatus
from webstrata.web.diff_view import MAX_CHARACTERS, view_diff

TEXTS = (
    "Give one dose of 200 mg every six hours. Do not give more than four doses in a day.",
    "Give one dose of 400 mg every six hours. Do not give more than four doses in a day.",
    "Give one dose of 400 mg every six hours. Do not give more than four doses in a day.",
)


@pytest.fixture
def fever(app: App) -> list[int]:
    """Three captures of a page, with the events that the stage computes: a dose changes, then nothing."""
    ids = []
    for day, text in enumerate(TEXTS):
        at = MAY + timedelta(days=day)
        ids += keep(app, [Answer(f"{SITE}fever", "Fever", text, at), Answer(f"{SITE}{day}", f"Page {day}", "New.", at)])
    with app.database.write() as session:
        for number in range(1, 4):
            jobs.set_job(session, number, status=JobStatus.INDEXED)
    with app.database.read() as session:
        source = jobs.load_job(session, 1).source_id
    ChangeTracking(app.database, app.archive_root, INDEX_VERSION).compute(source)
    return ids[::2]


def test_the_list_puts_reasons_first_and_groups_by_day(client: TestClient, fever: list[int]) -> None:
    page = Page(client.get("/changes"))
    assert page.status == 200
    assert [text.split(" 20")[0] for text in page.texts(".day h2")] == ["5 May", "4 May", "3 May"]
    item = next(node for node in page.all(".change") if "Changed" in node.text() or "dose" in node.text())
    assert "dose changed" in " ".join(item.css(".chip")[0].text().split())
    assert item.css("a")[0].attributes["href"] == f"/compare?from={fever[0]}&to={fever[1]}"
    assert "200 mg → 400 mg" in item.text()
    assert page.links("header nav a")["Changes"] == "/changes"


def test_the_list_is_narrowed_and_states_what_is_wrong(client: TestClient, fever: list[int]) -> None:
    assert len(Page(client.get("/changes?minSignificance=0.3")).all(".change")) == 1
    assert len(Page(client.get("/changes?changeType=new_page")).all(".change")) == 4
    assert "No change matches these filters." in Page(client.get("/changes?from=2030-01-01")).text()
    wrong = Page(client.get("/changes?from=yesterday&minSignificance=9&changeType=edited"))
    assert wrong.status == 422
    assert len(wrong.all(".problem")) == 3
    assert wrong.one("#from").attributes["value"] == "yesterday"
    assert "There is no page 9" in Page(client.get("/changes?page=9")).text()


def test_an_archive_without_changes_states_what_will_appear(client: TestClient) -> None:
    assert "No changes yet." in Page(client.get("/changes")).text()


def test_two_captures_are_side_by_side_with_their_words_marked(client: TestClient, fever: list[int]) -> None:
    page = Page(client.get(f"/compare?from={fever[0]}&to={fever[1]}"))
    assert page.status == 200
    assert page.texts(".sides del") == ["200"]
    assert page.texts(".sides ins") == ["400"]
    assert [node.text() for node in page.all(".sides .sign")] == ["−", "+"]
    assert "dose changed" in page.texts(".chip")[0]
    links = page.links()
    assert f"/snapshot/{fever[0]}" in links.values()
    assert f"/snapshot/{fever[1]}" in links.values()
    assert page.one("link[rel=canonical]").attributes["href"].endswith(f"/compare?from={fever[0]}&to={fever[1]}")
    inline = Page(client.get(f"/compare?from={fever[0]}&to={fever[1]}&view=inline"))
    assert (inline.texts(".line-changed del"), inline.texts(".line-changed ins")) == (["200"], ["400"])
    assert len(inline.all("#change-1")) == 1


def test_any_two_captures_and_the_first_one_have_a_page(client: TestClient, fever: list[int]) -> None:
    assert Page(client.get(f"/compare?from={fever[0]}&to={fever[2]}")).texts(".sides ins") == ["400"]
    assert "text of both captures is the same" in Page(client.get(f"/compare/{fever[2]}")).text()
    assert "No earlier capture of this page" in Page(client.get(f"/compare/{fever[0]}")).text()
    assert client.get("/compare?from=1&to=999").status_code == 404
    assert client.get("/compare").status_code == 422


def test_a_snapshot_shows_what_it_changed_and_the_timeline_how_much(client: TestClient, fever: list[int]) -> None:
    page = Page(client.get(f"/snapshot/{fever[1]}"))
    assert page.links()["Compare with the previous capture"] == f"/compare?from={fever[0]}&to={fever[1]}"
    assert "dose changed" in page.text(".what-changed")
    heights = [int(node.attributes["height"]) for node in page.all(".strip .stroke")]
    assert heights[0] == heights[2] < heights[1]
    assert "significance" in page.all(".strip a")[1].attributes["aria-label"]


def test_home_shows_changes_worth_knowing_before_captures(client: TestClient, app: App, fever: list[int]) -> None:
    page = Page(client.get("/"))
    assert page.texts("h2")[:2] == ["Latest changes", "Latest captures"]
    assert len(page.all(".change")) == 1
    write_event(app.database, fever[1], fever[2], significance=0.29, reasons=[DOSE])
    assert len(Page(client.get("/")).all(".change")) == 1


def test_tracking_that_is_switched_off_leaves_no_trace(make_client: MakeClient, fever: list[int]) -> None:
    client = make_client(change_tracking_enabled=False)
    assert client.get("/changes").status_code == 404
    assert client.get(f"/compare/{fever[1]}").status_code == 404
    assert "Changes" not in Page(client.get("/")).links("header nav a")
    assert Page(client.get(f"/snapshot/{fever[1]}")).all(".what-changed") == []


def test_unchanged_lines_are_folded_and_long_comparisons_cut() -> None:
    same = [_same(f"line {number}") for number in range(40)]
    view = view_diff([*same, _added("new", "Doses"), *same])
    assert [part.folded for part in view.parts] == [39, 0, 39]
    assert (view.parts[1].number, view.parts[1].section, len(view.parts[1].lines)) == (1, "Doses", 3)
    long = [edit for number in range(50) for edit in (_added("x" * 1_000, str(number)), *same[:5])]
    cut = view_diff(long)
    assert cut.changes == 50
    assert sum(len(word.text) for part in cut.parts for row in part.lines for word in row.words) < MAX_CHARACTERS * 2
    assert 0 < cut.left_out < 50
    assert view_diff(long, whole=True).left_out == 0


def test_a_line_that_does_not_count_is_folded_with_the_unchanged() -> None:
    ignored = LineEdit(EditKind.ADDED, None, PageLine("Updated today", "p"), ignored="a date")
    assert view_diff([_same("a"), ignored]).changes == 0


def test_keys_lead_from_change_to_change(page: BrowserPage, live_archive: App) -> None:
    page.goto("/compare?from=1&to=40")
    focused = "document.activeElement.id"
    page.keyboard.press("n")
    assert page.evaluate(focused) == "change-1"
    page.keyboard.press("p")
    assert page.evaluate(focused) == "change-1"


def _same(text: str) -> LineEdit:
    line = PageLine(text, "p")
    return LineEdit(EditKind.SAME, line, line, section="Doses")


def _added(text: str, section: str) -> LineEdit:
    return LineEdit(EditKind.ADDED, None, PageLine(text, "p"), (WordEdit(EditKind.ADDED, text),), section)
