"""Every knob of the program: typed, documented, read from the environment and `.env`, never silently ignored.

A knob is read from `WEBSTRATA_<NAME>` first, then from the older names listed with it. This is the only module
that looks at the environment.
"""

import ipaddress
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from dotenv import dotenv_values
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    model_validator,
)

from webstrata import __version__
from webstrata.errors import SettingsError
from webstrata.wrong_values import plain_words

PREFIX = "WEBSTRATA_"
OLDER_PREFIX = "HEALTHARCHIVE_"

WITHOUT_EFFECT_YET = (
    "HEALTHARCHIVE_REPLAY_COLLECTIONS_DIR",
    "HEALTHARCHIVE_REPLAY_PREVIEW_DIR",
)
"""Older names of settings for features that do not exist yet: accepted, and without effect until they do."""

DOTENV = ".env"
LOG_LEVEL = f"{PREFIX}LOG_LEVEL"
_HIDDEN = "********"
_QUERY_PASSWORD = re.compile(r"([?&][^=&]*password=)[^&]*", re.IGNORECASE)

_PROXY = re.compile(r"http://([^/@\s]*@)?([^/@:\s\[\]]+|\[[0-9a-fA-F:.]+\])(:\d{1,5})?/?")

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class Environment(StrEnum):
    """Where the program runs; the last two never leave the admin pages open."""

    DEVELOPMENT = "development"
    TEST = "test"
    STAGING = "staging"
    PRODUCTION = "production"


class LogLevel(StrEnum):
    """How much is logged."""

    DEBUG = "DEBUG"
    INFO = "INFO"
    WARNING = "WARNING"
    ERROR = "ERROR"
    CRITICAL = "CRITICAL"


class LogFormat(StrEnum):
    """How a log line looks."""

    AUTO = "auto"
    TEXT = "text"
    JSON = "json"


def _split(value: object) -> object:
    """Read a comma-separated list as a tuple of its trimmed parts."""
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


def _networks(value: object) -> object:
    """Read a comma-separated list of networks, naming the part that is none."""
    return tuple(ipaddress.ip_network(part) for part in parts) if isinstance(parts := _split(value), tuple) else value


def _one_line(value: str) -> str:
    """Refuse what would break out of the header that it is sent in."""
    if not value.isprintable() or not value.isascii():
        raise ValueError("only printable ASCII characters can be sent")
    return value


def _http_address(value: SecretStr) -> SecretStr:
    """Refuse what is no proxy that we can speak to."""
    if not _PROXY.fullmatch(value.get_secret_value()):
        raise ValueError("a proxy must look like http://user:password@host:port")
    return value


def _web_address(value: str) -> str:
    """Refuse what no browser could open."""
    if not value.startswith(("http://", "https://")) or not value.isprintable() or " " in value:
        raise ValueError("it must look like https://replay.example.org")
    return value.rstrip("/")


def _upper(value: object) -> object:
    """Accept a level's name in any case."""
    return value.upper() if isinstance(value, str) else value


Words = Annotated[tuple[str, ...], BeforeValidator(_split)]
Networks = Annotated[tuple[Network, ...], BeforeValidator(_networks)]
HttpAddress = Annotated[str, AfterValidator(_web_address)]
ProxyAddress = Annotated[SecretStr, AfterValidator(_http_address)]
HeaderValue = Annotated[str, AfterValidator(_one_line)]


def _knob(default: Any, sentence: str, *older_names: str, **bounds: Any) -> Any:
    """Declare a knob with the sentence that documents it and the older names that set it too."""
    return Field(default, description=sentence, json_schema_extra={"older_names": [*older_names]}, **bounds)


