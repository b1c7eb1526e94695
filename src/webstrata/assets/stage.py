"""The assets stage: every plugin on every capture of a job, once; what changed becomes a version.

It reads captures that are already acknowledged, so nothing that a plugin does can cost one. A portion of captures is
begun, worked out, its blobs are kept, and it is settled in one transaction: killed anywhere, the stage goes on where it
was.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

import structlog

from webstrata.assets.absence import mark_missing
from webstrata.assets.blobs import AssetStore
from webstrata.assets.plugin import CapturedContent, Plugin, version_of
from webstrata.assets.reading import captured_content
from webstrata.assets.registry import PluginRegistry
from webstrata.assets.running import Failure, normalized_by
from webstrata.db import assets, jobs, plugin_runs
from webstrata.db.assets import Sighting
from webstrata.db.engine import Database
from webstrata.db.jobs import StoredJob
from webstrata.db.plugin_runs import BegunRun, PendingCapture, PlacedCapture, SettledRun
from webstrata.errors import OutsideRootError, WarcError
from webstrata.model.assets import (
    MAX_INTERRUPTIONS,
    AssetsSummary,
    NormalizedAsset,
    RunStatus,
    Sight,
    checksum_of,
    judge_sighting,
)

log = structlog.get_logger()

_CAPTURES_AT_ONCE = 100
_BYTES_AT_ONCE = 32_000_000
"""What a portion holds in memory, but for its last capture."""

Progress = Callable[[int], None]


def run_plugins(
    job_id: int,
    *,
    database: Database,
    archive_root: Path,
    registry: PluginRegistry,
    plugins: Sequence[str] | None = None,
    retry_failed: bool = False,
    believe_absence: bool = False,
    progress: Progress = lambda captures: None,
) -> AssetsSummary:
    """Run plugins (all, unless named) on what is new in a job, and mark what the job proves to be missing.

    `retry_failed` gives captures that a plugin failed on another try; `believe_absence` confirms that what a job did
    not show is gone, however much it is.
    """
    chosen = registry.selected(plugins)
    with database.read() as session:
        job = jobs.load_job(session, job_id)
    if not chosen:
        return AssetsSummary()
    stage = _Stage(database, archive_root, job, {plugin.name: plugin for plugin in chosen}, retry_failed)
    tally, captures = stage.run(progress)
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


@dataclass(frozen=True)
class _Worked:
    """What a plugin made of a capture, not yet written down."""

    run: SettledRun
    sightings: tuple[Sighting, ...] = ()
    contents: dict[str, bytes] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return sum(map(len, self.contents.values()))


@dataclass(frozen=True)
class _Stage:
    """One run of the stage over a job."""

    database: Database
    archive_root: Path
    job: StoredJob
    plugins: dict[str, Plugin]
    retry_failed: bool

    def run(self, progress: Progress) -> tuple[Counter[str], int]:
        """Settle everything that is pending; return what was counted, and how many captures there were."""
        with self.database.read() as session:
            pending = plugin_runs.pending_captures(
                session, self.job.id, list(self.plugins), retry_failed=self.retry_failed
            )
        tally: Counter[str] = Counter()
        for capture_ids in _groups(pending):
            for portion in _portions(self._worked(capture_ids)):
                tally += self._settle(portion)
            progress(len(capture_ids))
        return tally, len(pending)

    def _worked(self, capture_ids: Sequence[int]) -> Iterator[_Worked]:
        """Note that captures are begun, then yield what plugins make of them, one by one."""
        versions = {name: version_of(plugin) for name, plugin in self.plugins.items()}
        with self.database.write() as session:
            captures = plugin_runs.placed_captures(session, capture_ids)
            begun = plugin_runs.begin_runs(
                session, capture_ids, versions, datetime.now(UTC), retry_failed=self.retry_failed
            )
        runs: dict[int, list[BegunRun]] = defaultdict(list)
        for run in begun:
            runs[run.capture_id].append(run)
        for capture in captures:
            yield from self._on_capture(capture, runs[capture.id])

    def _on_capture(self, capture: PlacedCapture, runs: Sequence[BegunRun]) -> Iterator[_Worked]:
        # Before reading: that, too, may be what ends the process.
        yield from (self._given_up(run) for run in runs if run.attempts > MAX_INTERRUPTIONS)
        runs = [run for run in runs if run.attempts <= MAX_INTERRUPTIONS]
        if not runs:
            return
        try:
            content = captured_content(self.database, self.archive_root, capture)
        except (WarcError, OutsideRootError, ValueError) as error:
            log.warning("assets.capture.unreadable", url=capture.url, reason=str(error))
            yield from (self._failed(run, Failure.of(error)) for run in runs)
            return
        yield from (self._on_content(capture, content, run) for run in runs)

    def _on_content(self, capture: PlacedCapture, content: CapturedContent, run: BegunRun) -> _Worked:
        plugin = self.plugins[run.plugin]
        found = normalized_by(plugin, content)
        if isinstance(found, Failure):
            return self._failed(run, found)
        status = RunStatus.SKIPPED if found is None else RunStatus.DONE
        contents = {checksum_of(asset.content): asset.content for asset in found or ()}
        return _Worked(
            SettledRun(capture.id, run.plugin, version_of(plugin), status, asset_count=len(found or ())),
            tuple(_sighting(capture, run.plugin, asset) for asset in found or ()),
            contents,
        )

    def _given_up(self, run: BegunRun) -> _Worked:
        reason = f"the process ended {MAX_INTERRUPTIONS} times while {run.plugin} worked on this capture"
        return self._failed(run, Failure(reason))

    def _failed(self, run: BegunRun, failure: Failure) -> _Worked:
        version = version_of(self.plugins[run.plugin])
        return _Worked(SettledRun(run.capture_id, run.plugin, version, RunStatus.FAILED, error=failure.reason))

    def _settle(self, portion: Sequence[_Worked]) -> Counter[str]:
        """Keep the blobs of a portion, then write in one transaction what became of it; others' work is left alone."""
        store = AssetStore(self.archive_root)
        contents = {digest: data for worked in portion for digest, data in worked.contents.items()}
        self._keep(store, portion, contents)
        with self.database.write() as session:
            assets.lock_source(session, self.job.source_id)
            unsettled = plugin_runs.open_runs(session, {worked.run.capture_id for worked in portion})
            ours = [worked for worked in portion if (worked.run.capture_id, worked.run.plugin) in unsettled]
            sightings = [sighting for worked in ours for sighting in worked.sightings]
            counted, needed = assets.record_sightings(session, self.job.source_id, self.job.id, sightings)
            for digest in needed:
                # Somebody may have deleted it as unreferenced since it was kept; from here on nobody can.
                if not store.exists(digest):
                    store.put(contents[digest])
            plugin_runs.settle_runs(session, [worked.run for worked in ours], datetime.now(UTC))
        return Counter(counted) + Counter(worked.run.status for worked in ours)

    def _keep(self, store: AssetStore, portion: Sequence[_Worked], contents: dict[str, bytes]) -> None:
        """Write the blobs of what is new; their rows come first, so that a file never lacks one."""
        sightings = [sighting for worked in portion for sighting in worked.sightings]
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
        for digest in fresh:
            store.put(contents[digest])


def _sighting(capture: PlacedCapture, plugin: str, asset: NormalizedAsset) -> Sighting:
    return Sighting(
        plugin=plugin,
        record=asset.record,
        blob_digest=checksum_of(asset.content),
        blob_size=len(asset.content),
        capture_id=capture.id,
        url=capture.url,
        captured_at=capture.captured_at,
    )


def _groups(pending: Iterable[PendingCapture]) -> Iterator[list[int]]:
    """Yield captures in order: many at once, but alone what a process ended on, to find out whether it was why."""
    for interrupted, captures in groupby(pending, lambda capture: capture.interrupted):
        size = 1 if interrupted else _CAPTURES_AT_ONCE
        yield from assets.batches((capture.id for capture in captures), size)


def _portions(worked: Iterable[_Worked]) -> Iterator[list[_Worked]]:
    """Yield what was worked out before it fills the memory."""
    portion: list[_Worked] = []
    size = 0
    for piece in worked:
        portion.append(piece)
        size += piece.size
        if size >= _BYTES_AT_ONCE:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion
