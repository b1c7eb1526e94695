"""The search form: what a reader put into it, whether it makes sense, and the address that says it again."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from urllib.parse import urlencode

from webstrata.model.search import SearchRequest, Sort, View

MAX_QUERY_LENGTH = 256
MAX_PAGE = 1_000_000
DEFAULT_VIEW = View.PAGES

_YES = frozenset({"1", "true", "on", "yes"})


@dataclass(frozen=True)
class SearchForm:
    """The fields of the search form as they were filled in; empty means not asked for."""

    q: str = ""
    source: str = ""
    view: str = ""
    sort: str = ""
    from_date: str = ""
    to_date: str = ""
    include_non_2xx: bool = False
    include_duplicates: bool = False
    page: str = ""

    @property
    def narrowed(self) -> bool:
        """Tell whether anything but the words limits the results."""
        return bool(self.source or self.from_date or self.to_date)


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
    )


def problems(form: SearchForm) -> dict[str, str]:
    """Return what is wrong with the form, by field, in words for the reader."""
    found = {
        "q": _too_long(form.q),
        "view": _not_one_of(form.view, View),
        "sort": _not_one_of(form.sort, Sort),
        "from": _no_date(form.from_date),
        "to": _no_date(form.to_date),
        "page": _no_page(form.page),
    }
    wrong = {name: problem for name, problem in found.items() if problem}
    if "from" not in wrong and "to" not in wrong and form.to_date and form.from_date > form.to_date:
        wrong["to"] = f"Ends on {form.to_date}, before it starts on {form.from_date}."
    return wrong


def to_request(form: SearchForm) -> SearchRequest:
    """Return what a form without problems asks for."""
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
    )


def address(form: SearchForm) -> str:
    """Return the permanent address of a search; what is empty or the default is left out."""
    fields = {
        "q": form.q,
        "source": form.source,
        "view": "" if form.view == DEFAULT_VIEW else form.view,
        "sort": form.sort,
        "from": form.from_date,
        "to": form.to_date,
        "includeNon2xx": "true" if form.include_non_2xx else "",
        "includeDuplicates": "true" if form.include_duplicates else "",
        "page": "" if form.page == "1" else form.page,
    }
    query = urlencode({name: value for name, value in fields.items() if value})
    return f"/search?{query}" if query else "/search"


def _too_long(q: str) -> str | None:
    return f"At most {MAX_QUERY_LENGTH} characters, please: these are {len(q)}." if len(q) > MAX_QUERY_LENGTH else None


def _not_one_of(value: str, choices: type[View] | type[Sort]) -> str | None:
    names = [str(choice) for choice in choices]
    return None if not value or value in names else f"Must be {' or '.join(names)}."


def _no_date(value: str) -> str | None:
    try:
        good = not value or date.fromisoformat(value).isoformat() == value
    except ValueError:
        good = False
    return None if good else "Not a date; write it like 2024-05-03."


def _no_page(value: str) -> str | None:
    good = not value or (value.isascii() and value.isdecimal() and len(value) < 9 and 1 <= int(value) <= MAX_PAGE)
    return None if good else f"Must be a number from 1 to {MAX_PAGE:,}."
