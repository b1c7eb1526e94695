"""Which captures a search is about, as SQL: what matches, what is filtered out, and which of a page is shown.

Captures are met in one of two ways. Walking goes through all of them, newest first, and asks of each whether its text
matches; gathering starts from the texts that match and brings their captures. Few are best gathered, many walked.
"""

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Any

from sqlalchemy import Integer, Result, TextualSelect, bindparam, column, text
from sqlalchemy.orm import Session

from webstrata.db.fulltext import MATCHED
from webstrata.db.types import UtcDateTime
from webstrata.model.search import SearchRequest, View

# ruff: noqa: S608 - the parts of a statement are all ours; what readers write comes as parameters

_GOOD = "0, 2"
_STATEMENTS_KEPT = 512


@dataclass(frozen=True)
class Scope:
    """The captures of a search: `match` says which texts, or `pages` which pages; with neither it is all of them."""

    request: SearchRequest
    dialect: str
    source_id: int | None = None
    """The one source that is asked for."""
    hidden_source_id: int | None = None
    match: str | None = None
    """What the full-text index is asked."""
    pages: tuple[int, ...] | None = None
    documents: Collection[int] | None = None
    """The texts that match, where they are known already."""
    left_out: Collection[int] = ()
    """Texts whose captures were shown already."""

    def walked(self) -> str:
        """Return FROM and WHERE that meet all captures, newest first."""
        return f"FROM search_entries e WHERE {self._met('e')}{self._others()}{self._newest_of_page()}"

    def gathered(self) -> str:
        """Return FROM and WHERE that start from the texts that match; without any, that is walking."""
        if not self._has_texts:
            return self.walked()
        return f"FROM matched m CROSS JOIN search_entries e WHERE e.document_id = m.document_id AND {self.condition()}"

    def condition(self) -> str:
        """Return the condition that a capture `e` of a text that matches is in this scope."""
        return f"{self._filtered('e')}{self._others()}{self._newest_of_page()}"

    def every_capture(self) -> "Scope":
        """Return the same scope with every capture of a page in it."""
        return replace(self, request=replace(self.request, view=View.SNAPSHOTS))

    def having_a_capture(self) -> str:
        """Return the condition that a text `m.document_id` has a capture here, be it a page's newest or not."""
        return f"EXISTS (SELECT 1 FROM search_entries e WHERE e.document_id = m.document_id AND {self._filtered('e')})"

    def execute(self, session: Session, sql: str, **given: object) -> Result[*tuple[Any, ...]]:
        """Run a query; it may speak of `matched`, the texts that match, and of `captured_at` as a moment."""
        statement = _statement(f"{self._with()}{sql}")
        return session.execute(statement, self._given() | given)

    def known(self, documents: Collection[int]) -> "Scope":
        """Return the same scope when it is known which texts match."""
        return replace(self, documents=documents)

    @property
    def is_narrow(self) -> bool:
        """Tell whether more than the words narrows the search."""
        request = self.request
        return any((self.source_id is not None, *_days(request), request.language, request.kind))

    def without(self, documents: Collection[int]) -> "Scope":
        """Return the same scope without the captures of some texts."""
        return replace(self, left_out=documents)

    def _others(self) -> str:
        if not self.left_out:
            return ""
        return f" AND (e.document_id IN {_list(self.dialect, 'left_out')}) IS NOT TRUE"

    @property
    def _has_texts(self) -> bool:
        return self.match is not None or self.documents is not None

    def _met(self, alias: str) -> str:
        # IS TRUE keeps both databases from starting at the texts: the captures are met in order of time.
        matched = f"({alias}.document_id IN (SELECT document_id FROM matched)) IS TRUE AND " if self._has_texts else ""
        paged = f"{alias}.page_id IN {_list(self.dialect, 'pages')} AND " if self.pages is not None else ""
        return f"{matched}{paged}{self._filtered(alias)}"

    def _newest_of_page(self) -> str:
        if self.request.view is not View.PAGES:
            return ""
        return (
            " AND NOT EXISTS (SELECT 1 FROM search_entries n WHERE n.page_id = e.page_id"
            f" AND (n.captured_at, n.snapshot_id) > (e.captured_at, e.snapshot_id) AND {self._met('n')})"
        )

    def _filtered(self, alias: str) -> str:
        return " AND ".join(self._filters(alias)) or "TRUE"

    def _filters(self, a: str) -> Iterator[str]:
        if not self.request.include_non_2xx:
            yield f"{a}.status_rank IN ({_GOOD})"
        if not self.request.include_duplicates:
            yield f"{a}.repeated = 0"
        if self.source_id is not None:
            yield f"{a}.source_id = :source"
        elif self.hidden_source_id is not None:
            yield f"{a}.source_id <> :hidden"
        first, last = _days(self.request)
        yield from (f"{a}.captured_at >= :since",) if first else ()
        yield from (f"{a}.captured_at < :until",) if last else ()
        yield from (f"{a}.language = :language",) if self.request.language else ()
        yield from (f"{a}.kind = :kind",) if self.request.kind else ()

    def _with(self) -> str:
        if self.documents is not None:
            return f"WITH matched AS MATERIALIZED (SELECT given AS document_id FROM {_rows(self.dialect)}) "
        return f"WITH matched AS MATERIALIZED ({MATCHED[self.dialect]}) " if self.match is not None else ""

    def _given(self) -> dict[str, object]:
        first, last = _days(self.request)
        bounds = {"since": first, "until": last and last + timedelta(days=1)}
        values: dict[str, object] = {
            name: datetime.combine(day, time(), UTC) for name, day in bounds.items() if day is not None
        }
        values |= {"source": self.source_id, "hidden": self.hidden_source_id}
        values |= {"language": self.request.language, "kind": self.request.kind and str(self.request.kind)}
        values |= {"match": self.match, "pages": as_list(self.dialect, self.pages or ())}
        values |= {"documents": as_list(self.dialect, self.documents or ())}
        values |= {"left_out": as_list(self.dialect, self.left_out)}
        return values


def as_list(dialect: str, values: Collection[object]) -> object:
    """Return values as the one parameter that a database reads as a list."""
    return json.dumps([*values]) if dialect == "sqlite" else [*values]


def _list(dialect: str, name: str) -> str:
    return (
        f"(SELECT value FROM json_each(:{name}))"
        if dialect == "sqlite"
        else f"(SELECT unnest(CAST(:{name} AS bigint[])))"
    )


def _rows(dialect: str) -> str:
    if dialect == "sqlite":
        return "(SELECT value AS given FROM json_each(:documents))"
    return "unnest(CAST(:documents AS bigint[])) AS listed(given)"


def _days(request: SearchRequest) -> tuple[date | None, date | None]:
    """Return the first and the last UTC day that is asked for; the last day there is, is no bound."""
    firsts = [request.from_date, date(request.year, 1, 1) if request.year else None]
    lasts = [request.to_date, request.as_of, date(request.year, 12, 31) if request.year else None]
    first = max((day for day in firsts if day), default=None)
    last = min((day for day in lasts if day and day < date.max), default=None)
    return first, last


@lru_cache(_STATEMENTS_KEPT)
def _statement(sql: str) -> TextualSelect:
    clause = text(sql)
    moments = [name for name in ("since", "until", "after_at") if f":{name}" in sql]
    clause = clause.bindparams(*(bindparam(name, type_=UtcDateTime()) for name in moments))
    return clause.columns(column("snapshot_id", Integer), captured_at=UtcDateTime())
