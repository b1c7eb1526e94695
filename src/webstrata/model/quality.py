"""Capture quality: how good a saved response is as a capture of its page, and what kind of response it is."""

from dataclasses import dataclass
from enum import StrEnum

GOOD = 0.5
"""Captures of a lower quality do not show the page: errors, block pages, empty pages."""


class QualityKind(StrEnum):
    """What a saved response turned out to be."""

    PAGE = "page"
    ERROR = "error"
    """The server reports that something failed."""
    BLOCKED = "blocked"
    """A firewall, a rate limit or a country filter refused the request."""
    CAPTCHA = "captcha"
    """A firewall wants to know whether the visitor is a person."""
    LOGIN = "login"
    CONSENT = "consent"
    """Nothing but a question about cookies or the visitor's age."""
    PAYWALL = "paywall"
    """An article that is cut off for readers without a subscription."""
    SOFT_404 = "soft_404"
    """The page is gone, but the status code does not report it."""
    EMPTY = "empty"
    """No content, such as a page that scripts would have filled."""
    PARKED = "parked"
    """A domain that is for sale or shows nothing but advertisements."""
    PLACEHOLDER = "placeholder"
    """A web server's default page, an empty folder, a site that is not there yet."""
    MAINTENANCE = "maintenance"
    TRUNCATED = "truncated"
    REDIRECT = "redirect"


@dataclass(frozen=True)
class Quality:
    """The quality of a saved response: 1 for a good capture, 0 for a worthless one."""

    quality: float
    kind: QualityKind
    reasons: tuple[str, ...] = ()
    """Sentences that name the evidence, the strongest first."""

    @property
    def is_good(self) -> bool:
        """Return whether the response shows its page."""
        return self.quality >= GOOD
