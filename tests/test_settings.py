import re
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr, ValidationError

from tools.settings_reference import REFERENCE, reference
from webstrata.errors import SettingsError
from webstrata.settings import (
    PREFIX,
    Environment,
    LogFormat,
    LogLevel,
    Settings,
    ignored_names,
    load_settings,
    names_of,
    show_settings,
    without_passwords,
)

ODD_PASSWORD = "p@ss:w/rd%20"

GIVEN: dict[str, tuple[str, object]] = {
    "data_dir": ("/srv/strata", Path("/srv/strata")),
    "archive_root": ("warcs", Path("warcs")),
    "database_url": ("postgresql://me@db/strata", SecretStr("postgresql://me@db/strata")),
    "min_free_bytes": ("0", 0),
    "tool_cmd": ("nice archive-tool", "nice archive-tool"),
    "index_while_crawling_seconds": ("0", 0.0),
    "index_processes": ("3", 3),
    "replay_base_url": ("https://replay.example/all/", "https://replay.example/all"),
    "replay_host": ("replay.example.net", "replay.example.net"),
    "replay_collections_dir": ("pywb/collections", Path("pywb/collections")),
    "replay_preview_dir": ("pictures", Path("pictures")),
    "env": ("production", Environment.PRODUCTION),
    "log_level": ("debug", LogLevel.DEBUG),
    "log_format": ("json", LogFormat.JSON),
    "host": ("0.0.0.0", "0.0.0.0"),
    "port": ("9000", 9000),
    "admin_token": ("open sesame", SecretStr("open sesame")),
    "cors_origins": ("https://a.example, https://b.example,", ("https://a.example", "https://b.example")),
    "public_site_url": ("https://archive.example.org/", "https://archive.example.org"),
    "rate_limiting_enabled": ("false", False),
    "csp_enabled": ("false", False),
    "hsts_enabled": ("false", False),
    "hsts_max_age": ("600", 600),
    "change_tracking_enabled": ("false", False),
    "compare_live_enabled": ("true", True),
    "exports_enabled": ("false", False),
    "exports_default_limit": ("50", 50),
    "exports_max_limit": ("500", 500),
    "usage_enabled": ("false", False),
    "usage_window_days": ("7", 7),
    "usage_write_seconds": ("5", 5.0),
    "kept_answers_bytes": ("0", 0),
    "serve_processes": ("4", 4),
    "trusted_proxies": ("10.0.0.0/8, ::1/128", (IPv4Network("10.0.0.0/8"), IPv6Network("::1/128"))),
    "rate_limit": ("0", 0),
    "rate_limit_search": ("30", 30),
    "rate_limit_exports": ("3", 3),
    "rate_limit_compare": ("2", 2),
    "rate_limit_replay": ("900", 900),
    "rate_limit_reports": ("2", 2),
    "rate_limit_logins": ("4", 4),
    "pages_fastpath": ("off", False),
    "redis_url": ("redis://:geheim@cache:6379/1", SecretStr("redis://:geheim@cache:6379/1")),
    "domain_lock_ttl_seconds": ("30", 30),
    "domain_throttle_ttl_seconds": ("5", 5),
    "domain_min_delay_ms": ("0", 0),
    "disable_throttle": ("true", True),
    "disable_locks": ("1", True),
    "use_sitemaps": ("no", False),
    "recheck_known_pages": ("no", False),
    "respect_nofollow": ("yes", True),
    "respect_noarchive": ("on", True),
    "user_agent": ("bot (+https://me.example)", "bot (+https://me.example)"),
    "allow_private_networks": ("10.0.0.0/8, ::1", (IPv4Network("10.0.0.0/8"), IPv6Network("::1/128"))),
    "http_proxy": ("http://me:geheim@proxy:3128", SecretStr("http://me:geheim@proxy:3128")),
    "respect_robots": ("0", False),
    "concurrency": ("4", 4),
    "per_host_delay": ("0.25", 0.25),
    "per_host_concurrency": ("2", 2),
    "max_crawl_delay": ("0", 0.0),
    "jitter": ("0.5", 0.5),
    "fetch_timeout": ("5", 5.0),
    "max_body_bytes": ("1000", 1000),
    "max_buffered_bytes": ("5000", 5000),
    "max_pages": ("7", 7),
    "capture_requisites": ("no", False),
    "max_requisites": ("7", 7),
    "max_page_requisites": ("7", 7),
    "max_seconds": ("1.5", 1.5),
    "max_bytes": ("1000", 1000),
    "max_depth": ("0", 0),
    "max_retries": ("0", 0),
    "backoff_min": ("0", 0.0),
    "backoff_max": ("9.5", 9.5),
    "backoff_multiplier": ("1", 1.0),
    "lease_seconds": ("30", 30.0),
    "warc_max_bytes": ("5000", 5000),
    "fetcher": ("null", "null"),
    "browser_pages": ("4", 4),
    "screenshots": ("false", False),
    "previews": ("false", False),
    "chromium": ("/opt/chromium", Path("/opt/chromium")),
    "artifacts_dir": ("/srv/artifacts", Path("/srv/artifacts")),
    "verify_interval_days": ("7.5", 7.5),
    "html_retention_days": ("30", 30),
    "retention_cleanup_enabled": ("true", True),
    "retention_cleanup_interval_seconds": ("60", 60),
    "retention_cleanup_batch_size": ("5", 5),
    "retention_cleanup_dry_run": ("1", True),
    "retention_max_share": ("0.25", 0.25),
    "notification_attempts": ("3", 3),
    "notification_retry_seconds": ("0.5", 0.5),
    "notification_timeout": ("2.5", 2.5),
    "audit_concurrency": ("0", 0),
    "audit_timeout_seconds": ("60", 60),
    "audit_max_attempts": ("5", 5),
    "audit_domain_wait_seconds": ("0", 0),
    "crawl_policy_version": ("v1.1", "v1.1"),
}

