"""Capture quality: whether a saved response is a good capture of its page, an error, a block page or an empty shell.

No single word decides. Status, headers, title, headings, sentences and markers in the source add up to the weight of
each kind of problem; the more other content a page has, the more weight is needed.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from operator import not_

from webstrata.content.blocks import Region
from webstrata.content.html import HtmlPage
from webstrata.content.quality.evidence import LONG_TEXT, Evidence, Sign, content_size, has_title_of
from webstrata.content.quality.moves import is_login, kind_of_move, returns_elsewhere
from webstrata.content.quality.phrases import SENTENCES, ascii_of, plain, title_parts
from webstrata.content.quality.saved_response import (
    JudgedLine,
    SavedResponse,
    judged_lines,
    lower_names,
    saved_response,
    with_lines,
)
from webstrata.content.quality.substitute_phrases import ABOUT_CONSENT, ACCEPTING
from webstrata.model.changes.values import PageLine
from webstrata.model.quality import Quality, QualityKind

__all__ = ["Quality", "QualityKind", "SavedResponse", "judge_page", "judge_quality", "saved_response"]

_QUALITIES = {
    QualityKind.BLOCKED: 0.0,
    QualityKind.CAPTCHA: 0.0,
    QualityKind.ERROR: 0.05,
    QualityKind.PARKED: 0.05,
    QualityKind.PLACEHOLDER: 0.1,
    QualityKind.MAINTENANCE: 0.1,
    QualityKind.LOGIN: 0.1,
    QualityKind.CONSENT: 0.1,
    QualityKind.SOFT_404: 0.1,
    QualityKind.REDIRECT: 0.3,
    QualityKind.PAYWALL: 0.5,
}
_WEIGHED = (
    *(QualityKind.CAPTCHA, QualityKind.BLOCKED, QualityKind.SOFT_404, QualityKind.MAINTENANCE, QualityKind.ERROR),
    *(QualityKind.PARKED, QualityKind.PLACEHOLDER, QualityKind.LOGIN, QualityKind.REDIRECT),
)
"""Kinds that are decided by the weight of their evidence; of two with equal weight, the first."""

_NEEDED = ((250, 1.5), (500, 2.25), (900, 3.25), (LONG_TEXT, 3.5))
"""The weight that is needed, by the bytes of content besides the evidence: known notices of firewalls have less than
250 bytes of other text, short articles about them more than 500."""

_NEEDED_OF_LONG = 3.5
_QUOTING_TEXT = 400
"""A page with at least so many bytes of content may be an article that quotes such sentences."""

_DESCRIBING_TEXT = 250
"""A page with at least so many bytes of content may describe a product that is no longer sold."""

_NEEDED_OF_FAILURE = 1.5
_WITHOUT_NAVIGATION = frozenset({QualityKind.CAPTCHA, QualityKind.BLOCKED, QualityKind.PARKED, QualityKind.PLACEHOLDER})
_MANY_LINKS = 20
_FEW_REASONS = 4
_PAGE_REASON = "nothing speaks against it"

_GOOD_PAGE = Quality(1.0, QualityKind.PAGE, (_PAGE_REASON,))
_PAYWALLED_TEXT = 3_000
_PAYWALLED_STUB = 250
_NO_TEXT = 30
_SHELL_TEXT = 120
_MENU_TEXT = 300
_CONSENT_REST = 400
_ACCEPTING = re.compile(ACCEPTING)
_ABOUT_CONSENT = re.compile(ABOUT_CONSENT)
_POLICY = re.compile(
    r"polic|statement|notice|declaration|politique|richtlinie|erklarung|politica|informativa|beleid|verklaring|gdpr|rgpd|dsgvo"
)

_NOT_MODIFIED = 304
_PARTIAL = 206
_WITHOUT_BODY = frozenset({204, 205, _NOT_MODIFIED})
_WITH_WHOLE_BODY = frozenset({None, *range(200, 300)} - {*_WITHOUT_BODY, _PARTIAL})
_KINDS_OF_STATUS = {
    401: QualityKind.LOGIN,
    402: QualityKind.PAYWALL,
    403: QualityKind.BLOCKED,
    407: QualityKind.LOGIN,
    429: QualityKind.BLOCKED,
    451: QualityKind.BLOCKED,
    999: QualityKind.BLOCKED,
}
_KINDS_THAT_STATUS_MAY_HIDE = {
    **dict.fromkeys((404, 410), (QualityKind.CAPTCHA,)),
    403: (QualityKind.CAPTCHA, QualityKind.LOGIN),
    429: (QualityKind.CAPTCHA,),
    401: (QualityKind.CAPTCHA, QualityKind.BLOCKED),
}
_HIDDEN_BY_OTHERS = (QualityKind.CAPTCHA, QualityKind.BLOCKED, QualityKind.MAINTENANCE, QualityKind.LOGIN)


def judge_page(url: str, status: int | None, headers: Mapping[str, str], page: HtmlPage, size: int) -> Quality:
    """Return the quality of the capture of a page that was read before.

    Most pages are long and obviously good, which is found in a tenth of the time of checking all their lines.
    """
    head = SavedResponse(url, status, lower_names(headers), page.title, html_bytes=size, structure=page.structure)
    if _is_plainly_good(head, page):
        return _GOOD_PAGE
    return judge_quality(with_lines(head, page, judged_lines(page)))


def _is_plainly_good(head: SavedResponse, page: HtmlPage) -> bool:
    """Return whether a page has so much content that only its title could show that it is not a good page."""
    if head.status not in _WITH_WHOLE_BODY or head.structure.frames or _cut(head):
        return False
    size = _content_up_to(judged_lines(page), _PAYWALLED_TEXT)
    if size < LONG_TEXT or has_title_of(head.title, QualityKind.SOFT_404):
        return False
    return size >= _PAYWALLED_TEXT or not (head.structure.is_not_free or _may_have_paywall(head, judged_lines(page)))


def _content_up_to(lines: Iterable[JudgedLine], enough: int) -> int:
    """Return the number of bytes of content, counting only up to the limit that matters."""
    size = 0
    for text, kind, _, is_main in lines:
        if is_main:
            size += content_size(text, kind)
            if size >= enough:
                break
    return size


def _may_have_paywall(head: SavedResponse, lines: Iterable[JudgedLine]) -> bool:
    text = ascii_of(plain("\n".join((head.structure.noscript, *(line[0] for line in lines)))))
    return any(phrase.may_be_in(text) for phrase in SENTENCES[QualityKind.PAYWALL])


def judge_quality(response: SavedResponse) -> Quality:
    """Return the quality of a saved response, from 0 (useless) to 1 (good), with the reasons."""
    status = 200 if response.status is None else response.status
    if 300 <= status <= 399 and status != _NOT_MODIFIED:
        return _judge_redirect(response)
    if status in _WITHOUT_BODY or status < 200:
        return Quality(0.0, QualityKind.EMPTY, (f"status {status} comes without content",))
    if status >= 400:
        return _judge_failure(response, status)
    return _judge_content(response)


def _judge_redirect(response: SavedResponse) -> Quality:
    target = response.headers.get("location") or response.structure.moves_to
    if not target:
        return Quality(0.1, QualityKind.REDIRECT, (f"status {response.status} without a target",))
    return _judge_move(response, target)


def _judge_move(response: SavedResponse, target: str) -> Quality:
    kind, reason = kind_of_move(response.url, target)
    return Quality(_QUALITIES[kind], kind, (reason,))


def _judge_failure(response: SavedResponse, status: int) -> Quality:
    """Return the quality of a response with an error status; its content can give a better reason, but not a good
    quality."""
    evidence = Evidence(response)
    usual = _KINDS_OF_STATUS.get(status, QualityKind.ERROR)
    others = _KINDS_THAT_STATUS_MAY_HIDE.get(status, () if usual is not QualityKind.ERROR else _HIDDEN_BY_OTHERS)
    weights = {kind: evidence.weight_of(kind) for kind in (usual, *others)}
    strongest = max(weights, key=lambda kind: weights[kind])
    kind = strongest if weights[strongest] >= _NEEDED_OF_FAILURE else usual
    reasons = (f"the server responded with status {status}", *(sign.reason for sign in evidence.of_kind(kind)))
    return Quality(_quality_of_failure(kind, evidence), kind, reasons[:_FEW_REASONS])


def _quality_of_failure(kind: QualityKind, evidence: Evidence) -> float:
    if kind in (QualityKind.BLOCKED, QualityKind.CAPTCHA):
        return 0.0
    return 0.15 if evidence.is_long else 0.05


def _judge_content(response: SavedResponse) -> Quality:
    if not response.html_bytes and not response.lines:
        return Quality(0.0, QualityKind.EMPTY, ("the response has no content",))
    if not response.is_page:
        return _judge_size(response) or Quality(1.0, QualityKind.PAGE, ("it is no HTML page; its status is good",))
    evidence = Evidence(response)
    return (
        _judge_final_url(response)
        or _weigh(evidence)
        or (None if evidence.is_long else _judge_consent(evidence) or _judge_emptiness(evidence))
        or _judge_paywall(evidence)
        or _judge_size(response)
        or _judge_thin_page(evidence)
    )


def _judge_final_url(response: SavedResponse) -> Quality | None:
    """Judge a page that redirects led to: a home page, a login or an error page is not the requested page."""
    if response.final_url is None or response.final_url == response.url:
        return None
    kind, reason = kind_of_move(response.url, response.final_url)
    if kind is QualityKind.REDIRECT or (kind is QualityKind.LOGIN and not response.structure.passwords):
        return None
    return Quality(_QUALITIES[kind], kind, (reason,))


def _weigh(evidence: Evidence) -> Quality | None:
    """Return the quality by the weight of the evidence for each kind; None when no kind has enough."""
    if evidence.is_beyond_doubt:
        return None
    response = evidence.response
    surplus = {kind: _weight(evidence, kind) - _needed(evidence, kind) for kind in _WEIGHED}
    kind = max(_WEIGHED, key=lambda one: surplus[one])
    if surplus[kind] < 0:
        return None
    if kind is QualityKind.REDIRECT and response.structure.moves_to:
        return _judge_move(response, response.structure.moves_to)
    return Quality(_quality_of(kind, response), kind, _reasons(evidence.of_kind(kind)))


def _weight(evidence: Evidence, kind: QualityKind) -> float:
    weight = evidence.weight_of(kind)
    response = evidence.response
    if kind is QualityKind.LOGIN and response.structure.passwords:
        return (weight or 0.5 * evidence.is_tiny) + 1.0
    if kind is QualityKind.REDIRECT and response.structure.moves_to:
        return (weight or 0.5 * evidence.is_tiny) + 1.0
    if kind is QualityKind.SOFT_404 and weight and response.structure.is_noindex:
        return weight + 0.5
    return weight


def _needed(evidence: Evidence, kind: QualityKind) -> float:
    """Return the weight that a kind needs on this page: more if it has much content or a site's navigation."""
    content = evidence.other_bytes
    if content >= LONG_TEXT or (content >= 700 and kind is QualityKind.LOGIN):
        return _NEEDED_OF_LONG if kind is QualityKind.SOFT_404 else float("inf")
    needed = next(weight for limit, weight in _NEEDED if content < limit)
    has_navigation = kind in _WITHOUT_NAVIGATION and evidence.response.structure.links > _MANY_LINKS
    quoting = _DESCRIBING_TEXT if kind is QualityKind.SOFT_404 else _QUOTING_TEXT
    may_quote = evidence.content_bytes >= quoting and evidence.is_only_text(kind)
    has_form = kind is QualityKind.CAPTCHA and evidence.response.structure.fields > 1 and evidence.is_only_text(kind)
    return needed + has_navigation + may_quote + 2 * has_form


