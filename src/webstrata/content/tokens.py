"""Words as the full-text indexes see them: case and accents folded, the same on every database.

SQLite folds by itself (`unicode61 remove_diacritics 2`); this says the same in Python for PostgreSQL and for queries.
"""

import re
import unicodedata

_TOKEN = re.compile(r"[^\W_]+")


def fold(text: str) -> str:
    """Return a text in lower case, without accents, its words apart by single spaces."""
    return " ".join(tokens(text))


def tokens(text: str) -> list[str]:
    """Return the words of a text, folded, in order."""
    decomposed = unicodedata.normalize("NFKD", text)
    plain = "".join(c for c in decomposed if not unicodedata.combining(c)) if not decomposed.isascii() else decomposed
    return _TOKEN.findall(plain.lower())
