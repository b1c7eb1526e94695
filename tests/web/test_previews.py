"""Pictures of front pages, and the result of replay checks, where people see them."""

from datetime import UTC, datetime

from starlette.testclient import TestClient

from tests.web.archive import MAY, SITE, Answer, keep
from tests.web.conftest import Page
from webstrata.app import App
from webstrata.db.operations import catalog
from webstrata.db.replay import replay_checks
from webstrata.model.browser.replay_checks import PageCheck, ReplayReport, evenly, word_similarity


def job_of_front_page(app: App) -> int:
    """Archive a front page and return the job that captured it."""
    (snapshot_id,) = keep(app, [Answer(SITE, "Health", "Front page.")])
    with app.database.read() as session:
        shown = catalog.snapshot(session, snapshot_id)
    assert shown is not None
    assert shown.job_id is not None
    return shown.job_id


def test_a_preview_is_shown_with_its_source_and_missed_in_a_sentence(client: TestClient, app: App) -> None:
    job_id = job_of_front_page(app)
    missing = client.get("/api/sources/health/preview")
    assert (missing.status_code, missing.json()["detail"]) == (404, "There is no preview of health")
    assert Page(client.get("/sources")).all("img.preview") == []
    with app.database.read() as session:
        (source,) = catalog.sources(session)
    assert source.entry_record_id is not None
    app.previews().write(job_id, source.entry_record_id, b"\xff\xd8 a picture")
    for address in ("/api/sources/health/preview", f"/api/sources/health/preview?jobId={job_id}"):
        shown = client.get(address)
        assert (shown.content, shown.headers["content-type"]) == (b"\xff\xd8 a picture", "image/jpeg")
    (image,) = Page(client.get("/sources")).all("img.preview")
    assert (image.attributes["src"], image.attributes["alt"]) == (
        "/api/sources/health/preview",
        "Front page of Health Agency",
    )
    other = client.get(f"/api/sources/health/preview?jobId={job_id + 1}")
    assert other.json()["detail"] == f"There is no preview of health by job {job_id + 1}"


def test_the_newest_replay_check_is_shown_on_the_page_of_its_job(client: TestClient, app: App) -> None:
    job_id = job_of_front_page(app)
    assert "Replay check" not in Page(client.get(f"/jobs/{job_id}")).text()
    for failed in (4, 1):
        pages = (PageCheck(SITE, MAY, requests=4, failed=failed, similarity=0.8), PageCheck(SITE, MAY, problem="gone"))
        with app.database.write() as session:
            replay_checks.add_check(session, ReplayReport(job_id, datetime.now(UTC), pages))
    text = " ".join(Page(client.get(f"/jobs/{job_id}")).text().split())
    assert "Score 0.30 of 1: 2 pages opened" in text
    assert "1 of 4 requests failed" in text


def test_texts_are_compared_by_their_words_and_samples_spread_over_a_job() -> None:
    assert word_similarity("", "") == 1
    assert word_similarity("One two", "two\n one!") == 1
    assert word_similarity("one two three four", "one two") == 2 / 3
    assert word_similarity("something", "") == 0
    assert evenly(range(1, 101), 4) == [1, 26, 51, 76]
    assert evenly([7, 9], 20) == [7, 9]
