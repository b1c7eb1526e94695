"""Evaluates a collected page: features, low confidence, candidates for the product page, and its validation.

Pages are read in a process with limits of memory and time: UnreadablePageError when one exceeds them.
"""

import os
from dataclasses import dataclass

from webstrata.audit.blank import is_blank_screenshot
from webstrata.audit.discovery import category_pages, pdp_candidates
from webstrata.audit.evidence import CollectedPage
from webstrata.audit.features import features_json, page_evidence
from webstrata.audit.low_confidence import low_confidence_reasons
from webstrata.audit.pdp_validation import PdpVerdict, evaluate_pdp_validation_signals
from webstrata.audit.policy import CrawlPolicy
from webstrata.content.reader.page_reader import PageReader, shared_reader
from webstrata.content.reader.page_requests import ReadQuality, ReadShopFeatures, ReadShopSignals
from webstrata.content.reading import Body
from webstrata.content.shop.features import ShopFeatures
from webstrata.errors import UnreadablePageError
from webstrata.model.auditing.sessions import AuditPageType
from webstrata.model.quality import QualityKind

_HTML = "text/html; charset=utf-8"
_BOT_BLOCKS = frozenset({QualityKind.BLOCKED, QualityKind.CAPTCHA})


@dataclass(frozen=True)
class JudgedEvidence:
    """The features of a page as they are stored, and why its evidence is thin."""

    features: bytes
    reasons: tuple[str, ...]


def judge_evidence(collected: CollectedPage, url: str, page_type: AuditPageType, policy: CrawlPolicy) -> JudgedEvidence:
    """Return the features of a page and why its evidence is thin."""
    features = _features(collected.html, url)
    evidence = page_evidence(features, collected.text, is_screenshot_blank=_is_blank(collected.screenshot))
    reasons = low_confidence_reasons(page_type, evidence, policy.evidence)
    return JudgedEvidence(features_json(features), tuple(reason.value for reason in reasons))


def judge_pdp(html: str, url: str, policy: CrawlPolicy) -> PdpVerdict:
    """Return whether a page is a valid product page under a policy, and why."""
    signals = _reader().shop_signals(ReadShopSignals(_body(html, url)))
    return evaluate_pdp_validation_signals(signals, policy.version)


def is_bot_block(html: str, url: str, status: int) -> bool:
    """Return whether a page refuses us as a robot, whatever its status."""
    request = ReadQuality(url, status, {"content-type": _HTML}, html.encode("utf-8", "replace"))
    return _reader().quality(request).kind in _BOT_BLOCKS


def find_candidates(collected: CollectedPage, url: str, policy: CrawlPolicy) -> list[str]:
    """Return the links of a page that are tried as product pages, in order."""
    links = _features(collected.html, url).links
    return pdp_candidates(links, url, policy.pdp_candidates, click_targets=collected.click_targets)


def find_categories(html: str, url: str, policy: CrawlPolicy) -> list[str]:
    """Return the links of a page that lead to categories, in order."""
    return category_pages(_features(html, url).links, url, policy.category_pages)


def _features(html: str, url: str) -> ShopFeatures:
    return _reader().shop_features(ReadShopFeatures(_body(html, url)))


def _body(html: str, url: str) -> Body:
    return Body(url, html.encode("utf-8", "replace"), _HTML, None)


def _reader() -> PageReader:
    return shared_reader(os.getpid())


def _is_blank(screenshot: bytes | None) -> bool | None:
    """Return whether a screenshot shows nothing; None when there is none, or it cannot be read."""
    if screenshot is None:
        return None
    try:
        return is_blank_screenshot(screenshot)
    except UnreadablePageError:
        return None
