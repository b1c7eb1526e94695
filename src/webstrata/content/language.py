"""In which language a text is."""

import re

from resiliparse.parse.lang import detect_fast

_TAG = re.compile(r"\s*([a-zA-Z]{2,3})(?:[-_][a-zA-Z0-9]+)*\s*(?:,|$)")
_MIN_CHARACTERS = 40
"""Shorter texts are guessed wrong more often than right."""

_MAX_CHARACTERS = 10_000
_MAX_DISTANCE = 1_200
"""detect_fast's own measure of doubt; its documentation puts reliable answers below this."""


def tag_to_language(tag: str | None) -> str | None:
    """Return the ISO 639-1 code of a language tag such as `en-CA`, or None when it holds none."""
    match = _TAG.match(tag or "")
    code = match.group(1).lower() if match else ""
    return code if len(code) == 2 else None


def detect_language(text: str) -> str | None:
    """Return the language that a text seems to be written in, or None when that is a guess."""
    if len(text) < _MIN_CHARACTERS:
        return None
    language, distance = detect_fast(text[:_MAX_CHARACTERS])
    return language if distance <= _MAX_DISTANCE and len(language) == 2 else None
