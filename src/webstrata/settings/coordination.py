"""Settings of host permits, domain locks and throttles."""

from pydantic import BaseModel, ConfigDict, SecretStr

from webstrata.settings.fields import setting


class CoordinationSettings(BaseModel):
    """How several processes share hosts and domains."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    redis_url: SecretStr | None = setting(
        None,
        "redis://host:port/number of a Redis server, through which all machines share the request limits per host of "
        "crawls and the domain locks of audits. Default: crawls share the limits through the database, and each "
        "process has its own locks.",
        "REDIS_URL",
    )
    domain_lock_ttl_seconds: int = setting(
        300,
        "Seconds after which the lock of an audit on a domain expires unless the audit renews it.",
        "DOMAIN_LOCK_TTL_SECONDS",
        ge=1,
        le=86_400,
    )
    domain_throttle_ttl_seconds: int = setting(
        60,
        "Seconds for which the start of the last audit of a domain is stored.",
        "DOMAIN_THROTTLE_TTL_SECONDS",
        ge=1,
        le=86_400,
    )
    domain_min_delay_ms: int = setting(
        2000,
        "Minimum milliseconds between the starts of two audits of a domain.",
        "DOMAIN_MIN_DELAY_MS",
        ge=0,
        le=3_600_000,
    )
    disable_throttle: bool = setting(False, "Do not wait between audits of a domain; for tests.", "DISABLE_THROTTLE")
    disable_locks: bool = setting(False, "Use no locks and no waits for domains; for tests.", "DISABLE_LOCKS")
