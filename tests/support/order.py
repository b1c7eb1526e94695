"""Quick tests first: what needs servers, a browser or an installation comes after what does not.

Last come the folders of many short files: with them, the processes that run tests all end at nearly the same time.
"""

import pytest

# Folders of tests/ that are not named here need nothing and run first.
SLOWER_FOLDERS = (
    "db",
    "coordination",
    "assets",
    "crawl",
    "index",
    "search",
    "jobs",
    "upgrade",
    "packaging",
    "archive_tool",
    "cli",
    "web",
    "house",
    "api",
)
SLOWER_FIXTURES = ("database_kind", "redis_server", "browser")


# Last: pytest itself first puts all tests of one database together, those of slow folders before quick ones.
@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort by folder, then by the slowest service a test uses; pytest's own order decides the rest."""
    items.sort(key=lambda item: (_folder_rank(item.nodeid), _fixture_rank(item)))


def _folder_rank(nodeid: str) -> int:
    folder = nodeid.removeprefix("tests/").partition("/")[0]
    return SLOWER_FOLDERS.index(folder) + 1 if folder in SLOWER_FOLDERS else 0


def _fixture_rank(item: pytest.Item) -> int:
    used = getattr(item, "fixturenames", ())
    return max((rank for rank, name in enumerate(SLOWER_FIXTURES, start=1) if name in used), default=0)
