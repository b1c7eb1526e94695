"""The assets stage: runs every plugin once on every capture of a job, and stores changed results as versions.

It reads only acknowledged captures, so a plugin cannot lose any. Captures are processed in portions: marked as begun,
processed, blobs stored, and settled in one transaction. After a kill the stage continues where it was.
"""

import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

import structlog

from webstrata.assets.absence import mark_missing
from webstrata.assets.blobs import AssetStore
from webstrata.assets.listing import ListingPlugin
from webstrata.assets.listing_rows import seen_listings
from webstrata.assets.media import MediaPlugin
from webstrata.assets.page import PagePlugin
from webstrata.assets.plugin import CapturedContent, Plugin, version_of
from webstrata.assets.reading import captured_content
from webstrata.assets.registry import PluginRegistry
from webstrata.assets.running import PluginFailure, normalized_by, normalized_listing, record_of_page
from webstrata.assets.sightings import sighting_of_capture, sighting_of_listing, sighting_of_page
from webstrata.db.assets import asset_contents, assets, plugin_runs
from webstrata.db.assets.assets import Sighting
from webstrata.db.assets.plugin_runs import BegunRun, IndexedPage, PendingCapture, PlacedCapture, RunPair, SettledRun
from webstrata.db.captures import page_metadata
from webstrata.db.collections import scraper_health
from webstrata.db.collections.listing_writing import record_listings
from webstrata.db.engine import Database, Session
from webstrata.db.queue import jobs
from webstrata.db.queue.jobs import StoredJob
from webstrata.errors import OutsideRootError, WarcError
from webstrata.model.assets import (
    MAX_INTERRUPTIONS,
    AssetsSummary,
    RunStatus,
    Sight,
    judge_sighting,
)

log = structlog.get_logger()

_BUILT_IN = (PagePlugin, MediaPlugin, ListingPlugin)
_CAPTURES_AT_ONCE = 400
_TEXTS_AT_ONCE = 50
"""How many pages' texts are in memory at once."""

_BYTES_AT_ONCE = 32_000_000
"""The most bytes that a portion holds in memory, not counting its last capture."""

Listings = Mapping[int, Mapping[str, object] | None]
"""The listings of indexed pages, by capture; None for a page without one."""

Progress = Callable[[int, int], None]
"""Progress callback, called with (processed captures, captures in total)."""


def run_plugins(
    job_id: int,
    *,
    database: Database,
    archive_root: Path,
    registry: PluginRegistry,
    plugins: Sequence[str] | None = None,
    retry_failed: bool = False,
    believe_absence: bool = False,
    progress: Progress = lambda done, total: None,
) -> AssetsSummary:
    """Run plugins (all, or those in `plugins`) on the new captures of a job, and mark the assets that the job proves to
    be missing.

    `retry_failed` tries failed captures again; `believe_absence` confirms that assets which the job did not find are
    gone, however many they are.
    """
    chosen = registry.selected(plugins)
    with database.read() as session:
        job = jobs.load_job(session, job_id)
    if not chosen:
        return AssetsSummary()
    stage = _Stage(database, archive_root, job, {plugin.name: plugin for plugin in chosen}, retry_failed)
    tally, captures = stage.run(progress)
    if _reads_listings(chosen):
        with database.write() as session:
            scraper_health.set_fill_rates(session, job_id)
    missing, unproven = mark_missing(database, job, list(stage.plugins), believe_absence=believe_absence)
    summary = AssetsSummary(
        captures=captures,
        new=tally[Sight.NEW],
        changed=tally[Sight.CHANGED],
        unchanged=tally[Sight.UNCHANGED],
        failed=tally[RunStatus.FAILED],
        missing=missing,
        unproven=unproven,
    )
    log.info("assets.end", plugins=list(stage.plugins), **vars(summary))
    return summary


def keep_pages_so_far(
    job_id: int,
    after_id: int,
    *,
    database: Database,
    archive_root: Path,
    registry: PluginRegistry,
    plugins: Sequence[str] | None = None,
    stopping: threading.Event,
) -> int:
    """Run the built-in plugins on the indexed pages of a running crawl after a given capture; return the last one.

    Other plugins, which may take long and must not be interrupted, and missing assets wait for the end of the crawl.
    """
    with database.read() as session:
        job = jobs.load_job(session, job_id)
    chosen = {plugin.name: plugin for plugin in registry.selected(plugins) if isinstance(plugin, _BUILT_IN)}
    stage = _Stage(database, archive_root, job, chosen, retry_failed=False)
    while chosen and not stopping.is_set():
        with database.read() as session:
            found = plugin_runs.indexed_captures(session, job_id, after_id=after_id, limit=_CAPTURES_AT_ONCE)
        if not found:
            break
        stage.settle_indexed(found)
        after_id = found[-1]
    return after_id


