"""Every setting of the program, in groups; `reading` finds their values."""

from webstrata.settings.fields import Network
from webstrata.settings.general import Environment, LogFormat, LogLevel
from webstrata.settings.reading import (
    DOTENV,
    LOG_LEVEL,
    OLDER_PREFIX,
    PREFIX,
    Settings,
    ShownSetting,
    ignored_names,
    in_environment,
    load_settings,
    names_of,
    show_settings,
    without_passwords,
)

__all__ = [
    "DOTENV",
    "LOG_LEVEL",
    "OLDER_PREFIX",
    "PREFIX",
    "Environment",
    "LogFormat",
    "LogLevel",
    "Network",
    "Settings",
    "ShownSetting",
    "ignored_names",
    "in_environment",
    "load_settings",
    "names_of",
    "show_settings",
    "without_passwords",
]
