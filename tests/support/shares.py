"""What `make test` leaves to `make soak`, to take minutes: the doors on one database, many workers on the other.

What the doors, the workers and the crawler's rules ask of a database is tested in its own room, on both; so are the
answers of the API that are made of more than a row.
"""

import pytest

ON_SQLITE = (
    "tests/web/",
    "tests/cli/",
    "tests/assets/",
    *(
        f"tests/api/test_{name}.py"
        for name in (
            *("admin_job_orders", "admin_jobs", "admin_reports", "admin_sources", "audit_log", "auth", "compression"),
            *("every_request", "health", "live", "reports", "served", "snapshots", "usage"),
        )
    ),
    "tests/crawl/test_browser.py",
    "tests/crawl/test_discovery.py",
    "tests/crawl/test_robots.py",
    "tests/crawl/test_telling.py",
    "tests/jobs/test_signals.py",
)
ON_POSTGRESQL = ("tests/jobs/test_several_workers.py", "tests/jobs/test_kills.py")


# First: what is marked here is then deselected like any other soak test.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the other database's share as soak tests."""
    for item in items:
        if is_left_to_the_soak(item.nodeid, _database_of(item)):
            item.add_marker(pytest.mark.soak)


def is_left_to_the_soak(nodeid: str, database: str | None) -> bool:
    """Tell whether a test on a database is for the soak."""
    on_one = ON_SQLITE if database == "postgresql" else ON_POSTGRESQL if database == "sqlite" else ()
    return nodeid.startswith(on_one)


def _database_of(item: pytest.Item) -> str | None:
    callspec = getattr(item, "callspec", None)
    return callspec.params.get("database_kind") if callspec else None
