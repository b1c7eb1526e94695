"""Details of a job, a source or a snapshot for people: a line for each value, with its name in words."""

from collections.abc import Iterator, Mapping
from datetime import datetime


def print_details(values: Mapping[str, object]) -> None:
    """Print the values that are set, each after its name; nested values by their dotted names."""
    from webstrata.logs import harmless

    rows = [(_words(name), _format_value(name, value)) for name, value in _flat(values)]
    width = max((len(name) for name, _ in rows), default=0)
    for name, value in rows:
        print(f"{name:>{width}}  {harmless(value)}")


def _flat(values: Mapping[str, object], above: str = "") -> Iterator[tuple[str, object]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{name}.")
        elif value is not None and value not in ([], ()):
            yield f"{above}{name}", value


def _words(name: str) -> str:
    """Return a name for display: `started` for `started_at`; dotted names of settings are unchanged."""
    if "." in name:
        return name
    words = name.removesuffix("_at").replace("_", " ")
    return words.replace("warc", "WARC").replace("url", "URL")


def _format_value(name: str, value: object) -> str:
    from webstrata.storage.file_system import shown_bytes

    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M} UTC"
    if isinstance(value, int):
        return shown_bytes(value) if "bytes" in name else str(value)
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "; ".join(str(value).splitlines())
