"""Settings of host permits, domain locks and throttles."""

from pydantic import BaseModel, ConfigDict, SecretStr

from webstrata.settings.fields import setting


class CoordinationSettings(BaseModel):
    """How several processes share hosts and domains."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    redis_url: SecretStr | None = setting(
        None,
        "redis://host:port/number of the Redis server for per-host permits of crawls and domain locks of audits. "
        "Default: the database is used for permits.",
        "REDIS_URL",
    )
    domain_lock_ttl_seconds: int = setting(
        300,
        "Seconds after which the lock of a domain expires unless its holder renews it.",
        "DOMAIN_LOCK_TTL_SECONDS",
        ge=1,
        le=86_400,
    )
    domain_throttle_ttl_seconds: int = setting(
        60,
        "Seconds for which the time of the last session on a domain is stored.",
        "DOMAIN_THROTTLE_TTL_SECONDS",
        ge=1,
        le=86_400,
    )
    domain_min_delay_ms: int = setting(
        2000, "Milliseconds between two sessions on a domain.", "DOMAIN_MIN_DELAY_MS", ge=0, le=3_600_000
    )
    disable_throttle: bool = setting(False, "Do not wait between sessions on a domain; for tests.", "DISABLE_THROTTLE")
    disable_locks: bool = setting(False, "Neither lock nor throttle domains; for tests.", "DISABLE_LOCKS")