UNPARSABLE = {
    "min_free_bytes": ["-1", "500MB"],
    "index_while_crawling_seconds": ["-1", "soon"],
    "index_processes": ["0", "many"],
    "replay_base_url": ["replay.example", "ftp://replay.example", "https://replay.example/a b"],
    "env": ["prod", "1"],
    "log_level": ["loud"],
    "log_format": ["xml"],
    "port": ["eighty", "0", "65536", "80.5"],
    "trusted_proxies": ["10.0.0.1/8", "proxy"],
    "rate_limit": ["-1", "many"],
    "rate_limit_search": ["-1"],
    "rate_limit_exports": ["-1"],
    "rate_limit_compare": ["-1"],
    "rate_limit_replay": ["-1"],
    "rate_limit_reports": ["-1"],
    "rate_limit_logins": ["-1"],
    "kept_answers_bytes": ["-1", "32MB"],
    "serve_processes": ["0", "65"],
    "pages_fastpath": ["maybe"],
    "user_agent": ["bot\r\nX-Injected: yes", "böt"],
    "allow_private_networks": ["10.0.0.0/33", "10.0.0.1/8", "localhost"],
    "http_proxy": ["proxy:3128", "https://proxy:3128", "http://", "http://proxy:port", "http://proxy/path"],
    "respect_robots": ["2"],
    "concurrency": ["0", "many"],
    "per_host_delay": ["-1", "nan", "inf"],
    "per_host_concurrency": ["0", "257", "1.5"],
    "max_crawl_delay": ["-1", "nan", "3601"],
    "jitter": ["-0.1", "1.1", "nan"],
    "fetch_timeout": ["0", "nan"],
    "domain_lock_ttl_seconds": ["0", "soon"],
    "domain_throttle_ttl_seconds": ["-1"],
    "domain_min_delay_ms": ["1.5"],
    "disable_throttle": ["perhaps"],
    "disable_locks": ["perhaps"],
    "max_body_bytes": ["0"],
    "max_buffered_bytes": ["0"],
    "max_pages": ["0"],
    "max_seconds": ["0", "inf", "nan"],
    "max_bytes": ["0", "1e6"],
    "max_depth": ["-1"],
    "max_retries": ["-1", "101"],
    "backoff_min": ["inf", "-1"],
    "backoff_max": ["inf", "nan"],
    "backoff_multiplier": ["0.5", "1e300"],
    "lease_seconds": ["0", "inf"],
    "warc_max_bytes": ["10"],
    "fetcher": ["ftp", "HTTP"],
    "browser_pages": ["0", "33"],
    "screenshots": ["perhaps"],
    "verify_interval_days": ["-1", "weekly"],
    "previews": ["perhaps"],
    "html_retention_days": ["6", "31", "14.5"],
    "retention_cleanup_enabled": ["perhaps"],
    "retention_cleanup_interval_seconds": ["0"],
    "retention_cleanup_batch_size": ["0", "many"],
    "retention_cleanup_dry_run": ["perhaps"],
    "retention_max_share": ["0", "1.1", "nan"],
    "notification_attempts": ["0", "101", "many"],
    "notification_retry_seconds": ["0", "3601", "nan"],
    "notification_timeout": ["0", "301", "soon"],
    "audit_concurrency": ["-1", "33", "x"],
    "audit_timeout_seconds": ["0", "86401"],
    "audit_max_attempts": ["0", "21"],
    "audit_domain_wait_seconds": ["-1", "86401"],
    "crawl_policy_version": ["v1", "v1.3"],
}


