"""Addresses at which captures are browsed: on the configured replay server, else at our own Wayback addresses."""

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from fastapi import Request

from webstrata.http.headers import is_https
from webstrata.model.archive import SnapshotView
from webstrata.model.replay.replay_address import plain_url, replay_path
from webstrata.model.timestamps import fourteen_digits
from webstrata.settings import Settings
from webstrata.storage.collections import has_collection

_ADDRESSES_CACHED = 64
"""The size of the cache of site addresses by host; computing one takes as long as a query."""


@dataclass(frozen=True)
class BrowseAddresses:
    """Makes the URLs at which captures are replayed with working links; clients show them in a frame."""

    site: str
    """This site, for our own addresses."""
    replay_base: str | None = None
    """A replay server with a collection for some jobs, such as pywb."""
    collections_dir: Path | None = None
    """The folder of its collections."""

    @classmethod
    def of(cls, request: Request, settings: Settings) -> "BrowseAddresses":
        """Return the addresses for a client."""
        return cls(site_url(request, settings), settings.replay_base_url, settings.replay_collections_dir)

    def snapshot(self, snapshot: SnapshotView) -> str:
        """Return where a snapshot is browsed."""
        return self.capture(snapshot.url, snapshot.captured_at, snapshot.job_id, snapshot.id)

    def capture(self, url: str, captured_at: datetime, job_id: int | None, snapshot_id: int | None) -> str:
        """Return the URL for browsing a capture; the fragment names the snapshot for clients."""
        mark = "" if snapshot_id is None else f"#ha_snapshot={snapshot_id}"
        digits = fourteen_digits(captured_at)
        if job_id is not None and self._is_served(job_id):
            return f"{self.replay_base}/job-{job_id}/{digits}/{plain_url(url)}{mark}"
        return f"{self.site}{replay_path(digits, url)}{mark}"

    def _is_served(self, job_id: int) -> bool:
        """Return whether the replay server has a job's captures."""
        if self.replay_base is None or self.collections_dir is None:
            return False
        return has_collection(self.collections_dir, job_id)


def site_url(request: Request, settings: Settings) -> str:
    """Return the base URL of this site: the configured one, else that of this request."""
    if settings.public_site_url is not None:
        return settings.public_site_url
    scope = request.scope
    scheme = "https" if is_https(scope) else scope.get("scheme", "http")
    server = tuple(scope["server"]) if scope.get("server") else None
    return _address(scheme, request.headers.get("host"), server, scope.get("root_path", ""))


@lru_cache(_ADDRESSES_CACHED)
def _address(scheme: str, host: str | None, server: tuple[object, ...] | None, root_path: str) -> str:
    headers = [] if host is None else [(b"host", host.encode("latin-1"))]
    scope = {"type": "http", "scheme": scheme, "server": server, "root_path": root_path, "path": "/"}
    return str(Request({**scope, "query_string": b"", "headers": headers}).base_url).rstrip("/")


def snapshot_page_url(snapshot_id: int, site: str) -> str:
    """Return the absolute URL of the web page about a snapshot."""
    return f"{site}/snapshot/{snapshot_id}"
