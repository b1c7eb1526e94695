"""Pages of the older run without a good capture in the newer run: removed, moved, unavailable or not seen."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from webstrata.errors import UsageError
from webstrata.model.urls import url_group
from webstrata.model.watching.site_diff import (
    LastResponse,
    MissingFate,
    MissingPage,
    MovedPage,
    MoveEvidence,
    SitePage,
    missing_fate,
    response_words,
    why_unproven,
)


@dataclass
class MissingPages:
    """Missing pages, grouped by what their responses show."""

    moved: list[MovedPage] = field(default_factory=list)
    unavailable: list[MissingPage] = field(default_factory=list)
    gone: dict[int, MissingPage] = field(default_factory=dict)
    """Pages that are gone by their response, by snapshot; one that is found at a new URL is removed from here."""
    absent: dict[int, SitePage] = field(default_factory=dict)
    """Pages that were not requested, by snapshot."""
    removed: list[MissingPage] = field(default_factory=list)
    not_seen: list[SitePage] = field(default_factory=list)

    def sort(self, page: SitePage, response: LastResponse | None, target: "RedirectTarget | None") -> None:
        """Add a page to the group of the newer run's response for its URL."""
        if response is None:
            self.absent[page.snapshot_id] = page
            return
        fate = missing_fate(response)
        if fate is MissingFate.REMOVED:
            self.gone[page.snapshot_id] = MissingPage(page, response_words(response))
        elif fate is MissingFate.REDIRECTED and target is not None:
            self._sort_redirect(page, target)
        else:
            self.unavailable.append(MissingPage(page, response_words(response)))

    def _sort_redirect(self, page: SitePage, target: "RedirectTarget") -> None:
        if target.is_home:
            self.gone[page.snapshot_id] = MissingPage(page, "it leads to the home page")
        elif target.page is not None:
            self.moved.append(MovedPage(page, target.page, MoveEvidence.REDIRECT))
        else:
            self.unavailable.append(MissingPage(page, f"it leads to {target.url}"))

    def move(self, old_id: int, new: SitePage, evidence: MoveEvidence) -> None:
        """Remove a page from the missing ones: it moved to another URL."""
        found = self.gone.pop(old_id, None)
        page = self.absent.pop(old_id) if found is None else found.page
        self.moved.append(MovedPage(page, new, evidence))

    def settle(self, pages: int, why_incomparable: str | None) -> str | None:
        """Decide which of the remaining pages are removed; return why some may still exist, if so.

        Only a response proves that a page was removed. `pages` is the number of pages of the older run.
        """
        gone = sorted(self.gone.values(), key=lambda one: one.page.page)
        reason = why_incomparable or why_unproven(len(self.absent), pages)
        if why_incomparable:
            self.unavailable += gone
        else:
            self.removed += gone
        self.not_seen += sorted(self.absent.values(), key=lambda one: one.page)
        for listed in (self.removed, self.unavailable):
            listed.sort(key=lambda one: one.page.page)
        self.moved.sort(key=lambda one: one.old.page)
        return reason

    def counts(self) -> dict[str, int]:
        """Return the number of pages of each kind."""
        return {
            "removed": len(self.removed),
            "moved": len(self.moved),
            "unavailable": len(self.unavailable),
            "not_seen": len(self.not_seen),
        }


@dataclass(frozen=True)
class RedirectTarget:
    """The target of a missing page's redirect."""

    url: str
    page: SitePage | None
    """The page at the target, if the newer run has a good capture of it."""
    is_home: bool


def redirect_target(
    url: str, itself: str, captured: Mapping[str, SitePage], homes: Collection[str], page_parameters: tuple[str, ...]
) -> RedirectTarget:
    """Return the target of a redirect among the pages that the newer run captured."""
    group = group_of(url, page_parameters)
    found = captured.get(group) if group != itself else None
    return RedirectTarget(url, found, is_home=group in homes and found is not None)


def group_of(url: str, page_parameters: tuple[str, ...]) -> str:
    """Return the page that a URL belongs to; the text itself when it is not a web address."""
    try:
        return url_group(url, page_parameters)
    except UsageError:
        return url
