"""The site that a lock or a throttle belongs to."""

from webstrata.model.urls import parse_url


def normalized_domain(url: str) -> str:
    """Return a URL's host as locks know it: lower case, IDNA, without `www.` and a final dot; an unusual port stays."""
    parts = parse_url(url)
    host = parts.hostname.removesuffix(".").removeprefix("www.")
    return f"{host}:{parts.port}" if parts.port else host
