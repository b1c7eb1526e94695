"""What every verb begins with: settings, logs, the wired parts.

Here and in every module with verbs, what takes long to load is loaded by the verb that needs it: help comes at once.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webstrata.app import App
    from webstrata.settings import Settings


@contextmanager
def started(*, quiet: bool = False) -> Iterator["App"]:
    """Open the archive for one command; `quiet` keeps routine log lines out of a person's way."""
    from webstrata.app import build_app
    from webstrata.settings import load_settings

    settings = load_settings()
    start_logging(settings, quiet=quiet)
    app = build_app(settings)
    try:
        yield app
    finally:
        app.close()


def start_logging(settings: "Settings", *, quiet: bool = False) -> None:
    """Send log lines to standard error, as the settings say."""
    from webstrata.logs import configure_logging
    from webstrata.settings import LogLevel

    at_terminal = quiet and sys.stderr.isatty() and "log_level" not in settings.model_fields_set
    configure_logging(LogLevel.WARNING if at_terminal else settings.log_level, settings.log_format)
