"""Words for the quality of captures, as pages show them."""

from webstrata.model.archive import SnapshotView
from webstrata.model.quality import QualityKind
from webstrata.web.present import is_good

_WORDS = {
    QualityKind.ERROR: "Error page",
    QualityKind.BLOCKED: "Block page",
    QualityKind.CAPTCHA: "Captcha",
    QualityKind.LOGIN: "Login page",
    QualityKind.CONSENT: "Consent page",
    QualityKind.PAYWALL: "Paywall",
    QualityKind.SOFT_404: "Page not found",
    QualityKind.EMPTY: "Empty page",
    QualityKind.PARKED: "Parked domain",
    QualityKind.PLACEHOLDER: "Placeholder",
    QualityKind.MAINTENANCE: "Maintenance page",
    QualityKind.TRUNCATED: "Cut off",
    QualityKind.REDIRECT: "Redirect page",
}


def quality_words(snapshot: SnapshotView) -> str | None:
    """Return what a capture shows instead of its page; None for good captures, and if the status already shows it."""
    kind = snapshot.quality_kind
    if kind == QualityKind.ERROR and not is_good(snapshot.status_code):
        return None
    return _WORDS.get(QualityKind(kind)) if kind in list(QualityKind) else None


def quality_reasons(snapshot: SnapshotView) -> str:
    """Return the reasons for the quality of a capture in one sentence."""
    return "; ".join((snapshot.quality_reasons or "").splitlines())
