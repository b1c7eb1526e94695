"""The site of a URL by the public-suffix list: hosts below one registrable domain are one site; shops on one platform
are not."""

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from webstrata.errors import UsageError
from webstrata.model.urls import parse_url

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList


def site_of(url: str) -> str:
    """Return the site of a URL: its registrable domain; for an IP address or a single label, the host with its port.

    UsageError when the text is not a web address.
    """
    parts = parse_url(url)
    host = parts.hostname.removesuffix(".")
    domain = _registrable_domain(host)
    return domain or (f"{host}:{parts.port}" if parts.port else host)


def is_same_site(url: str, other: str) -> bool:
    """Return whether two URLs belong to one site; False when either is not a web address."""
    try:
        return site_of(url) == site_of(other)
    except UsageError:
        return False


@lru_cache(maxsize=4_096)
def _registrable_domain(host: str) -> str | None:
    is_address = host.startswith("[") or host.rpartition(".")[2].isdecimal()
    return None if is_address else _public_suffixes().privatesuffix(host)


@cache
def _public_suffixes() -> "PublicSuffixList":
    # Imported here, as reading the bundled list takes a third of a second.
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList()
