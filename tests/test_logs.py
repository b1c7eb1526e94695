import json
import logging
import re
import warnings
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr
from structlog.contextvars import bound_contextvars

from webstrata.errors import UsageError
from webstrata.logs import (
    HIDDEN,
    SERVER_LOGGING,
    configure_logging,
    harmless,
    redact,
    render_json,
    render_text,
    without_secrets,
)


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = handlers, level
    logging.captureWarnings(False)
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()


@pytest.fixture
def out() -> StringIO:
    return StringIO()


def events(out: StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_a_file_gets_json_and_a_terminal_gets_text() -> None:
    file, terminal = StringIO(), Terminal()
    configure_logging(stream=file)
    structlog.get_logger().info("crawl.begin", pages=3)
    configure_logging(stream=terminal)
    structlog.get_logger().info("crawl.begin", pages=3)
    assert events(file)[0]["event"] == "crawl.begin"
    assert re.fullmatch(r"\S+Z INFO    crawl\.begin pages=3\n", terminal.getvalue())


@pytest.mark.parametrize(("format", "begins_with"), [("json", "{"), ("text", "2")])
def test_a_chosen_format_wins_over_what_the_stream_is(format: str, begins_with: str) -> None:
    for stream in (StringIO(), Terminal()):
        configure_logging(format=format, stream=stream)
        structlog.get_logger().info("crawl.begin")
        assert stream.getvalue().startswith(begins_with)


def test_an_event_carries_its_name_level_fields_and_utc_time(out: StringIO) -> None:
    configure_logging(stream=out)
    structlog.get_logger().warning("lock.lost", domain="example.org", seconds=1.5)
    event = events(out)[0]
    assert event | {"timestamp": ""} == {
        "timestamp": "",
        "level": "warning",
        "event": "lock.lost",
        "domain": "example.org",
        "seconds": 1.5,
    }
    assert datetime.now(UTC) - datetime.fromisoformat(str(event["timestamp"])) < timedelta(minutes=1)


def test_what_is_below_the_level_is_not_written(out: StringIO) -> None:
    configure_logging(level="WARNING", stream=out)
    structlog.get_logger().info("quiet")
    logging.getLogger("granian.access").info("quiet")
    structlog.get_logger().error("loud")
    assert [event["event"] for event in events(out)] == ["loud"]


@pytest.mark.parametrize(("level", "format"), [("LOUD", "json"), ("INFO", "xml")])
def test_an_unknown_level_or_format_is_refused(level: str, format: str) -> None:
    with pytest.raises(UsageError, match=r"LOUD|xml"):
        configure_logging(level=level, format=format)


def test_bound_ids_are_on_every_line_of_theirs_and_on_no_other(out: StringIO) -> None:
    configure_logging(stream=out)
    log = structlog.get_logger()
    with bound_contextvars(request_id="r1", job_id=7):
        log.info("inside")
        logging.getLogger("library").warning("inside")
    log.info("outside")
    inside, library, outside = events(out)
    assert (inside["request_id"], inside["job_id"]) == ("r1", 7)
    assert (library["request_id"], library["job_id"]) == ("r1", 7)
    assert "request_id" not in outside


def test_libraries_that_use_logging_come_out_the_same_way(out: StringIO) -> None:
    configure_logging(stream=out)
    logging.getLogger("alembic.runtime").warning("moved %s rows", 3)
    event = events(out)[0]
    assert (event["event"], event["level"], event["logger"]) == ("moved 3 rows", "warning", "alembic.runtime")


def test_granian_logs_through_us(out: StringIO) -> None:
    from granian.log import LogLevels, access_logger
    from granian.log import configure_logging as configure_granian
    from granian.log import logger as granian_logger

    configure_logging(stream=out)
    configure_granian(LogLevels.info, SERVER_LOGGING)
    granian_logger.info("Starting granian")
    access_logger.info("GET /")
    assert [event["logger"] for event in events(out)] == ["_granian", "granian.access"]


def test_python_warnings_are_logged(out: StringIO) -> None:
    configure_logging(stream=out)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(False)
        logging.captureWarnings(True)
        warnings.warn("old habit", DeprecationWarning, stacklevel=1)
    assert "old habit" in str(events(out)[0]["event"])


def test_queries_are_not_logged_even_when_we_debug(out: StringIO) -> None:
    configure_logging(level="DEBUG", stream=out)
    logging.getLogger("sqlalchemy.engine").info("SELECT secret")
    structlog.get_logger().debug("ours")
    assert [event["event"] for event in events(out)] == ["ours"]


@pytest.mark.parametrize(
    "key",
    [
        *("token", "admin_token", "X-Admin-Token", "Authorization", "cookie", "Set-Cookie"),
        *("password", "passwd", "client_secret", "api_key", "APIKEY"),
    ],
)
def test_secret_fields_are_hidden_wherever_they_are(key: str, out: StringIO) -> None:
    configure_logging(stream=out)
    structlog.get_logger().info("x", **{key: "hunter2"}, headers={"deep": [{key: b"hunter2"}]})
    assert "hunter2" not in out.getvalue()
    assert events(out)[0][key] == HIDDEN


def test_a_field_that_was_not_given_shows_that_it_was_not(out: StringIO) -> None:
    configure_logging(stream=out)
    structlog.get_logger().info("x", admin_token=None)
    assert events(out)[0]["admin_token"] is None


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("postgresql://ann:hunter2@db/x", f"postgresql://ann:{HIDDEN}@db/x"),
        ("redis://:hunter2@cache:6379/0", f"redis://:{HIDDEN}@cache:6379/0"),
        ("no: http://a:hunter2@b@c/ and ftp://u:p@h/", f"no: http://a:{HIDDEN}@c/ and ftp://u:{HIDDEN}@h/"),
        ("https://example.org:8080/a@b:c@d", "https://example.org:8080/a@b:c@d"),
        ("mailto:ann@example.org", "mailto:ann@example.org"),
    ],
)
def test_passwords_in_addresses_are_hidden_and_nothing_else(written: str, shown: str, out: StringIO) -> None:
    configure_logging(stream=out)
    structlog.get_logger().info("open", address=written, nested=[written])
    logging.getLogger("library").warning("cannot open %s", written)
    ours, library = events(out)
    assert (ours["address"], ours["nested"]) == (shown, [shown])
    assert library["event"] == f"cannot open {shown}"


