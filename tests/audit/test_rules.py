"""The pure rules of audits: status table, popups, low confidence, blank screenshots, the policy, features."""

import io
import json
from itertools import product

import pytest
from PIL import Image, ImageDraw

from tests.audit.pages import CART, PRICE, SCHEMA, TITLE_IMAGE, URL, category, page
from webstrata.audit.blank import MAX_PIXELS, is_blank_screenshot
from webstrata.audit.features import features_json, page_evidence, page_features
from webstrata.audit.low_confidence import LowConfidenceReason, PageEvidence, low_confidence_reasons
from webstrata.audit.policy import CrawlPolicy
from webstrata.audit.popups import ControlPlace, DismissalKind, PopupControl, choose_dismissal, dismissal_kind
from webstrata.audit.status import PLACES, AuditProblem, PageOutcome, problem_of_status, session_outcome
from webstrata.errors import UnreadablePageError
from webstrata.model.auditing.sessions import AuditPageStatus, AuditPageType, AuditStatus

OK, FAILED = AuditPageStatus.OK, AuditPageStatus.FAILED


@pytest.mark.parametrize("succeeded", list(product((True, False), repeat=4)))
def test_the_status_of_a_session_follows_from_its_pages(succeeded: tuple[bool, ...]) -> None:
    pages = [PageOutcome(*place, OK if good else FAILED) for place, good in zip(PLACES, succeeded, strict=True)]
    outcome = session_outcome(pages, pdp_found=True)
    expected = {4: (AuditStatus.COMPLETED, None), 0: (AuditStatus.FAILED, "All viewports failed")}
    assert (outcome.status, outcome.error_summary) == expected.get(
        sum(succeeded), (AuditStatus.PARTIAL, "One or more viewports failed")
    )


def test_a_session_without_a_product_page_is_partial_when_the_home_page_is_ok() -> None:
    home = [PageOutcome(*place, OK) for place in PLACES if place[0] is AuditPageType.HOMEPAGE]
    assert session_outcome(home, pdp_found=False).error_summary == "PDP not found"
    assert session_outcome(home[:1], pdp_found=False).status is AuditStatus.PARTIAL
    assert session_outcome([], pdp_found=False).error_summary == "All viewports failed"
    blocked = [PageOutcome(*place, FAILED, AuditProblem.BLOCKED) for place in PLACES]
    assert session_outcome(blocked, pdp_found=False).error_summary == "Blocked (403/503)"
    assert problem_of_status(429) is AuditProblem.RATE_LIMITED
    assert problem_of_status(404) is None


def test_popups_are_rejected_before_they_are_closed_or_accepted() -> None:
    labels = ["Accept all cookies", "Manage preferences", "×", "Nur notwendige Cookies"]
    chosen = choose_dismissal([PopupControl(label) for label in labels])
    assert chosen is not None
    assert (chosen.position, chosen.kind) == (3, DismissalKind.REJECT)
    chosen = choose_dismissal([PopupControl(label) for label in labels[:3]])
    assert chosen is not None
    assert chosen.kind is DismissalKind.CLOSE
    assert choose_dismissal([PopupControl("Enter the shop")]) is None


@pytest.mark.parametrize(
    "label",
    [
        *("Tout refuser", "Rechazar todo", "Rifiuta tutti", "Recusar tudo", "Alles weigeren", "Neka alla"),
        *("Afvis alle", "Avslå alle", "Hylkää kaikki", "Odrzuć wszystkie", "Odmítnout vše", "すべて拒否"),
    ],
)
def test_popups_are_rejected_in_many_languages(label: str) -> None:
    assert dismissal_kind(PopupControl(label)) is DismissalKind.REJECT


@pytest.mark.parametrize(
    "control",
    [
        PopupControl("Accept and pay"),
        PopupControl("Jetzt kaufen und schließen"),
        PopupControl("No thanks, go to checkout"),
        PopupControl("OK, place order"),
        PopupControl("Closet organisers"),
        PopupControl("Acceptable use"),
        PopupControl("Close", tag="a", href="/newsletter"),
        PopupControl("Close", tag="a", href="https://elsewhere.example/"),
        PopupControl("Close", place=ControlPlace.PAGE),
        PopupControl("Close", tag="div"),
        PopupControl("Accept", tag="input", input_type="checkbox"),
        PopupControl("Accept " + "all of this " * 20),
        PopupControl("I agree", action="/checkout/confirm"),
        PopupControl("Got it", action="location.assign('/terms')"),
        PopupControl("OK", action="window.location.href = '/us/'"),
        PopupControl("OK", action="placeOrder()", is_among_secrets=True),
        PopupControl("No", context="Are you over 18? No Yes"),
        PopupControl("Ich bin unter 18", context="Sind Sie mindestens 18 Jahre alt?"),
        PopupControl(""),
    ],
)
def test_payments_orders_links_and_words_that_only_look_alike_are_never_clicked(control: PopupControl) -> None:
    assert dismissal_kind(control) is None


def test_a_link_that_stays_on_the_page_may_close_a_popup() -> None:
    assert dismissal_kind(PopupControl("Close", tag="a", href="#")) is DismissalKind.CLOSE
    assert dismissal_kind(PopupControl("Close", tag="span", role="button")) is DismissalKind.CLOSE


@pytest.mark.parametrize(
    ("label", "context"),
    [
        ("Yes", "Are you over 18? No Yes"),
        ("I am over 21", "You must be 21 years or older to enter."),
        ("Enter", "Please verify your age to continue"),
        ("Ja, ich bin über 18", "Bist du schon 18 Jahre alt?"),
        ("Oui, j'ai plus de 18 ans", "Avez-vous plus de 18 ans ?"),
        ("Да", "Вам уже исполнилось 18 лет?"),
    ],
)
def test_an_age_gate_is_affirmed(label: str, context: str) -> None:
    assert dismissal_kind(PopupControl(label, context=context)) is DismissalKind.ACCEPT
    consent = f"{context} We use cookies."
    assert dismissal_kind(PopupControl("Reject all", context=consent)) is DismissalKind.REJECT
    assert dismissal_kind(PopupControl(label)) is None