@pytest.fixture
def no_dotenv(tmp_path: Path) -> Path:
    return tmp_path / "nothing"


@pytest.fixture
def dotenv(tmp_path: Path) -> Path:
    return tmp_path / ".env"


NEEDED = {"replay_host": {"WEBSTRATA_PUBLIC_SITE_URL": "https://archive.example.org/"}}
"""What a setting cannot be without."""


def test_every_setting_is_tried_here() -> None:
    assert set(GIVEN) == set(Settings.model_fields)


@pytest.mark.parametrize("knob", GIVEN)
def test_a_setting_is_read_from_each_of_its_names(knob: str, no_dotenv: Path) -> None:
    text, value = GIVEN[knob]
    for name in names_of(knob):
        assert getattr(load_settings(NEEDED.get(knob, {}) | {name: text}, no_dotenv), knob) == value


@pytest.mark.parametrize("knob", GIVEN)
def test_a_setting_is_read_from_the_dotenv_file(knob: str, dotenv: Path) -> None:
    text, value = GIVEN[knob]
    dotenv.write_text(f'{names_of(knob)[0]}="{text}"\n', encoding="utf-8")
    assert getattr(load_settings(NEEDED.get(knob, {}), dotenv), knob) == value


@pytest.mark.parametrize(
    ("knob", "older"),
    [
        ("archive_root", "HEALTHARCHIVE_ARCHIVE_ROOT"),
        ("database_url", "HEALTHARCHIVE_DATABASE_URL"),
        ("env", "HEALTHARCHIVE_ENV"),
        ("log_level", "HEALTHARCHIVE_LOG_LEVEL"),
        ("admin_token", "HEALTHARCHIVE_ADMIN_TOKEN"),
        ("change_tracking_enabled", "HEALTHARCHIVE_CHANGE_TRACKING_ENABLED"),
        ("compare_live_enabled", "HEALTHARCHIVE_COMPARE_LIVE_ENABLED"),
        ("exports_enabled", "HEALTHARCHIVE_EXPORTS_ENABLED"),
        ("exports_default_limit", "HEALTHARCHIVE_EXPORTS_DEFAULT_LIMIT"),
        ("exports_max_limit", "HEALTHARCHIVE_EXPORTS_MAX_LIMIT"),
        ("usage_enabled", "HEALTHARCHIVE_USAGE_METRICS_ENABLED"),
        ("usage_window_days", "HEALTHARCHIVE_USAGE_METRICS_WINDOW_DAYS"),
        ("rate_limiting_enabled", "HEALTHARCHIVE_RATE_LIMITING_ENABLED"),
        ("csp_enabled", "HEALTHARCHIVE_CSP_ENABLED"),
        ("hsts_enabled", "HEALTHARCHIVE_HSTS_ENABLED"),
        ("hsts_max_age", "HEALTHARCHIVE_HSTS_MAX_AGE"),
        ("public_site_url", "HEALTHARCHIVE_PUBLIC_SITE_URL"),
        ("cors_origins", "HEALTHARCHIVE_CORS_ORIGINS"),
        ("pages_fastpath", "HA_PAGES_FASTPATH"),
        ("redis_url", "REDIS_URL"),
        ("domain_lock_ttl_seconds", "DOMAIN_LOCK_TTL_SECONDS"),
        ("domain_throttle_ttl_seconds", "DOMAIN_THROTTLE_TTL_SECONDS"),
        ("domain_min_delay_ms", "DOMAIN_MIN_DELAY_MS"),
        ("disable_throttle", "DISABLE_THROTTLE"),
        ("disable_locks", "DISABLE_LOCKS"),
    ],
)
def test_the_older_names_are_still_read(knob: str, older: str) -> None:
    assert names_of(knob) == (f"{PREFIX}{knob.upper()}", older)


