"""Values that every database can store."""

WITHOUT_NUL = r"^[^\u0000]*$"
"""The same for the API's description, as a pattern."""


def without_nul(text: str) -> str:
    """Refuse what PostgreSQL refuses to compare."""
    if "\x00" in text:
        raise ValueError("must not contain NUL characters")
    return text
