"""Search filters: the facets of the results, and chips for the chosen filters."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from webstrata.model.search.values import FacetCount, FileKind, SearchResponse
from webstrata.web import present
from webstrata.web.search.form import SearchForm, address

VALUES_SHOWN = 6
VALUES_FOLDED = 24
"""How many values of one kind a page lists, and how many more are folded away below them."""

_KINDS = {
    FileKind.HTML: "Web pages",
    FileKind.PDF: "PDF files",
    FileKind.TEXT: "Plain texts",
    FileKind.OTHER: "Other files",
}


@dataclass(frozen=True)
class Choice:
    """One value that results have, how many have it, and the search for those alone."""

    words: str
    count: int
    share: int
    """Its count in per cent of the largest one beside it, for the bar."""
    address: str


@dataclass(frozen=True)
class Facet:
    """The values of a facet among the results."""

    name: str
    choices: tuple[Choice, ...]
    folded: tuple[Choice, ...]
    left_out: int


@dataclass(frozen=True)
class Chip:
    """A chosen filter in words, and the address of the search without it."""

    words: str
    without: str


def facets(form: SearchForm, found: SearchResponse, source_names: Mapping[str, str]) -> tuple[Facet, ...]:
    """Return the facets of the results, except those that are chosen already or have a single value."""
    offered = (
        ("Year", "year", form.year),
        ("Source", "source", form.source),
        ("Language", "language", form.language),
        ("Type", "type", form.kind),
    )
    return tuple(
        _facet(form.at_first_page, name, field, _counts(field, found), source_names)
        for name, field, chosen in offered
        if not chosen and _divides(field, found)
    )


def counted_of(found: SearchResponse) -> int | None:
    """Return how many results the facets count, if these are not all."""
    counted = _result_count(found)
    return counted if counted and (found.total_capped or counted < found.total) else None


def chips(form: SearchForm, source_names: Mapping[str, str]) -> tuple[Chip, ...]:
    """Return the chips of the chosen filters of a valid form, each with the address without it."""
    return tuple(Chip(words, address(without)) for words, without in _chosen(form.at_first_page, source_names))


def day_words(day: date) -> str:
    """Return a date in words: `3 May 2024`."""
    return f"{day.day} {day:%B} {day.year}"


def _chosen(form: SearchForm, source_names: Mapping[str, str]) -> Iterator[tuple[str, SearchForm]]:
    yield from _chosen_times(form)
    if form.source:
        yield _words("source", form.source, source_names), replace(form, source="")
    if form.language:
        yield _words("language", form.language, source_names), replace(form, language="")
    if form.kind:
        yield _words("type", form.kind, source_names), replace(form, kind="")
    if form.include_non_2xx:
        yield "With errors and redirects", replace(form, include_non_2xx=False)
    if form.include_duplicates:
        yield "With snapshots where nothing changed", replace(form, include_duplicates=False)
    if form.exact:
        yield "Words as they are written", replace(form, exact=False)


def _chosen_times(form: SearchForm) -> Iterator[tuple[str, SearchForm]]:
    if form.as_of:
        yield f"As of {_in_words(form.as_of)}", replace(form, as_of="")
    if form.year:
        yield form.year, replace(form, year="")
    if form.from_date:
        yield f"From {_in_words(form.from_date)}", replace(form, from_date="")
    if form.to_date:
        yield f"Until {_in_words(form.to_date)}", replace(form, to_date="")


def _facet(
    form: SearchForm, name: str, field: str, counts: Sequence[FacetCount], source_names: Mapping[str, str]
) -> Facet:
    most = max(facet.count for facet in counts)
    choices = [
        Choice(
            _words(field, facet.value, source_names),
            facet.count,
            max(1, 100 * facet.count // most),
            address(_with(form, field, facet.value)),
        )
        for facet in counts[: VALUES_SHOWN + VALUES_FOLDED]
    ]
    # A fold with a single value would take as much space as the value.
    shown = VALUES_SHOWN if len(counts) > VALUES_SHOWN + 1 else len(counts)
    return Facet(name, tuple(choices[:shown]), tuple(choices[shown:]), len(counts) - len(choices))


def _with(form: SearchForm, field: str, value: str) -> SearchForm:
    match field:
        case "year":
            return replace(form, year=value)
        case "source":
            return replace(form, source=value)
        case "language":
            return replace(form, language=value)
        case _:
            return replace(form, kind=value)


def _words(field: str, value: str, source_names: Mapping[str, str]) -> str:
    match field:
        case "source":
            return source_names.get(value, value)
        case "language":
            name = present.language_name(value) or value
            return f"{name} ({value})" if "-" in value and name != value else name
        case "type":
            return _KINDS[FileKind(value)]
        case _:
            return value


def _counts(field: str, found: SearchResponse) -> Sequence[FacetCount]:
    counts = (found.facets or {}).get(field, ())
    return sorted(counts, key=lambda facet: facet.value, reverse=True) if field == "year" else counts


def _divides(field: str, found: SearchResponse) -> bool:
    counts = _counts(field, found)
    return len(counts) > 1 or any(facet.count < _result_count(found) for facet in counts)


def _result_count(found: SearchResponse) -> int:
    """Return how many results were counted: each has a source, and only one."""
    return sum(facet.count for facet in _counts("source", found))


def _in_words(day: str) -> str:
    return day_words(date.fromisoformat(day))
