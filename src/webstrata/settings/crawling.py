"""Settings of crawls: defaults that a job's own configuration overrides."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from webstrata import __version__
from webstrata.settings.fields import HeaderValue, Networks, ProxyAddress, setting


class CrawlSettings(BaseModel):
    """How a crawl fetches, waits, retries and ends."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    user_agent: HeaderValue = setting(
        f"webstrata/{__version__}",
        "How the crawler introduces itself; add an address where you can be reached.",
        min_length=1,
    )
    allow_private_networks: Networks = setting(
        (), "Networks (CIDR, comma-separated) that the crawler may reach although they are not public."
    )
    http_proxy: ProxyAddress | None = setting(
        None,
        "http://user:password@host:port of a proxy that all crawling goes through; it looks names up itself, so it "
        "must refuse private networks too.",
    )
    respect_robots: bool = setting(True, "Obey robots.txt.")
    use_sitemaps: bool = setting(True, "Also fetch what the sitemaps that robots.txt names list.")
    respect_nofollow: bool = setting(
        False, "Do not follow links that say nofollow, nor any link of a page that says so."
    )
    respect_noarchive: bool = setting(False, "Do not keep a page that says noarchive.")
    concurrency: int = setting(16, "Requests under way at once.", ge=1, le=256)
    per_host_delay: float | None = setting(
        None,
        "Seconds for which a host rests after a request, whoever made it. Default: 1, on loopback none.",
        ge=0,
        le=3600,
    )
    per_host_concurrency: int | None = setting(
        None,
        "Requests to one host at once, over all workers. Default: one, on loopback as many as there are.",
        ge=1,
        le=256,
    )
    max_crawl_delay: float = setting(
        60.0, "Seconds of a Crawl-delay in robots.txt that are obeyed at most; 0 ignores it.", ge=0, le=3600
    )
    jitter: float = setting(
        0.25, "By which share chance lengthens the waits before retries and between requests to a host.", ge=0, le=1
    )
    fetch_timeout: float = setting(30.0, "Seconds that one fetch may take in all.", ge=0.001, le=3600)
    max_body_bytes: int = setting(
        100_000_000, "Bytes of a response that are kept; the rest is cut and marked as truncated.", ge=1
    )
    max_buffered_bytes: int = setting(
        256_000_000,
        "Bytes of responses that a crawling process holds in memory, arriving or waiting to be written; beyond that "
        "only one response at a time arrives, the others pause.",
        ge=1,
    )
    max_pages: int = setting(10_000, "URLs that one job fetches at most.", ge=1)
    max_seconds: float | None = setting(
        None, "Seconds that one run of a job crawls at most. Default: no limit.", ge=0.001, le=31_536_000
    )
    max_bytes: int | None = setting(None, "Bytes of responses that one job receives at most. Default: no limit.", ge=1)
    max_depth: int = setting(20, "Links followed from a seed at most.", ge=0)
    max_retries: int = setting(3, "Requests for one URL in a run at most; 0 and 1 both mean one.", ge=0, le=100)
    backoff_min: float = setting(1.0, "Seconds before the first retry, without jitter.", ge=0, le=86_400)
    backoff_max: float = setting(60.0, "Seconds before any retry at most, without jitter.", ge=0, le=86_400)
    backoff_multiplier: float = setting(2.0, "How much longer each retry waits than the one before.", ge=1, le=100)
    lease_seconds: float = setting(
        120.0, "Seconds after which a silent worker's URLs are given to another.", ge=1, le=86_400
    )
    warc_max_bytes: int = setting(1_000_000_000, "Size at which a new WARC file is begun.", ge=1_000)
    fetcher: Literal["http", "null"] = setting(
        "http", "What fetches: http, or null, which answers everything itself and reaches no network; for dry runs."
    )
