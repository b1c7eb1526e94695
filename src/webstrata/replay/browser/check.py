"""Replay checks: open captures in a browser, count missing resources, and compare the text with the archived text."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from webstrata.content.html import parse_page
from webstrata.db.queue import jobs
from webstrata.db.replay import replay_checks
from webstrata.errors import FetchError, NotFoundError, UnreadablePageError, UsageError
from webstrata.fetch.browser.launch import BrowserPool
from webstrata.model.browser.replay_checks import PageCheck, ReplayReport, word_similarity
from webstrata.model.captures import ArchivedCapture
from webstrata.replay.browser.replayed import ReplayedPage, open_replay
from webstrata.replay.browser.site import ReplaySite
from webstrata.replay.finding import ReplayArchive
from webstrata.storage.paths import place_of
from webstrata.warc.renderings import find_text

_MOST_LISTED = 20

Checked = Callable[[PageCheck], None]


@dataclass(frozen=True)
class ReplayCheck:
    """Checks captures one after the other."""

    pool: BrowserPool
    archive: ReplayArchive
    site: ReplaySite

    async def check_job(self, job_id: int, sample: int, checked: Checked) -> ReplayReport:
        """Check some pages of a job and store the result; NotFoundError when there is no such job, or no page of it."""
        with self.archive.database.read() as session:
            jobs.load_job(session, job_id)
            captures = replay_checks.sample_captures(session, job_id, sample)
        if not captures:
            raise NotFoundError(f"job {job_id} has no captured page to open")
        async with self.pool:
            pages = await self.check(captures, checked)
        report = ReplayReport(job_id, datetime.now(UTC), tuple(pages))
        with self.archive.database.write() as session:
            replay_checks.add_check(session, report)
        return report

    async def check(self, captures: Sequence[ArchivedCapture], checked: Checked) -> list[PageCheck]:
        """Check captures and return the results; `checked` is called after each."""
        found = []
        for capture in captures:
            result = await self._check(capture)
            checked(result)
            found.append(result)
        return found

    async def _check(self, capture: ArchivedCapture) -> PageCheck:
        try:
            async with open_replay(self.pool, self.site, capture) as shown:
                return self._page_check(capture, shown)
        except (FetchError, NotFoundError, UsageError) as error:
            return PageCheck(capture.url, capture.captured_at, problem=str(error))

    def _page_check(self, capture: ArchivedCapture, shown: ReplayedPage) -> PageCheck:
        archived, replayed = self._texts(capture, shown)
        return PageCheck(
            capture.url,
            capture.captured_at,
            requests=shown.requests,
            failed=len(shown.missing),
            similarity=word_similarity(archived, replayed),
            missing=shown.missing[:_MOST_LISTED],
        )

    def _texts(self, capture: ArchivedCapture, shown: ReplayedPage) -> tuple[str, str]:
        """Return the archived text and the shown one, both read in the same way.

        The text that a browser showed when the page was captured is compared with what it shows now; without one, the
        text of the archived document with that of the document after its scripts ran.
        """
        then = find_text(self._file(capture), capture.offset, capture.url)
        document = _text(shown.html.encode("utf-8", "replace"), "text/html; charset=utf-8")
        if then is not None:
            return then, document if shown.text is None else shown.text
        record = self.archive.find_capture(capture.url, capture.captured_at).record
        archived = _text(record.body_bytes, record.headers.get("content-type"))
        return archived, document

    def _file(self, capture: ArchivedCapture) -> Path:
        return place_of(self.archive.root, capture.warc_path, capture.output_dir)


def _text(body: bytes, content_type: str | None) -> str:
    try:
        return parse_page(body, content_type).text
    except UnreadablePageError:
        return ""
