"""The quality of captures, stored while they are indexed."""

from datetime import timedelta

from sqlalchemy import select, update

from tests.index.jobs import SITE, Job
from tests.support.fetched import NOON, fetched
from webstrata.db.operations import catalog
from webstrata.db.schema.tables import Page, Snapshot, WarcFile
from webstrata.model.archive import SnapshotView
from webstrata.model.captures import Original
from webstrata.model.crawl.fetching import FetchResult
from webstrata.warc.record import exchange
from webstrata.warc.writer import WarcFileWriter

DAY = timedelta(days=1)
ARTICLE = "".join(f"<p>Paragraph {n} describes at length what readers want to know about fever.</p>" for n in range(9))
PAGE = f"<!doctype html><html lang=en><title>Fever</title><main><h1>Fever</h1>{ARTICLE}</main>"
CAPTCHA = (
    "<!doctype html><title>Just a moment...</title><h1>example.org</h1>"
    "<h2>Verify you are human by completing the action below.</h2><div class=g-recaptcha></div>"
    "<script src=/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1></script>"
)
GONE = "<!doctype html><title>Page not found</title><h1>Page not found</h1><p>The page does not exist.</p>"


def judged(job: Job) -> dict[str, tuple[float | None, str | None]]:
    return {one.url.removeprefix(SITE): (one.quality, one.quality_kind) for one in job.snapshots()}


def newest_first(job: Job, *answers: FetchResult) -> list[SnapshotView]:
    job.add_warc(answers)
    assert job.index() == 0
    return sorted(job.snapshots(), key=lambda one: one.captured_at, reverse=True)


def test_every_page_is_stored_with_its_quality_and_problems_with_their_reasons(job: Job) -> None:
    answers = {
        "/good": fetched(f"{SITE}/good", PAGE),
        "/captcha": fetched(f"{SITE}/captcha", CAPTCHA),
        "/soft": fetched(f"{SITE}/soft", GONE),
        "/gone": fetched(f"{SITE}/gone", GONE, status=404),
        "/refused": fetched(f"{SITE}/refused", PAGE, status=403, headers=[(b"cf-mitigated", b"challenge")]),
        "/text": fetched(f"{SITE}/text", "Fever\nin children", content_type="text/plain"),
        "/cut": fetched(f"{SITE}/cut", PAGE[:300] + "<p cla", content_type="text/html"),
    }
    job.add_warc(list(answers.values()))
    assert job.index() == 0
    kinds = {path: kind for path, (_, kind) in judged(job).items()}
    assert kinds == {
        "/good": "page",
        "/captcha": "captcha",
        "/soft": "soft_404",
        "/gone": "error",
        "/refused": "captcha",
        "/text": "page",
        "/cut": "truncated",
    }
    good, captcha = (one for one in job.snapshots() if one.url.endswith(("/good", "/captcha")))
    assert (good.quality, good.quality_reasons, good.is_good) == (1.0, None, True)
    assert (captcha.quality, captcha.is_good) == (0.0, False)
    assert captcha.quality_reasons is not None
    assert 'its title is "just a moment"' in captcha.quality_reasons.splitlines()


def test_a_revisit_has_the_quality_of_the_page_that_it_refers_to(job: Job) -> None:
    job.add_warc([fetched(f"{SITE}/soft", GONE)], "one.warc.gz")
    assert job.index() == 0
    (capture,) = job.captures()
    original = Original(capture.warc_record_id, capture.url, capture.capture_timestamp)
    with WarcFileWriter(job.root / "hc" / "two.warc.gz") as writer:
        writer.append(exchange(fetched(f"{SITE}/soft", GONE, at=NOON + DAY), writer.warcinfo_id, original))
    job.register("two.warc.gz")
    assert job.index() == 0
    first, second = job.snapshots()
    assert first.quality_kind == "soft_404"
    assert (first.quality, first.quality_kind, first.quality_reasons) == (
        second.quality,
        second.quality_kind,
        second.quality_reasons,
    )


def test_indexing_an_older_index_again_stores_the_quality_and_keeps_the_ids(job: Job) -> None:
    job.add_warc([fetched(f"{SITE}/good", PAGE), fetched(f"{SITE}/soft", GONE)])
    assert job.index() == 0
    before = job.snapshots()
    with job.database.write() as session:
        session.execute(update(Snapshot).values(quality=None, quality_kind=None, quality_reasons=None))
        session.execute(update(WarcFile).values(index_version=3))
    job.set(status="completed")
    assert job.index() == 0
    assert job.snapshots() == before


def test_the_latest_good_capture_of_a_page_skips_block_pages(job: Job) -> None:
    captcha, good, _old = newest_first(
        job,
        fetched(f"{SITE}/a", PAGE, at=NOON),
        fetched(f"{SITE}/a", PAGE + "<p>More.</p>", at=NOON + DAY),
        fetched(f"{SITE}/a", CAPTCHA, at=NOON + 2 * DAY),
        fetched(f"{SITE}/b", CAPTCHA, at=NOON),
    )[:3]
    with job.database.read() as session:
        latest = catalog.latest_capture(session, captcha, html_only=True)
        pages = {page.normalized_url_group: page for page in session.scalars(select(Page))}
        assert latest is not None
        assert latest.id == good.id
        page, blocked = pages["https://example.org/a"], pages["https://example.org/b"]
        assert (page.latest_snapshot_id, page.latest_ok_snapshot_id) == (captcha.id, good.id)
        assert page.latest_ok_timestamp == good.captured_at
        # A page that was never seen can still be found.
        assert blocked.latest_ok_snapshot_id == blocked.latest_snapshot_id