class Settings(BaseModel):
    """The effective settings of one process."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    # Where things are
    data_dir: Path = _knob(
        Path("webstrata-data"), "Folder for everything Webstrata keeps, unless told otherwise below."
    )
    archive_root: Path = _knob(
        Path(), "Folder of the jobs' WARC files. Default: archive/ in the data folder.", "HEALTHARCHIVE_ARCHIVE_ROOT"
    )
    database_url: SecretStr = _knob(
        SecretStr(""),
        "sqlite:///file or postgresql://user@host/name. Default: webstrata.db in the data folder.",
        "HEALTHARCHIVE_DATABASE_URL",
    )
    min_free_bytes: int = _knob(
        500_000_000,
        "Bytes that must stay free on the disk of the WARC files; with less, crawls pause until there is room.",
        ge=0,
    )
    replay_base_url: HttpAddress | None = _knob(
        None,
        "http(s) address of a replay server that reads the WARC files, such as pywb; while it is set, `browseUrl` of "
        "the API leads there, and `cleanup-job` deletes no WARC files unless forced.",
        "HEALTHARCHIVE_REPLAY_BASE_URL",
    )

    # How it runs
    env: Environment = _knob(Environment.DEVELOPMENT, "development, test, staging or production.", "HEALTHARCHIVE_ENV")
    log_level: Annotated[LogLevel, BeforeValidator(_upper)] = _knob(
        LogLevel.INFO,
        "DEBUG, INFO, WARNING, ERROR or CRITICAL. Commands that end by themselves show only warnings and errors "
        "unless this is set.",
        "HEALTHARCHIVE_LOG_LEVEL",
    )
    log_format: LogFormat = _knob(LogFormat.AUTO, "text, json, or auto: text on a terminal, JSON elsewhere.")

    # Jobs
    tool_cmd: str = _knob(
        "",
        "The command that the worker crawls with. Default: the archive-tool that came with this program.",
        "HEALTHARCHIVE_TOOL_CMD",
    )
    index_while_crawling_seconds: float = _knob(
        2.0,
        "Seconds between two times that what a crawl has brought so far is indexed; 0 waits for its end.",
        ge=0,
        le=86_400,
    )
    index_processes: int | None = _knob(
        None,
        "Processes that read for the index at once, beside the one that writes. Default: as many as there are "
        "processors, at most 4.",
        ge=1,
        le=64,
    )

    # Serving
    host: str = _knob("127.0.0.1", "Address that `serve` listens on.")
    port: int = _knob(8080, "Port that `serve` listens on.", ge=1, le=65535)
    serve_processes: int = _knob(
        1, "Processes that answer requests in `serve`: as many as processors, where searches are many.", ge=1, le=64
    )
    admin_token: SecretStr | None = _knob(
        None, "Secret that opens the admin API and pages.", "HEALTHARCHIVE_ADMIN_TOKEN"
    )
    cors_origins: Words = _knob(
        ("http://localhost:3000", "http://localhost:5173", "https://healtharchive.ca", "https://www.healtharchive.ca"),
        "Origins whose pages may read the public API and frame snapshots, comma-separated.",
        "HEALTHARCHIVE_CORS_ORIGINS",
    )
    trusted_proxies: Networks = _knob(
        ("127.0.0.0/8", "::1/128"),
        "Networks (CIDR, comma-separated) of proxies before this server: whom they name in X-Forwarded-For is the "
        "client, for rate limits and the audit log.",
        validate_default=True,
    )
    rate_limiting_enabled: bool = _knob(
        True, "Obey the limits below; without them, a proxy should limit.", "HEALTHARCHIVE_RATE_LIMITING_ENABLED"
    )
    rate_limit: int = _knob(
        120, "Requests a minute that a client has, but for the kinds below; 0 is no limit, as on loopback.", ge=0
    )
    rate_limit_search: int = _knob(60, "Searches a minute that a client has; 0 is no limit.", ge=0)
    rate_limit_exports: int = _knob(10, "Exports a minute that a client has; 0 is no limit.", ge=0)
    rate_limit_compare: int = _knob(20, "Comparisons a minute that a client has; 0 is no limit.", ge=0)
    rate_limit_reports: int = _knob(5, "Reports of problems a minute that a client has; 0 is no limit.", ge=0)
    rate_limit_logins: int = _knob(
        10, "Tries to sign in, and wrong admin tokens, a minute that a client has; 0 is no limit.", ge=0
    )
    csp_enabled: bool = _knob(
        True,
        "Send a Content-Security-Policy with the pages and the API; archived pages are sandboxed in any case.",
        "HEALTHARCHIVE_CSP_ENABLED",
    )
    hsts_enabled: bool = _knob(
        True, "Send Strict-Transport-Security to clients that speak TLS.", "HEALTHARCHIVE_HSTS_ENABLED"
    )
    hsts_max_age: int = _knob(
        31_536_000, "Seconds for which browsers then insist on TLS.", "HEALTHARCHIVE_HSTS_MAX_AGE", ge=0
    )
    public_site_url: HttpAddress | None = _knob(
        None,
        "http(s) address under which readers know this site; links in answers, exports and feeds begin with it. "
        "Default: the address that was asked.",
        "HEALTHARCHIVE_PUBLIC_SITE_URL",
    )
    change_tracking_enabled: bool = _knob(
        True, "Compute and show what changed between captures.", "HEALTHARCHIVE_CHANGE_TRACKING_ENABLED"
    )
    compare_live_enabled: bool = _knob(
        False, "Let readers compare captures with pages fetched now.", "HEALTHARCHIVE_COMPARE_LIVE_ENABLED"
    )
    exports_enabled: bool = _knob(
        True, "Let everybody take lists of all snapshots home.", "HEALTHARCHIVE_EXPORTS_ENABLED"
    )
    exports_default_limit: int = _knob(
        10_000, "Rows of an export when nobody says how many.", "HEALTHARCHIVE_EXPORTS_DEFAULT_LIMIT", ge=1
    )
    exports_max_limit: int = _knob(1_000_000, "Rows of one export at most.", "HEALTHARCHIVE_EXPORTS_MAX_LIMIT", ge=1)
    usage_enabled: bool = _knob(
        True,
        "Count searches, views and reports by day; nothing is kept of who asked.",
        "HEALTHARCHIVE_USAGE_METRICS_ENABLED",
    )
    usage_window_days: int = _knob(
        30, "Days that /api/usage tells of.", "HEALTHARCHIVE_USAGE_METRICS_WINDOW_DAYS", ge=1, le=366
    )
    usage_write_seconds: float = _knob(
        30.0, "Seconds for which counts wait in memory before they are written together.", ge=1, le=3600
    )
    kept_answers_bytes: int = _knob(
        32 * 1024 * 1024,
        "Bytes of answers to searches that a serving process keeps in memory, until anything changes; 0 keeps none.",
        ge=0,
    )
    pages_fastpath: bool = _knob(
        True, "Browse pages from the pages table instead of counting snapshots.", "HA_PAGES_FASTPATH"
    )

    # Taking turns: crawls on a host, through Redis or the database; audits, which are still to come, on a domain
    redis_url: SecretStr | None = _knob(
        None,
        "redis://host:port/number of the Redis that keeps the crawls' turns on hosts and the audits' locks on domains. "
        "Default: the database keeps the turns.",
        "REDIS_URL",
    )
    domain_lock_ttl_seconds: int = _knob(
        300,
        "Seconds after which a domain's lock falls when its holder is silent.",
        "DOMAIN_LOCK_TTL_SECONDS",
        ge=1,
        le=86_400,
    )
    domain_throttle_ttl_seconds: int = _knob(
        60,
        "Seconds for which the last session on a domain is remembered.",
        "DOMAIN_THROTTLE_TTL_SECONDS",
        ge=1,
        le=86_400,
    )
    domain_min_delay_ms: int = _knob(
        2000, "Milliseconds between two sessions on a domain.", "DOMAIN_MIN_DELAY_MS", ge=0, le=3_600_000
    )
    disable_throttle: bool = _knob(False, "Do not wait between sessions on a domain; for tests.", "DISABLE_THROTTLE")
    disable_locks: bool = _knob(False, "Neither lock nor throttle domains; for tests.", "DISABLE_LOCKS")

    # Crawling: defaults that a job's own configuration overrides
    user_agent: HeaderValue = _knob(
        f"webstrata/{__version__}",
        "How the crawler introduces itself; add an address where you can be reached.",
        min_length=1,
    )
    allow_private_networks: Networks = _knob(
        (), "Networks (CIDR, comma-separated) that the crawler may reach although they are not public."
    )
    http_proxy: ProxyAddress | None = _knob(
        None,
        "http://user:password@host:port of a proxy that all crawling goes through; it looks names up itself, so it "
        "must refuse private networks too.",
    )
    respect_robots: bool = _knob(True, "Obey robots.txt.")
    use_sitemaps: bool = _knob(True, "Also fetch what the sitemaps that robots.txt names list.")
    respect_nofollow: bool = _knob(False, "Do not follow links that say nofollow, nor any link of a page that says so.")
    respect_noarchive: bool = _knob(False, "Do not keep a page that says noarchive.")
    concurrency: int = _knob(16, "Requests under way at once.", ge=1, le=256)
    per_host_delay: float | None = _knob(
        None,
        "Seconds for which a host rests after a request, whoever made it. Default: 1, on loopback none.",
        ge=0,
        le=3600,
    )
    per_host_concurrency: int | None = _knob(
        None,
        "Requests to one host at once, over all workers. Default: one, on loopback as many as there are.",
        ge=1,
        le=256,
    )
    max_crawl_delay: float = _knob(
        60.0, "Seconds of a Crawl-delay in robots.txt that are obeyed at most; 0 ignores it.", ge=0, le=3600
    )
    jitter: float = _knob(
        0.25, "By which share chance lengthens the waits before retries and between requests to a host.", ge=0, le=1
    )
    fetch_timeout: float = _knob(30.0, "Seconds that one fetch may take in all.", ge=0.001, le=3600)
    max_body_bytes: int = _knob(
        100_000_000, "Bytes of a response that are kept; the rest is cut and marked as truncated.", ge=1
    )
    max_buffered_bytes: int = _knob(
        256_000_000,
        "Bytes of responses that a crawling process holds in memory, arriving or waiting to be written; beyond that "
        "only one response at a time arrives, the others pause.",
        ge=1,
    )
    max_pages: int = _knob(10_000, "URLs that one job fetches at most.", ge=1)
    max_seconds: float | None = _knob(
        None, "Seconds that one run of a job crawls at most. Default: no limit.", ge=0.001, le=31_536_000
    )
    max_bytes: int | None = _knob(None, "Bytes of responses that one job receives at most. Default: no limit.", ge=1)
    max_depth: int = _knob(20, "Links followed from a seed at most.", ge=0)
    max_retries: int = _knob(3, "Requests for one URL in a run at most; 0 and 1 both mean one.", ge=0, le=100)
    backoff_min: float = _knob(1.0, "Seconds before the first retry, without jitter.", ge=0, le=86_400)
    backoff_max: float = _knob(60.0, "Seconds before any retry at most, without jitter.", ge=0, le=86_400)
    backoff_multiplier: float = _knob(2.0, "How much longer each retry waits than the one before.", ge=1, le=100)
    lease_seconds: float = _knob(
        120.0, "Seconds after which a silent worker's URLs are given to another.", ge=1, le=86_400
    )
    warc_max_bytes: int = _knob(1_000_000_000, "Size at which a new WARC file is begun.", ge=1_000)
    fetcher: Literal["http", "null"] = _knob(
        "http", "What fetches: http, or null, which answers everything itself and reaches no network; for dry runs."
    )

    @model_validator(mode="after")
    def _place_what_was_not_placed(self) -> Self:
        if "archive_root" not in self.model_fields_set:
            object.__setattr__(self, "archive_root", self.data_dir / "archive")
        if "database_url" not in self.model_fields_set:
            object.__setattr__(self, "database_url", SecretStr(f"sqlite:///{self.data_dir / 'webstrata.db'}"))
        return self


_SECRET = frozenset(name for name, field in Settings.model_fields.items() if "SecretStr" in str(field.annotation))


@dataclass(frozen=True)
class Knob:
    """One setting as it stands: its value, safe to show, and where it came from."""

    name: str
    value: str
    origin: str
    sentence: str


def names_of(field_name: str) -> tuple[str, ...]:
    """Return the variables that set a field, the one that wins first."""
    extra = Settings.model_fields[field_name].json_schema_extra
    assert isinstance(extra, dict)
    older = extra["older_names"]
    assert isinstance(older, list)
    return (PREFIX + field_name.upper(), *(str(name) for name in older))


def load_settings(environ: Mapping[str, str] | None = None, dotenv: Path | None = None) -> Settings:
    """Return the settings of this process; a wrong or unknown name is an error that says which."""
    given, origins = _given(environ, dotenv)
    try:
        return Settings.model_validate(given)
    except ValidationError as error:
        raise SettingsError(_explained(error, origins)) from None


def ignored_names(environ: Mapping[str, str] | None = None, dotenv: Path | None = None) -> tuple[str, ...]:
    """Return the names with the older prefix that are set and that no setting reads."""
    read = {name for field_name in Settings.model_fields for name in names_of(field_name)}
    found = {name for variables in _sources(environ, dotenv).values() for name in variables}
    return tuple(sorted(n for n in found - read if n.startswith(OLDER_PREFIX) and n not in WITHOUT_EFFECT_YET))


@contextmanager
def in_environment(name: str, value: str) -> Iterator[None]:
    """Set an environment variable for a while, for libraries and for the processes that we start."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def show_settings(
    settings: Settings, environ: Mapping[str, str] | None = None, dotenv: Path | None = None
) -> list[Knob]:
    """Return every knob with its effective value, secrets masked, and its origin."""
    _, origins = _given(environ, dotenv)
    return [
        Knob(name, _shown(name, getattr(settings, name)), origins.get(name, "default"), field.description or "")
        for name, field in Settings.model_fields.items()
    ]


