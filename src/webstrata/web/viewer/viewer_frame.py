"""The frame of the snapshot page: the capture replayed in the browser, or else as plain HTML."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from fastapi import Request

from webstrata.http.headers import RAW_PATH
from webstrata.model.archive import SnapshotView
from webstrata.model.replay.replay_address import REPLAY_PATH
from webstrata.model.timestamps import fourteen_digits
from webstrata.settings import Settings
from webstrata.web.viewer.replay_frame import can_replay
from webstrata.web.viewer.replay_host import FRAME_PATH, SiteOrigins, framing_origins
from webstrata.web.viewer.replay_policy import FRAME_SANDBOX

PLAIN = "plain"
"""Value of `view` that asks for the page as plain HTML."""

_FRAMED = re.compile(r"text/(html|plain)|application/xhtml\+xml|image/(avif|bmp|gif|jpeg|png|webp)")
"""Content types that are sent unchanged and work in a sandboxed frame; browsers' PDF viewers do not."""

_PAGES = (None, "text/html", "application/xhtml+xml")
_OWN_FRAMES = "frame-src 'self'"
_POLICY = "Content-Security-Policy"

_NO_WABAC = "wabac.js, which replays pages in the browser, is missing; `make install` fetches it"
_NO_HOST = (
    "replay needs a host name of its own: on this machine open the site as 127.0.0.1, elsewhere set "
    "WEBSTRATA_REPLAY_HOST"
)


@dataclass(frozen=True)
class ViewerFrame:
    """The content of the frame on a snapshot page."""

    address: str
    sandbox: str
    is_page: bool
    is_replayed: bool
    other_view: str | None = None
    """The URL of the page with the other view, if there is one."""
    reason: str | None = None
    """Why a page is not replayed in the browser; None when it is, or when the reader chose plain HTML."""
    replay_origin: str | None = None
    site_origin: str = ""

    def allow_in(self, headers: Mapping[str, str]) -> dict[str, str]:
        """Return the headers of the page around the frame, with a policy that allows this frame only."""
        if self.replay_origin is None:
            return dict(headers)
        # Without JavaScript, the frame offers the page rewritten by this server, without scripts.
        allowed = f"frame-src {self.replay_origin}{FRAME_PATH} {self.site_origin}{REPLAY_PATH}"
        return dict(headers) | {_POLICY: headers[_POLICY].replace(_OWN_FRAMES, allowed)}


def frame_for(request: Request, settings: Settings, snapshot: SnapshotView) -> ViewerFrame:
    """Return the frame for a snapshot: replayed where it can be, unless the reader chose plain HTML."""
    raw, is_page = f"{RAW_PATH}{snapshot.id}", snapshot.mime_type in _PAGES
    if not is_page:
        return ViewerFrame(raw, "", is_page, is_replayed=False)
    plain = ViewerFrame(f"{raw}?banner=false&inertLinks=true", "", is_page, is_replayed=False)
    origins, path = framing_origins(request, settings), f"/snapshot/{snapshot.id}"
    if origins is None or not can_replay():
        return replace(plain, reason=_NO_HOST if origins is None else _NO_WABAC)
    if request.query_params.get("view") == PLAIN:
        return replace(plain, other_view=path)
    return ViewerFrame(
        _start_address(origins, snapshot),
        FRAME_SANDBOX,
        is_page,
        is_replayed=True,
        other_view=f"{path}?view={PLAIN}",
        replay_origin=origins.replay,
        site_origin=origins.site,
    )


def can_be_framed(mime_type: str | None) -> bool:
    """Return whether a browser shows this type inside a sandboxed frame."""
    return mime_type is None or _FRAMED.fullmatch(mime_type) is not None


def _start_address(origins: SiteOrigins, snapshot: SnapshotView) -> str:
    asked = urlencode({"timestamp": fourteen_digits(snapshot.captured_at), "url": snapshot.url})
    return f"{origins.replay}{FRAME_PATH}?{asked}"
