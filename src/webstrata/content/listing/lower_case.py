"""Case-insensitive patterns: texts are lowered before matching, which is far quicker than IGNORECASE and matches the
same."""

import re
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")

_FOLDED = re.compile("[ıſ\u0345\u0370-\u03ff\u1c80-\u1c88\u1e00-\u1fff\ufb00-\ufb06]")
"""Characters with several lower-case equivalents: `ſ` also matches `s`, and `ς` matches `σ`."""


class AnyCase:
    """A pattern, written in lower case, that matches texts in any case."""

    def __init__(self, pattern: str) -> None:
        """Compile the pattern for texts in lower case, and for the few texts that cannot be lowered."""
        self._lower, self._any = re.compile(pattern), re.compile(pattern, re.IGNORECASE)

    def apply(self, text: str, use: Callable[[re.Pattern[str], str], Found]) -> Found:
        """Apply a function to the pattern and the text; offsets are those of the given text."""
        lowered = text.lower()
        if len(lowered) == len(text) and (text.isascii() or not _FOLDED.search(text)):
            return use(self._lower, lowered)
        return use(self._any, text)
