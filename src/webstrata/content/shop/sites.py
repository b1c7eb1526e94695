"""Sites by the public-suffix list: hosts below one registrable domain belong together, shops of one platform do not."""

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from webstrata.errors import UsageError
from webstrata.model.urls import parse_url

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList


def site_of(url: str) -> str:
    """Return the site of a URL: its registrable domain; of an address or a single label, the host with its port.

    UsageError when the text is no web address.
    """
    parts = parse_url(url)
    host = parts.hostname.removesuffix(".")
    domain = _registrable_domain(host)
    return domain or (f"{host}:{parts.port}" if parts.port else host)


def is_same_site(url: str, other: str) -> bool:
    """Return whether two URLs belong to one site; a text that is no web address belongs to none."""
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
    # Reading the bundled list takes a third of a second: only those who need it wait.
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList()
