"""Crawl settings: each declared once, with default, bounds, description, command-line flag and effect on the reach.

The program's settings, job files, validation, the options of `archive` and docs/settings.md are derived from it.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from math import inf
from typing import Any, Literal, get_args, get_origin

from webstrata import __version__
from webstrata.errors import UsageError
from webstrata.model.crawl.tasks import RetryPolicy

_DECLARED = "declared"


@dataclass(frozen=True)
class CrawlSetting:
    """The declaration of a crawl setting besides its name and type."""

    default: object
    sentence: str
    lowest: float | None
    highest: float | None
    unset: str
    """What applies when the default is None."""
    flag: str
    """The option of `archive` that sets it, if there is one."""
    unit: str
    """The word for its value in a help page."""
    has_reach: bool
    """Whether it can change which URLs a complete job reaches."""


def _declare(
    default: object,
    sentence: str,
    lowest: float | None = None,
    highest: float | None = None,
    *,
    unset: str = "",
    flag: str = "",
    unit: str = "N",
    has_reach: bool = False,
) -> Any:  # noqa: ANN401 - a default has the type of its setting
    """Return the field of a crawl setting."""
    declared = CrawlSetting(default, sentence, lowest, highest, unset, flag, unit, has_reach)
    return field(default=default, metadata={_DECLARED: declared})


@dataclass(frozen=True)
class CrawlConfig:
    """The crawl settings of one job."""

    user_agent: str = _declare(
        f"webstrata/{__version__}",
        "User-Agent header of the crawler; include an address where you can be reached.",
        has_reach=True,
    )
    respect_robots: bool = _declare(True, "Obey robots.txt.", has_reach=True)
    use_sitemaps: bool = _declare(True, "Also fetch the URLs of the sitemaps that robots.txt names.", has_reach=True)
    recheck_known_pages: bool = _declare(
        True,
        "At the end of a complete run, also request the pages that an earlier run of the same scope captured and this "
        "one did not find: only the response shows whether they were removed or are no longer linked.",
    )
    respect_nofollow: bool = _declare(
        False,
        "Do not follow links that are marked nofollow, nor any links of pages that are marked nofollow.",
        has_reach=True,
    )
    respect_noarchive: bool = _declare(False, "Do not store pages that are marked noarchive.", has_reach=True)
    concurrency: int = _declare(16, "Number of concurrent requests.", 1, 256)
    per_host_delay: float | None = _declare(
        None,
        "Seconds to wait after a request to a host before the next one, across all workers.",
        0,
        3600,
        unset="1, on loopback none",
        flag="--delay",
        unit="SECONDS",
    )
    per_host_concurrency: int | None = _declare(
        None,
        "Number of concurrent requests to one host, across all workers.",
        1,
        256,
        unset="1, on loopback no limit",
        flag="--per-host-concurrency",
    )
    max_crawl_delay: float = _declare(
        60.0,
        "Maximum Crawl-delay of robots.txt, in seconds; a longer one is cut to this value, and 0 ignores Crawl-delay.",
        0,
        3600,
        flag="--max-crawl-delay",
        unit="SECONDS",
    )
    jitter: float = _declare(
        0.25,
        "Maximum random extra wait before retries and between requests to a host, as a fraction of the normal wait.",
        0,
        1,
        flag="--jitter",
        unit="SHARE",
    )
    fetch_timeout: float = _declare(30.0, "Seconds that one request may take in total.", 0.001, 3600)
    max_body_bytes: int = _declare(
        100_000_000,
        "Bytes of a response that are stored; longer responses are cut and marked as truncated.",
        1,
        has_reach=True,
    )
    max_buffered_bytes: int = _declare(
        256_000_000,
        "Bytes of responses that a crawling process holds in memory, received or waiting to be written. Above this "
        "limit, responses are received one at a time.",
        1,
        has_reach=True,
    )
    max_pages: int = _declare(
        10_000,
        "Maximum number of URLs that a job fetches, not counting requisites of pages (images, styles …).",
        1,
        flag="--max-pages",
    )
    capture_requisites: bool = _declare(
        True,
        "Also fetch the requisites of pages: images, styles, scripts and fonts. Other hosts are included unless "
        "allowed_domains is set.",
        has_reach=True,
    )
    max_requisites: int = _declare(
        # Ten for each of the default number of pages: most requisites are shared by the pages of a site.
        100_000,
        "Maximum number of requisites of pages (images, styles, scripts, fonts) that a job fetches.",
        0,
        flag="--max-requisites",
    )
    max_page_requisites: int = _declare(
        # An estimate: room for some sixty images of eight sizes.
        500,
        "Maximum number of requisites of one page or style sheet.",
        0,
        100_000,
        has_reach=True,
    )
    max_seconds: float | None = _declare(
        None,
        "Maximum number of seconds that one run of a job crawls.",
        0.001,
        31_536_000,
        unset="no limit",
        flag="--max-seconds",
        unit="SECONDS",
    )
    max_bytes: int | None = _declare(
        None, "Maximum number of response bytes that a job receives.", 1, unset="no limit", flag="--max-bytes"
    )
    max_depth: int = _declare(
        20, "Maximum depth: the number of links from a seed to a URL.", 0, flag="--max-depth", has_reach=True
    )
    max_retries: int = _declare(3, "Maximum number of attempts to fetch a URL in a run; 0 and 1 both mean one.", 0, 100)
    backoff_min: float = _declare(1.0, "Seconds before the first retry, without jitter.", 0, 86_400)
    backoff_max: float = _declare(60.0, "Longest wait before a retry, in seconds, without jitter.", 0, 86_400)
    backoff_multiplier: float = _declare(2.0, "Factor by which each wait before a retry grows.", 1, 100)
    lease_seconds: float = _declare(
        120.0, "Seconds after which another worker takes over the URLs of a worker that no longer responds.", 1, 86_400
    )
    warc_max_bytes: int = _declare(1_000_000_000, "Size in bytes at which a new WARC file is started.", 1_000)
    fetcher: Literal["http", "null", "browser", "auto"] = _declare(
        "http",
        "How pages are fetched: http (plain requests), browser (in Chromium), auto (in Chromium if a page is empty "
        "without scripts), or null (a dry run with made-up responses and no network).",
        flag="--fetcher",
        has_reach=True,
    )

    browser_pages: int = _declare(
        2, "Number of pages that a worker opens in the browser at once, with fetcher browser or auto.", 1, 32
    )
    screenshots: bool = _declare(True, "Store a screenshot of every page that is opened in the browser.")

    @property
    def retry_policy(self) -> RetryPolicy:
        """Return the settings that decide when a failed URL is retried."""
        return RetryPolicy(
            self.max_retries, self.backoff_min, self.backoff_max, self.backoff_multiplier, jitter=self.jitter
        )

    def overridden(self, settings: Mapping[str, object]) -> "CrawlConfig":
        """Return the configuration with a job's own settings; a wrong one is an error that names it."""
        check_crawl_settings(settings)
        return CrawlConfig(**(asdict(self) | dict(settings)))


