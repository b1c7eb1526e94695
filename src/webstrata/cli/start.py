"""What every verb begins with: settings, logs, the wired parts."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from webstrata.app import App, build_app
from webstrata.logs import configure_logging
from webstrata.settings import LogLevel, Settings, load_settings


@contextmanager
def started(*, quiet: bool = False) -> Iterator[App]:
    """Open the archive for one command; `quiet` keeps routine log lines out of a person's way."""
    settings = load_settings()
    start_logging(settings, quiet=quiet)
    app = build_app(settings)
    try:
        yield app
    finally:
        app.close()


def start_logging(settings: Settings, *, quiet: bool = False) -> None:
    """Send log lines to standard error, as the settings say."""
    at_terminal = quiet and sys.stderr.isatty() and "log_level" not in settings.model_fields_set
    configure_logging(LogLevel.WARNING if at_terminal else settings.log_level, settings.log_format)
