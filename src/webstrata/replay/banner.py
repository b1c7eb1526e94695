"""The banner above an archived page, with its title, URL and time of capture."""

from datetime import UTC, datetime
from html import escape

from webstrata.content.rewriting.body_start import body_start
from webstrata.model.archive import SnapshotView
from webstrata.model.captures import ArchivedCapture
from webstrata.replay.markup import Markup

BANNER_ID = "webstrata-banner"
MAX_SHOWN = 300
"""The most characters of a title or an address that are shown, as both are chosen by the archived site."""

# `all: initial` and `!important` in the attribute itself win over every style sheet of the page.
_BOX = (
    "all:initial!important;display:block!important;visibility:visible!important;position:relative!important;"
    "z-index:2147483647!important;box-sizing:border-box!important;width:100%!important;padding:8px 12px!important;"
    "background:#1c2733!important;border-bottom:2px solid #6cb2eb!important;"
    "font:14px/1.4 system-ui,sans-serif!important;color:#fff!important;overflow-wrap:anywhere!important"
)
_PART = "all:unset!important;color:#fff!important;font-weight:{weight}!important"
_LINK = "all:unset!important;color:#9fd3ff!important;text-decoration:underline!important;cursor:pointer!important"


def with_banner(html: bytes, charset: str | None, snapshot: SnapshotView) -> bytes:
    """Return a page with its banner at the start of the body; all other bytes are unchanged."""
    page = Markup(html, charset)
    return page.insert(body_start(page.ascii), banner_html(snapshot))


def banner_html(snapshot: SnapshotView) -> str:
    """Return the banner in ASCII, so that it reads the same in every charset."""
    title = f'<bdi style="{_PART.format(weight=400)}">{_escape_text(snapshot.title or "Untitled page")}</bdi> '
    link = f"/snapshot/{snapshot.id}", "About this snapshot"
    return _banner(title, snapshot.captured_at, snapshot.url, link)


def capture_banner(capture: ArchivedCapture, list_path: str) -> str:
    """Return the banner of a capture, which may have no snapshot, with a link to the other captures of its URL."""
    return _banner("", capture.captured_at, capture.url, (list_path, "All captures"))


def _banner(title: str, captured_at: datetime, url: str, link: tuple[str, str]) -> str:
    moment, (path, words) = captured_at.astimezone(UTC), link
    return (
        f'<div id="{BANNER_ID}" lang="en" dir="ltr" role="note" aria-label="Archived page" style="{_BOX}">'
        f'<strong style="{_PART.format(weight=700)}">Archived page:</strong> {title}'
        f'<span style="{_PART.format(weight=400)}">captured on '
        f'<time style="{_PART.format(weight=700)}" datetime="{moment:%Y-%m-%dT%H:%M:%SZ}">'
        f"{moment:%Y-%m-%d %H:%M:%S} UTC</time> from </span>"
        f'<bdi style="{_PART.format(weight=400)}">{_escape_text(url)}</bdi> '
        f'<a style="{_LINK}" href="{_escaped(path)}" target="_top">{words}</a></div>'
    )


def _escape_text(text: str) -> str:
    """Return text from another site, escaped for use in any page."""
    return _escaped(text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…")


def _escaped(text: str) -> str:
    return escape(text, quote=True).encode("ascii", "xmlcharrefreplace").decode("ascii")