def test_passwords_in_error_messages_are_hidden(out: StringIO) -> None:
    configure_logging(stream=out)
    try:
        raise ValueError("http://ann:hunter2@example.org/")
    except ValueError as error:
        structlog.get_logger().exception("fetch.error", error=error)
    assert "hunter2" not in out.getvalue()
    assert "Traceback" in str(events(out)[0]["exception"])


def test_secret_values_of_the_settings_mask_themselves(out: StringIO) -> None:
    configure_logging(stream=out)
    structlog.get_logger().info("settings", database=SecretStr("hunter2"))
    assert "hunter2" not in out.getvalue()


def test_a_traceback_in_text_cannot_pass_for_log_lines() -> None:
    terminal = Terminal()
    configure_logging(stream=terminal)
    try:
        raise ValueError("bad\n2030-01-01T00:00:00Z INFO    forged.event")
    except ValueError:
        structlog.get_logger().exception("http.error")
    first, *rest = terminal.getvalue().splitlines()
    assert "http.error" in first
    assert rest
    assert all(line.startswith("    | ") for line in rest)


def test_a_very_long_value_is_cut_and_reports_it(out: StringIO) -> None:
    configure_logging(stream=out)
    structlog.get_logger().info("fetch", url="x" * 1_000_000)
    assert len(out.getvalue()) < 30_000
    assert "1000000 characters" in out.getvalue()


@given(st.text(alphabet=st.characters(codec=None), max_size=200))
def test_whatever_a_stranger_writes_stays_on_one_line(written: str) -> None:
    event = redact(None, "info", {"event": "seen", "level": "info", "timestamp": "now", "path": written})
    for render in (render_text, render_json):
        line = render(None, "info", event)
        assert len(line.splitlines()) == 1
        assert "\x1b" not in line
        assert line.encode("utf-8")
    assert json.loads(render_json(None, "info", event))["path"] == event["path"]


@given(st.text())
def test_harmless_text_commands_no_terminal_and_keeps_what_can_be_read(written: str) -> None:
    shown = harmless(written)
    assert not re.search("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", shown)
    assert "Año, 5 €: [bold]" in harmless(f"{written}Año, 5 €: [bold]")


def test_what_is_kept_without_secrets_is_plain_and_else_the_same() -> None:
    told = {"seeds": ("https://me:word@example.org/",), "crawl": {"api_key": "x", "max_pages": 5, "delay": None}}
    assert without_secrets(told) == {
        "seeds": [f"https://me:{HIDDEN}@example.org/"],
        "crawl": {"api_key": HIDDEN, "max_pages": 5, "delay": None},
    }


@given(st.text(min_size=1, max_size=50))
def test_a_value_cannot_pass_for_another_field_in_text(written: str) -> None:
    line = render_text(
        None, "info", {"event": "seen", "level": "info", "timestamp": "now", "path": f"{written} status=200"}
    )
    assert ' path="' in line


@given(st.recursive(st.none() | st.floats() | st.binary(max_size=5), lambda deeper: st.lists(deeper, max_size=3)))
def test_any_value_can_be_logged(value: object) -> None:
    event = redact(None, "info", {"event": "seen", "value": value})
    assert json.loads(render_json(None, "info", event), parse_constant=pytest.fail)["event"] == "seen"
