"""The site diff of two runs: compares their pages in the database, and finds moves among the differences."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from webstrata.changes.site.choosing import RunChoice, choose_runs
from webstrata.changes.site.missing import MissingPages, group_of, redirect_target
from webstrata.changes.site.moves import MOST_PAIRS, CommonWords, find_moves
from webstrata.changes.site.responses import RunResponses
from webstrata.changes.template_changes import load_difference
from webstrata.content.blocks import main_text
from webstrata.db.changes import changes
from webstrata.db.engine import Database
from webstrata.db.sources.sources import source_view
from webstrata.db.watching import site_diff
from webstrata.db.watching.site_diff import MOST_PAGES, CrawlDefaults, OneSidedPage
from webstrata.model.jobs.registry import SourceView
from webstrata.model.urls import join
from webstrata.model.watching.site_diff import (
    ChangedPage,
    LastResponse,
    MissingFate,
    SiteDiff,
    SitePage,
    SiteRun,
    TemplateDifference,
    missing_fate,
    why_incomparable,
    why_incomplete,
)

MOST_LISTED = 1_000
"""The most pages in each list of a site diff; callers may request fewer."""

_SAMPLED = 100
"""How many pages of the older run are read to find the words that most pages share."""


@dataclass(frozen=True)
class SiteComparison:
    """Compares two runs of a source."""

    database: Database
    archive_root: Path
    defaults: CrawlDefaults

    def list_runs(self, code: str) -> list[SiteRun]:
        """Return the runs of a source that can be compared, newest first; NotFoundError without the source."""
        with self.database.read() as session:
            return site_diff.list_runs(session, source_view(session, code).id, self.defaults)

    def compare(
        self, code: str, older: RunChoice = None, newer: RunChoice = None, *, most: int = MOST_LISTED
    ) -> SiteDiff:
        """Return the differences of a site between two runs, by default the newest two complete ones."""
        return self.compare_runs(code, *choose_runs(code, self.list_runs(code), older, newer), most=most)

    def compare_runs(self, code: str, first: SiteRun, last: SiteRun, *, most: int = MOST_LISTED) -> SiteDiff:
        """Return the differences of a site between two runs."""
        with self.database.read() as session:
            source = source_view(session, code)
            differing = site_diff.one_sided_pages(session, first.job_id, last.job_id)
        pair = _Pair(self.database, self.archive_root, source, first, last, differing[:MOST_PAGES])
        pair.note_limits(is_cut=len(differing) > MOST_PAGES)
        return pair.diff(most)


@dataclass
class _Pair:
    """Two runs, and the pages that only one of them has."""

    database: Database
    archive_root: Path
    source: SourceView
    older: SiteRun
    newer: SiteRun
    differing: list[OneSidedPage]
    limits: list[str] = field(default_factory=list)

    def note_limits(self, *, is_cut: bool) -> None:
        """Record why the diff may be incomplete."""
        if is_cut:
            self.limits.append(f"only the first {MOST_PAGES:,} pages that differ were compared")
        if reason := why_incomplete(self.older):
            self.limits.append(f"pages that the older run did not reach count as added: {reason}")

    def diff(self, most: int) -> SiteDiff:
        """Return the diff, with so many pages in each list at most."""
        reason = why_incomparable(self.older, self.newer)
        added = {one.page: one.new_id for one in self.differing if one.new_id is not None}
        missing = self._sort_missing()
        # A page that a run did not request may still exist.
        self._find_moves(missing, added, [*missing.gone, *(() if reason else missing.absent)])
        unproven = missing.settle(self.older.snapshots, reason)
        restored = self._restored(added)
        moved_to = {move.new.page for move in missing.moved}
        new = [number for page, number in added.items() if page not in moved_to and page not in restored]
        changed, changed_count = self._changed_pages(most)
        unlinked = [] if reason else self._unlinked(missing)
        counts = missing.counts() | {"added": len(new), "changed": changed_count}
        counts |= {"unlinked": len(unlinked), "restored": len(restored)}
        return SiteDiff(
            source=self.source.code,
            older=self.older,
            newer=self.newer,
            why_nothing_removed=unproven,
            counts=counts,
            added=self._titled(new[:most]),
            removed=tuple(missing.removed[:most]),
            moved=tuple(missing.moved[:most]),
            unlinked=tuple(unlinked[:most]),
            changed=changed,
            restored=self._titled([added[page] for page in restored[:most]]),
            unavailable=tuple(missing.unavailable[:most]),
            not_seen=tuple(missing.not_seen[:most]),
            templates=self._templates(),
            limits=tuple(self.limits),
        )

    def _sort_missing(self) -> MissingPages:
        """Group the pages that only the older run has by the newer run's responses for their URLs."""
        gone = {one.page: one.old_id for one in self.differing if one.old_id is not None}
        with self.database.read() as session:
            contents = site_diff.page_contents(session, gone.values())
        pages = {page: contents[number] for page, number in gone.items() if number in contents}
        parameters = self.source.page_parameters
        looked_up = RunResponses(self.database, self.archive_root, self.newer.job_id, parameters)
        responses = looked_up.of_pages(pages)
        captured, homes = self._redirect_targets(responses.values()), self._home_pages()
        missing = MissingPages()
        for page, content in pages.items():
            response = responses.get(page)
            location = response.location if response is not None else None
            target = redirect_target(location, page, captured, homes, parameters) if location else None
            missing.sort(SitePage(page, content.snapshot_id, content.title), response, target)
        return missing

    def _home_pages(self) -> frozenset[str]:
        """Return the home page of the source, and that of its host if the source is only part of a site."""
        base = self.source.base_url or ""
        urls = [url for url in (base, join(base, "/")) if url]
        return frozenset(group_of(url, self.source.page_parameters) for url in urls)

    def _redirect_targets(self, responses: Iterable[LastResponse]) -> dict[str, SitePage]:
        """Return the newer run's good captures of the pages to which redirects lead."""
        located = [one.location for one in responses if one.location is not None]
        groups = {group_of(url, self.source.page_parameters) for url in located}
        with self.database.read() as session:
            return site_diff.pages_of_run(session, self.newer.job_id, groups)

    def _find_moves(self, missing: MissingPages, added: Mapping[str, int], gone: Sequence[int]) -> None:
        """Find the missing pages `gone` (by snapshot) among the new ones."""
        taken = {move.new.page for move in missing.moved}
        new = {number: page for page, number in added.items() if page not in taken}
        if not gone or not new:
            return
        with self.database.read() as session:
            contents = site_diff.page_contents(session, [*gone, *new])
            sample = changes.sample_texts(session, self.older.job_id, _SAMPLED)
        if len(gone) * len(new) > MOST_PAIRS:
            self.limits.append(f"of {len(gone):,} missing and {len(new):,} new pages, only equal ones count as moved")
        found = find_moves(
            [contents[number] for number in gone if number in contents],
            [contents[number] for number in new if number in contents],
            self._texts,
            CommonWords(sample),
        )
        for move in found:
            page = SitePage(new[move.new_id], move.new_id, contents[move.new_id].title)
            missing.move(move.old_id, page, move.evidence)

    def _texts(self, document_ids: Collection[int]) -> dict[int, str]:
        with self.database.read() as session:
            stored = changes.load_texts(session, document_ids)
        return {number: main_text(one.text, one.blocks or "") for number, one in stored.items()}

    def _restored(self, added: Collection[str]) -> list[str]:
        """Return the new pages for which the older run got an error or a block page."""
        with self.database.read() as session:
            before = site_diff.bad_responses(session, self.older.job_id, added)
        return sorted(page for page, one in before.items() if missing_fate(one) is MissingFate.UNAVAILABLE)

    def _changed_pages(self, most: int) -> tuple[tuple[ChangedPage, ...], int]:
        with self.database.read() as session:
            found = site_diff.changed_pages(session, self.source.id, self.older, self.newer, most)
            if len(found) < most:
                return tuple(found), len(found)
            return tuple(found), site_diff.count_changed(session, self.source.id, self.older, self.newer)

    def _unlinked(self, missing: MissingPages) -> list[SitePage]:
        unseen = [
            *(one.page.snapshot_id for one in missing.unavailable),
            *(one.snapshot_id for one in missing.not_seen),
        ]
        with self.database.read() as session:
            return site_diff.unlinked_pages(session, self.older.job_id, self.newer.job_id, unseen)

    def _titled(self, snapshot_ids: Collection[int]) -> tuple[SitePage, ...]:
        pages = {one.new_id: one.page for one in self.differing}
        with self.database.read() as session:
            contents = site_diff.page_contents(session, snapshot_ids)
        return tuple(SitePage(pages[one] or "", one, contents[one].title) for one in snapshot_ids if one in contents)

    def _templates(self) -> tuple[TemplateDifference, ...]:
        with self.database.read() as session:
            pages = site_diff.template_pages(session, self.newer.job_id)
            found = load_difference(session, self.older.job_id, self.newer.job_id, pages)
        return (found,) if found is not None else ()