def _quality_of(kind: QualityKind, response: SavedResponse) -> float:
    is_asked_for = kind is QualityKind.LOGIN and is_login(response.url) and not returns_elsewhere(response.url)
    return 0.3 if is_asked_for else _QUALITIES[kind]


def _reasons(signs: Sequence[Sign]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(sign.reason for sign in signs))[:_FEW_REASONS]


def _judge_consent(evidence: Evidence) -> Quality | None:
    """Judge a page that contains little more than a question about cookies or the visitor's age."""
    response = evidence.response
    asked = evidence.of_kind(QualityKind.CONSENT)
    if not asked or _is_policy(response):
        return None
    about = [_is_about_consent(line) for line in response.lines]
    sizes = [len(line.text) for line in response.lines]
    rest, asking = sum(compress(sizes, map(not_, about))), sum(compress(sizes, about))
    if rest > _CONSENT_REST or rest > asking or not _has_accepting(evidence):
        return None
    reasons = ("it is a question about cookies or age, with hardly anything else", *_reasons(asked))
    return Quality(_QUALITIES[QualityKind.CONSENT], QualityKind.CONSENT, reasons[:_FEW_REASONS])


def _is_about_consent(line: PageLine) -> bool:
    return line.region == Region.CONSENT or _ABOUT_CONSENT.search(plain(line.text)) is not None


