"""The wiring: what the settings say is what the parts do."""

from pathlib import Path

import pytest
from redis import Redis

from webstrata.app import build_app
from webstrata.errors import DomainLockTimeoutError
from webstrata.settings import load_settings

URL = "https://shop.example/"


def test_domains_are_locked_through_redis_where_one_is_set(redis_url: str, tmp_path: Path) -> None:
    settings = load_settings(
        {"WEBSTRATA_DATA_DIR": str(tmp_path), "REDIS_URL": redis_url, "DOMAIN_LOCK_TTL_SECONDS": "77"}
    )
    app = build_app(settings)
    with app.domain_turns().hold(URL, "session"), Redis.from_url(redis_url) as client:
        assert 70 < client.ttl("lock:domain:shop.example") <= 77
    app.close()


def test_domains_are_locked_in_one_process_without_redis(tmp_path: Path) -> None:
    app = build_app(load_settings({"WEBSTRATA_DATA_DIR": str(tmp_path), "DOMAIN_MIN_DELAY_MS": "0"}))
    turns = app.domain_turns()
    turns._sleep = lambda _seconds: None
    with turns.hold(URL, "first"), pytest.raises(DomainLockTimeoutError), turns.hold(URL, "second"):
        pytest.fail("two sessions on one domain")
    app.close()


def test_locks_can_be_disabled(tmp_path: Path) -> None:
    app = build_app(load_settings({"WEBSTRATA_DATA_DIR": str(tmp_path), "DISABLE_LOCKS": "true"}))
    turns = app.domain_turns()
    with turns.hold(URL, "first"), turns.hold(URL, "second") as held:
        assert held is None
    app.close()
