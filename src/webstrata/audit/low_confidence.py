"""Low confidence: whether the evidence of a page is too thin to be relied on, and why."""

from dataclasses import dataclass
from enum import StrEnum

from webstrata.audit.policy import EVIDENCE_POLICY, EvidencePolicy
from webstrata.model.auditing.sessions import AuditPageType


class LowConfidenceReason(StrEnum):
    """Why the evidence of a page is thin; stored in `low_confidence_reasons`."""

    MISSING_H1 = "missing_h1"
    MISSING_CTA = "missing_primary_cta"
    MISSING_PRICE = "missing_price"
    MISSING_TITLE_IMAGE = "missing_title_or_image"
    SHORT_TEXT = "visible_text_too_short"
    BLANK_SCREENSHOT = "screenshot_blank"
    NO_SCREENSHOT = "screenshot_missing"


@dataclass(frozen=True)
class PageEvidence:
    """Facts about the evidence of a page; `is_screenshot_blank` is None when there is no screenshot."""

    has_h1: bool
    has_main_cta: bool
    has_price: bool
    has_title_and_image: bool
    text_characters: int
    is_screenshot_blank: bool | None


def low_confidence_reasons(
    page_type: AuditPageType, evidence: PageEvidence, policy: EvidencePolicy = EVIDENCE_POLICY
) -> tuple[LowConfidenceReason, ...]:
    """Return why the evidence of a page is thin, in a fixed order; empty when it can be relied on.

    A price, a title and an image are expected of product pages only.
    """
    is_pdp = page_type is AuditPageType.PDP
    checks = {
        LowConfidenceReason.MISSING_H1: not evidence.has_h1,
        LowConfidenceReason.MISSING_CTA: not evidence.has_main_cta,
        LowConfidenceReason.MISSING_PRICE: is_pdp and not evidence.has_price,
        LowConfidenceReason.MISSING_TITLE_IMAGE: is_pdp and not evidence.has_title_and_image,
        LowConfidenceReason.SHORT_TEXT: evidence.text_characters < policy.least_text_characters,
        LowConfidenceReason.BLANK_SCREENSHOT: evidence.is_screenshot_blank is True,
        LowConfidenceReason.NO_SCREENSHOT: evidence.is_screenshot_blank is None,
    }
    return tuple(reason for reason, applies in checks.items() if applies)
