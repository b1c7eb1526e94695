"""Commands for watches: add, check, pause, resume and remove; the archive's folder is updated as well."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import structlog

from webstrata.content.selection.parts import check_selector
from webstrata.db.engine import Database
from webstrata.db.operations import audit_log
from webstrata.db.sources import sources
from webstrata.db.watching import watches
from webstrata.errors import BlockedAddressError, ConflictError, UsageError
from webstrata.fetch.guard import NetworkGuard
from webstrata.fetch.resolve import check_host
from webstrata.jobs.folders.manifest import write_sources
from webstrata.jobs.sources.source_choice import choose_source
from webstrata.jobs.watching.files import write_watching
from webstrata.jobs.watching.schedule import queue_check
from webstrata.model.notifications.values import Subscription
from webstrata.model.urls import parse_url
from webstrata.model.watching.watches import CheckedWatch, Watch, WatchRequest, check_watch, watched_page
from webstrata.notifications.backup import write_notifications
from webstrata.notifications.subscribing import check_recipient, subscribe, unsubscribe_all

log = structlog.get_logger()


@dataclass(frozen=True)
class WatchCommands:
    """Changes the watches of an archive."""

    database: Database
    archive_root: Path

    def add_notifying(
        self, request: WatchRequest, addresses: Sequence[str], guard: NetworkGuard
    ) -> tuple[Watch, list[Subscription]]:
        """Add a watch whose changes some addresses are notified of.

        Nothing is added when one of them is refused, or when the page is in a private network that is not allowed.
        """
        _check_reachable(request, guard)
        for address in addresses:
            check_recipient(self.database, address, guard)
        watch = self.add(request)
        # The watch has a threshold of its own.
        made = [subscribe(self.database, to, watch_id=watch.id, min_significance=0.0) for to in addresses]
        if made:
            write_notifications(self.database, self.archive_root)
        return watch, made

    def add(self, request: WatchRequest) -> Watch:
        """Add a watch that is due at once: in the source whose scope contains its URL, else in a new source."""
        checked = check_request(request)
        now = datetime.now(UTC)
        with self.database.write() as session:
            chosen = choose_source(session, (checked.url,))
            parameters = sources.source_view(session, chosen.code).page_parameters
            page = watched_page(checked.url, checked.scope, parameters)
            watch = watches.add_watch(session, chosen.id, checked, page, now)
            audit_log.record(
                session,
                "watch.add",
                f"watch:{watch.id}",
                source=chosen.code,
                url=checked.url,
                scope=checked.scope.value,
                schedule=checked.schedule,
            )
        self._write()
        write_sources(self.database, self.archive_root)
        log.info("watch.added", watch_id=watch.id, source=chosen.code)
        return watch

    def check(self, watch_id: int) -> int:
        """Queue a check of a watch now and return its job; ConflictError while its source has a job under way."""
        now = datetime.now(UTC)
        with self.database.write() as session:
            watch = watches.load_watch(session, watch_id)
            code = watches.source_code(session, watch.source_id)
            under_way = sources.jobs_under_way(session, code)
            if under_way:
                command = f"webstrata show-job {under_way[0]}"
                raise ConflictError(
                    f"job {under_way[0]} of {code} has not ended yet: wait for its end", command=command
                )
            job_id = queue_check(session, self.archive_root, code, [watch], now)
            audit_log.record(session, "watch.check", f"watch:{watch_id}", job=job_id)
        return job_id

    def set_paused(self, watch_id: int, paused: bool) -> Watch:
        """Pause or resume a watch; a missed check is made at once."""
        with self.database.write() as session:
            watch = watches.set_paused(session, watch_id, paused)
            audit_log.record(session, "watch.pause" if paused else "watch.resume", f"watch:{watch_id}")
        self._write()
        return watch

    def remove(self, watch_id: int) -> Watch:
        """Remove a watch with its list of changes and its subscriptions; its captures stay."""
        with self.database.write() as session:
            watch = watches.remove_watch(session, watch_id)
            audit_log.record(session, "watch.remove", f"watch:{watch_id}", url=watch.url)
        if unsubscribe_all(self.database, watch_id=watch_id):
            write_notifications(self.database, self.archive_root)
        self._write()
        return watch

    def _write(self) -> None:
        write_watching(self.database, self.archive_root)


def check_request(request: WatchRequest) -> CheckedWatch:
    """Return a request in the form that is stored; UsageError for an invalid one, such as an invalid selector."""
    checked = check_watch(request)
    for selector in (checked.rules.selector, *checked.rules.ignored_selectors):
        if selector is not None:
            check_selector(selector)
    return checked


def _check_reachable(request: WatchRequest, guard: NetworkGuard) -> None:
    parts = parse_url(check_request(request).url)
    try:
        check_host(parts.hostname, int(parts.port or 0), guard)
    except BlockedAddressError as error:
        raise UsageError(f"{parts.href} cannot be watched: {error}") from None
