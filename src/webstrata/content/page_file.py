"""A page as a text file: its title and its text, normalised. This is the content of a page's asset.

Stored versions of assets are made with this function again and compared with their checksum. So never change it:
another normalisation needs another function.
"""

import re
import unicodedata
from collections.abc import Iterator

from webstrata.content.blocks import without_cells

_MOST_MARKS = 64
"""More combining marks in a row belong to no language: they stay as they are, because the time that Python takes to
compose them grows with the square of their number."""

_MAY_BE_MARKS = re.compile(f"[^\x00-\u02ff\u3400-\u9fff\uac00-\ud7ff]{{{_MOST_MARKS + 1},}}")
"""Stretches without Latin, Chinese and Korean letters: what may hold so many marks, in a text that mostly does not."""


def page_file(title: str, text: str) -> bytes:
    """Return the text file of a page: title, empty line, text."""
    return f"{tidy(title)}\n\n{tidy(text)}\n".encode()


def tidy(text: str) -> str:
    """Normalise a text: composed letters, one kind of line end, no trailing spaces."""
    if not text.isascii():
        text = _composed(text).encode(errors="replace").decode()
    return "\n".join([without_cells(line).rstrip() for line in text.replace("\0", "").splitlines()]).strip()


def _composed(text: str) -> str:
    """Return a text with composed letters (NFC), except in long runs of combining marks."""
    parts: list[str] = []
    end = 0
    for start, stop in _long_runs_of_marks(text):
        parts += (unicodedata.normalize("NFC", text[end:start]), text[start:stop])
        end = stop
    return "".join((*parts, unicodedata.normalize("NFC", text[end:])))


def _long_runs_of_marks(text: str) -> Iterator[tuple[int, int]]:
    """Yield where runs of more combining marks start and stop than are composed."""
    for stretch in _MAY_BE_MARKS.finditer(text):
        start = stretch.start()
        for place in range(start, stretch.end() + 1):
            if place < stretch.end() and unicodedata.combining(text[place]):
                continue
            if place - start > _MOST_MARKS:
                yield start, place
            start = place + 1
