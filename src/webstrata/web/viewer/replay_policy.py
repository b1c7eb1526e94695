"""Security headers of the replay host: what archived pages and the replay worker may do in the browser."""

from collections.abc import Sequence

from webstrata.web.viewer.replay_host import ARCHIVED_PATH, FRAME_PATH, SiteOrigins

_NO_DEVICES = (
    *("accelerometer", "autoplay", "camera", "clipboard-read", "clipboard-write", "display-capture"),
    *("fullscreen", "gamepad", "geolocation", "gyroscope", "hid", "idle-detection", "local-fonts", "magnetometer"),
    *("microphone", "midi", "payment", "publickey-credentials-create", "publickey-credentials-get"),
    *("screen-wake-lock", "serial", "storage-access", "usb", "xr-spatial-tracking"),
)
CONFINED = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Origin-Agent-Cluster": "?1",
    "Permissions-Policy": ", ".join(f"{feature}=()" for feature in _NO_DEVICES),
    "Referrer-Policy": "same-origin",
    "X-DNS-Prefetch-Control": "off",
}
"""Headers of every response on the replay host: no devices, no referrer for others, no DNS prefetching."""

FRAME_SANDBOX = "allow-scripts allow-same-origin"
"""The sandbox of a framed archived page. It may use its own origin, which only archived pages have, because service
workers need one. It may not open windows, send forms, or navigate the surrounding page."""

WORKER_POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"
"""The policy of the worker, which may load only captures of this archive, whatever an archived page requests."""


def archived_page_policy(origins: SiteOrigins, framing: Sequence[str]) -> str:
    """Return the policy of archived pages: scripts run, but can load only captures of this archive."""
    return "; ".join(
        (
            f"sandbox {FRAME_SANDBOX}",
            "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:",
            f"frame-src {origins.replay}{ARCHIVED_PATH} data: blob:",
            "worker-src 'self' blob:",
            "object-src 'none'",
            "form-action 'none'",
            f"frame-ancestors 'self' {_list_ancestors(origins, framing)}",
        )
    )


def start_page_policy(origins: SiteOrigins, framing: Sequence[str]) -> str:
    """Return the policy of the page that starts the worker; archived pages must not be able to frame it."""
    ours = f"{origins.replay}{FRAME_PATH}"
    return (
        f"default-src 'none'; script-src {ours}; style-src {ours}; worker-src {ours}; connect-src {ours}; "
        f"base-uri 'none'; form-action 'none'; frame-ancestors {_list_ancestors(origins, framing)}"
    )


def _list_ancestors(origins: SiteOrigins, framing: Sequence[str]) -> str:
    return " ".join((origins.site, *framing))
