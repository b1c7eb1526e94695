"""Plugins as a stage: once each, whatever happens in between, and whatever a plugin does."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import NoReturn

import pytest
from sqlalchemy import func, select, update
from structlog.testing import capture_logs

from tests.assets.archives import SITE, Archive, html, png
from tests.assets.plugins import Counting, Products
from tools.console import ROOT
from webstrata.assets.media import MediaPlugin
from webstrata.assets.page import PagePlugin
from webstrata.assets.plugin import AssetRecord, CapturedContent
from webstrata.db.assets import assets, plugin_runs
from webstrata.db.schema.asset_tables import Asset, AssetVersion, PluginRun
from webstrata.db.schema.tables import Capture, WarcFile
from webstrata.errors import DatabaseError, StorageError, UsageError, WebstrataError
from webstrata.index import reading
from webstrata.model.assets import MAX_INTERRUPTIONS, RunStatus, checksum_of

PAGES = tuple(html(f"/{number}", f"Page {number}.") for number in range(6))


def rows(archive: Archive) -> list[object]:
    """Return all that the stage keeps, but for when it was written."""
    with archive.database.read() as session:
        runs = session.execute(
            select(PluginRun.capture_id, PluginRun.plugin, PluginRun.status, PluginRun.asset_count).order_by(
                PluginRun.capture_id, PluginRun.plugin
            )
        )
        found = session.execute(
            select(Asset.plugin, Asset.identifier, Asset.state, Asset.version, Asset.last_seen_at).order_by(
                Asset.plugin, Asset.identifier
            )
        )
        versions = session.execute(
            select(Asset.identifier, AssetVersion.version, AssetVersion.blob_digest)
            .join(Asset, AssetVersion.asset_id == Asset.id)
            .order_by(Asset.plugin, Asset.identifier, AssetVersion.version)
        )
        return [tuple(row) for row in [*runs, *found, *versions]]


def statuses(archive: Archive, job_id: int) -> dict[RunStatus, int]:
    with archive.database.read() as session:
        ended = select(PluginRun.status, func.count()).join(Capture, PluginRun.capture_id == Capture.id)
        found = session.execute(ended.where(Capture.job_id == job_id).group_by(PluginRun.status)).all()
        return {RunStatus(status): count for status, count in found}


def test_a_plugin_runs_once_on_a_capture(archive: Archive) -> None:
    job, plugin = archive.job(*PAGES), Counting()
    archive.run(job, plugin)
    before = rows(archive)
    summary = archive.run(job, plugin)
    assert summary.captures == 0
    assert set(plugin.calls.values()) == {1}
    assert rows(archive) == before


def test_captures_that_come_later_are_all_that_a_second_run_looks_at(archive: Archive) -> None:
    plugin = Counting()
    archive.run(archive.job(*PAGES[:2]), plugin)
    summary = archive.run(archive.job(*PAGES[:3]), plugin)
    assert (summary.captures, summary.new, summary.unchanged) == (3, 1, 2)
    assert plugin.calls == {f"{SITE}/0": 2, f"{SITE}/1": 2, f"{SITE}/2": 1}


def test_a_plugin_that_comes_later_runs_on_what_others_have_done(archive: Archive) -> None:
    job = archive.job(*PAGES)
    archive.run(job)
    plugin = Counting()
    assert archive.run(job, plugin).new == len(PAGES)


def interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def test_a_stage_that_was_interrupted_in_a_plugin_ends_as_if_it_had_not_been(archive: Archive) -> None:
    job = archive.job(*PAGES)

    def at_the_fourth(content: CapturedContent) -> None:
        if content.url.endswith("/3"):
            interrupt(content)

    with pytest.raises(KeyboardInterrupt):
        archive.run(job, Counting(at_the_fourth))
    assert statuses(archive, job) == {RunStatus.RUNNING: len(PAGES)}
    assert archive.run(job, Counting()).new == len(PAGES)
    assert statuses(archive, job) == {RunStatus.DONE: len(PAGES)}
    assert all(len(archive.versions(page.path)) == 1 for page in PAGES)


class OnceError(Exception):
    """What is thrown into the middle."""


def once(error: Exception, real: Callable[..., object]) -> Callable[..., object]:
    """Return a function that fails the first time, and then does what it should."""
    sprung: list[bool] = []

    def failing(*given: object, **named: object) -> object:
        if not sprung:
            sprung.append(True)
            raise error
        return real(*given, **named)

    return failing


@pytest.mark.parametrize(
    "step",
    [
        "webstrata.db.assets.plugin_runs.begin_runs",
        "webstrata.db.assets.assets.hold_blobs",
        "webstrata.storage.disk.DiskStore.put_all",
        "webstrata.db.assets.assets.record_sightings",
        "webstrata.db.assets.plugin_runs.settle_runs",
        "webstrata.db.assets.absence.capture_span",
    ],
)
def test_a_stage_that_broke_at_any_step_ends_as_if_it_had_not(
    archive: Archive, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    job, module, name = archive.job(*PAGES), *step.rsplit(".", 1)
    owner = sys.modules.get(module) or getattr(sys.modules[module.rpartition(".")[0]], module.rpartition(".")[2])
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, once(OnceError(), getattr(owner, name)))
        with pytest.raises(OnceError):
            archive.run(job, Counting(), Products())
        archive.run(job, Counting(), Products())
    assert statuses(archive, job) == {RunStatus.DONE: 2 * len(PAGES)}
    assert all(len(archive.versions(page.path)) == 1 for page in PAGES)
    assert archive.blobs() == {checksum_of(page.body) for page in PAGES}
    with archive.database.read() as session:
        assert assets.unreferenced_blobs(session) == []


@pytest.mark.parametrize("error", [StorageError("the disk is full"), DatabaseError("gone")])
def test_trouble_on_our_side_is_not_held_against_a_capture(
    archive: Archive, monkeypatch: pytest.MonkeyPatch, error: WebstrataError
) -> None:
    job = archive.job(*PAGES)
    with monkeypatch.context() as patch:
        patch.setattr("webstrata.assets.blobs.AssetStore.put_all", once(error, lambda: None))
        with pytest.raises(type(error)):
            archive.run(job, Counting())
    assert archive.failures(job) == []
    assert archive.run(job, Counting()).new == len(PAGES)


def test_a_capture_that_takes_the_process_down_is_given_up_and_costs_nothing_else(archive: Archive) -> None:
    job = archive.job(*PAGES, html("/deadly", "Boom."))
    url = archive.database.url.render_as_string(hide_password=False)
    command = [sys.executable, "-m", "tests.assets.dying", url, str(archive.root), str(job)]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert json.loads(told) == {"deaths": MAX_INTERRUPTIONS}
    (failure,) = archive.failures(job)
    assert failure.url == f"{SITE}/deadly"
    assert f"ended {MAX_INTERRUPTIONS} times" in failure.error
    assert statuses(archive, job) == {RunStatus.DONE: len(PAGES), RunStatus.FAILED: 1}


def test_a_capture_that_was_given_up_is_not_even_read(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    job = archive.job(html("/deadly", "Boom."))
    monkeypatch.setattr("webstrata.assets.stage.captured_content", interrupt)
    for _ in range(MAX_INTERRUPTIONS):
        with pytest.raises(KeyboardInterrupt):
            archive.run(job, Counting())
    assert archive.run(job, Counting()).failed == 1
    assert f"ended {MAX_INTERRUPTIONS} times" in archive.failures(job)[0].error


def test_what_another_process_settles_meanwhile_stays_as_it_is(archive: Archive) -> None:
    job, other = archive.job(*PAGES), Counting()

    def let_the_other_go_first(_content: CapturedContent) -> None:
        if not other.calls:
            archive.run(job, other)

    summary = archive.run(job, Counting(let_the_other_go_first))
    assert (summary.new, summary.unchanged) == (0, 0)
    assert statuses(archive, job) == {RunStatus.DONE: len(PAGES)}
    assert all(len(archive.versions(page.path)) == 1 for page in PAGES)


def fail_on_the_second(content: CapturedContent) -> None:
    if content.url.endswith("/1"):
        raise ZeroDivisionError("page \0 one \ud800")


def test_a_plugin_that_fails_on_a_page_marks_it_and_continues(archive: Archive) -> None:
    job = archive.job(*PAGES)
    with capture_logs() as events:
        summary = archive.run(job, Counting(fail_on_the_second), Products())
    assert (summary.new, summary.failed) == (len(PAGES) - 1, 1)
    (failure,) = archive.failures(job)
    assert (failure.url, failure.plugin, failure.plugin_version) == (f"{SITE}/1", "counting", "1.0")
    assert failure.error == "ZeroDivisionError: page  one ?"
    assert statuses(archive, job) == {RunStatus.DONE: 2 * len(PAGES) - 1, RunStatus.FAILED: 1}
    (said,) = (event for event in events if event["event"] == "plugin.page.failed")
    assert (said["plugin"], said["url"]) == ("counting", f"{SITE}/1")


def test_a_failed_page_is_tried_again_only_when_someone_asks_for_it(archive: Archive) -> None:
    job = archive.job(*PAGES)
    archive.run(job, Counting(fail_on_the_second))
    mended = Counting()
    assert archive.run(job, mended).captures == 0
    summary = archive.run(job, mended, retry_failed=True)
    assert (summary.captures, summary.new, summary.failed) == (1, 1, 0)
    assert archive.failures(job) == []
    assert mended.calls == {f"{SITE}/1": 1}


def twice(content: CapturedContent) -> Iterator[object]:
    for _ in range(2):
        yield AssetRecord("same", "anything", content.url, "1"), b""


def unkept(content: CapturedContent) -> object:
    return [(AssetRecord("name", "anything", content.url, "1", metadata={"when": content.captured_at}), b"")]


RUBBISH: dict[str, tuple[Callable[[CapturedContent], object], str]] = {
    "nothing that can be iterated": (lambda content: None, "TypeError"),
    "something else": (lambda content: ["words"], "not an AssetRecord and bytes"),
    "text for bytes": (lambda content: [(AssetRecord("a", "b", "c", "d"), "text")], "not an AssetRecord and bytes"),
    "the same asset twice": (twice, "'same' twice"),
    "what cannot be kept": (unkept, "must be JSON"),
    "a way out": (lambda content: sys.exit("bye"), "SystemExit: bye"),
}


@pytest.mark.parametrize("kind", RUBBISH)
def test_a_plugin_that_returns_rubbish_fails_on_the_page_and_leaves_nothing(archive: Archive, kind: str) -> None:
    normalize, reason = RUBBISH[kind]
    plugin = Counting()
    plugin.normalize = normalize  # type: ignore[assignment]
    job = archive.job(html("/", "Welcome."))
    assert archive.run(job, plugin).failed == 1
    assert reason in archive.failures(job)[0].error
    assert archive.assets() == {}
    assert archive.blobs() == set()


def test_a_plugin_gets_only_what_it_supports(archive: Archive) -> None:
    job = archive.job(html("/", "product:mug=5"), png("/logo.png", b"product:logo=1"))
    archive.run(job, Products())
    assert set(archive.assets()) == {"mug"}
    assert statuses(archive, job) == {RunStatus.DONE: 1, RunStatus.SKIPPED: 1}


def test_a_job_runs_the_plugins_that_it_names(archive: Archive) -> None:
    job = archive.job(html("/", "Welcome."), png("/logo.png", b"image"))
    archive.run(job, names=["page"])
    assert set(archive.assets()) == {"/"}
    archive.run(job, names=[])
    assert set(archive.assets()) == {"/"}
    archive.run(job)
    assert set(archive.assets()) == {"/", "/logo.png"}


def test_a_plugin_that_no_one_has_is_an_error_that_names_it(archive: Archive) -> None:
    job = archive.job(*PAGES)
    with pytest.raises(UsageError, match=r"no plugin pages \(found: listing, media, page\)"):
        archive.run(job, names=["page", "pages"])


def test_what_is_not_acknowledged_is_not_read(archive: Archive) -> None:
    job, plugin = archive.job(*PAGES), Counting()
    with archive.database.write() as session:
        last = session.scalars(select(Capture).order_by(Capture.warc_offset.desc()).limit(1)).one()
        session.execute(update(WarcFile).values(committed_bytes=last.warc_offset + last.warc_length - 1))
    assert archive.run(job, plugin).captures == len(PAGES) - 1
    assert f"{SITE}/{len(PAGES) - 1}" not in plugin.calls


def test_a_capture_whose_bytes_are_gone_is_marked_and_the_others_are_read(archive: Archive) -> None:
    job, plugin = archive.job(*PAGES), Counting()
    with archive.database.write() as session:
        wrong = session.scalars(select(Capture).order_by(Capture.id).limit(1)).one()
        wrong.warc_offset += 1
    summary = archive.run(job, plugin)
    assert (summary.new, summary.failed) == (len(PAGES) - 1, 1)
    assert archive.failures(job)[0].url == f"{SITE}/0"
    (archive.root / f"job-{job}" / "warcs" / "job.warc.gz").unlink()
    other = Products()
    assert archive.run(job, other).failed == len(PAGES)


def test_large_captures_are_settled_before_they_fill_the_memory(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webstrata.assets.stage._BYTES_AT_ONCE", 10)
    settled: list[int] = []
    real = plugin_runs.settle_runs

    def settle(session: object, runs: list[object], now: object) -> None:
        settled.append(len(runs))
        real(session, runs, now)  # type: ignore[arg-type]

    monkeypatch.setattr(plugin_runs, "settle_runs", settle)
    archive.run(archive.job(*PAGES), Counting())
    assert settled == [1] * len(PAGES)


def test_progress_is_reported_in_captures(archive: Archive) -> None:
    from webstrata.assets.registry import PluginRegistry
    from webstrata.assets.stage import run_plugins

    told: list[tuple[int, int]] = []
    run_plugins(
        archive.job(*PAGES),
        database=archive.database,
        archive_root=archive.root,
        registry=PluginRegistry(),
        progress=lambda done, total: told.append((done, total)),
    )
    assert told == [(0, len(PAGES)), (len(PAGES), len(PAGES))]


def test_a_page_that_the_index_could_not_read_is_not_read_again_for_its_assets(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MAX_PAGE_BYTES", 5_000)
    job = archive.index(archive.job(html("/large", "x" * 10_000), html("/small", "Small.")))
    plugin = Counting()
    archive.run(job, PagePlugin(), MediaPlugin(), plugin)
    (failure,) = archive.failures(job)
    assert (failure.url, failure.plugin) == (f"{SITE}/large", "page")
    assert "larger than what is indexed" in failure.error
    assert plugin.calls == {f"{SITE}/large": 1, f"{SITE}/small": 1}
