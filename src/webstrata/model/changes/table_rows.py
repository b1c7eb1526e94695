"""Rows of tables: how their cells are judged, and which of them changed."""

from webstrata.model.changes.values import PageLine

_MOST_NAMED = 2
_SHOWN_CHARACTERS = 40
_BETWEEN_CELLS = " | "


def row_text(line: PageLine) -> str:
    """Return a line as it is judged: numbers in two cells of a row are two numbers."""
    return _BETWEEN_CELLS.join(cell for cell in line.cells if cell) if line.cells else line.text


def changed_cells(old: PageLine, new: PageLine) -> str:
    """Return which cells of a row changed, by the row's first cell and the columns' headers; empty for other lines."""
    if len(old.cells) != len(new.cells):
        return ""
    places = [place for place, pair in enumerate(zip(old.cells, new.cells, strict=True)) if pair[0] != pair[1]]
    names = [name for place in places[:_MOST_NAMED] if (name := _column(new, place))]
    label = "" if 0 in places else _short(new.cells[0]) if new.cells else ""
    return ", ".join(dict.fromkeys(filter(None, (label, *names))))


def _column(line: PageLine, place: int) -> str:
    return _short(line.columns[place]) if len(line.columns) >= len(line.cells) else ""


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[: _SHOWN_CHARACTERS - 1]}…"
