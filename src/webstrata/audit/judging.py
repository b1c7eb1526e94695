"""What is judged of a collected page: features, low confidence, candidates for the product page, and its validation."""

from dataclasses import dataclass

from webstrata.audit.blank import is_blank_screenshot
from webstrata.audit.discovery import category_pages, pdp_candidates
from webstrata.audit.evidence import CollectedPage
from webstrata.audit.low_confidence import PageEvidence, low_confidence_reasons
from webstrata.audit.pdp_validation import PdpVerdict, validate_pdp_page
from webstrata.audit.policy import CrawlPolicy
from webstrata.content.shop.links import shop_links
from webstrata.content.tree import parse_html
from webstrata.errors import UnreadablePageError
from webstrata.model.auditing.sessions import AuditPageType


@dataclass(frozen=True)
class JudgedPage:
    """The features of a page, and why its evidence is thin."""

    features: dict[str, object]
    reasons: tuple[str, ...]


def judge_evidence(collected: CollectedPage, url: str, page_type: AuditPageType, policy: CrawlPolicy) -> JudgedPage:
    """Return the features of a page and why its evidence is thin."""
    verdict = judge_pdp(collected.html, url, policy)
    signals = verdict.signals
    evidence = PageEvidence(
        has_h1="<h1" in collected.html,
        has_main_cta=bool(signals.add_to_cart),
        has_price=bool(signals.price),
        has_title_and_image=bool(signals.title and signals.image),
        text_characters=len(collected.text),
        is_screenshot_blank=_is_blank(collected.screenshot),
    )
    reasons = low_confidence_reasons(page_type, evidence, policy.evidence)
    return JudgedPage({}, tuple(str(reason) for reason in reasons))


def judge_pdp(html: str, url: str, policy: CrawlPolicy) -> PdpVerdict:
    """Return whether a page is a valid product page under a policy, and why."""
    return validate_pdp_page(html, url, policy.version)


def find_candidates(html: str, url: str, policy: CrawlPolicy) -> list[str]:
    """Return the links of a page that are tried as product pages, in order."""
    return pdp_candidates(shop_links(parse_html(html), url), url, policy.pdp_candidates)


def find_categories(html: str, url: str, policy: CrawlPolicy) -> list[str]:
    """Return the links of a page that lead to categories, in order."""
    return category_pages(shop_links(parse_html(html), url), url, policy.category_pages)


def _is_blank(screenshot: bytes | None) -> bool | None:
    """Return whether a screenshot shows nothing; None when there is none, or it cannot be read."""
    if screenshot is None:
        return None
    try:
        return is_blank_screenshot(screenshot)
    except UnreadablePageError:
        return None
