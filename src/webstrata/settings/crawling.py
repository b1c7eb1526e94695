"""Settings of crawls: defaults that a job's own configuration overrides."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from webstrata.settings.fields import HeaderValue, Networks, ProxyAddress, crawl_setting, setting


class CrawlSettings(BaseModel):
    """How a crawl fetches, waits, retries and ends; `model/crawl/crawl_config.py` declares what a job can override."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    user_agent: HeaderValue = crawl_setting("user_agent", min_length=1)
    allow_private_networks: Networks = setting(
        (), "Networks (CIDR, comma-separated) that the crawler may reach although they are not public."
    )
    http_proxy: ProxyAddress | None = setting(
        None,
        "http://user:password@host:port of a proxy for all crawling; the proxy resolves host names itself, so it "
        "must refuse private networks too.",
    )
    respect_robots: bool = crawl_setting("respect_robots")
    use_sitemaps: bool = crawl_setting("use_sitemaps")
    recheck_known_pages: bool = crawl_setting("recheck_known_pages")
    respect_nofollow: bool = crawl_setting("respect_nofollow")
    respect_noarchive: bool = crawl_setting("respect_noarchive")
    concurrency: int = crawl_setting("concurrency")
    per_host_delay: float | None = crawl_setting("per_host_delay")
    per_host_concurrency: int | None = crawl_setting("per_host_concurrency")
    max_crawl_delay: float = crawl_setting("max_crawl_delay")
    jitter: float = crawl_setting("jitter")
    fetch_timeout: float = crawl_setting("fetch_timeout")
    max_body_bytes: int = crawl_setting("max_body_bytes")
    max_buffered_bytes: int = crawl_setting("max_buffered_bytes")
    max_pages: int = crawl_setting("max_pages")
    capture_requisites: bool = crawl_setting("capture_requisites")
    max_requisites: int = crawl_setting("max_requisites")
    max_page_requisites: int = crawl_setting("max_page_requisites")
    max_seconds: float | None = crawl_setting("max_seconds")
    max_bytes: int | None = crawl_setting("max_bytes")
    max_depth: int = crawl_setting("max_depth")
    max_retries: int = crawl_setting("max_retries")
    backoff_min: float = crawl_setting("backoff_min")
    backoff_max: float = crawl_setting("backoff_max")
    backoff_multiplier: float = crawl_setting("backoff_multiplier")
    lease_seconds: float = crawl_setting("lease_seconds")
    warc_max_bytes: int = crawl_setting("warc_max_bytes")
    fetcher: Literal["http", "null", "browser", "auto"] = crawl_setting("fetcher")
    browser_pages: int = crawl_setting("browser_pages")
    screenshots: bool = crawl_setting("screenshots")