def _given(environ: Mapping[str, str] | None, dotenv: Path | None) -> tuple[dict[str, str], dict[str, str]]:
    """Return the raw values that were given, by field, and where each came from; an empty value counts as not given."""
    sources = _sources(environ, dotenv)
    _refuse_unknown(sources)
    values, origins = {}, {}
    for field_name in Settings.model_fields:
        for place, variables in sources.items():
            name = next((n for n in names_of(field_name) if variables.get(n)), None)
            if name is not None:
                values[field_name], origins[field_name] = variables[name], f"{name} ({place})"
                break
    return values, origins


def _sources(environ: Mapping[str, str] | None, dotenv: Path | None) -> dict[str, dict[str, str]]:
    """Return the places that settings are read from, with the variables in them; the first one wins."""
    return {
        "environment": dict(os.environ if environ is None else environ),
        DOTENV: _read_dotenv(dotenv or Path(DOTENV)),
    }


def _read_dotenv(file: Path) -> dict[str, str]:
    """Return what a file sets; one that is not there sets nothing."""
    try:
        return {name: value for name, value in dotenv_values(file).items() if value is not None}
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file} cannot be read: {error}") from None


def _refuse_unknown(sources: Mapping[str, Mapping[str, str]]) -> None:
    known = {PREFIX + name.upper() for name in Settings.model_fields}
    unknown = sorted(n for variables in sources.values() for n in variables if n.startswith(PREFIX) and n not in known)
    if unknown:
        raise SettingsError(f"unknown setting {', '.join(unknown)}; docs/settings.md lists the known ones")


