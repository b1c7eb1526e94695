"""Classifies redirects by their target: the home page, a login, an error page, or simply another address."""

import re
from collections import Counter
from collections.abc import Mapping
from urllib.parse import parse_qsl, urljoin, urlsplit

from webstrata.model.quality import Quality, QualityKind

_QUALITY_OF_MOVE = 0.1
_MANY_OTHERS = 4
"""From this number on, pages that redirect to the same URL did not move there."""

_HOME = re.compile(
    r"/?(?:[a-z]{2}(?:[-_][a-z]{2})?/?)?"
    r"(?:(?:index|default|home|main|start|welcome|accueil|startseite|inicio|homepage)(?:\.\w{2,5})?/?)?",
    re.IGNORECASE,
)
"""The path of a home page, also of one in a language."""

_LOGIN = re.compile(
    r"/(?:(?:wp|user|member|account|customer)[-_]?)?(?:log-?in|sign-?in|log-?on|sign-?on|sso|auth|authenticate|oauth2?|saml2?|cas"
    r"|connexion|anmelden|inloggen)(?:\.\w{2,5})?(?:/|$)",
    re.IGNORECASE,
)
_ERROR = re.compile(
    r"/(?:(?:error|erreur|fehler|page)?[-_]?4(?:04|10)(?:[-_]?(?:error|not[-_]?found))?|errors?(?:[-_]?page)?|(?:page|file)?[-_]?not[-_]?found)"
    r"(?:\.\w{2,5})?/?$",
    re.IGNORECASE,
)
_CONSENT_HOST = re.compile(r"^(?:consent|guce|privacy-?gate|myprivacy|cookiewall|cmp)\.", re.IGNORECASE)
_NAMING = frozenset({"p", "page_id", "id", "article", "post", "nid", "sku", "product", "item", "page", "doc", "aid"})
"""Query parameters that name a page on sites where all pages have the same path."""

_RETURNING = frozenset(
    {"next", "return", "returnurl", "return_url", "returnto", "return_to", "redirect", "redirect_to"}
) | {
    *(
        "redirect_uri",
        "redirecturl",
        "continue",
        "back",
        "dest",
        "destination",
        "goto",
        "ref",
        "url",
        "service",
        "from",
        "target",
    )
}
"""Parameters in which a login page stores the requested page."""


def kind_of_move(url: str, target: str) -> tuple[QualityKind, str]:
    """Return the kind of a redirect from one URL to another, and a sentence for readers about it."""
    absolute = urljoin(url, target)
    if _CONSENT_HOST.match(urlsplit(absolute).hostname or ""):
        return QualityKind.CONSENT, f"it leads to a question about cookies, {absolute}"
    if is_login(absolute) and not is_login(url):
        return QualityKind.LOGIN, f"it leads to a login page, {absolute}"
    if _ERROR.search(urlsplit(absolute).path) and not _ERROR.search(urlsplit(url).path):
        return QualityKind.SOFT_404, f"it leads to an error page, {absolute}"
    if is_home(absolute) and not is_home(url) and _is_same_site(url, absolute):
        return QualityKind.SOFT_404, f"it leads to the home page, {absolute}"
    return QualityKind.REDIRECT, f"it leads to {absolute}"


def judge_moves(targets: Mapping[str, str]) -> dict[str, Quality]:
    """Classify the redirects of pages that were captured before, by URL; pages that simply moved are left out.

    A page is gone when it leads to the home page, a login or an error page, and also when many pages lead to one.
    """
    sharing = Counter(urljoin(url, target).partition("#")[0] for url, target in targets.items())
    judged: dict[str, Quality] = {}
    for url, target in targets.items():
        kind, reason = kind_of_move(url, target)
        others = sharing[urljoin(url, target).partition("#")[0]] - 1
        if kind is QualityKind.REDIRECT and others >= _MANY_OTHERS:
            kind, reason = QualityKind.SOFT_404, f"{reason}, as {others} other pages do"
        if kind is not QualityKind.REDIRECT:
            judged[url] = Quality(_QUALITY_OF_MOVE, kind, (reason,))
    return judged


def is_home(url: str) -> bool:
    """Return whether a URL is the one of a site's home page."""
    parts = urlsplit(url)
    names = {name.lower() for name, _ in parse_qsl(parts.query)}
    return _HOME.fullmatch(parts.path) is not None and not names & _NAMING


def is_login(url: str) -> bool:
    """Return whether a URL is the one of a login page."""
    parts = urlsplit(url)
    return _LOGIN.search(parts.path) is not None or (parts.hostname or "").startswith(
        ("login.", "sso.", "auth.", "accounts.")
    )


def returns_elsewhere(url: str) -> bool:
    """Return whether the URL of a login page names a page to return to."""
    return any(name.lower() in _RETURNING for name, _ in parse_qsl(urlsplit(url).query))


def _is_same_site(url: str, target: str) -> bool:
    """Return whether a page was redirected to its own home page, unlike a short link or a move to another domain."""
    ours, theirs = (_site(one) for one in (url, target))
    return ours == theirs or len([part for part in urlsplit(url).path.split("/") if part]) > 1


def _site(url: str) -> str:
    return ".".join((urlsplit(url).hostname or "").removeprefix("www.").split(".")[-2:])
