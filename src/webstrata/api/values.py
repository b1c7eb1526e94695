"""What values may be: such as every database can store, and nothing where nothing was filled in."""

WITHOUT_NUL = r"^[^\u0000]*$"
"""The same for the API's description, as a pattern."""


def nothing_when_blank(value: object) -> object:
    """Take an empty field of a form, or of an address, for one that was not filled in."""
    return None if isinstance(value, str) and not value.strip() else value


def without_nul(text: str) -> str:
    """Refuse what PostgreSQL refuses to compare."""
    if "\x00" in text:
        raise ValueError("must not contain NUL characters")
    return text
