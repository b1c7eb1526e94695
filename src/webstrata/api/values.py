"""Values that every database can store."""


def without_nul(text: str) -> str:
    """Refuse what PostgreSQL refuses to compare."""
    if "\x00" in text:
        raise ValueError("must not contain NUL characters")
    return text
