"""Structured logs: one event name and its fields a line, as text for people or as JSON for machines.

Our code logs with `structlog.get_logger()`; log records of other libraries get the same format. External input cannot
forge a line: control characters are escaped, and only tracebacks, whose lines are marked, have several lines.
"""

import json
import logging
import math
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from webstrata.errors import UsageError

HIDDEN = "********"

LIBRARY_LEVELS = {
    "alembic": logging.WARNING,
    # It logs full URLs with the tokens in them.
    "apprise": logging.CRITICAL + 1,
    "asyncio": logging.WARNING,
    "sqlalchemy": logging.WARNING,
}
"""The lowest levels of libraries that log every step, independent of our own level."""

SERVER_LOGGING: dict[str, Any] = {
    "handlers": {},
    "formatters": {},
    "loggers": {"_granian": {"propagate": True}, "granian.access": {"propagate": True}},
}
"""The log configuration for granian: its lines are formatted like ours."""

_SECRET_KEY = re.compile(
    r"token|authorization|cookie|passw(?:or)?d|secret|api_?key|credential|vpn_connect_command", re.IGNORECASE
)
_URL_PASSWORD = re.compile(r"(://[^\s/?#@:]*):[^\s/?#]*@")
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
_BARE_VALUE = re.compile(r"[^\s\"'=]+")
_TRACEBACKS = ("exception", "stack")
_DEEPEST = 6
_LONGEST = 20_000
_NAMES_CACHED = 1_024


def configure_logging(
    level: str = "INFO", format: str = "auto", stream: TextIO | None = None, *, shown: str | None = None
) -> None:
    """Send every log line of this process to a stream; calling it again starts afresh.

    Where `shown` is given, the stream gets only lines of that level and above; log files get all.
    """
    out = sys.stderr if stream is None else stream
    if level not in logging.getLevelNamesMapping():
        raise UsageError(f"log level {level!r} is unknown (expected DEBUG, INFO, WARNING, ERROR or CRITICAL)")
    number = logging.getLevelNamesMapping()[level]
    _configure_structlog(number)
    handler = logging.StreamHandler(out)
    handler.setFormatter(_formatter(_renderer(format, out)))
    handler.setLevel(shown or level)
    logging.basicConfig(handlers=[handler], level=number, force=True)
    logging.captureWarnings(True)
    for name, lowest in LIBRARY_LEVELS.items():
        logging.getLogger(name).setLevel(max(lowest, number))


@contextmanager
def also_to(stream: TextIO) -> Iterator[None]:
    """Also send log lines to a second stream, as JSON, while the block lasts; its failures are ignored."""
    handler = _Forgiving(stream)
    handler.setFormatter(_formatter(render_json))
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)


class _Forgiving(logging.StreamHandler[TextIO]):
    """A log handler that ignores its own failures."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the library's name
        """Drop a line that cannot be written."""


def _configure_structlog(level: int) -> None:
    structlog.configure(
        processors=[*_common_steps(), structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )


def _common_steps() -> list[Processor]:
    """Return the processors of every event, ours or a library's."""
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]


def _formatter(renderer: Processor) -> logging.Formatter:
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[*_common_steps(), structlog.stdlib.add_logger_name],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.StackInfoRenderer(),
            structlog.processors.format_exc_info,
            redact,
            renderer,
        ],
    )


def _renderer(format: str, stream: TextIO) -> Processor:
    if format not in {"auto", "text", "json"}:
        raise UsageError(f"log format {format!r} is unknown (expected auto, text or json)")
    as_text = format == "text" or (format == "auto" and stream.isatty())
    return render_text if as_text else render_json


def redact(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Return the event as plain values, without secrets."""
    return without_secrets(event)


def without_secrets(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return plain values in which secrets, by name, and passwords in URLs are hidden."""
    return {key: _without_secrets(key, value, depth=0) for key, value in values.items()}


def _without_secrets(key: str, value: object, depth: int) -> object:
    if value is None or isinstance(value, bool):
        return value
    if _names_secret(key):
        return HIDDEN
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if depth < _DEEPEST and isinstance(value, Mapping):
        return {str(k): _without_secrets(str(k), v, depth + 1) for k, v in value.items()}
    if depth < _DEEPEST and isinstance(value, list | tuple | set | frozenset):
        return [_without_secrets("", part, depth + 1) for part in value]
    text = _shorten(str(value))
    return _URL_PASSWORD.sub(rf"\1:{HIDDEN}@", text) if "://" in text else text


@lru_cache(_NAMES_CACHED)
def _names_secret(key: str) -> bool:
    return _SECRET_KEY.search(key) is not None


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... ({len(text)} characters)"


def render_json(_logger: WrappedLogger, _method: str, event: EventDict) -> str:
    """Return the event as one line of JSON, time and name first."""
    return json.dumps(_in_order(event))


def render_text(_logger: WrappedLogger, _method: str, event: EventDict) -> str:
    """Return the event as a line for people; the lines of a traceback follow, marked with a bar."""
    fields = _in_order(event)
    head = (str(fields.pop("timestamp", "")), str(fields.pop("level", "")).upper().ljust(7))
    name = str(fields.pop("event", ""))
    traces = [str(fields.pop(key)) for key in _TRACEBACKS if key in fields]
    line = " ".join([*head, name, *(f"{key}={_format_value(value)}" for key, value in fields.items())])
    marked = (f"    | {part}" for trace in traces for part in trace.split("\n"))
    return "\n".join(map(harmless, (line, *marked)))


def harmless(text: str) -> str:
    """Return a text on one line, with control characters escaped so that it cannot steer a terminal or forge a line."""
    return _UNSAFE.sub(_escape, text)


def _in_order(event: EventDict) -> dict[str, Any]:
    first = {key: event[key] for key in ("timestamp", "level", "event") if key in event}
    return first | dict(event)


def _format_value(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if _BARE_VALUE.fullmatch(text) else json.dumps(text, ensure_ascii=False)


def _escape(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")
