"""An asset's life over the jobs of its source: new, unchanged, changed, gone, back."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from structlog.testing import capture_logs

from tests.assets.archives import DAY, NEW_YEAR, SITE, Archive, Got, error, html, png
from tests.assets.plugins import Counting, Products
from webstrata.db.assets import plugin_runs
from webstrata.db.engine import Session
from webstrata.model.assets import AssetState
from webstrata.model.crawl.tasks import TaskStatus
from webstrata.model.jobs.job import JobConfig, JobStatus

HOME = html("/", "Welcome.")


def not_modified(path: str) -> Got:
    return Got(path, status=304, revisit=True)


def test_a_page_and_a_file_become_assets_with_a_first_version(archive: Archive) -> None:
    summary = archive.keep(html("/dose", "Take 10 mg.", title="Dose"), png("/logo.png", b"\x89PNG\0"))
    assert (summary.captures, summary.new, summary.failed) == (2, 2, 0)
    assert archive.content("/dose", 1) == b"Dose\n\nTake 10 mg.\n"
    assert archive.content("/logo.png", 1) == b"\x89PNG\0"
    (version,) = archive.versions("/dose")
    assert version.normalized_path == "page/site.example/dose.txt"
    assert version.metadata == {"title": "Dose", "language": "en"}
    assert version.captured_at == NEW_YEAR + DAY
    (image,) = archive.versions("/logo.png")
    assert image.tags == ("image",)
    assert image.metadata == {"category": "image", "extension": "png", "media_type": "image/png", "size": 5}


def test_what_did_not_change_gets_no_new_version(archive: Archive) -> None:
    archive.keep(HOME)
    summary = archive.keep(replace(HOME, body=HOME.body.replace(b"<p>", b"<p class=big>")))
    assert (summary.new, summary.changed, summary.unchanged) == (0, 0, 1)
    assert len(archive.versions("/")) == 1
    assert archive.asset("/").last_seen_at == NEW_YEAR + 2 * DAY


def test_the_text_of_a_page_that_did_not_change_is_not_read_again(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = archive.job(HOME, html("/a", "one")), archive.job(HOME, html("/a", "two"))
    archive.index(first)
    archive.index(second)
    archive.run(first)
    read: list[int] = []
    whole_texts = plugin_runs._whole_texts

    def noted(session: Session, document_ids: set[int]) -> dict[int, str]:
        found = whole_texts(session, document_ids)
        read.extend(found)
        return found

    monkeypatch.setattr(plugin_runs, "_whole_texts", noted)
    summary = archive.run(second)
    assert (summary.unchanged, summary.changed, len(read)) == (1, 1, 1)
    assert archive.content("/a", 2) == b"Title\n\ntwo\n"
    assert archive.asset("/").last_seen_at == NEW_YEAR + 2 * DAY


def test_a_change_is_a_new_version_and_the_old_one_stays_readable(archive: Archive) -> None:
    first, second = archive.job(html("/", "Take 10 mg.")), archive.job(html("/", "Take 20 mg."))
    archive.run(first)
    assert archive.run(second).changed == 1
    assert [(version.version, version.job_id) for version in archive.versions("/")] == [(1, first), (2, second)]
    assert archive.content("/", 1) == b"Title\n\nTake 10 mg.\n"
    assert archive.content("/", 2) == b"Title\n\nTake 20 mg.\n"
    assert archive.asset("/").version == 2


def test_an_asset_that_returns_to_earlier_content_gets_a_third_version(archive: Archive) -> None:
    for text in ("a", "b", "a"):
        archive.keep(html("/", text))
    assert [archive.content("/", number) for number in (1, 2, 3)] == [
        b"Title\n\na\n",
        b"Title\n\nb\n",
        b"Title\n\na\n",
    ]
    assert len(archive.blobs()) == 2


@pytest.mark.parametrize("status", [404, 308])
def test_a_page_that_a_finished_job_found_gone_or_moved_is_missing(archive: Archive, status: int) -> None:
    archive.keep(HOME, html("/old", "Old."))
    assert archive.keep(HOME, error("/old", status)).missing == 1
    old = archive.asset("/old")
    assert (old.state, old.missing_since) == (AssetState.MISSING, NEW_YEAR + 2 * DAY + (DAY / 86_400))
    assert archive.asset("/").state is AssetState.PRESENT
    assert archive.content("/old", 1) == b"Title\n\nOld.\n"


@pytest.mark.parametrize("status", [302, 500])
def test_an_inconclusive_response_makes_no_asset_missing(archive: Archive, status: int) -> None:
    archive.keep(HOME, html("/old", "Old."))
    assert archive.keep(HOME, error("/old", status)).missing == 0
    assert archive.asset("/old").state is AssetState.PRESENT


def test_a_page_that_nothing_led_to_any_more_is_missing(archive: Archive) -> None:
    archive.keep(HOME, html("/old", "Old."))
    assert archive.keep(HOME).missing == 1
    assert archive.asset("/old").state is AssetState.MISSING


def unfinished(archive: Archive) -> int:
    return archive.job(HOME, error("/old", 404), pending=["/later"])


def stopped(archive: Archive) -> int:
    return archive.job(HOME, error("/old", 404), status=JobStatus.STOPPED)


def failed(archive: Archive) -> int:
    return archive.job(failed=["/"], status=JobStatus.FAILED)


def without_a_frontier(archive: Archive) -> int:
    job = archive.job(HOME, error("/old", 404))
    archive.forget_tasks(job)
    return job


@pytest.mark.parametrize("begin", [unfinished, stopped, failed, without_a_frontier])
def test_a_job_that_did_not_run_to_its_end_makes_nothing_missing(
    archive: Archive, begin: Callable[[Archive], int]
) -> None:
    archive.keep(HOME, html("/old", "Old."))
    assert archive.run(begin(archive)).missing == 0
    assert archive.asset("/old").state is AssetState.PRESENT


def test_a_job_that_is_finished_later_makes_missing_what_it_found_gone(archive: Archive) -> None:
    archive.keep(HOME, html("/old", "Old."))
    job = unfinished(archive)
    archive.run(job)
    archive.settle(job, TaskStatus.FINISHED, ["/later"])
    assert archive.run(job).missing == 1


def test_a_page_that_could_not_be_fetched_is_not_missing(archive: Archive) -> None:
    archive.keep(HOME, html("/old", "Old."))
    assert archive.run(archive.job(HOME, failed=["/old"])).missing == 0
    assert archive.asset("/old").state is AssetState.PRESENT


def test_what_only_a_failing_page_led_to_is_not_missing_until_that_page_has_failed_for_good(archive: Archive) -> None:
    archive.keep(HOME, html("/news", "News."), html("/news/1", "One."))
    with capture_logs() as events:
        summary = archive.run(archive.job(HOME, failed=["/news"]))
    assert (summary.missing, summary.unproven) == (0, 1)
    (said,) = (event for event in events if event["event"] == "assets.absence.unproven")
    assert said["reason"] == f"{SITE}/news answered before and failed now"
    assert archive.run(archive.job(HOME, failed=["/news"])).missing == 1
    assert archive.asset("/news").state is AssetState.PRESENT
    assert archive.asset("/news/1").state is AssetState.MISSING


def test_a_job_with_another_scope_makes_no_asset_missing(archive: Archive) -> None:
    archive.keep(HOME, html("/old", "Old."))
    elsewhere = JobConfig((f"{SITE}/",), crawl={"max_depth": 0})
    summary = archive.run(archive.job(HOME, config=elsewhere))
    assert (summary.missing, summary.unproven) == (0, 1)
    unhurried = JobConfig((f"{SITE}/",), crawl={"concurrency": 1, "per_host_delay": 3.0})
    assert archive.run(archive.job(HOME, config=unhurried)).missing == 1


def test_much_that_vanishes_at_once_is_an_outage_unless_someone_states_that_it_is_gone(archive: Archive) -> None:
    archive.keep(HOME, *(html(f"/{number}", f"Page {number}.") for number in range(20)))
    job = archive.job(html("/", "We are working on it."))
    summary = archive.run(job)
    assert (summary.missing, summary.unproven) == (0, 20)
    assert archive.run(job, believe_absence=True).missing == 20


def test_what_was_missing_and_is_seen_again_is_present(archive: Archive) -> None:
    archive.keep(HOME, html("/old", "Old."))
    archive.keep(HOME, error("/old", 404))
    archive.keep(HOME, html("/old", "Old."))
    old = archive.asset("/old")
    assert (old.state, old.missing_since, old.version) == (AssetState.PRESENT, None, 1)
    archive.keep(HOME, error("/old", 404))
    archive.keep(HOME, html("/old", "Old, but changed."))
    old = archive.asset("/old")
    assert (old.state, old.version) == (AssetState.PRESENT, 2)


def test_an_asset_that_its_page_shows_no_longer_is_missing(archive: Archive) -> None:
    archive.run(archive.job(html("/", "product:mug=5 product:cup=6")), Products())
    summary = archive.run(archive.job(html("/", "product:mug=7")), Products())
    assert (summary.changed, summary.missing) == (1, 1)
    found = {name: (asset.state, asset.version) for name, asset in archive.assets().items()}
    assert found == {"mug": (AssetState.PRESENT, 2), "cup": (AssetState.MISSING, 1)}


def test_an_asset_is_not_missing_when_its_plugin_failed_on_the_page(archive: Archive) -> None:
    archive.run(archive.job(HOME), Counting())

    def fail(content: object) -> None:
        raise RuntimeError("not today")

    summary = archive.run(archive.job(html("/", "Other.")), Counting(fail))
    assert (summary.failed, summary.missing) == (1, 0)
    assert archive.asset("/").state is AssetState.PRESENT


def test_an_asset_is_not_missing_when_its_plugin_was_not_asked(archive: Archive) -> None:
    archive.run(archive.job(HOME, html("/old", "product:cup=6")), Products(), Counting())
    archive.run(archive.job(HOME, error("/old", 404)), Products(), Counting(), names=["counting"])
    assert archive.asset("cup").state is AssetState.PRESENT
    assert archive.asset("/old").state is AssetState.MISSING


def test_a_page_that_became_a_file_is_missing_as_a_page(archive: Archive) -> None:
    archive.run(archive.job(html("/a", "product:mug=5")), Products())
    assert archive.run(archive.job(png("/a", b"image")), Products()).missing == 1


def test_an_older_job_that_is_run_later_changes_nothing(archive: Archive) -> None:
    older = archive.job(html("/", "Old."), day=1)
    newer = archive.job(html("/", "New."), html("/about", "Us."), day=2)
    archive.run(newer)
    summary = archive.run(older)
    assert (summary.new, summary.changed, summary.unchanged, summary.missing) == (0, 0, 0, 0)
    assert archive.content("/", 1) == b"Title\n\nNew.\n"
    assert len(archive.versions("/")) == 1
    assert archive.asset("/about").state is AssetState.PRESENT


@pytest.mark.parametrize(
    "again", [not_modified("/old"), replace(html("/old", "Old."), revisit=True)], ids=["not modified", "same payload"]
)
def test_a_revisit_is_the_page_seen_again(archive: Archive, again: Got) -> None:
    archive.keep(HOME, html("/old", "Old."))
    summary = archive.keep(HOME, again)
    assert (summary.unchanged, summary.changed, summary.missing, summary.failed) == (2, 0, 0, 0)
    assert archive.asset("/old").last_seen_at > NEW_YEAR + 2 * DAY


def test_a_plugin_that_comes_later_reads_through_a_revisit(archive: Archive) -> None:
    archive.keep(html("/old", "product:mug=5"))
    archive.run(archive.job(not_modified("/old")), Products())
    assert archive.content("mug", 1) == b"5"


def test_a_revisit_of_the_same_payload_elsewhere_is_read_there(archive: Archive) -> None:
    archive.keep(png("/a.png", b"image"))
    archive.keep(replace(png("/b.png", b"image"), revisit=True))
    assert archive.content("/b.png", 1) == b"image"


def test_a_revisit_of_nothing_is_a_failure_that_reports_it(archive: Archive) -> None:
    job = archive.job(not_modified("/old"))
    assert archive.run(job, Counting()).failed == 1
    (failure,) = archive.failures(job)
    assert "revisit" in failure.error


def test_errors_and_redirects_are_no_assets(archive: Archive) -> None:
    summary = archive.keep(error("/a", 404), error("/b", 301), error("/c", 500))
    assert (summary.captures, summary.new) == (0, 0)
    assert archive.assets() == {}


def test_two_sources_have_their_own_assets_of_the_same_page(archive: Archive) -> None:
    archive.run(archive.job(HOME, source="one"))
    archive.run(archive.job(HOME, source="two"))
    archive.run(archive.job(html("/", "Changed."), source="two"))
    assert len(archive.versions("/", "one")) == 1
    assert len(archive.versions("/", "two")) == 2