def test_the_own_name_wins_over_the_older_one_and_the_environment_over_the_file(dotenv: Path) -> None:
    dotenv.write_text("WEBSTRATA_ENV=staging\nHEALTHARCHIVE_LOG_LEVEL=ERROR\n", encoding="utf-8")
    environ = {"HEALTHARCHIVE_ENV": "test", "HEALTHARCHIVE_ADMIN_TOKEN": "older", "WEBSTRATA_ADMIN_TOKEN": "own"}
    settings = load_settings(environ, dotenv)
    assert settings.admin_token == SecretStr("own")
    assert settings.env is Environment.TEST
    assert settings.log_level is LogLevel.ERROR


@pytest.mark.parametrize("level", ["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"])
def test_every_level_of_the_older_program_is_one(level: str, no_dotenv: Path) -> None:
    assert load_settings({"HEALTHARCHIVE_LOG_LEVEL": level.lower()}, no_dotenv).log_level == level


def test_names_of_the_older_program_that_nothing_reads_are_found(dotenv: Path) -> None:
    dotenv.write_text("HEALTHARCHIVE_MOTTO=x\nHEALTHARCHIVE_ENV=test\n", encoding="utf-8")
    environ = {"HEALTHARCHIVE_EXPORT_ENABLED": "1", "PATH": "/bin"}
    assert ignored_names(environ, dotenv) == ("HEALTHARCHIVE_EXPORT_ENABLED", "HEALTHARCHIVE_MOTTO")


def test_an_empty_value_counts_as_not_given(dotenv: Path) -> None:
    dotenv.write_text("WEBSTRATA_PORT=9001\nWEBSTRATA_HOST=\n", encoding="utf-8")
    settings = load_settings({"WEBSTRATA_PORT": "", "WEBSTRATA_ADMIN_TOKEN": ""}, dotenv)
    assert (settings.port, settings.host, settings.admin_token) == (9001, "127.0.0.1", None)


def test_what_is_not_placed_lies_in_the_data_folder(no_dotenv: Path) -> None:
    settings = load_settings({"WEBSTRATA_DATA_DIR": "/srv/strata"}, no_dotenv)
    assert settings.archive_root == Path("/srv/strata/archive")
    assert settings.database_url.get_secret_value() == "sqlite:////srv/strata/webstrata.db"