@dataclass(frozen=True)
class _RunResult:
    """The result of a plugin on a capture, not stored yet."""

    run: SettledRun
    sightings: tuple[Sighting, ...] = ()
    contents: dict[str, bytes] = field(default_factory=dict)
    """The contents to be stored as files, by digest."""
    from_index: bool = False
    """Whether it was made from the index alone, without being marked as begun."""

    @property
    def pair(self) -> RunPair:
        return self.run.capture_id, self.run.plugin

    @property
    def size(self) -> int:
        return sum(map(len, self.contents.values()))


@dataclass(frozen=True)
class _Stage:
    """One run of the stage over a job."""

    database: Database
    archive_root: Path
    job: StoredJob
    plugins: Mapping[str, Plugin]
    retry_failed: bool

    def run(self, progress: Progress) -> tuple[Counter[str], int]:
        """Process everything that is pending; return the counts, and the number of captures."""
        with self.database.read() as session:
            pending = plugin_runs.pending_captures(
                session, self.job.id, list(self.plugins), retry_failed=self.retry_failed
            )
        tally: Counter[str] = Counter()
        done = 0
        progress(done, len(pending))
        for capture_ids in _groups(pending):
            for portion in _portions(self._results(capture_ids)):
                tally += self._settle(portion)
            done += len(capture_ids)
            progress(done, len(pending))
        return tally, len(pending)

    def settle_indexed(self, capture_ids: Sequence[int]) -> None:
        """Process the captures for which the index has all data that the plugins need."""
        worked = [one for of_capture in self._from_index(capture_ids).values() for one in of_capture]
        if worked:
            self._settle(worked)

    def _results(self, capture_ids: Sequence[int]) -> Iterator[_RunResult]:
        """Yield the results of plugins, oldest capture first; runs that may crash the process are first recorded as
        begun."""
        from_index = self._from_index(capture_ids)
        pairs = [
            (capture_id, name)
            for capture_id in capture_ids
            for name, plugin in self.plugins.items()
            if not self._suffices(from_index, capture_id, plugin)
        ]
        captures, runs = self._begin(pairs)
        for capture_id in capture_ids:
            yield from from_index.get(capture_id, ())
            if capture_id in runs:
                yield from self._on_capture(captures[capture_id], runs[capture_id])

    def _suffices(self, from_index: Mapping[int, Sequence[_RunResult]], capture_id: int, plugin: Plugin) -> bool:
        """Return whether the index is enough for a plugin; not if a version without listings made it."""
        if capture_id not in from_index or not isinstance(plugin, _BUILT_IN):
            return False
        return not isinstance(plugin, ListingPlugin) or any(
            one.run.plugin == plugin.name for one in from_index[capture_id]
        )

    def _begin(self, pairs: Sequence[RunPair]) -> tuple[dict[int, PlacedCapture], dict[int, list[BegunRun]]]:
        """Record that plugins begin with captures; return the captures and the runs, by capture."""
        if not pairs:
            return {}, {}
        versions = {name: version_of(plugin) for name, plugin in self.plugins.items()}
        with self.database.write() as session:
            begun = plugin_runs.begin_runs(session, pairs, versions, datetime.now(UTC), retry_failed=self.retry_failed)
            captures = plugin_runs.placed_captures(session, {run.capture_id for run in begun})
        runs: dict[int, list[BegunRun]] = defaultdict(list)
        for run in begun:
            runs[run.capture_id].append(run)
        return {capture.id: capture for capture in captures}, dict(runs)

    def _from_index(self, capture_ids: Sequence[int]) -> dict[int, list[_RunResult]]:
        """Return the results of the built-in plugins on indexed pages, by capture, without reading WARC files."""
        built_in = [plugin for plugin in self.plugins.values() if isinstance(plugin, _BUILT_IN)]
        if not built_in:
            return {}
        found: dict[int, list[_RunResult]] = {}
        with self.database.read() as session:
            statuses = plugin_runs.run_statuses(session, capture_ids)
            for some in assets.batches(capture_ids, _TEXTS_AT_ONCE):
                listings = page_metadata.load_listings(session, some) if _reads_listings(built_in) else {}
                for page in plugin_runs.indexed_pages(session, some):
                    open_ones = [one for one in built_in if self._is_open(statuses, (page.capture_id, one.name))]
                    worked = (self._on_page(page, plugin, listings) for plugin in open_ones)
                    found[page.capture_id] = [one for one in worked if one is not None]
        return found

    def _is_open(self, statuses: Mapping[RunPair, RunStatus], pair: RunPair) -> bool:
        return plugin_runs.is_open(statuses.get(pair), retry_failed=self.retry_failed)

    def _on_page(
        self, page: IndexedPage, plugin: PagePlugin | MediaPlugin | ListingPlugin, listings: Listings
    ) -> _RunResult | None:
        """Return the assets of an indexed page by a built-in plugin; None when the index lacks data that it needs."""
        of = page.capture_id, plugin.name, plugin.version
        if isinstance(plugin, MediaPlugin):
            return _RunResult(SettledRun(*of, RunStatus.SKIPPED), from_index=True)
        if isinstance(plugin, ListingPlugin):
            return self._on_listing(page, plugin, listings) if page.capture_id in listings else None
        found = record_of_page(plugin, page)
        if isinstance(found, PluginFailure):
            return _RunResult(SettledRun(*of, RunStatus.FAILED, error=found.reason), from_index=True)
        sighting = sighting_of_page(page, plugin, *found)
        return _RunResult(SettledRun(*of, RunStatus.DONE, asset_count=1), (sighting,), from_index=True)

    def _on_listing(self, page: IndexedPage, plugin: ListingPlugin, listings: Listings) -> _RunResult:
        of = page.capture_id, plugin.name, plugin.version
        payload = listings[page.capture_id]
        if payload is None:
            return _RunResult(SettledRun(*of, RunStatus.DONE, asset_count=0), from_index=True)
        asset = normalized_listing(plugin, page, payload)
        if isinstance(asset, PluginFailure):
            return _RunResult(SettledRun(*of, RunStatus.FAILED, error=asset.reason), from_index=True)
        sighting = sighting_of_listing(page, plugin, asset)
        contents = {sighting.blob_digest: asset.content}
        return _RunResult(SettledRun(*of, RunStatus.DONE, asset_count=1), (sighting,), contents, from_index=True)

    def _on_capture(self, capture: PlacedCapture, runs: Sequence[BegunRun]) -> Iterator[_RunResult]:
        # Recorded before the record is read: reading may also crash the process.
        yield from (self._given_up(run) for run in runs if run.attempts > MAX_INTERRUPTIONS)
        runs = [run for run in runs if run.attempts <= MAX_INTERRUPTIONS]
        if capture.unreadable is not None:
            # A page that the index could not read within its limits is not read again for each plugin.
            yield from (self._unread(run, capture.unreadable) for run in runs if self._is_built_in(run))
            runs = [run for run in runs if not self._is_built_in(run)]
        if not runs:
            return
        try:
            content = captured_content(self.database, self.archive_root, capture)
        except (WarcError, OutsideRootError, ValueError) as error:
            log.warning("assets.capture.unreadable", url=capture.url, reason=str(error))
            yield from (self._failed_result(run, PluginFailure.of(error)) for run in runs)
            return
        yield from (self._on_content(capture, content, run) for run in runs)

    def _on_content(self, capture: PlacedCapture, content: CapturedContent, run: BegunRun) -> _RunResult:
        plugin = self.plugins[run.plugin]
        found = normalized_by(plugin, content)
        if isinstance(found, PluginFailure):
            return self._failed_result(run, found)
        status = RunStatus.SKIPPED if found is None else RunStatus.DONE
        sightings = tuple(sighting_of_capture(capture, plugin, asset) for asset in found or ())
        contents = {
            sighting.blob_digest: asset.content
            for sighting, asset in zip(sightings, found or (), strict=True)
            if not sighting.is_body
        }
        return _RunResult(
            SettledRun(capture.id, run.plugin, version_of(plugin), status, asset_count=len(sightings)),
            sightings,
            contents,
        )

    def _given_up(self, run: BegunRun) -> _RunResult:
        reason = f"the process ended {MAX_INTERRUPTIONS} times while {run.plugin} worked on this capture"
        return self._failed_result(run, PluginFailure(reason))

    def _is_built_in(self, run: BegunRun) -> bool:
        return isinstance(self.plugins[run.plugin], _BUILT_IN)

    def _unread(self, run: BegunRun, reason: str) -> _RunResult:
        """Return the result of a built-in plugin on a page that the index could not read."""
        plugin = self.plugins[run.plugin]
        if isinstance(plugin, MediaPlugin):
            return _RunResult(SettledRun(run.capture_id, run.plugin, version_of(plugin), RunStatus.SKIPPED))
        return self._failed_result(run, PluginFailure(reason))

    def _failed_result(self, run: BegunRun, failure: PluginFailure) -> _RunResult:
        version = version_of(self.plugins[run.plugin])
        return _RunResult(SettledRun(run.capture_id, run.plugin, version, RunStatus.FAILED, error=failure.reason))

    def _settle(self, portion: Sequence[_RunResult]) -> Counter[str]:
        """Store the blobs of a portion, then its results in one transaction; results of other processes are not
        replaced."""
        store = AssetStore(self.archive_root)
        contents = {digest: data for worked in portion for digest, data in worked.contents.items()}
        self._keep(store, portion, contents)
        with self.database.write() as session:
            assets.lock_source(session, self.job.source_id)
            ours = self._ours(session, portion)
            sightings = [sighting for worked in ours for sighting in worked.sightings]
            counted, needed = assets.record_sightings(session, self.job.source_id, self.job.id, sightings)
            # Blobs may have been deleted as unreferenced after they were written; now that they are referenced, they
            # cannot be.
            store.put_all({digest: contents[digest] for digest in needed})
            now = datetime.now(UTC)
            record_listings(session, self.job.source_id, seen_listings(self.plugins, sightings, contents), now)
            plugin_runs.settle_runs(session, [worked.run for worked in ours], now)
        return Counter(counted) + Counter(worked.run.status for worked in ours)

    def _ours(self, session: Session, portion: Sequence[_RunResult]) -> list[_RunResult]:
        """Return the results that no other process stored meanwhile; pages without their document are redone."""
        statuses = plugin_runs.run_statuses(session, {worked.run.capture_id for worked in portion})
        sightings = [sighting for worked in portion for sighting in worked.sightings]
        requested = {sighting.document_id for sighting in sightings if sighting.document_id is not None}
        there = {None, *asset_contents.present_documents(session, requested)}
        return [
            worked
            for worked in portion
            if (
                self._is_open(statuses, worked.pair)
                if worked.from_index
                else statuses.get(worked.pair) is RunStatus.RUNNING
            )
            and all(sighting.document_id in there for sighting in worked.sightings)
        ]

    def _keep(self, store: AssetStore, portion: Sequence[_RunResult], contents: dict[str, bytes]) -> None:
        """Write the blobs of new versions; rows are stored first, so that no file is without one."""
        sightings = [sighting for worked in portion for sighting in worked.sightings if sighting.blob_place.has_file]
        if not sightings:
            return
        with self.database.read() as session:
            known = assets.known_assets(session, self.job.source_id, (sighting.key for sighting in sightings))
        fresh = {
            sighting.blob_digest: sighting.blob_size
            for sighting in sightings
            if judge_sighting(known.get(sighting.key), sighting.record.checksum, sighting.captured_at)
            in {Sight.NEW, Sight.CHANGED}
        }
        if not fresh:
            return
        with self.database.write() as session:
            assets.hold_blobs(session, fresh)
        store.put_all({digest: contents[digest] for digest in fresh})


def _reads_listings(plugins: Iterable[Plugin]) -> bool:
    return any(isinstance(plugin, ListingPlugin) for plugin in plugins)


def _groups(pending: Iterable[PendingCapture]) -> Iterator[list[int]]:
    """Yield captures in groups, in order; a capture on which a process died is a group of its own."""
    for interrupted, captures in groupby(pending, lambda capture: capture.interrupted):
        size = 1 if interrupted else _CAPTURES_AT_ONCE
        yield from assets.batches((capture.id for capture in captures), size)


def _portions(worked: Iterable[_RunResult]) -> Iterator[list[_RunResult]]:
    """Yield results in portions, before they fill the memory."""
    portion: list[_RunResult] = []
    size = 0
    for piece in worked:
        portion.append(piece)
        size += piece.size
        if size >= _BYTES_AT_ONCE:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion
