"""Makes the preview of a source after one of its jobs was indexed; a failure is only logged."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

import structlog

from webstrata.db.engine import Database
from webstrata.errors import WebstrataError
from webstrata.fetch.browser.options import BrowserOptions
from webstrata.fetch.guard import NetworkGuard
from webstrata.replay.finding import ReplayArchive
from webstrata.storage.previews import PreviewFiles

log = structlog.get_logger()


@dataclass(frozen=True)
class PreviewMaker:
    """Makes previews with the browser of this machine."""

    database: Database
    archive_root: Path
    files: PreviewFiles
    chromium: Path | None = None

    def make(self, job_id: int) -> None:
        """Take a picture of the front page that a job captured, if it captured one."""
        # Imported here, as Playwright loads slowly and few processes make previews.
        from webstrata.fetch.browser.launch import BrowserPool
        from webstrata.replay.browser.previews import Previews

        try:
            pool = BrowserPool(BrowserOptions(NetworkGuard(), self.chromium))
            asyncio.run(Previews(pool, ReplayArchive(self.database, self.archive_root), self.files).make(job_id))
        except WebstrataError as error:
            log.warning("preview.failed", job_id=job_id, reason=str(error))
