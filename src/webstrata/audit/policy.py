"""The crawl policy of audits: every limit and wait of a session, frozen and stored with it as `config_snapshot`."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from webstrata.model.auditing.policy_version import DEFAULT_VERSION, CrawlPolicyVersion
from webstrata.model.auditing.sessions import AuditViewport

_CHROME = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0"


@dataclass(frozen=True)
class ViewportPolicy:
    """A screen and the browser that is shown on it."""

    width: int
    height: int
    device_scale_factor: float
    is_mobile: bool
    has_touch: bool
    user_agent: str


VIEWPORTS = {
    AuditViewport.DESKTOP: ViewportPolicy(
        width=1920,
        height=1080,
        device_scale_factor=1.0,
        is_mobile=False,
        has_touch=False,
        user_agent=f"Mozilla/5.0 (X11; Linux x86_64) {_CHROME} Safari/537.36",
    ),
    AuditViewport.MOBILE: ViewportPolicy(
        width=390,
        height=844,
        device_scale_factor=3.0,
        is_mobile=True,
        has_touch=True,
        user_agent=f"Mozilla/5.0 (Linux; Android 14; Pixel 8) {_CHROME} Mobile Safari/537.36",
    ),
}
"""The same for every session, so that two audits of an unchanged shop see the same pages."""


@dataclass(frozen=True)
class ReadinessPolicy:
    """When a page counts as ready; if a soft limit is exceeded, this is logged and the session continues."""

    dom_quiet_seconds: float = 1.0
    """How long no element may have changed."""
    network_idle_seconds: float = 0.8
    least_seconds_after_load: float = 2.0
    soft_timeout_seconds: float = 10.0
    """The longest wait for quiet and idle after the page has loaded."""
    hard_timeout_seconds: float = 90.0
    """How long a page may take in all."""


@dataclass(frozen=True)
class NavigationPolicy:
    """How often a page is opened, and how long is waited in between."""

    attempts: int = 3
    timeout_seconds: float = 30.0
    backoff_seconds: tuple[float, ...] = (1.0, 2.0, 4.0)
    jitter_seconds: float = 0.5
    """The most that is added to a wait, at random."""
    retried_statuses: tuple[int, ...] = (403, 429, 503)
    retried_error_prefix: str = "net::ERR_"
    bot_block_reloads: int = 1
    bot_block_wait_seconds: float = 2.0


@dataclass(frozen=True)
class ScrollPolicy:
    """How a page is scrolled to load content further down; afterwards it is scrolled back to its top."""

    step_share: float = 0.8
    """How far one step goes, as a share of the viewport's height."""
    wait_seconds: float = 0.15
    most_steps: int = 40


@dataclass(frozen=True)
class PopupPolicy:
    """How popups are dismissed."""

    passes: int = 2
    last_pass_seconds: float = 3.5
    """The least seconds between the load and the second pass: many overlays appear three seconds after it."""
    clicks_per_pass: int = 3
    overlay_share: float = 0.4
    """The share of the viewport from which on a fixed overlay is hidden when the page is blocked."""


@dataclass(frozen=True)
class DomainSharing:
    """The lock and throttle of a domain."""

    lock_ttl_seconds: int = 300
    lock_attempts: int = 3
    lock_backoff_seconds: tuple[float, ...] = (1.0, 2.0, 4.0)
    lock_jitter_seconds: float = 0.5
    throttle_ttl_seconds: int = 60
    min_delay_ms: int = 2000


@dataclass(frozen=True)
class EvidencePolicy:
    """Thresholds of low confidence, and the retention of artifacts."""

    least_text_characters: int = 100
    html_retention_days: Mapping[str, int] = field(
        default_factory=lambda: {"standard": 14, "short": 7, "long": 30},
    )


EVIDENCE_POLICY = EvidencePolicy()


@dataclass(frozen=True)
class CrawlPolicy:
    """All rules of an audit session; two sessions with equal policies are comparable."""

    version: CrawlPolicyVersion = DEFAULT_VERSION
    viewports: Mapping[AuditViewport, ViewportPolicy] = field(default_factory=lambda: dict(VIEWPORTS))
    locale: str = "en-US"
    timezone: str = "UTC"
    readiness: ReadinessPolicy = ReadinessPolicy()
    navigation: NavigationPolicy = NavigationPolicy()
    scroll: ScrollPolicy = ScrollPolicy()
    popups: PopupPolicy = PopupPolicy()
    sharing: DomainSharing = DomainSharing()
    evidence: EvidencePolicy = EVIDENCE_POLICY
    pdp_candidates: int = 20
    category_pages: int = 3
    """How many category pages are searched if the home page has no link to a valid product page."""
    job_timeout_seconds: int = 1200
    sessions_per_worker: int = 3
    sessions_per_domain: int = 1

    def config_snapshot(self) -> dict[str, object]:
        """Return the policy as it is stored with a session: plain values for JSON."""
        return {"crawl_policy_version": self.version.value, **_plain(asdict(self))}


def _plain(values: Mapping[str, object]) -> dict[str, object]:
    return {str(name): _plain_value(value) for name, value in values.items() if name != "version"}


def _plain_value(value: object) -> object:
    if isinstance(value, Mapping):
        return _plain(value)
    return list(value) if isinstance(value, tuple) else value
