"""Previews: a small picture of the front page of a source, as a job captured it."""

from dataclasses import dataclass

from webstrata.db.operations import catalog
from webstrata.db.queue import jobs
from webstrata.db.sources import editions
from webstrata.errors import NotFoundError
from webstrata.fetch.browser.launch import BrowserPool, as_fetch_errors
from webstrata.fetch.browser.options import PageOptions
from webstrata.fetch.browser.rendering import settle
from webstrata.replay.browser.opening import SECONDS, open_capture
from webstrata.replay.finding import ReplayArchive
from webstrata.storage.previews import PreviewFiles

_SMALL = PageOptions(scale=0.5)
_QUALITY = 75


@dataclass(frozen=True)
class Previews:
    """Makes the previews of an archive."""

    pool: BrowserPool
    archive: ReplayArchive
    files: PreviewFiles

    async def make(self, job_id: int) -> bool:
        """Take a picture of the front page that a job captured; return whether there is one now."""
        snapshot_id = self._front_page(job_id)
        if snapshot_id is None:
            return False
        if self.files.find(job_id, snapshot_id) is None:
            self.files.write(job_id, snapshot_id, await self._picture(snapshot_id))
        return True

    def _front_page(self, job_id: int) -> int | None:
        with self.archive.database.read() as session:
            code = jobs.load_job(session, job_id).source_code
            source = editions.public_source(session, code) if code else None
            return None if source is None else editions.front_page_of_job(session, source, job_id)

    async def _picture(self, snapshot_id: int) -> bytes:
        with self.archive.database.read() as session:
            shown = catalog.snapshot(session, snapshot_id)
        if shown is None:
            raise NotFoundError(f"there is no snapshot {snapshot_id}")
        capture = self.archive.find_capture(shown.url, shown.captured_at).capture
        async with self.pool, open_capture(self.pool, self.archive, capture, _SMALL) as opened:
            await settle(opened.page, opened.deadline)
            with as_fetch_errors():
                page = opened.page.page
                return await page.screenshot(
                    type="jpeg", quality=_QUALITY, animations="disabled", timeout=SECONDS * 1000
                )
