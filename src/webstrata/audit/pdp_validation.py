"""PDP validation: whether a page is the page of one product, by the rule of a crawl policy version. v1.1 requires a
price, and a product title with an image. v1.2 also requires a strong signal, which is an add-to-cart control or a
product schema, and that the page is not a list of products."""

from dataclasses import dataclass
from typing import TypedDict

from webstrata.content.charset import text_of
from webstrata.content.shop.signals import ShopSignals, read_shop_signals
from webstrata.content.tree import parse_html
from webstrata.model.auditing.policy_version import DEFAULT_VERSION, CrawlPolicyVersion

_WEIGHTS = {"price": 0.3, "title": 0.15, "image": 0.15, "add_to_cart": 0.2, "product_schema": 0.2}
_OF_LIST = 0.4
"""Factor that lowers the score of a list of products."""

_MAX_SHOWN = 80


class PdpVerdictPayload(TypedDict):
    """A verdict as JSON."""

    valid: bool
    policy: str
    signals: dict[str, bool]
    score: float
    reasons: list[str]


@dataclass(frozen=True)
class PdpVerdict:
    """Whether a page is a valid PDP, with every signal, a score from 0 to 1 and the reasons."""

    valid: bool
    policy: CrawlPolicyVersion
    signals: ShopSignals
    score: float
    reasons: tuple[str, ...]

    def as_payload(self) -> PdpVerdictPayload:
        """Return the verdict for JSON."""
        return {
            "valid": self.valid,
            "policy": self.policy.value,
            "signals": signal_flags(self.signals),
            "score": self.score,
            "reasons": list(self.reasons),
        }


def evaluate_pdp_validation_signals(
    signals: ShopSignals, crawl_policy_version: CrawlPolicyVersion = DEFAULT_VERSION
) -> PdpVerdict:
    """Return the verdict on a page's signals, by the rule of a crawl policy version."""
    flags = signal_flags(signals)
    base = flags["price"] and flags["title_image"]
    strong = flags["add_to_cart"] or flags["product_schema"]
    is_strict = crawl_policy_version is CrawlPolicyVersion.V1_2
    valid = base and ((strong and not flags["product_list"]) or not is_strict)
    reasons = (*_missing(flags, is_strict=is_strict), *_found_signals(signals))
    return PdpVerdict(valid, crawl_policy_version, signals, _score(flags), reasons)


def validate_pdp_page(
    html: str | bytes, url: str = "", crawl_policy_version: CrawlPolicyVersion = DEFAULT_VERSION
) -> PdpVerdict:
    """Return the verdict on a page from its HTML alone; its URL shows the country and which links leave the site."""
    source = html if isinstance(html, str) else text_of(html, None)
    return evaluate_pdp_validation_signals(read_shop_signals(parse_html(source), url), crawl_policy_version)


def is_valid_pdp_page(
    html: str | bytes, url: str = "", crawl_policy_version: CrawlPolicyVersion = DEFAULT_VERSION
) -> bool:
    """Return whether a page is a valid PDP."""
    return validate_pdp_page(html, url, crawl_policy_version).valid


def signal_flags(signals: ShopSignals) -> dict[str, bool]:
    """Return which signals were found."""
    return {
        "price": bool(signals.price),
        "title": bool(signals.title),
        "image": bool(signals.image),
        "title_image": bool(signals.title and signals.image),
        "add_to_cart": bool(signals.add_to_cart),
        "product_schema": bool(signals.product_schema),
        "product_list": bool(signals.product_list),
    }


def _score(flags: dict[str, bool]) -> float:
    total = sum(weight for name, weight in _WEIGHTS.items() if flags[name])
    return round(total * (_OF_LIST if flags["product_list"] else 1), 2)


def _missing(flags: dict[str, bool], *, is_strict: bool) -> list[str]:
    """Return what a page lacks to be valid, a sentence each."""
    reasons = [] if flags["price"] else ["no price of the product was found"]
    reasons += [] if flags["title"] else ["no product title was found"]
    reasons += [] if flags["image"] else ["no product image was found"]
    if is_strict and not (flags["add_to_cart"] or flags["product_schema"]):
        reasons.append("neither an add-to-cart control nor a product schema was found")
    return reasons


def _found_signals(signals: ShopSignals) -> list[str]:
    """Return what was found, a line each."""
    named = {
        "list of products": signals.product_list,
        "price": f"{signals.price} ({signals.price_source})" if signals.price else "",
        "title": signals.title,
        "image": signals.image,
        "add to cart": signals.add_to_cart,
        "product schema": signals.product_schema,
    }
    return [f"{name}: {_shorten(text)}" for name, text in named.items() if text]


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 1]}…"
