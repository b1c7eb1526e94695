"""Plain texts as pages: their lines unchanged, with the first one as the title."""

from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from webstrata.content.blocks import CODE, Block, blocks_of
from webstrata.content.charset import text_of
from webstrata.content.html import MAX_TITLE

_LONGEST_FIRST_LINE = 200
"""A longer first line is not a title, but a paragraph."""


def parse_text(body: bytes, content_type: str | None) -> tuple[str, str]:
    """Return a plain text with its lines unchanged, and the letters of its lines."""
    return blocks_of([Block(text_of(body, content_type), CODE, is_main=True)])


def title_of_text(text: str, url: str) -> str:
    """Return the title of a plain text: its first line if that is short, else its file's name."""
    first = " ".join(text.partition("\n")[0].split())
    if any(map(str.isalnum, first)) and len(first) <= _LONGEST_FIRST_LINE:
        return first
    return file_name(url) or first[:_LONGEST_FIRST_LINE]


def file_name(url: str) -> str:
    """Return the last part of a URL's path, readable."""
    return " ".join(unquote(PurePosixPath(urlsplit(url).path).name).split())[:MAX_TITLE]