CRAWL_SETTING_TYPES: Mapping[str, Any] = {f.name: f.type for f in fields(CrawlConfig)}
"""The types of the crawl settings, by their names."""

CRAWL_SETTINGS: Mapping[str, CrawlSetting] = {f.name: f.metadata[_DECLARED] for f in fields(CrawlConfig)}
"""What is declared of the crawl settings, by their names."""


def check_crawl_settings(settings: Mapping[str, object]) -> None:
    """Raise UsageError for a crawl setting that does not exist or whose value is not allowed."""
    for name, value in settings.items():
        if name not in CRAWL_SETTING_TYPES or not _fits(name, value):
            raise UsageError(f"a job's {name} cannot be {value!r}")


def _fits(name: str, value: object) -> bool:
    """Return whether a setting may have a value: of its type, within its bounds, nothing that breaks a header."""
    kind = CRAWL_SETTING_TYPES[name]
    if get_origin(kind) is Literal:
        return value in get_args(kind)
    kinds = get_args(kind) or (kind,)
    if value is None or isinstance(value, bool):
        return type(value) in kinds
    if isinstance(value, str):
        return str in kinds and value != "" and value.isascii() and value.isprintable()
    if not isinstance(value, int | float) or not {type(value), float} & {*kinds}:
        return False
    declared = CRAWL_SETTINGS[name]
    lowest = -inf if declared.lowest is None else declared.lowest
    highest = inf if declared.highest is None else declared.highest
    return lowest <= value <= highest