def test_a_control_that_reloads_the_page_is_clicked_and_one_that_was_refused_is_not() -> None:
    reloading = PopupControl("Reject", action="deny(); location.reload()")
    closing = PopupControl("Close", action="hide(this.parentNode)")
    chosen = choose_dismissal([reloading, closing])
    assert chosen is not None
    assert chosen.position == 0
    chosen = choose_dismissal([reloading, closing], {"reject"})
    assert chosen is not None
    assert chosen.position == 1


def test_thin_evidence_is_named_reason_by_reason() -> None:
    good = PageEvidence(True, True, True, True, 100, False)
    bad = PageEvidence(False, False, False, False, 99, True)
    assert low_confidence_reasons(AuditPageType.PDP, good) == ()
    assert len(low_confidence_reasons(AuditPageType.PDP, bad)) == 6
    home = low_confidence_reasons(AuditPageType.HOMEPAGE, bad)
    assert LowConfidenceReason.MISSING_PRICE not in home
    assert LowConfidenceReason.SHORT_TEXT in home


def png(text: str = "", background: str = "white", size: tuple[int, int] = (1920, 1080)) -> bytes:
    image = Image.new("RGBA", size, background)
    ImageDraw.Draw(image).text((200, 200), text, fill="black")
    data = io.BytesIO()
    image.save(data, "PNG")
    return data.getvalue()


def test_a_screenshot_is_blank_by_its_pixels() -> None:
    assert is_blank_screenshot(png())
    assert is_blank_screenshot(png(background="#123456", size=(390, 844)))
    assert is_blank_screenshot(png(".", size=(1920, 4000)))
    assert not is_blank_screenshot(png("A page that has a few words on it, such as an error message would have. " * 2))


@pytest.mark.parametrize("data", [b"", b"\x89PNG\r\n\x1a\n", png()[:200], b"<html>", b"GIF89a" + bytes(20)])
def test_what_is_no_image_is_an_error_of_ours(data: bytes) -> None:
    with pytest.raises(UnreadablePageError):
        is_blank_screenshot(data)


def test_an_image_of_too_many_pixels_is_not_decoded() -> None:
    data = bytearray(png(size=(10, 10)))
    data[16:24] = (MAX_PIXELS // 1_000).to_bytes(4, "big") + (1_001).to_bytes(4, "big")
    with pytest.raises(UnreadablePageError):
        is_blank_screenshot(bytes(data))


def test_the_policy_is_stored_whole_and_as_plain_json() -> None:
    snapshot = json.loads(json.dumps(CrawlPolicy().config_snapshot()))
    assert snapshot["crawl_policy_version"] == "v1.2"
    assert snapshot["viewports"]["mobile"]["width"] == 390
    assert snapshot["navigation"]["backoff_seconds"] == [1.0, 2.0, 4.0]
    assert snapshot["readiness"]["hard_timeout_seconds"] == 90.0
    assert snapshot["sharing"]["min_delay_ms"] == 2000
    assert snapshot["pdp_candidates"] == 20


RATING = '<div itemscope itemtype="https://schema.org/AggregateRating">'
REVIEWED = f'{RATING}<meta itemprop="ratingValue" content="4.5"><meta itemprop="reviewCount" content="12"></div>'
FOOTER = '<footer><a href="/terms">Terms</a></footer><h2>Details</h2><h2 hidden>Hidden</h2>'


def test_features_hold_what_the_page_shows() -> None:
    html = page(TITLE_IMAGE, PRICE, CART, SCHEMA, REVIEWED, FOOTER)
    found = json.loads(features_json(page_features(html, URL)))
    assert set(found) == {
        *("meta", "headings", "ctas", "navigation", "pdp_core", "schema_org", "review_signals"),
    }
    assert found["meta"] == {"title": "Blue Mug | The Shop", "meta_description": None, "canonical_url": None}
    assert found["headings"] == {"h1": ["Blue Mug"], "h2": ["Details"]}
    assert found["ctas"] == [{"text": "Add to cart", "url": None}]
    assert found["navigation"]["main_nav_links"][0] == {"text": "Home", "url": "https://shop.example/"}
    assert found["navigation"]["footer_links"] == [{"text": "Terms", "url": "https://shop.example/terms"}]
    core = found["pdp_core"]
    assert (core["price"], core["currency"], core["add_to_cart_present"]) == ("12.00", "USD", True)
    assert found["schema_org"] == {"product_detected": True, "product_fields": {"name": "Blue Mug"}}
    assert (found["review_signals"]["rating"], found["review_signals"]["count"]) == ("4.5", "12")


@pytest.mark.parametrize("html", [page(TITLE_IMAGE, PRICE, CART), category(), "", "\udcff<h1>\0"])
def test_features_are_the_same_bytes_for_the_same_page(html: str) -> None:
    assert features_json(page_features(html, URL)) == features_json(page_features(html, URL))


def test_evidence_is_taken_from_the_features() -> None:
    evidence = page_evidence(page_features(page(PRICE), URL), "short", is_screenshot_blank=None)
    assert low_confidence_reasons(AuditPageType.PDP, evidence) == (
        LowConfidenceReason.MISSING_H1,
        LowConfidenceReason.MISSING_CTA,
        LowConfidenceReason.MISSING_TITLE_IMAGE,
        LowConfidenceReason.SHORT_TEXT,
        LowConfidenceReason.NO_SCREENSHOT,
    )
