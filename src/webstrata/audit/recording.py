"""WARC of an audit session: every exchange of its pages, for an evidence pack."""

from pathlib import Path

from webstrata.coordination.threads import in_thread
from webstrata.errors import StorageError
from webstrata.model.auditing.sessions import Audit
from webstrata.model.crawl.fetching import FetchResult
from webstrata.warc.record import exchange
from webstrata.warc.writer import WarcFileWriter

WARC_NAME = "session.warc.gz"


class SessionWarc:
    """Writes the exchanges of a session to a WARC file, page by page."""

    def __init__(self, folder: Path, audit: Audit) -> None:
        """Begin a new file in a session's folder, replacing that of an earlier attempt."""
        self.path = folder / WARC_NAME
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            raise StorageError(f"{self.path}: {error.strerror}") from error
        self._writer = WarcFileWriter(self.path, [("isPartOf", f"audit {audit.id}"), ("description", audit.url)])

    async def add(self, exchanges: list[FetchResult]) -> None:
        """Append the exchanges of a page."""
        await in_thread(self._add, exchanges)

    def close(self) -> None:
        """Finish the file."""
        self._writer.sync()
        self._writer.close()

    def _add(self, exchanges: list[FetchResult]) -> None:
        for one in exchanges:
            self._writer.append(exchange(one, self._writer.warcinfo_id))
        self._writer.sync()
