"""`features_json`: the features of a page as an audit stores them, byte-identical for the same page."""

import json

from webstrata.audit.low_confidence import PageEvidence
from webstrata.audit.pdp_validation import signal_flags
from webstrata.content.charset import text_of
from webstrata.content.shop.features import ShopFeatures, read_shop_features
from webstrata.content.shop.links import ShopLink
from webstrata.content.tree import parse_html


def page_features(html: str | bytes, url: str) -> ShopFeatures:
    """Return the features of a page from its HTML, such as a rendered page that the browser has serialised."""
    source = html if isinstance(html, str) else text_of(html, None)
    return read_shop_features(parse_html(source), source, url)


def features_json(features: ShopFeatures) -> bytes:
    """Return features as the bytes of a JSON file: keys in a fixed order, null for what the page does not show."""
    return (json.dumps(features_payload(features), ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")


def features_payload(features: ShopFeatures) -> dict[str, object]:
    """Return features as JSON."""
    flags = signal_flags(features.signals)
    return {
        "meta": {
            "title": features.title or None,
            "meta_description": features.description or None,
            "canonical_url": features.canonical_url or None,
        },
        "headings": {"h1": list(features.h1), "h2": list(features.h2)},
        "ctas": [{"text": cta.text, "url": cta.href or None} for cta in features.ctas],
        "navigation": {
            "main_nav_links": [_link(link) for link in features.main_nav_links],
            "footer_links": [_link(link) for link in features.footer_links],
        },
        "pdp_core": {
            "price": features.price or None,
            "currency": features.currency or None,
            "availability": features.availability or None,
            "add_to_cart_present": flags["add_to_cart"],
        },
        "schema_org": {
            "product_detected": flags["product_schema"],
            "product_fields": dict(features.product_fields),
        },
        "review_signals": _reviews(features),
    }


def page_evidence(features: ShopFeatures, text: str, *, is_screenshot_blank: bool | None) -> PageEvidence:
    """Return the facts that decide whether the evidence of a page is thin; `text` is its visible text."""
    flags = signal_flags(features.signals)
    return PageEvidence(
        has_h1=bool(features.h1),
        has_main_cta=flags["add_to_cart"] or bool(features.ctas),
        has_price=flags["price"],
        has_title_and_image=flags["title_image"],
        text_characters=len(" ".join(text.split())),
        is_screenshot_blank=is_screenshot_blank,
    )


def _link(link: ShopLink) -> dict[str, str]:
    return {"text": link.text, "url": link.url}


def _reviews(features: ShopFeatures) -> dict[str, object]:
    found = features.reviews
    return {
        "rating": found.rating or None,
        "best_rating": found.best_rating or None,
        "count": found.count or None,
        "review_elements": found.review_elements,
        "rating_elements": found.rating_elements,
        "has_reviews": bool(found.count or found.rating or found.review_elements),
    }
