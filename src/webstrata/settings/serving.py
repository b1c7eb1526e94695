"""Settings of the web server, the API and the web pages."""

from pydantic import BaseModel, ConfigDict, SecretStr

from webstrata.settings.fields import HttpAddress, Networks, Words, setting


class ServingSettings(BaseModel):
    """Settings of access, limits and features of the server."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: str = setting("127.0.0.1", "Address that `serve` listens on.")
    port: int = setting(8080, "Port that `serve` listens on.", ge=1, le=65535)
    serve_processes: int = setting(
        1,
        "Number of processes that handle requests in `serve`. For many searches, use the number of processors.",
        ge=1,
        le=64,
    )
    admin_token: SecretStr | None = setting(
        None, "Secret for access to the admin API and pages.", "HEALTHARCHIVE_ADMIN_TOKEN"
    )
    cors_origins: Words = setting(
        ("http://localhost:3000", "http://localhost:5173", "https://healtharchive.ca", "https://www.healtharchive.ca"),
        "Origins, comma-separated, whose pages may read the public API and show snapshots in frames.",
        "HEALTHARCHIVE_CORS_ORIGINS",
    )
    trusted_proxies: Networks = setting(
        ("127.0.0.0/8", "::1/128"),
        "Networks (CIDR, comma-separated) of proxies in front of this server: their X-Forwarded-For header names the "
        "client, for rate limits and the audit log.",
        validate_default=True,
    )
    rate_limiting_enabled: bool = setting(
        True,
        "Apply the rate limits below; if false, a proxy should limit requests.",
        "HEALTHARCHIVE_RATE_LIMITING_ENABLED",
    )
    rate_limit: int = setting(
        120,
        "Requests a minute for each client, except for the kinds below; 0 means no limit. Loopback is not limited.",
        ge=0,
    )
    rate_limit_search: int = setting(60, "Searches a minute for each client; 0 means no limit.", ge=0)
    rate_limit_exports: int = setting(10, "Exports a minute for each client; 0 means no limit.", ge=0)
    rate_limit_compare: int = setting(20, "Comparisons a minute for each client; 0 means no limit.", ge=0)
    rate_limit_replay: int = setting(
        1200, "Replayed files a minute for each client (one page may load many); 0 means no limit.", ge=0
    )
    rate_limit_reports: int = setting(5, "Problem reports a minute for each client; 0 means no limit.", ge=0)
    rate_limit_logins: int = setting(
        10, "Sign-in attempts and wrong admin tokens a minute for each client; 0 means no limit.", ge=0
    )
    csp_enabled: bool = setting(
        True,
        "Send a Content-Security-Policy with the pages and the API; archived pages are sandboxed in any case.",
        "HEALTHARCHIVE_CSP_ENABLED",
    )
    hsts_enabled: bool = setting(
        True, "Send Strict-Transport-Security to clients that use TLS.", "HEALTHARCHIVE_HSTS_ENABLED"
    )
    hsts_max_age: int = setting(
        31_536_000,
        "max-age of Strict-Transport-Security: seconds for which browsers require TLS.",
        "HEALTHARCHIVE_HSTS_MAX_AGE",
        ge=0,
    )
    public_site_url: HttpAddress | None = setting(
        None,
        "Public http(s) address of this site; links in responses, exports and feeds start with it. "
        "Default: the address of the request.",
        "HEALTHARCHIVE_PUBLIC_SITE_URL",
    )
    change_tracking_enabled: bool = setting(
        True, "Compute and show what changed between captures.", "HEALTHARCHIVE_CHANGE_TRACKING_ENABLED"
    )
    compare_live_enabled: bool = setting(
        False, "Let readers compare captures with pages fetched now.", "HEALTHARCHIVE_COMPARE_LIVE_ENABLED"
    )
    exports_enabled: bool = setting(
        True, "Offer exports of all snapshots and changes to every visitor.", "HEALTHARCHIVE_EXPORTS_ENABLED"
    )
    exports_default_limit: int = setting(
        10_000,
        "Number of rows of an export when the request sets no limit.",
        "HEALTHARCHIVE_EXPORTS_DEFAULT_LIMIT",
        ge=1,
    )
    exports_max_limit: int = setting(
        1_000_000, "Maximum number of rows of an export.", "HEALTHARCHIVE_EXPORTS_MAX_LIMIT", ge=1
    )
    usage_enabled: bool = setting(
        True,
        "Count searches, views and reports by day; nothing about visitors is stored.",
        "HEALTHARCHIVE_USAGE_METRICS_ENABLED",
    )
    usage_window_days: int = setting(
        30, "Number of days that /api/usage covers.", "HEALTHARCHIVE_USAGE_METRICS_WINDOW_DAYS", ge=1, le=366
    )
    usage_write_seconds: float = setting(
        30.0, "Seconds between two writes of the usage counts to the database.", ge=1, le=3600
    )
    kept_answers_bytes: int = setting(
        32 * 1024 * 1024,
        "Size in bytes of the response cache for searches of each serving process; 0 disables the cache.",
        ge=0,
    )
    pages_fastpath: bool = setting(
        True, "List pages from the table of pages instead of counting snapshots; this is faster.", "HA_PAGES_FASTPATH"
    )
