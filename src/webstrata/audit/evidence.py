"""Evidence of an audit: collected from a page, and stored as artifacts with checksums."""

import gzip
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from webstrata.audit.page_scripts import CLICK_TARGETS, PAGE_SIZE, VISIBLE_TEXT
from webstrata.audit.session_log import SessionLog
from webstrata.coordination.threads import in_thread
from webstrata.db.auditing.queue import check_lease
from webstrata.db.engine import Database
from webstrata.db.retention.artifacts import add_artifact
from webstrata.model.auditing.sessions import Audit, AuditEventType, AuditLease, AuditPage
from webstrata.model.retention.artifacts import ArtifactType, NewArtifact, retention_until
from webstrata.storage.artifacts import ArtifactFolder, StoredFile

if TYPE_CHECKING:
    from playwright.async_api import FloatRect, Page

_NAMES = {
    ArtifactType.SCREENSHOT: "screenshot.png",
    ArtifactType.VISIBLE_TEXT: "visible_text.txt",
    ArtifactType.FEATURES_JSON: "features.json",
    ArtifactType.HTML_GZ: "page.html.gz",
    ArtifactType.SESSION_LOGS_JSONL: "session_logs.jsonl",
}

_EXTRACTION_ATTEMPTS = 3
_SCREENSHOT_MS = 30_000
MAX_SCREENSHOT_HEIGHT = 16_384
"""CSS pixels; what is below on a longer page is left out. Chromium draws no higher textures and repeats the page."""

MAX_HTML = 20_000_000
"""Characters of the rendered HTML; a longer document is cut, and that is logged."""

_Found = TypeVar("_Found")


@dataclass(frozen=True)
class CollectedPage:
    """What was read from a page that is ready."""

    html: str
    text: str
    screenshot: bytes | None
    click_targets: tuple[str, ...] = ()
    """Addresses of product cards without links, from their markup and the page's structured data."""


async def collect_page(page: "Page", log: SessionLog) -> CollectedPage:
    """Return HTML, visible text and screenshot of a page; a screenshot that cannot be taken is logged and left out."""
    html = await retry_extraction(page.content, "HTML", log)
    if len(html) > MAX_HTML:
        await log.warning(AuditEventType.ERROR, "The HTML was cut", characters=len(html), limit=MAX_HTML)
    text = await retry_extraction(lambda: page.evaluate(VISIBLE_TEXT), "visible text", log)
    targets = await retry_extraction(lambda: page.evaluate(CLICK_TARGETS), "addresses of cards", log)
    screenshot = await _screenshot(page, log)
    return CollectedPage(html[:MAX_HTML], fold_text(str(text)[:MAX_HTML]), screenshot, tuple(map(str, targets)))


async def retry_extraction(read: Callable[[], Awaitable[_Found]], what: str, log: SessionLog) -> _Found:
    """Return the result of `read`; after an error of the browser, such as a lost context, it is retried."""
    from playwright.async_api import Error

    for attempt in range(1, _EXTRACTION_ATTEMPTS):
        try:
            return await read()
        except Error as error:
            reason = error.message.partition("\n")[0]
            await log.warning(AuditEventType.RETRY, f"Reading the {what} again", attempt=attempt, reason=reason)
    return await read()


def fold_text(text: str) -> str:
    """Return a visible text with single spaces and without empty lines."""
    lines = (" ".join(line.split()) for line in text.splitlines())
    return "\n".join(line for line in lines if line)


async def _screenshot(page: "Page", log: SessionLog) -> bytes | None:
    from playwright.async_api import Error

    for is_full in (True, False):
        try:
            clip = await _clip(page, log) if is_full else None
            # CSS pixels: on a phone's screen a long page would be larger than a browser can draw.
            return await page.screenshot(
                full_page=is_full, clip=clip, animations="disabled", caret="hide", scale="css", timeout=_SCREENSHOT_MS
            )
        except Error as error:
            reason = error.message.partition("\n")[0]
            await log.warning(AuditEventType.RETRY, "The screenshot failed", full_page=is_full, reason=reason)
    return None


async def _clip(page: "Page", log: SessionLog) -> "FloatRect | None":
    """Return the part of a page to draw when the whole is too long; None for the whole."""
    width, height = await page.evaluate(PAGE_SIZE)
    if height <= MAX_SCREENSHOT_HEIGHT:
        return None
    await log.warning(AuditEventType.ARTIFACT, "The screenshot was cut", height=height, limit=MAX_SCREENSHOT_HEIGHT)
    return {"x": 0, "y": 0, "width": width, "height": MAX_SCREENSHOT_HEIGHT}


class EvidenceStore:
    """Stores the artifacts of one session: the file first, then its row."""

    def __init__(
        self, database: Database, folder: ArtifactFolder, audit: Audit, lease: AuditLease, *, html_days: int
    ) -> None:
        """Store for a session; `html_days` is the retention of its html_gz artifacts in days."""
        self._database = database
        self._folder = folder
        self._audit = audit
        self._lease = lease
        self._html_days = html_days

    @property
    def prefix(self) -> str:
        """Return the folder of the session below the artifacts folder."""
        return f"{self._audit.domain}__{self._audit.id}"

    @property
    def folder(self) -> Path:
        """Return the folder of the session."""
        return self._folder.root / self.prefix

    async def put(self, kind: ArtifactType, data: bytes, page: AuditPage | None = None) -> None:
        """Store an artifact of a page, or of the session."""
        await in_thread(self._put, kind, data, page)

    async def put_page(self, page: AuditPage, collected: CollectedPage, features: bytes) -> None:
        """Store what was read from a page."""
        await self.put(ArtifactType.HTML_GZ, gzip.compress(collected.html.encode("utf-8", "replace"), mtime=0), page)
        await self.put(ArtifactType.VISIBLE_TEXT, collected.text.encode("utf-8", "replace"), page)
        await self.put(ArtifactType.FEATURES_JSON, features, page)
        if collected.screenshot is not None:
            await self.put(ArtifactType.SCREENSHOT, collected.screenshot, page)

    async def add_file(self, kind: ArtifactType, name: str) -> None:
        """Add a file that was written into the session's folder as an artifact."""
        await in_thread(lambda: self._add(kind, self._folder.describe(f"{self.prefix}/{name}"), None))

    def _put(self, kind: ArtifactType, data: bytes, page: AuditPage | None) -> None:
        place = "" if page is None else f"{page.page_type}/{page.viewport}/"
        self._add(kind, self._folder.put(f"{self.prefix}/{place}{_NAMES[kind]}", data), page)

    def _add(self, kind: ArtifactType, stored: StoredFile, page: AuditPage | None) -> None:
        now = datetime.now(UTC)
        new = NewArtifact(
            session_id=self._audit.id,
            type=kind,
            storage_uri=stored.uri,
            size_bytes=stored.size_bytes,
            checksum=stored.checksum,
            created_at=now,
            page_id=None if page is None else page.id,
            retention_until=retention_until(kind, now, self._html_days),
        )
        with self._database.write() as session:
            check_lease(session, self._lease)
            add_artifact(session, new)
