"""Settings of the browser that opens pages for crawls, audits and checks."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from webstrata.settings.fields import setting


class BrowserSettings(BaseModel):
    """Which browser is used."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    previews: bool = setting(
        True, "Take a picture of a source's front page after each of its jobs, if the extra `browser` is installed."
    )
    chromium: Path | None = setting(
        None,
        "Path or command of the Chromium that opens pages. Default: the first installed one of "
        "chromium-headless-shell, chromium and google-chrome.",
    )
