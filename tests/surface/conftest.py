"""The check of one part of the public surface, and the option that rewrites the golden files."""

from collections.abc import Callable, Iterable

import pytest

from tests.surface import golden

CheckSurface = Callable[[str, Iterable[str]], None]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that `make surface` uses."""
    parser.addoption("--update-surface", action="store_true", help="Write the golden files of the public surface.")


@pytest.fixture
def check_surface(request: pytest.FixtureRequest) -> CheckSurface:
    """Compares a part of the surface with its golden file, or writes the file when --update-surface is given."""
    is_update = bool(request.config.getoption("update_surface", False))

    def check(part: str, found: Iterable[str]) -> None:
        lines = list(found)
        assert lines, f"nothing of {part} was found: the collector looks in the wrong place"
        if is_update:
            golden.update(part, lines)
        if difference := golden.compare(part, lines):
            pytest.fail(str(difference), pytrace=False)

    return check
