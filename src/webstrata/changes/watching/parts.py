"""Comparison of the parts of two captures that a watch selects."""

from dataclasses import dataclass
from pathlib import Path

import structlog

from webstrata.changes.compare_requests import ComparePages
from webstrata.changes.comparer import Comparer
from webstrata.changes.stored_pages import StoredPage
from webstrata.content.kinds import PageKind, page_kind
from webstrata.content.reader.page_reader import PageReader
from webstrata.content.reading import Body, Reading
from webstrata.content.selection.parts import ReadParts
from webstrata.db.engine import Database
from webstrata.db.operations import catalog
from webstrata.errors import WebstrataError
from webstrata.model.changes.values import SIGNIFICANT, SiteKnowledge
from webstrata.model.watching.watches import WatchRules
from webstrata.storage.paths import place_of
from webstrata.warc.reader import read_record
from webstrata.warc.revisits import with_payload

log = structlog.get_logger()


@dataclass(frozen=True)
class PartChange:
    """What changed in the selected parts."""

    significance: float
    summary: str | None
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class PartComparer:
    """Compares the parts of captures, read from their WARC records."""

    database: Database
    archive_root: Path
    reader: PageReader
    comparer: Comparer

    def compare(self, old_id: int, new_id: int, rules: WatchRules) -> PartChange | None:
        """Return what changed in the selected parts; None when they are the same.

        UnreadablePageError or another WebstrataError when a capture cannot be read.
        """
        old, new = self._read(old_id, rules), self._read(new_id, rules)
        if (old.text, old.outlinks) == (new.text, new.outlinks):
            return None
        request = ComparePages(_page(old), _page(new), SiteKnowledge(), is_full=True)
        found = self.comparer.compare(request).comparison
        significance, reasons = found.verdict.significance, tuple(one.text for one in found.verdict.reasons)
        if rules.selector is not None and not significance:
            # Nothing is volatile in a selected part: it may be a date or a counter.
            significance = SIGNIFICANT
        return PartChange(significance, found.summary or None, reasons)

    def _read(self, snapshot_id: int, rules: WatchRules) -> Reading:
        with self.database.read() as session:
            place = catalog.record_place(session, snapshot_id)
        if place is None or place.offset is None:
            raise WebstrataError(f"the record of snapshot {snapshot_id} is not known")
        path = place_of(self.archive_root, place.warc_path, place.output_dir)
        record = with_payload(read_record(path, place.offset, place.length), self.database, self.archive_root)
        kind = page_kind(record.headers.get("content-type"), record.body_bytes, record.url) or PageKind.HTML
        body = Body.of_response(record.url, record.body_bytes, record.status_code, record.all_headers)
        return self.reader.page(
            ReadParts(
                kind,
                body,
                selector=rules.selector,
                ignored_selectors=rules.ignored_selectors,
                ignored_texts=rules.ignored_texts,
            )
        )


def _page(reading: Reading) -> StoredPage:
    return StoredPage(
        title=reading.title,
        text=reading.text,
        blocks=reading.blocks,
        regions=reading.regions,
        status_code=200,
        language=reading.language,
        links=frozenset(reading.outlinks),
        images=frozenset(),
        quality=1.0,
        quality_kind="page",
    )
