"""A page as a text file: its title and its text, normalised. This is the content of a page's asset.

Stored versions of assets are made with this function again and compared with their checksum. So never change it:
another normalisation needs another function.
"""

import unicodedata

from webstrata.content.blocks import without_cells


def page_file(title: str, text: str) -> bytes:
    """Return the text file of a page: title, empty line, text."""
    return f"{tidy(title)}\n\n{tidy(text)}\n".encode()


def tidy(text: str) -> str:
    """Normalise a text: composed letters, one kind of line end, no trailing spaces."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text).encode(errors="replace").decode()
    return "\n".join([without_cells(line).rstrip() for line in text.replace("\0", "").splitlines()]).strip()
