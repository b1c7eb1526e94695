"""Responses of a run to requests for pages without a good capture: errors, redirects, no response."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import structlog

from webstrata.changes.site.missing import group_of
from webstrata.db.engine import Database
from webstrata.db.watching import site_diff
from webstrata.db.watching.site_diff import PageContent, StoredResponse
from webstrata.errors import WebstrataError
from webstrata.model.crawl.fetching import REDIRECT_STATUSES
from webstrata.model.urls import join, surt
from webstrata.model.watching.site_diff import LastResponse
from webstrata.storage.paths import place_of
from webstrata.warc.reader import read_record

log = structlog.get_logger()

MOST_REDIRECTS = 2_000
"""The most redirect records that are read for their targets."""

_MOST_HOPS = 5


@dataclass(frozen=True)
class RunResponses:
    """Looks up the responses of one run."""

    database: Database
    archive_root: Path
    job_id: int
    page_parameters: tuple[str, ...]

    def of_pages(self, pages: Mapping[str, PageContent]) -> dict[str, LastResponse]:
        """Return the last responses for pages, by page; pages that were not requested are left out."""
        with self.database.read() as session:
            found = site_diff.bad_responses(session, self.job_id, pages)
            left = {page: content for page, content in pages.items() if page not in found}
            stored = site_diff.responses_of(session, self.job_id, {surt(one.url) for one in left.values()})
            failed = site_diff.failed_urls(session, self.job_id) if left else {}
        errors = {group_of(url, self.page_parameters): reason for url, reason in failed.items()}
        for page, content in left.items():
            if content.url in stored:
                found[page] = LastResponse(stored[content.url].status_code)
            elif page in errors:
                found[page] = LastResponse(error=errors[page])
        redirects = [page for page in left if page in found and found[page].status_code in REDIRECT_STATUSES]
        return found | self._redirects(redirects[:MOST_REDIRECTS], left, stored, found)

    def _redirects(
        self,
        pages: Sequence[str],
        contents: Mapping[str, PageContent],
        stored: Mapping[str, StoredResponse],
        found: Mapping[str, LastResponse],
    ) -> dict[str, LastResponse]:
        targets = {page: self._location(stored[contents[page].url]) for page in pages}
        return {page: replace(found[page], location=self._end(target)) for page, target in targets.items() if target}

    def _end(self, url: str) -> str:
        """Return the target of a redirect, as far as the run followed redirects."""
        for _ in range(_MOST_HOPS):
            with self.database.read() as session:
                response = site_diff.responses_of(session, self.job_id, [surt(url)]).get(url)
            is_redirect = response is not None and response.status_code in REDIRECT_STATUSES
            target = self._location(response) if response is not None and is_redirect else None
            if target is None or target == url:
                break
            url = target
        return url

    def _location(self, response: StoredResponse) -> str | None:
        try:
            path = place_of(self.archive_root, response.warc_path, response.output_dir)
            record = read_record(path, response.offset, response.length, decode=False)
        except WebstrataError as error:
            log.warning("site_diff.redirect.not_read", url=response.url, reason=str(error))
            return None
        location = record.headers.get("location")
        return join(response.url, location) if location else None
