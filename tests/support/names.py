"""Names of tests that are the same in every process of a run: bytes are named by their number, not by what they are."""

import pytest


def pytest_make_parametrize_id(config: pytest.Config, val: object) -> str | None:
    """Name a parameter; what was packed a second later differs, and nobody could read it anyway."""
    if isinstance(val, bytes) and not (val.isascii() and val.decode().isprintable()):
        return f"{len(val)} bytes"
    return None