def _explained(error: ValidationError, origins: Mapping[str, str]) -> str:
    """Return which variables are wrong and why, without repeating a secret."""
    parts = []
    for problem in error.errors():
        name = str(problem["loc"][0]) if problem["loc"] else ""
        words = plain_words(dict(problem), is_secret=name in _SECRET)
        parts.append(f"{origins.get(name, name)}: {words}")
    return "; ".join(parts)


def _shown(name: str, value: object) -> str:
    if isinstance(value, SecretStr):
        secret = value.get_secret_value()
        return without_passwords(secret) if name.endswith("_url") else _HIDDEN
    if isinstance(value, tuple):
        return ", ".join(str(part) for part in value)
    return "" if value is None else str(value)


def without_passwords(address: str) -> str:
    """Return a server's address with its passwords hidden, however oddly they are spelt."""
    scheme, separator, rest = address.partition("://")
    if not separator:
        return _HIDDEN
    rest = _QUERY_PASSWORD.sub(rf"\g<1>{_HIDDEN}", rest)
    # A password may hold "/", ":" and "@" itself: it begins behind the first ":" and ends at the last "@".
    credentials, at, place = rest.rpartition("@")
    user, colon, _ = credentials.partition(":")
    return f"{scheme}://{user}:{_HIDDEN}@{place}" if colon else f"{scheme}://{credentials}{at}{place}"