def _is_policy(response: SavedResponse) -> bool:
    return any(_POLICY.search(part) for part in (*title_parts(response.title), plain(response.url)))


def _has_accepting(evidence: Evidence) -> bool:
    short = [line.text for line in evidence.response.lines if len(line.text) <= 60]
    written = (plain(text).strip() for text in (*evidence.response.structure.buttons, *short))
    return any(_ACCEPTING.fullmatch(text) for text in written)


def _judge_emptiness(evidence: Evidence) -> Quality | None:
    """Judge a page that scripts would have filled, or whose main part is empty."""
    response, structure = evidence.response, evidence.response.structure
    asked = evidence.of_kind(QualityKind.EMPTY) if evidence.is_tiny else []
    is_hollow = structure.is_hollow and evidence.content_bytes < _MENU_TEXT
    asks_for_scripts = bool(asked) and evidence.other_bytes < _SHELL_TEXT
    shows_something = structure.frames or (not is_hollow and (structure.fields or structure.media))
    if shows_something or not (is_hollow or asks_for_scripts or evidence.text_bytes < _NO_TEXT):
        return None
    if response.text_bytes >= _MENU_TEXT and (is_hollow or response.text_bytes > response.main_bytes + _SHELL_TEXT):
        reason = "its main part is empty, only menus and the like are there"
        return Quality(0.3, QualityKind.EMPTY, (reason, *_reasons(asked)))
    if is_hollow or asked or not response.main_bytes:
        return Quality(0.05, QualityKind.EMPTY, ("it has no content without scripts", *_reasons(asked)))
    if structure.scripts:
        return Quality(0.3, QualityKind.EMPTY, ("it has scripts, and hardly any text but headings",))
    return None


