"""Finding the Chromium of the system, and Playwright to drive it."""

import shutil
from importlib.util import find_spec
from pathlib import Path

from webstrata.errors import MissingBrowserError, MissingExtraError

EXTRA = "browser"
_FEATURE = "the browser fetcher"
_NAMES = (
    *("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)


def find_chromium(program: Path | None = None) -> Path:
    """Return the Chromium to start: the one that is named, else an installed one; MissingBrowserError without any."""
    if program is not None:
        found = shutil.which(program)
        if found is None:
            raise MissingBrowserError(f"WEBSTRATA_CHROMIUM: {program} is not a program that can be started")
        return Path(found)
    for name in _NAMES:
        if found := shutil.which(name):
            return Path(found)
    raise MissingBrowserError(
        "no Chromium was found: install one (Debian: chromium-headless-shell) or name it in WEBSTRATA_CHROMIUM; "
        f"it is used by the extra webstrata[{EXTRA}]"
    )


def check_browser(program: Path | None = None) -> Path:
    """Return the Chromium to start; MissingExtraError when it or the extra is not installed."""
    if any(find_spec(name) is None for name in ("playwright", "h11")):
        raise MissingExtraError(_FEATURE, EXTRA)
    return find_chromium(program)


def has_browser(program: Path | None = None) -> bool:
    """Return whether pages can be opened in a browser here."""
    try:
        check_browser(program)
    except MissingExtraError:
        return False
    return True
