"""Numbers with their nouns, for messages."""


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 page`, `1,234 pages`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
