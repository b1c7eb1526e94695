"""Pages are read in two ways: by the native library, or by a tree. What holds for one must hold for the other."""

from collections.abc import Iterator

import pytest

from webstrata.content import fingerprint, html, native, tokens


class Unable:
    """What folds no text, as the native library when it is not there."""

    def folded(self, _text: str) -> None:
        """Leave it to Python."""


@pytest.fixture(scope="module", params=["native", "tree"])
def both_ways(request: pytest.FixtureRequest) -> Iterator[None]:
    """Read pages with the native library, and then as if it had not been built."""
    assert native.is_there(), "the native library was not built: python3 -m tools.setup dev"
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "tree":
            patch.setattr(html, "scanned", lambda source: None)
            patch.setattr(native, "is_utf8", lambda body: None)
            patch.setattr(fingerprint, "most_common_bits", lambda words, most: None)
            patch.setattr(tokens, "_FOLDED_TEXTS", Unable())
        yield
