"""No request of a test triggers a retention pass by chance: what a test reads would differ in one run of many."""

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def no_passes_by_chance() -> Iterator[None]:
    """Let no request be drawn; tests of the trigger bring their own numbers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("webstrata.retention.trigger.draw_number", lambda: 1.0)
        yield
