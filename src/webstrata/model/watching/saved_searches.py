"""Saved searches: a name and the parameters of a search."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from urllib.parse import urlencode

from webstrata.errors import UsageError
from webstrata.model.search.values import FileKind, SearchRequest, Sort, View

MAX_NAME_LENGTH = 100
MAX_VALUE_LENGTH = 256

PARAMETERS = ("q", "source", "language", "type", "from", "to")
"""The parameters of a saved search, named as in /api/search."""


@dataclass(frozen=True)
class SavedSearch:
    """A search with a name."""

    id: int
    name: str
    parameters: Mapping[str, str]
    created_at: datetime

    @property
    def words(self) -> str:
        """Return a description of the search."""
        return ", ".join(f"{name}: {value}" for name, value in self.parameters.items())

    @property
    def query_string(self) -> str:
        """Return the query string of the page with the search's results, newest first."""
        return urlencode({**self.parameters, "sort": Sort.NEWEST.value})

    def to_json(self) -> dict[str, object]:
        """Return the saved search as JSON, the same for the command line and the API."""
        return {
            "id": self.id,
            "name": self.name,
            "parameters": dict(self.parameters),
            "createdAt": self.created_at.isoformat(),
        }

    def to_request(self, page_size: int) -> SearchRequest:
        """Return the search for its newest captures."""
        given = self.parameters
        return SearchRequest(
            q=given.get("q"),
            source=given.get("source"),
            sort=Sort.NEWEST,
            view=View.SNAPSHOTS,
            # Duplicates are included: of equal captures on one day a search shows the last, but the first has the
            # change.
            include_duplicates=True,
            language=given.get("language"),
            kind=FileKind(given["type"]) if "type" in given else None,
            from_date=date.fromisoformat(given["from"]) if "from" in given else None,
            to_date=date.fromisoformat(given["to"]) if "to" in given else None,
            page_size=page_size,
        )


def check_name(name: str) -> str:
    """Return a normalised name; UsageError when it is invalid."""
    text = " ".join(name.split())
    if not text or len(text) > MAX_NAME_LENGTH or not text.isprintable() or text.isdecimal():
        raise UsageError(f"a saved search needs a name of 1 to {MAX_NAME_LENGTH} characters and must not be a number")
    return text


def check_parameters(given: Mapping[str, str]) -> dict[str, str]:
    """Return the parameters that are set; UsageError for one that does not exist or when none is set."""
    if unknown := sorted(set(given) - set(PARAMETERS)):
        raise UsageError(f"a saved search has no parameter {unknown[0][:80]!r} (known are {', '.join(PARAMETERS)})")
    found = {name: given[name].strip() for name in PARAMETERS if given.get(name, "").strip()}
    if not found:
        raise UsageError("a saved search needs words or a filter")
    for name, value in found.items():
        if len(value) > MAX_VALUE_LENGTH or "\0" in value:
            raise UsageError(f"{name} cannot be longer than {MAX_VALUE_LENGTH} characters")
        if name in ("from", "to"):
            _check_day(name, value)
    if found.get("type", FileKind.HTML) not in set(FileKind):
        raise UsageError(f"type must be one of {', '.join(FileKind)}, not {found['type'][:80]!r}")
    return found


def _check_day(name: str, value: str) -> None:
    try:
        date.fromisoformat(value)
    except ValueError:
        raise UsageError(f"{name} must be a date like 2026-05-31, not {value[:80]!r}") from None
