"""Builds the application's parts from the settings; the only module that chooses concrete backends."""

import threading
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from webstrata.db.engine import Database
from webstrata.db.migrate import make_ready
from webstrata.model.actors import Actor
from webstrata.model.crawl.crawl_config import CrawlConfig
from webstrata.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from webstrata.audit.policy import CrawlPolicy
    from webstrata.changes.live import LivePages
    from webstrata.changes.site.comparing import SiteComparison
    from webstrata.coordination.domain_locks import DomainLocks
    from webstrata.coordination.permits import PermitStore
    from webstrata.fetch.browser.options import BrowserOptions
    from webstrata.fetch.guard import NetworkGuard
    from webstrata.jobs.auditing.running import AuditParts
    from webstrata.jobs.packages.integrity_schedule import IntegritySchedule
    from webstrata.jobs.running.lifecycle import Runner
    from webstrata.jobs.running.persistent import WorkerContext
    from webstrata.jobs.running.recovery import Recovery
    from webstrata.notifications.delivery import Delivery
    from webstrata.replay.browser.check import ReplayCheck
    from webstrata.replay.browser.site import ReplaySite
    from webstrata.retention.schedule import RetentionSchedule
    from webstrata.storage.previews import PreviewFiles


@dataclass(frozen=True)
class App:
    """The parts of one process."""

    settings: Settings
    database: Database
    archive_root: Path

    def runner(self, *allowed_endpoints: tuple[str, int]) -> "Runner":
        """Return the runner of jobs in this process; the network guard permits it some further addresses."""
        # Imported here: the crawler takes long to load, and most commands and the server do not need it.
        from webstrata.assets.registry import PluginRegistry
        from webstrata.fetch.guard import NetworkGuard
        from webstrata.jobs.running.lifecycle import Runner

        guard = NetworkGuard(self.settings.allow_private_networks, frozenset(allowed_endpoints))
        defaults = CrawlConfig(**{f.name: getattr(self.settings, f.name) for f in fields(CrawlConfig)})
        plugins = PluginRegistry()
        plugins.load_entrypoints()
        proxy = self.settings.http_proxy
        return Runner(
            self.database,
            self.archive_root,
            defaults,
            guard,
            self._permits(),
            plugins,
            proxy.get_secret_value() if proxy else None,
            self.settings.min_free_bytes,
            self.settings.index_processes,
            tracks_changes=self.settings.change_tracking_enabled,
            beside=partial(_index_in_child, self),
            index_every_seconds=self.settings.index_while_crawling_seconds,
            chromium=self.settings.chromium,
            make_preview=self.preview_maker(),
        )

    def replay_check(self, site: "ReplaySite") -> "ReplayCheck":
        """Return the check that opens captures in a browser to rate their replay; MissingExtraError without one."""
        from webstrata.fetch.browser.launch import BrowserPool
        from webstrata.fetch.browser.options import BrowserOptions
        from webstrata.fetch.guard import NetworkGuard
        from webstrata.replay.browser.check import ReplayCheck
        from webstrata.replay.finding import ReplayArchive

        pool = BrowserPool(BrowserOptions(NetworkGuard(), self.settings.chromium))
        return ReplayCheck(pool, ReplayArchive(self.database, self.archive_root), site)

    def previews(self) -> "PreviewFiles":
        """Return the store of preview images of sources' front pages."""
        from webstrata.storage.previews import FOLDER, PreviewFiles

        return PreviewFiles(self.settings.replay_preview_dir or self.archive_root / FOLDER)

    def preview_maker(self) -> "Callable[[int], None] | None":
        """Return the maker of front page pictures; None where they are switched off or no browser is installed."""
        from webstrata.fetch.browser.programs import has_browser
        from webstrata.jobs.browser.previews import PreviewMaker

        if not self.settings.previews or not has_browser(self.settings.chromium):
            return None
        return PreviewMaker(self.database, self.archive_root, self.previews(), self.settings.chromium).make

    def recovery(self) -> "Recovery":
        """Return the recovery after crashed workers, for processes that do not load the crawler."""
        from webstrata.jobs.running.recovery import Recovery

        delay = self.settings.per_host_delay
        return Recovery.resting(self.database, self.archive_root, self._permits(), delay)

    def context(self, served_at: str = "") -> "WorkerContext":
        """Return the context of a worker: it leads jobs whose stages run in processes of their own."""
        from webstrata.jobs.auditing.worker import AuditStage
        from webstrata.jobs.running.persistent import WorkerContext
        from webstrata.jobs.running.tool import ToolStages, tool_command

        settings = self.settings
        return WorkerContext(
            self.database,
            self.archive_root,
            self.runner().recovery,
            ToolStages(self.database, self.archive_root, tool_command(settings.tool_cmd)),
            settings.min_free_bytes,
            settings.index_while_crawling_seconds,
            self.retention_schedule(),
            delivery=self.delivery(served_at),
            integrity=self.integrity_schedule(),
            audits=AuditStage(
                self.database,
                self.archive_root,
                settings.audit_concurrency,
                settings.audit_max_attempts,
                self.audit_policy(),
                self.domain_locks(),
            ),
        )

    def retention_schedule(self) -> "RetentionSchedule":
        """Return the scheduled retention of a worker."""
        from webstrata.retention.schedule import ArtifactSchedule, RetentionSchedule

        settings = self.settings
        artifacts = ArtifactSchedule(
            settings.artifacts_dir.resolve(),
            timedelta(seconds=settings.retention_cleanup_interval_seconds),
            settings.retention_cleanup_batch_size,
            settings.retention_cleanup_dry_run,
        )
        enabled = artifacts if settings.retention_cleanup_enabled else None
        return RetentionSchedule(self.database, enabled, self.archive_root, settings.retention_max_share)

    def notification_guard(self) -> "NetworkGuard":
        """Return the guard that decides which addresses notifications may be sent to."""
        from webstrata.fetch.guard import NetworkGuard

        return NetworkGuard(self.settings.allow_private_networks)

    def delivery(self, served_at: str = "") -> "Delivery":
        """Return the delivery of notifications; without a public address, links lead to where the pages are served."""
        from webstrata.fetch.guard import NetworkGuard
        from webstrata.fetch.posting import Poster
        from webstrata.model.notifications.rules import DeliveryPolicy
        from webstrata.notifications.apprise_sending import AppriseSender
        from webstrata.notifications.delivery import Delivery
        from webstrata.notifications.sending import Sender

        settings = self.settings
        networks, timeout = settings.allow_private_networks, settings.notification_timeout
        site = settings.public_site_url or served_at.rstrip("/") or f"http://{settings.host}:{settings.port}"
        proxy = settings.http_proxy.get_secret_value() if settings.http_proxy else None
        sender = Sender(
            Poster(NetworkGuard(networks), timeout, proxy),
            AppriseSender(networks, timeout, site),
            site,
            settings.user_agent,
        )
        delay = timedelta(seconds=settings.notification_retry_seconds)
        return Delivery(self.database, self.archive_root, sender, DeliveryPolicy(settings.notification_attempts, delay))

    def site_comparison(self) -> "SiteComparison":
        """Return the comparison of two runs of a source."""
        from webstrata.changes.site.comparing import SiteComparison
        from webstrata.db.watching.site_diff import CrawlDefaults

        defaults = CrawlDefaults(self.settings.max_depth, self.settings.max_pages)
        return SiteComparison(self.database, self.archive_root, defaults)

    def integrity_schedule(self) -> "IntegritySchedule":
        """Return the scheduled integrity check of a worker."""
        from webstrata.jobs.packages.integrity_schedule import IntegritySchedule

        interval = timedelta(days=self.settings.verify_interval_days)
        return IntegritySchedule(self.database, self.archive_root, interval)

    def audit_parts(self) -> "AuditParts":
        """Return the parts that audits need."""
        from webstrata.jobs.auditing.running import AuditParts
        from webstrata.model.auditing.sessions import AuditLimits

        settings, policy = self.settings, self.audit_policy()
        limits = AuditLimits(
            concurrency=settings.audit_concurrency,
            timeout=timedelta(seconds=settings.audit_timeout_seconds),
            max_attempts=settings.audit_max_attempts,
            domain_wait=timedelta(seconds=settings.audit_domain_wait_seconds),
        )
        return AuditParts(
            self.database,
            self.archive_root,
            settings.artifacts_dir.resolve(),
            self.domain_locks(),
            limits,
            policy,
        )

    def audit_policy(self) -> "CrawlPolicy":
        """Return the audit policy, with the values of the settings."""
        from webstrata.audit.policy import CrawlPolicy, DomainSharing, EvidencePolicy
        from webstrata.model.auditing.policy_version import CrawlPolicyVersion

        settings = self.settings
        sharing = DomainSharing(
            lock_ttl_seconds=settings.domain_lock_ttl_seconds,
            throttle_ttl_seconds=settings.domain_throttle_ttl_seconds,
            min_delay_ms=settings.domain_min_delay_ms,
        )
        days = EvidencePolicy().html_retention_days
        return CrawlPolicy(
            version=CrawlPolicyVersion(settings.crawl_policy_version),
            sharing=sharing,
            evidence=EvidencePolicy(html_retention_days={**days, "standard": settings.html_retention_days}),
            job_timeout_seconds=settings.audit_timeout_seconds,
            sessions_per_worker=settings.audit_concurrency,
        )

    def audit_browser(self) -> "BrowserOptions":
        """Return the options of the browser for audits."""
        from webstrata.fetch.browser.options import BrowserOptions
        from webstrata.fetch.guard import NetworkGuard

        proxy = self.settings.http_proxy
        return BrowserOptions(
            guard=NetworkGuard(self.settings.allow_private_networks),
            program=self.settings.chromium,
            proxy=proxy.get_secret_value() if proxy else None,
        )

    def live_pages(self) -> "LivePages":
        """Return the fetcher of single live pages, which captures are compared with."""
        from webstrata.changes.live import MAX_PAGE_BYTES, LivePages
        from webstrata.coordination.permits import Politeness
        from webstrata.fetch.choice import FetchOptions
        from webstrata.fetch.guard import NetworkGuard

        settings = self.settings
        options = FetchOptions(
            guard=NetworkGuard(settings.allow_private_networks),
            user_agent=settings.user_agent,
            timeout=settings.fetch_timeout,
            max_body_bytes=MAX_PAGE_BYTES,
            connections=1,
            max_buffered_bytes=MAX_PAGE_BYTES,
            proxy=settings.http_proxy.get_secret_value() if settings.http_proxy else None,
        )
        politeness = Politeness(settings.per_host_delay, settings.per_host_concurrency, settings.jitter)
        return LivePages(options, self._permits(), politeness)

    def _permits(self) -> "PermitStore":
        """Return the store of host permits: Redis where one is set, else the database."""
        url = self.settings.redis_url
        if url is None:
            from webstrata.coordination.permits import DatabasePermits

            return DatabasePermits(self.database)
        from webstrata.coordination.redis_permits import RedisPermits

        return RedisPermits(url.get_secret_value())

    def domain_locks(self) -> "DomainLocks":
        """Return the domain locks and throttle of sessions: in Redis where one is set, else in this process."""
        from webstrata.coordination.domain_locks import DomainLocks, DomainPolicy
        from webstrata.coordination.redis_store import RedisStore
        from webstrata.coordination.store import MemoryStore

        settings = self.settings
        policy = DomainPolicy(
            lock_ttl=timedelta(seconds=settings.domain_lock_ttl_seconds),
            throttle_ttl=timedelta(seconds=settings.domain_throttle_ttl_seconds),
            min_delay=timedelta(milliseconds=settings.domain_min_delay_ms),
            disable_locks=settings.disable_locks,
            disable_throttle=settings.disable_throttle,
        )
        url = settings.redis_url
        return DomainLocks(MemoryStore() if url is None else RedisStore(url.get_secret_value()), policy)

    def acting_as(self, actor: Actor) -> "App":
        """Return the same parts for another actor, under whose name the audit log records changes."""
        return replace(self, database=self.database.acting_as(actor))

    def close(self) -> None:
        """Close every connection."""
        self.database.dispose()


def _index_in_child(app: App, job_id: int, over: threading.Event) -> int:
    """Index the captures of a crawl in a child process with the same settings."""
    from webstrata.jobs.running.tool import ToolStages

    return ToolStages(app.database, app.archive_root).index_so_far(job_id, over)


def build_app(settings: Settings) -> App:
    """Return the wired parts; creates the tables in an empty database, refuses one at another version."""
    database = Database(settings.database_url.get_secret_value())
    make_ready(database)
    return App(settings=settings, database=database, archive_root=settings.archive_root.resolve())
