"""Versions of the crawl policy of audits; sessions are compared only within a version."""

from enum import StrEnum

from webstrata.errors import UsageError


class CrawlPolicyVersion(StrEnum):
    """The version of the rules that an audit follows."""

    V1_1 = "v1.1"
    """A product page has a price, a title and an image."""
    V1_2 = "v1.2"
    """It also has an add-to-cart control or a product schema, and is no list of products."""


DEFAULT_VERSION = CrawlPolicyVersion.V1_2


def crawl_policy_version(text: str) -> CrawlPolicyVersion:
    """Return the version that a text names; UsageError when there is no such version."""
    try:
        return CrawlPolicyVersion(text)
    except ValueError:
        known = ", ".join(version.value for version in CrawlPolicyVersion)
        raise UsageError(f"crawl policy version {text[:40]!r} is unknown; there are {known}") from None
