"""The wiring: what the settings say is what the parts do."""

from pathlib import Path

import pytest
from redis import Redis

from webstrata.app import build_app
from webstrata.errors import DomainLockTimeoutError
from webstrata.settings import load_settings

URL = "https://shop.example/"


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> dict[str, str]:
    return {"WEBSTRATA_DATA_DIR": str(tmp_path), "WEBSTRATA_DATABASE_URL": database_url}


def test_domains_are_locked_through_redis_where_one_is_set(redis_url: str, settings: dict[str, str]) -> None:
    app = build_app(load_settings({**settings, "REDIS_URL": redis_url, "DOMAIN_LOCK_TTL_SECONDS": "77"}))
    with app.domain_locks().hold(URL, "session"), Redis.from_url(redis_url) as client:
        assert 70 < client.ttl("lock:domain:shop.example") <= 77
    app.close()


def test_domains_are_locked_in_one_process_without_redis(settings: dict[str, str]) -> None:
    app = build_app(load_settings({**settings, "DOMAIN_MIN_DELAY_MS": "0"}))
    turns = app.domain_locks()
    turns._sleep = lambda _seconds: None
    with turns.hold(URL, "first"), pytest.raises(DomainLockTimeoutError), turns.hold(URL, "second"):
        pytest.fail("two sessions on one domain")
    app.close()


def test_locks_can_be_disabled(settings: dict[str, str]) -> None:
    app = build_app(load_settings({**settings, "DISABLE_LOCKS": "true"}))
    turns = app.domain_locks()
    with turns.hold(URL, "first"), turns.hold(URL, "second") as held:
        assert held is None
    app.close()


def test_jobs_go_through_the_proxy_that_is_set_and_no_one_is_shown_its_password(settings: dict[str, str]) -> None:
    app = build_app(load_settings({**settings, "WEBSTRATA_HTTP_PROXY": "http://me:geheim@proxy:3128"}))
    runner = app.runner()
    assert runner.proxy == "http://me:geheim@proxy:3128"
    assert "geheim" not in repr(runner)
    assert "geheim" not in repr(app)
    app.close()
