"""Services, fixtures and rules that every test shares; each lives in tests/support/ under its own name."""

pytest_plugins = (
    "pytester",
    "tests.support.temporary",  # before those that use it
    "tests.support.browser",
    "tests.support.databases",
    "tests.support.demo_port",
    "tests.support.docker",
    "tests.support.draws",
    "tests.support.installed",
    "tests.support.names",
    "tests.support.order",
    "tests.support.postgres",
    "tests.support.properties",
    "tests.support.redis",
    "tests.support.shares",
    "tests.support.skips",
    "tests.support.statements",
    "tests.support.web_server",
)
