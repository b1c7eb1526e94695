"""Site events: facts of a site diff other than changes of single pages, each with a permanent id."""

import hashlib
from dataclasses import dataclass
from enum import StrEnum

from webstrata.model.changes.values import SIGNIFICANT, ChangeType
from webstrata.model.watching.site_diff import SiteDiff, SitePage, TemplateDifference

REMOVED_SIGNIFICANCE = 1.0


class SiteEventKind(StrEnum):
    """What a site event reports."""

    ADDED = "added"
    """A page that is not in the older run, but in an earlier one; other new pages have a change event."""
    REMOVED = "removed"
    MOVED = "moved"
    UNLINKED = "unlinked"
    TEMPLATE = "template"


SITE_EVENT_WORDS = {
    SiteEventKind.ADDED: "Back on the site",
    SiteEventKind.REMOVED: "Removed",
    SiteEventKind.MOVED: "Moved",
    SiteEventKind.UNLINKED: "Unlinked",
    SiteEventKind.TEMPLATE: "Template changed",
}


@dataclass(frozen=True)
class SiteEvent:
    """A fact from the comparison of two runs of a source."""

    kind: SiteEventKind
    page: str
    """The address of the page; empty for the template."""
    title: str
    summary: str
    from_snapshot_id: int | None = None
    to_snapshot_id: int | None = None
    new_page: str | None = None
    """Where a page moved to."""

    @property
    def significance(self) -> float:
        """Return how much the event matters, from 0 to 1."""
        return REMOVED_SIGNIFICANCE if self.kind is SiteEventKind.REMOVED else SIGNIFICANT

    def key(self, source: str, from_job_id: int, to_job_id: int) -> str:
        """Return the id of the event, which depends only on source, page and the two runs."""
        about = hashlib.sha256(f"{source}\n{self.page}".encode()).hexdigest()[:16]
        return f"{self.kind}-{from_job_id}-{to_job_id}-{about}"

    def replaces(self, change_type: ChangeType, page: str) -> bool:
        """Return whether a change event of a page in the same run reports the same fact."""
        if self.kind is SiteEventKind.MOVED and page == self.new_page:
            return change_type is ChangeType.NEW_PAGE
        if self.kind in (SiteEventKind.REMOVED, SiteEventKind.MOVED):
            return page == self.page and change_type is ChangeType.UNAVAILABLE
        return self.kind is SiteEventKind.ADDED and page == self.page


def site_events(diff: SiteDiff, reappeared: frozenset[int]) -> list[SiteEvent]:
    """Return the events of a site diff; `reappeared` are the added snapshots that have no event of a new page."""
    added = [one for one in diff.added if one.snapshot_id in reappeared]
    return [
        *(_event(SiteEventKind.REMOVED, one.page, one.reason) for one in diff.removed),
        *(
            SiteEvent(
                SiteEventKind.MOVED,
                one.old.page,
                one.new.title or one.old.title,
                f"it is at {one.new.page} now",
                one.old.snapshot_id,
                one.new.snapshot_id,
                one.new.page,
            )
            for one in diff.moved
        ),
        *(_event(SiteEventKind.UNLINKED, one, "no page links to it any more") for one in diff.unlinked),
        *(_event(SiteEventKind.ADDED, one, "the run before did not have it") for one in added),
        *(_template_event(diff.source, one) for one in diff.templates),
    ]


def _event(kind: SiteEventKind, page: SitePage, summary: str) -> SiteEvent:
    is_new = kind in (SiteEventKind.ADDED, SiteEventKind.UNLINKED)
    old, new = (None, page.snapshot_id) if is_new else (page.snapshot_id, None)
    return SiteEvent(kind, page.page, page.title, summary, old, new)


def _template_event(source: str, change: TemplateDifference) -> SiteEvent:
    return SiteEvent(SiteEventKind.TEMPLATE, "", source, change.summary)