def test_without_any_setting_everything_lies_below_the_current_folder(no_dotenv: Path) -> None:
    settings = load_settings({}, no_dotenv)
    assert not settings.archive_root.is_absolute()
    assert settings.database_url.get_secret_value() == "sqlite:///webstrata-data/webstrata.db"
    assert settings.admin_token is None


def test_this_process_is_asked_when_no_environment_is_handed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WEBSTRATA_PORT", "9002")
    Path(".env").write_text("WEBSTRATA_MAX_PAGES=3\nSOMEBODY_ELSES=1\n", encoding="utf-8")
    settings = load_settings()
    assert (settings.port, settings.max_pages) == (9002, 3)


@pytest.mark.parametrize("place", ["environment", "file"])
def test_an_unknown_name_of_ours_is_refused_by_name(place: str, dotenv: Path) -> None:
    dotenv.write_text("WEBSTRATA_MAX_PAGE=3\n" if place == "file" else "", encoding="utf-8")
    environ = {"WEBSTRATA_MAX_PAGE": "3"} if place == "environment" else {}
    with pytest.raises(SettingsError, match=r"unknown setting WEBSTRATA_MAX_PAGE;"):
        load_settings(environ, dotenv)


def test_names_of_others_are_none_of_our_business(no_dotenv: Path) -> None:
    assert load_settings({"HEALTHARCHIVE_MOTTO": "x", "PATH": "/bin"}, no_dotenv) == load_settings({}, no_dotenv)


@pytest.mark.parametrize(("knob", "text"), [(knob, text) for knob, texts in UNPARSABLE.items() for text in texts])
def test_a_value_that_does_not_parse_is_an_error_that_names_its_variable(knob: str, text: str, no_dotenv: Path) -> None:
    for name in names_of(knob):
        with pytest.raises(SettingsError, match=rf"^{name} \(environment\): ") as raised:
            load_settings({name: text}, no_dotenv)
        assert not re.search("input|value error|unable|parse|cannot be used", str(raised.value), re.IGNORECASE)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("PORT", "abc", "'abc' is not a whole number"),
        ("PORT", "70000", "'70000' must be at most 65,535"),
        ("JITTER", "some", "'some' is not a number"),
        ("RESPECT_ROBOTS", "perhaps", "'perhaps' is neither true nor false"),
        ("LOG_FORMAT", "xml", "'xml' is not one of 'auto', 'text' or 'json'"),
        ("HTTP_PROXY", "me:geheim@proxy", "a proxy must look like http://user:password@host:port"),
    ],
)
def test_what_is_wrong_with_a_value_is_reported_in_plain_words(
    name: str, text: str, words: str, no_dotenv: Path
) -> None:
    with pytest.raises(SettingsError) as raised:
        load_settings({f"WEBSTRATA_{name}": text}, no_dotenv)
    assert str(raised.value) == f"WEBSTRATA_{name} (environment): {words}"


def test_all_wrong_values_are_named_at_once(dotenv: Path) -> None:
    dotenv.write_text("WEBSTRATA_PORT=x\n", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"WEBSTRATA_PORT \(\.env\): .*; WEBSTRATA_MAX_PAGES \(environment\): "):
        load_settings({"WEBSTRATA_MAX_PAGES": "x"}, dotenv)


def test_an_error_never_repeats_a_secret(no_dotenv: Path) -> None:
    secrets = {"WEBSTRATA_ADMIN_TOKEN": "sesame", "WEBSTRATA_DATABASE_URL": f"postgresql://me:{ODD_PASSWORD}@db/x"}
    with pytest.raises(SettingsError) as caught:
        load_settings({**secrets, "WEBSTRATA_PORT": "x"}, no_dotenv)
    assert "sesame" not in str(caught.value)
    assert "ss:w" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_a_dotenv_file_that_is_not_text_is_an_error_that_names_it(dotenv: Path) -> None:
    dotenv.write_bytes(b"WEBSTRATA_PORT=\xff\xfe\n")
    with pytest.raises(SettingsError, match=r"\.env cannot be read"):
        load_settings({}, dotenv)


