"""Markers in a page's source and in response headers by which firewalls and parked domains are recognised.

Only markers of refusals and challenges are listed: other scripts and cookies of these products are on good pages, too.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from webstrata.model.quality import QualityKind

CERTAIN = 2.0
LIKELY = 1.5
WEAK = 0.5


@dataclass(frozen=True)
class Marker:
    """A marker, what it indicates and how surely."""

    kind: QualityKind
    weight: float
    product: str


_BLOCKED, _CAPTCHA, _PARKED = QualityKind.BLOCKED, QualityKind.CAPTCHA, QualityKind.PARKED

SOURCE_MARKERS: Mapping[str, Marker] = {
    **dict.fromkeys(
        ("_cf_chl_opt", "cf_chl_", "cf-chl-", "cf-browser-verification", "challenge-error-text"),
        Marker(_CAPTCHA, CERTAIN, "Cloudflare"),
    ),
    "challenge-form": Marker(_CAPTCHA, LIKELY, "Cloudflare"),
    "cf-error-details": Marker(_BLOCKED, 1.0, "Cloudflare"),
    **dict.fromkeys(
        ("sec-if-cpt-container", "sec-cpt-if", "bm-verify", "/_sec/cp_challenge"),
        Marker(_CAPTCHA, CERTAIN, "Akamai"),
    ),
    "errors.edgesuite.net": Marker(_BLOCKED, CERTAIN, "Akamai"),
    **dict.fromkeys(("swudnsai=", "cwudnsai="), Marker(_BLOCKED, CERTAIN, "Imperva")),
    "incapsula incident id": Marker(_BLOCKED, CERTAIN, "Imperva"),
    **dict.fromkeys(("px-captcha", "captcha.px-cdn.net", "_pxblock"), Marker(_CAPTCHA, CERTAIN, "HUMAN (PerimeterX)")),
    "captcha-delivery.com": Marker(_CAPTCHA, CERTAIN, "DataDome"),
    "gokuprops": Marker(_CAPTCHA, CERTAIN, "AWS WAF"),
    "awswafcookiedomainlist": Marker(_CAPTCHA, 1.0, "AWS WAF"),
    "sucuri_cloudproxy_js": Marker(_CAPTCHA, CERTAIN, "Sucuri"),
    "cdn.sucuri.net/sucuri-firewall": Marker(_BLOCKED, CERTAIN, "Sucuri"),
    "bobcmn": Marker(_CAPTCHA, 1.0, "F5"),
    "distil_identification_block": Marker(_BLOCKED, LIKELY, "Distil"),
    "distil_r_captcha": Marker(_CAPTCHA, CERTAIN, "Distil"),
    **dict.fromkeys(("perfdrive.com", "shieldsquare"), Marker(_CAPTCHA, LIKELY, "Radware")),
    "/ips.js?": Marker(_CAPTCHA, LIKELY, "Kasada"),
    **dict.fromkeys(("anubis_challenge", "/.within.website/x/"), Marker(_CAPTCHA, CERTAIN, "Anubis")),
    ".well-known/ddos-guard/": Marker(_CAPTCHA, LIKELY, "DDoS-Guard"),
    "/.well-known/vercel/security/": Marker(_CAPTCHA, CERTAIN, "Vercel"),
    "_____tmd_____": Marker(_CAPTCHA, LIKELY, "Alibaba"),
    "showcaptcha": Marker(_CAPTCHA, LIKELY, "Yandex"),
    "sgcaptcha": Marker(_CAPTCHA, LIKELY, "SiteGround"),
    "wfblock": Marker(_BLOCKED, 1.0, "Wordfence"),
    **dict.fromkeys(
        (
            *("sedoparking", "parkingcrew", "parklogic", "bodis.com", "cdn.dan.com", "above.com/marketplace"),
            *("adsense/domains/caf.js", "wsimg.com/parking-lander", "hugedomains.com/domain_profile"),
            *("parking.namesilo", "window.park ", 'href="/lander"'),
        ),
        Marker(_PARKED, LIKELY, "domain parking"),
    ),
}

CAPTCHA_WIDGETS = (
    "g-recaptcha",
    "h-captcha",
    "cf-turnstile",
    "geetest",
    "arkoselabs",
    "friendlycaptcha",
    "frc-captcha",
)
"""Captcha widgets, which firewalls' pages contain, but also forms on good pages."""

_SEARCHED = (*SOURCE_MARKERS, *CAPTCHA_WIDGETS)


def found_markers(source: str) -> frozenset[str]:
    """Return the markers in a source in lower case."""
    return frozenset(marker for marker in _SEARCHED if marker in source)


_HEADER_VALUES: Mapping[str, tuple[tuple[str, Marker], ...]] = {
    "cf-mitigated": (("", Marker(_CAPTCHA, CERTAIN, "Cloudflare")),),
    "x-amzn-waf-action": (("", Marker(_CAPTCHA, CERTAIN, "AWS WAF")),),
    "x-vercel-mitigated": (
        ("challenge", Marker(_CAPTCHA, CERTAIN, "Vercel")),
        ("deny", Marker(_BLOCKED, CERTAIN, "Vercel")),
    ),
    "x-sucuri-block": (("", Marker(_BLOCKED, CERTAIN, "Sucuri")),),
    "x-datadome": (("protected", Marker(_CAPTCHA, WEAK, "DataDome")),),
    "x-dd-b": (("", Marker(_CAPTCHA, WEAK, "DataDome")),),
    "x-kpsdk-ct": (("", Marker(_CAPTCHA, WEAK, "Kasada")),),
    "x-cdn": (("incapsula", Marker(_BLOCKED, WEAK, "Imperva")), ("imperva", Marker(_BLOCKED, WEAK, "Imperva"))),
    "x-iinfo": (("", Marker(_BLOCKED, WEAK, "Imperva")),),
    "server": (
        ("akamaighost", Marker(_BLOCKED, 1.0, "Akamai")),
        ("ddos-guard", Marker(_CAPTCHA, WEAK, "DDoS-Guard")),
        ("sucuri", Marker(_BLOCKED, WEAK, "Sucuri")),
        ("parking", Marker(_PARKED, LIKELY, "domain parking")),
    ),
    "set-cookie": (
        ("incap_ses", Marker(_BLOCKED, WEAK, "Imperva")),
        ("datadome=", Marker(_CAPTCHA, WEAK, "DataDome")),
        ("aws-waf-token", Marker(_CAPTCHA, WEAK, "AWS WAF")),
        ("__cfwaitingroom", Marker(_BLOCKED, WEAK, "Cloudflare")),
    ),
    "x-adblock-key": (("", Marker(_PARKED, LIKELY, "domain parking")),),
    "www-authenticate": (("", Marker(QualityKind.LOGIN, 1.0, "HTTP authentication")),),
    "retry-after": (("", Marker(QualityKind.MAINTENANCE, WEAK, "Retry-After")),),
}
"""By the header's name in lower case: what its value contains, and what that indicates."""


def header_markers(headers: Mapping[str, str]) -> Iterator[tuple[str, Marker]]:
    """Yield the markers in response headers, with the header that each is in; names are in lower case."""
    for name, value in headers.items():
        for part, marker in _HEADER_VALUES.get(name, ()):
            if part in value.lower():
                yield name, marker
