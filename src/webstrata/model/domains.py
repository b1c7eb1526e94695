"""Normalised domains, the keys of locks and throttles."""

from webstrata.model.urls import parse_url


def normalized_domain(url: str) -> str:
    """Return the domain of a URL for locks: lower case, IDNA, without `www.`, final dot and default port."""
    parts = parse_url(url)
    host = parts.hostname.removesuffix(".").removeprefix("www.")
    return f"{host}:{parts.port}" if parts.port else host
