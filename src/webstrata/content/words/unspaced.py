"""Scripts that are written without spaces between words: Chinese, Japanese, Thai, Lao, Khmer, Burmese."""

import re

_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)


def has_unspaced_script(word: str) -> bool:
    """Return whether a word has letters of a script without spaces, so that a whole clause is indexed as one word."""
    return not word.isascii() and _UNSPACED.search(word) is not None
