"""In which language a text is."""

import re

from resiliparse.parse.lang import detect_fast

_TAG = re.compile(r"\s*([a-zA-Z]{2,3})(?:[-_][a-zA-Z0-9]+)*\s*(?:,|$)")
_MIN_LETTERS = 250
"""Of pieces of English and French pages this long one in twenty is guessed wrong; of 100 letters one in ten."""

_MAX_CHARACTERS = 10_000
_MAX_DISTANCE = 900
"""detect_fast's own measure of doubt; on those pages a right guess stayed below this from 100 letters on."""


def tag_to_language(tag: str | None) -> str | None:
    """Return the ISO 639-1 code of a language tag such as `en-CA`, or None when it holds none."""
    match = _TAG.match(tag or "")
    code = match.group(1).lower() if match else ""
    return code if len(code) == 2 else None


def detect_language(text: str) -> str | None:
    """Return the language that a text seems to be written in, or None when that is a guess."""
    sample = text[:_MAX_CHARACTERS]
    if sum(map(str.isalpha, sample)) < _MIN_LETTERS:
        return None
    language, distance = detect_fast(sample)
    return language if distance <= _MAX_DISTANCE and len(language) == 2 else None
