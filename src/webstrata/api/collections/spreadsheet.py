"""CSV files for spreadsheets, with cells escaped that would be run as formulas."""

import csv
from collections.abc import Iterable, Sequence
from io import StringIO

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def table_as_csv(rows: Iterable[Sequence[object]]) -> bytes:
    """Return rows as a CSV file; a text that a spreadsheet would run as a formula gets an apostrophe in front."""
    text = StringIO(newline="")
    csv.writer(text).writerows([safe_cell(value) for value in row] for row in rows)
    return text.getvalue().encode()


def safe_cell(value: object) -> object:
    """Return a value as a cell that no spreadsheet runs as a formula."""
    if not isinstance(value, str):
        return value
    # Some spreadsheets skip spaces before a formula, and read its full-width forms.
    start = value.lstrip(" \u00a0\u3000").translate(_FULL_WIDTH)
    return f"'{value}" if start.startswith(_FORMULA_STARTS) or value.startswith(_FORMULA_STARTS) else value


_FULL_WIDTH = str.maketrans({"\uff1d": "=", "\uff0b": "+", "\uff0d": "-", "\uff20": "@"})
