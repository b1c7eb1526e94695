"""Dependencies of routes: the application's parts, ids, and values that every database can store."""

import re
from datetime import date
from typing import Annotated

from fastapi import Depends, Path, Query, Request
from pydantic import AfterValidator, BeforeValidator, Field

from webstrata.app import App

_NO_ROW = 0
"""An id that no row ever has."""

LARGEST_OFFSET = 2**31 - 1
"""The largest offset into a list; databases cannot count much further."""

WITHOUT_NUL = r"^[^\u0000]*$"
"""The pattern of `without_nul`, for the API's description."""

_ISO_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def nothing_when_blank(value: object) -> object:
    """Return None for an empty field of a form or query."""
    return None if isinstance(value, str) and not value.strip() else value


def without_nul(text: str) -> str:
    """Refuse what PostgreSQL refuses to compare."""
    if "\x00" in text:
        raise ValueError("must not contain NUL characters")
    return text


def wired_parts(request: Request) -> App:
    """Return the parts of the application of a request."""
    app = request.app.state.webstrata
    assert isinstance(app, App)
    return app


def _known_to_a_column(largest: int) -> AfterValidator:
    """Replace an id that is too large for a column, on which databases would fail, by one that is never found."""
    return AfterValidator(lambda value: value if 0 < value <= largest else _NO_ROW)


def _iso_day(value: object) -> object:
    """Refuse numbers and times that pydantic would accept as a date: a Unix time has ten characters, too."""
    if isinstance(value, str) and not _ISO_DAY.fullmatch(value):
        raise ValueError("must be a date like 2024-05-31")
    return value


async def _parts(request: Request) -> App:
    # Async, because FastAPI would run a plain function in a thread, which takes longer than the function itself.
    return wired_parts(request)


Parts = Annotated[App, Depends(_parts)]
SnapshotId = Annotated[int, _known_to_a_column(2**63 - 1), Path(description="A snapshot's number.")]
RowId = _known_to_a_column(2**31 - 1)
JobId = Annotated[int, RowId, Path(description="A job's number.")]
JobNumber = Annotated[int, Field(ge=1), _known_to_a_column(2**31 - 1)]
SnapshotNumber = Annotated[int, Field(ge=1), _known_to_a_column(2**63 - 1)]
Text = Annotated[str, AfterValidator(without_nul), Field(json_schema_extra={"pattern": WITHOUT_NUL})]
Code = Annotated[Text, AfterValidator(str.casefold)]
TextFilter = Annotated[Text | None, BeforeValidator(nothing_when_blank)]
CodeFilter = Annotated[Code | None, BeforeValidator(nothing_when_blank)]
Day = Annotated[date, BeforeValidator(_iso_day)]
Limit = Annotated[int, Query(ge=1, le=500)]
Offset = Annotated[int, Query(ge=0)]
