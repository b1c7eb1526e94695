"""Known pages: pages of an earlier run that this one did not find, and that are requested at its end."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import structlog

from webstrata.crawl.scope import CrawlScope
from webstrata.db.assets import absence
from webstrata.db.engine import Database, Session
from webstrata.db.queue import frontier, leases
from webstrata.db.watching import site_diff
from webstrata.db.watching.site_diff import CrawlDefaults
from webstrata.model.assets import too_many_at_once
from webstrata.model.crawl.crawl_config import CrawlConfig
from webstrata.model.crawl.tasks import Link, TaskStatus
from webstrata.model.watching.site_diff import earlier_run

log = structlog.get_logger()

MOST_REQUESTED = 10_000

_DEPTH = 1
"""The depth of pages without links to them: the same as of a sitemap's pages."""


@dataclass(frozen=True)
class KnownPages:
    """Finds the pages of an earlier run that a run has not requested."""

    database: Database
    job_id: int
    source_id: int
    config: CrawlConfig
    scope: CrawlScope

    def add_missing(self) -> Sequence[Link]:
        """Queue the known pages that the job did not find, and return them.

        None are queued for a run of single pages, or when so many are missing that the site is probably broken.
        """
        config = self.config
        if not config.recheck_known_pages or config.max_depth == 0 or config.max_pages == 1:
            return ()
        with self.database.read() as session:
            missing = self._missing(session)
        admitted = self.scope.admit_links([Link(url) for url in missing], _DEPTH)
        if not admitted:
            return ()
        with self.database.write() as session:
            spent = leases.spend(session, self.job_id, 0, 0)
            # Only as many as fit into the page limit: otherwise a complete run would become an incomplete one.
            chosen = admitted[: max(0, min(MOST_REQUESTED, config.max_pages - spent.pages))]
            frontier.add_links(session, self.job_id, chosen, _DEPTH, datetime.now(UTC))
        log.info("crawl.known_pages.added", job_id=self.job_id, pages=len(chosen), missing=len(missing))
        return chosen

    def _missing(self, session: Session) -> list[str]:
        if not frontier.has_any(session, self.job_id, TaskStatus.FINISHED):
            return []
        defaults = CrawlDefaults(self.config.max_depth, self.config.max_pages)
        runs = site_diff.iterate_runs(session, self.source_id, defaults)
        earlier = earlier_run(runs, self.job_id, absence.config_of(session, self.job_id))
        if earlier is None:
            return []
        missing: list[str] = []
        pages = 0
        for urls in site_diff.good_urls(session, earlier.job_id):
            pages += len(urls)
            missing += frontier.unknown_urls(session, self.job_id, urls)
        return [] if too_many_at_once(len(missing), pages) else missing