def _judge_paywall(evidence: Evidence) -> Quality | None:
    """Judge an article that ends with a request to subscribe."""
    if evidence.content_bytes >= _PAYWALLED_TEXT:
        return None
    weight = sum(sign.weight for sign in evidence.sentences(QualityKind.PAYWALL))
    if weight + evidence.response.structure.is_not_free < 1.5:
        return None
    quality = 0.3 if evidence.other_bytes < _PAYWALLED_STUB else 0.5
    stated = ("it states that it is not free to read",) if evidence.response.structure.is_not_free else ()
    return Quality(quality, QualityKind.PAYWALL, (*_reasons(evidence.of_kind(QualityKind.PAYWALL)), *stated))


def _judge_size(response: SavedResponse) -> Quality | None:
    """Judge an incomplete response."""
    reason = _cut(response)
    if not reason:
        return None
    return Quality(0.5 if response.main_bytes >= LONG_TEXT else 0.3, QualityKind.TRUNCATED, (reason,))


def _cut(response: SavedResponse) -> str:
    headers = response.headers
    if limit := headers.get("warc-truncated"):
        return f"the crawler cut it off ({limit})"
    if response.status == _PARTIAL:
        return "the server sent a part of it only (status 206)"
    stated = headers.get("content-length", "")
    is_plain = "content-encoding" not in headers and "transfer-encoding" not in headers
    if response.structure.cut and stated.isdecimal() and is_plain and response.html_bytes < int(stated):
        return f"{response.html_bytes} of {stated} bytes are there"
    return response.structure.cut


def _judge_thin_page(evidence: Evidence) -> Quality:
    response = evidence.response
    if response.structure.frames:
        return Quality(0.8, QualityKind.PAGE, ("it consists of frames",))
    if response.main_bytes < _SHELL_TEXT:
        return Quality(0.8, QualityKind.PAGE, ("it has hardly any text",))
    return _GOOD_PAGE
