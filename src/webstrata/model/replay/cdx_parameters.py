"""The parameters of a CDX query, parsed and checked: a wrong value is a UsageError that names the allowed ones."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from typing import TypeVar

from webstrata.errors import UsageError
from webstrata.model.replay.cdx import FIELDS, CdxDialect, CdxOutput, CdxQuery, ListPosition
from webstrata.model.replay.cdx_filters import Collapse, FieldFilter, FilterKind
from webstrata.model.replay.url_ranges import MatchType, key_range, read_pattern
from webstrata.model.timestamps import earliest_moment, is_timestamp, latest_moment

MAX_FILTERS = 20
MAX_LAST_LINES = 10_000
"""The most lines of a negative limit, as they are held in memory."""

_LARGEST_NUMBER = 2**31 - 1
_MAX_PAGE_BLOCKS = 100
_FILTER = re.compile(r"(?P<negated>!?)(?P<kind>[=~]?)(?P<field>[a-z]+):(?P<value>.*)", re.DOTALL)
_SORTS = ("default", "reverse", "closest")
_TRUE, _FALSE = ("true", "1", "yes", "on"), ("false", "0", "no", "off", "")

Choice = TypeVar("Choice", bound=StrEnum)


def read_query(parameters: Iterable[tuple[str, str]], dialect: CdxDialect) -> CdxQuery:
    """Return a checked query; parameters that are not known are ignored, as other servers do."""
    given: dict[str, list[str]] = {}
    for name, value in parameters:
        given.setdefault(name, []).append(value)
    last = {name: values[-1] for name, values in given.items()}
    dialect = _choice(last, "dialect", CdxDialect, dialect)
    url, match_type = read_pattern(last.get("url", "").strip(), _match_type(last))
    query = CdxQuery(
        url=url,
        match_type=match_type,
        keys=key_range(url, match_type),
        dialect=dialect,
        output=_choice(last, "output", CdxOutput, CdxOutput.TEXT),
        fields=_fields(last.get("fl") or last.get("fields") or ""),
        filters=tuple(_filter(text, dialect) for text in _few("filter", given.get("filter", []))),
        collapses=tuple(_collapse(text) for text in _few("collapse", given.get("collapse", []))),
    )
    return _with_order(_with_paging(_with_dates(query, last), last), last)


def _match_type(given: Mapping[str, str]) -> MatchType | None:
    return _choice(given, "matchType", MatchType, MatchType.EXACT) if given.get("matchType") else None


def _choice(given: Mapping[str, str], name: str, choices: type[Choice], otherwise: Choice) -> Choice:
    text = given.get(name, "").strip().lower()
    if not text:
        return otherwise
    try:
        return choices(text)
    except ValueError:
        raise UsageError(f"{name} must be one of {', '.join(choices)}") from None


def _with_dates(query: CdxQuery, given: Mapping[str, str]) -> CdxQuery:
    earliest = _moment(given, "from", earliest_moment) if given.get("from") else None
    latest = _moment(given, "to", latest_moment) if given.get("to") else None
    if earliest and latest and earliest > latest:
        raise UsageError("from must not be after to")
    return replace(query, earliest=earliest, latest=latest)


def _moment(given: Mapping[str, str], name: str, bound: Callable[[str], datetime]) -> datetime:
    if not is_timestamp(given[name]):
        raise UsageError(f"{name} must be 1 to 14 digits, such as 2024 or 20240531120000")
    return bound(given[name])


def _fields(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    return tuple(_field("fl", name) for name in names) and names


def _field(parameter: str, name: str) -> str:
    if name not in FIELDS:
        raise UsageError(f"{parameter}: there is no field {name[:40]!r} (expected one of {', '.join(FIELDS)})")
    return FIELDS[name]


def _few(name: str, values: list[str]) -> list[str]:
    if len(values) > MAX_FILTERS:
        raise UsageError(f"{name} can be given {MAX_FILTERS} times at most")
    return values


def _filter(text: str, dialect: CdxDialect) -> FieldFilter:
    found = _FILTER.fullmatch(text)
    if found is None:
        raise UsageError("filter must look like statuscode:200, !mimetype:image/.*, =status:200 or ~url:.*[.]pdf")
    # Without an operator, the Internet Archive's server matches a regular expression, pywb's a substring.
    plain = FilterKind.CONTAINS if dialect is CdxDialect.PYWB else FilterKind.MATCHES
    kind = FilterKind(found["kind"]) if found["kind"] else plain
    return FieldFilter(_field("filter", found["field"]), kind, found["value"], bool(found["negated"]))


def _collapse(text: str) -> Collapse:
    name, colon, length = text.partition(":")
    if colon and not (is_timestamp(length) and int(length) > 0):
        raise UsageError("collapse must look like digest or timestamp:8")
    return Collapse(_field("collapse", name), int(length) if colon else None)


def _with_paging(query: CdxQuery, given: Mapping[str, str]) -> CdxQuery:
    resume_after = ListPosition.read(given["resumeKey"]) if given.get("resumeKey") else None
    if resume_after is not None and resume_after.url_key not in query.keys:
        raise UsageError("resumeKey belongs to a query of another url or matchType")
    return replace(
        query,
        page=_number(given, "page", 0, _LARGEST_NUMBER) if given.get("page") else None,
        page_blocks=_number(given, "pageSize", 1, _MAX_PAGE_BLOCKS) if given.get("pageSize") else 1,
        shows_page_count=_flag(given, "showNumPages"),
        resume_after=resume_after,
        shows_resume_key=_flag(given, "showResumeKey"),
        may_compress=_flag(given, "gzip", otherwise=True),
        limit=_number(given, "limit", -MAX_LAST_LINES, _LARGEST_NUMBER) if given.get("limit") else None,
        offset=_number(given, "offset", 0, _LARGEST_NUMBER) if given.get("offset") else 0,
    )


def _with_order(query: CdxQuery, given: Mapping[str, str]) -> CdxQuery:
    sort = given.get("sort", "").strip().lower() or ("closest" if given.get("closest") else "default")
    if sort not in _SORTS:
        raise UsageError(f"sort must be one of {', '.join(_SORTS)}")
    if sort != "closest":
        return replace(query, is_reverse=sort == "reverse")
    if not given.get("closest"):
        raise UsageError("sort=closest needs closest, a timestamp of 1 to 14 digits")
    if query.match_type is not MatchType.EXACT:
        raise UsageError("sort=closest needs one URL: matchType must be exact")
    if query.page is not None or query.resume_after or query.shows_resume_key or (query.limit or 0) < 0:
        raise UsageError("sort=closest needs a positive limit, and cannot be used with page or resumeKey")
    return replace(query, closest=_moment(given, "closest", latest_moment))


def _number(given: Mapping[str, str], name: str, least: int, most: int) -> int:
    text = given[name].strip()
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 12 and least <= int(text) <= most):
        raise UsageError(f"{name} must be a whole number from {least} to {most}")
    return int(text)


def _flag(given: Mapping[str, str], name: str, *, otherwise: bool = False) -> bool:
    text = given.get(name, "").strip().lower()
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False if text else otherwise
    raise UsageError(f"{name} must be true or false")
