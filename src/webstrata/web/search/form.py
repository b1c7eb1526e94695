"""The search form: its values, their validation, and the address that repeats the search."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from urllib.parse import urlencode

from webstrata.errors import UsageError
from webstrata.model.search.values import FileKind, SearchRequest, Sort, View, read_cursor

MAX_QUERY_LENGTH = 256
MAX_PAGE = 1_000_000
MAX_LANGUAGE_LENGTH = 16
MAX_CURSOR_LENGTH = 200
DEFAULT_VIEW = View.PAGES

_YES = frozenset({"1", "true", "on", "yes"})
_LOST = "This page of results cannot be opened; start again at the first page."


@dataclass(frozen=True)
class SearchForm:
    """The fields of the search form as they were filled in; empty means any."""

    q: str = ""
    source: str = ""
    view: str = ""
    sort: str = ""
    from_date: str = ""
    to_date: str = ""
    include_non_2xx: bool = False
    include_duplicates: bool = False
    page: str = ""
    as_of: str = ""
    language: str = ""
    kind: str = ""
    year: str = ""
    exact: bool = False
    """Search the words as they are written, without corrections."""
    cursor: str = ""
    """The cursor of a page that cannot be reached by its number."""

    @property
    def narrowed(self) -> bool:
        """Return whether there are filters besides the words."""
        when = self.from_date or self.to_date or self.as_of or self.year
        return bool(self.source or self.language or self.kind or when)

    @property
    def at_first_page(self) -> "SearchForm":
        """Return the same search at its first page."""
        return replace(self, page="", cursor="")


def read_form(fields: Mapping[str, str]) -> SearchForm:
    """Return the form that a query string filled in."""

    def field(name: str) -> str:
        return "".join(c if c.isprintable() else " " for c in fields.get(name, "")).strip()

    return SearchForm(
        q=field("q"),
        source=field("source").lower(),
        view=field("view"),
        sort=field("sort"),
        from_date=field("from"),
        to_date=field("to"),
        include_non_2xx=field("includeNon2xx").lower() in _YES,
        include_duplicates=field("includeDuplicates").lower() in _YES,
        page=field("page"),
        as_of=field("asOf"),
        language=field("language").lower(),
        kind=field("type").lower(),
        year=field("year"),
        exact=field("exact").lower() in _YES,
        cursor=field("cursor"),
    )


def problems(form: SearchForm) -> dict[str, str]:
    """Return what is wrong with the form, by field, in words for the reader."""
    found = {
        "q": _too_long(form.q),
        "view": _not_one_of(form.view, View),
        "sort": _not_one_of(form.sort, Sort),
        "from": _no_date(form.from_date),
        "to": _no_date(form.to_date),
        "page": _no_number(form.page, MAX_PAGE),
        "asOf": _no_date(form.as_of),
        "language": _no_language(form.language),
        "type": _not_one_of(form.kind, FileKind),
        "year": _no_number(form.year, date.max.year),
        "cursor": _no_cursor(form.cursor),
    }
    wrong = {name: problem for name, problem in found.items() if problem}
    if "from" not in wrong and "to" not in wrong and form.to_date and form.from_date > form.to_date:
        wrong["to"] = f"Ends on {form.to_date}, before it starts on {form.from_date}."
    return wrong


def to_request(form: SearchForm) -> SearchRequest:
    """Return the search request of a valid form."""
    return SearchRequest(
        q=form.q or None,
        source=form.source or None,
        sort=Sort(form.sort) if form.sort else None,
        view=View(form.view) if form.view else DEFAULT_VIEW,
        include_non_2xx=form.include_non_2xx,
        include_duplicates=form.include_duplicates,
        from_date=date.fromisoformat(form.from_date) if form.from_date else None,
        to_date=date.fromisoformat(form.to_date) if form.to_date else None,
        page=int(form.page) if form.page else 1,
        as_of=date.fromisoformat(form.as_of) if form.as_of else None,
        language=form.language or None,
        kind=FileKind(form.kind) if form.kind else None,
        year=int(form.year) if form.year else None,
        cursor=form.cursor or None,
        exact=form.exact,
    )


def address(form: SearchForm) -> str:
    """Return the permanent address of a search; what is empty or the default is left out."""
    fields = {
        "q": form.q,
        "asOf": form.as_of,
        "source": form.source,
        "language": form.language,
        "type": form.kind,
        "year": form.year,
        "view": "" if form.view == DEFAULT_VIEW else form.view,
        "sort": form.sort,
        "from": form.from_date,
        "to": form.to_date,
        "includeNon2xx": "true" if form.include_non_2xx else "",
        "includeDuplicates": "true" if form.include_duplicates else "",
        "exact": "true" if form.exact else "",
        "page": "" if form.page == "1" else form.page,
        "cursor": form.cursor,
    }
    query = urlencode({name: value for name, value in fields.items() if value})
    return f"/search?{query}" if query else "/search"


def appearances_address(sentence: str, source: str) -> str:
    """Return the address that shows when a sentence was first and last in the archive, or in one source."""
    fields = {"q": sentence, "source": source}
    return f"/search/appearances?{urlencode({name: value for name, value in fields.items() if value})}"


def _too_long(q: str) -> str | None:
    return f"At most {MAX_QUERY_LENGTH} characters; you entered {len(q)}." if len(q) > MAX_QUERY_LENGTH else None


def _not_one_of(value: str, choices: type[View] | type[Sort] | type[FileKind]) -> str | None:
    names = [str(choice) for choice in choices]
    return None if not value or value in names else f"Must be {' or '.join(names)}."


def _no_date(value: str) -> str | None:
    try:
        good = not value or date.fromisoformat(value).isoformat() == value
    except ValueError:
        good = False
    return None if good else "Not a date; write it like 2024-05-03."


def _no_number(value: str, most: int) -> str | None:
    good = not value or (value.isascii() and value.isdecimal() and len(value) < 9 and 1 <= int(value) <= most)
    # Years and pages: only page numbers are written with a separator of thousands.
    return None if good else f"Must be a number from 1 to {most if most < 10_000 else f'{most:,}'}."


def _no_language(value: str) -> str | None:
    return None if len(value) <= MAX_LANGUAGE_LENGTH else "Not a language; write it like en or fr."


def _no_cursor(value: str) -> str | None:
    if len(value) > MAX_CURSOR_LENGTH:
        return _LOST
    try:
        if value:
            read_cursor(value)
    except UsageError:
        return _LOST
    return None
