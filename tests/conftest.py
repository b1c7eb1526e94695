"""Services, fixtures and rules that every test shares; each lives in tests/support/ under its own name."""

pytest_plugins = (
    "pytester",
    "tests.support.browser",
    "tests.support.databases",
    "tests.support.installed",
    "tests.support.order",
    "tests.support.postgres",
    "tests.support.redis",
    "tests.support.skips",
    "tests.support.web_server",
)