def test_every_setting_is_shown_with_its_value_and_where_it_came_from(dotenv: Path) -> None:
    dotenv.write_text("WEBSTRATA_PORT=9003\n", encoding="utf-8")
    environ = {"HEALTHARCHIVE_ENV": "test", "WEBSTRATA_CORS_ORIGINS": "https://a.example,https://b.example"}
    shown = {knob.name: knob for knob in show_settings(load_settings(environ, dotenv), environ, dotenv)}
    assert list(shown) == list(Settings.model_fields)
    assert (shown["port"].value, shown["port"].origin) == ("9003", "WEBSTRATA_PORT (.env)")
    assert (shown["env"].value, shown["env"].origin) == ("test", "HEALTHARCHIVE_ENV (environment)")
    assert (shown["cors_origins"].value) == "https://a.example, https://b.example"
    assert (shown["max_pages"].value, shown["max_pages"].origin) == ("10000", "default")
    assert shown["admin_token"].value == ""
    assert all(knob.sentence.endswith(".") for knob in shown.values())


@pytest.mark.parametrize("token", ["sesame", "https://user:sesame@x", "a://b"])
def test_the_admin_token_is_never_shown(token: str, no_dotenv: Path) -> None:
    environ = {"WEBSTRATA_ADMIN_TOKEN": token}
    settings = load_settings(environ, no_dotenv)
    (shown,) = (knob for knob in show_settings(settings, environ, no_dotenv) if knob.name == "admin_token")
    assert shown.value == "********"
    assert token not in repr(settings)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        (f"postgresql://me:{ODD_PASSWORD}@db/x", "postgresql://me:********@db/x"),
        ("postgresql://me:p%40ss@db:5432/x?sslmode=require", "postgresql://me:********@db:5432/x?sslmode=require"),
        ("postgresql://me@db/x", "postgresql://me@db/x"),
        ("postgresql://db:5432/x", "postgresql://db:5432/x"),
        ("postgresql:///x?user=me&Password=geheim&port=1", "postgresql:///x?user=me&Password=********&port=1"),
        ("postgresql://db:5432/x?password=ge@heim", "postgresql://db:5432/x?password=********"),
        ("postgresql://me:a?b@db/x?sslpassword=geheim", "postgresql://me:********@db/x?sslpassword=********"),
        ("sqlite:////srv/strata.db", "sqlite:////srv/strata.db"),
        ("redis://:geheim@cache:6379/1", "redis://:********@cache:6379/1"),
        ("geheim", "********"),
    ],
)
def test_an_address_is_shown_without_its_passwords(address: str, shown: str) -> None:
    assert without_passwords(address) == shown


@given(st.text(alphabet="abc@:/?#%&=[]$ ", min_size=1))
def test_no_password_is_odd_enough_to_be_shown(odd: str) -> None:
    secret = f"SECRET{odd}SECRET"
    assert "SECRET" not in without_passwords(f"postgresql://me:{secret}@db/x")


def test_settings_cannot_be_changed_or_invented(no_dotenv: Path) -> None:
    settings = load_settings({}, no_dotenv)
    with pytest.raises(ValidationError):
        settings.port = 1  # type: ignore[misc]
    with pytest.raises(ValidationError):
        Settings.model_validate({"no_such_knob": 1})


def test_the_reference_of_the_settings_is_up_to_date() -> None:
    assert REFERENCE.read_text(encoding="utf-8") == reference(), "run: .venv/bin/python -m tools.settings_reference"


def test_the_reference_has_a_line_for_every_name() -> None:
    page = reference()
    assert [name for knob in Settings.model_fields for name in names_of(knob) if f"`{name}`" not in page] == []
