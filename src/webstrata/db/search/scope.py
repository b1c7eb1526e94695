"""The scope of a search as SQL: which captures match, which are filtered out, and which capture of a page is shown.

Captures are read in one of two ways. Walking reads all captures, newest first, and checks whether the text of each
matches. Gathering starts from the matching texts and reads their captures. Gathering is quicker for few results,
walking for many.
"""

from collections.abc import Collection, Hashable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Any

from sqlalchemy import Integer, Result, TextualSelect, bindparam, column, text
from sqlalchemy.orm import Session

from webstrata.db.search.fulltext import Match, matched
from webstrata.db.sql.value_lists import as_list
from webstrata.db.types import UtcDateTime
from webstrata.model.search.values import SearchRequest, View

# ruff: noqa: S608 - the parts of a statement are constants; users' input is passed as parameters

_STATEMENTS_KEPT = 512


@dataclass(frozen=True)
class SearchScope:
    """The captures of a search: `match` selects texts, or `pages` selects pages; without both, all captures."""

    request: SearchRequest
    dialect: str
    source_id: int | None = None
    """The requested source."""
    hidden_source_id: int | None = None
    match: Match | None = None
    """The query of the full-text index."""
    pages: tuple[int, ...] | None = None
    documents: Collection[int] | None = None
    """The matching texts, if they are known already."""
    left_out: Collection[int] = ()
    """Texts whose captures were shown already."""
    captures: int = 0
    """About how many captures the whole archive holds."""
    state: tuple[tuple[Any, ...], ...] = ()
    """The id, code and totals of each source, with the time of their last change: changes with every change of the
    archive."""

    def walked(self) -> str:
        """Return FROM and WHERE for walking: all captures, newest first."""
        return f"FROM search_entries e WHERE {self._met('e')}{self._others('e')}{self._newest_of_page()}"

    def gathered(self, texts: str = "matched") -> str:
        """Return FROM and WHERE for gathering: from the matching texts, or some of them; without a match, the same as
        walking."""
        if not self._has_texts:
            return self.walked()
        # The texts to be left out are fewer than their captures.
        others = self._others("m")
        if self.dialect == "sqlite":
            met = f"{texts} m CROSS JOIN search_entries e WHERE e.document_id = m.document_id"
            return f"FROM {met}{others} AND {self.condition()}"
        # A list of ids is looked up in one pass over the index; a join would begin a new lookup for each of them.
        listed = self.documents is not None and texts == "matched" and not others
        known = f"SELECT m.document_id FROM {texts} m WHERE TRUE{others}"
        array = "CAST(:documents AS bigint[])" if listed else f"ARRAY({known})"
        return f"FROM search_entries e WHERE e.document_id = ANY({array}) AND {self.condition()}"

    def condition(self) -> str:
        """Return the condition that a capture `e` of a matching text is in this scope."""
        return f"{self._filtered('e')}{self._newest_of_page()}"

    def every_capture(self) -> "SearchScope":
        """Return the same scope with every capture of a page in it."""
        return replace(self, request=replace(self.request, view=View.SNAPSHOTS))

    def having_a_capture(self) -> str:
        """Return the condition that a text `m.document_id` has a capture in this scope, the newest of its page or
        not."""
        captures = f"search_entries e WHERE e.document_id = m.document_id AND {self._filtered('e')}"
        # Not written as EXISTS, for the reason in `_newest_of_page`.
        return f"(SELECT 1 FROM {captures} LIMIT 1) IS NOT NULL"

    def execute(self, session: Session, sql: str, **given: object) -> Result[*tuple[Any, ...]]:
        """Run a query, which may use `matched`, the matching texts."""
        statement = _statement(f"{self._with() if 'matched' in sql else ''}{sql}")
        return session.execute(statement, self._given() | given)

    def known(self, documents: Collection[int]) -> "SearchScope":
        """Return the same scope with its matching texts given."""
        return replace(self, documents=documents)

    @property
    def is_narrow(self) -> bool:
        """Return whether the search has filters besides its words."""
        request = self.request
        return any((self.source_id is not None, *_days(request), request.language, request.kind))

    def without(self, documents: Collection[int]) -> "SearchScope":
        """Return the same scope without the captures of some texts."""
        return replace(self, left_out=documents)

    def count_of_texts(self) -> str:
        """Return the SQL for the number of matching texts."""
        return "(SELECT count(*) FROM matched)" if self._has_texts else "0"

    def asks(self) -> Hashable:
        """Return the cache key of this scope, independent of the order and the page of results."""
        request = self.request
        shown = request.view, request.include_non_2xx, request.include_duplicates, request.language, request.kind
        texts = self.match if self.match is not None or self.documents is None else tuple(self.documents)
        return self.source_id, self.hidden_source_id, texts, self.pages, _days(request), shown

    def _others(self, alias: str) -> str:
        if not self.left_out:
            return ""
        return f" AND ({alias}.document_id IN {_list(self.dialect, 'left_out')}) IS NOT TRUE"

    @property
    def _has_texts(self) -> bool:
        return self.match is not None or self.documents is not None

    def _met(self, alias: str) -> str:
        # IS TRUE keeps both databases from starting at the texts: the captures must be read in order of time.
        matched = f"{self._matching(alias)} IS TRUE AND " if self._has_texts else ""
        paged = f"{alias}.page_id IN {_list(self.dialect, 'pages')} AND " if self.pages is not None else ""
        return f"{matched}{paged}{self._filtered(alias)}"

    def _matching(self, alias: str) -> str:
        matching = f"({alias}.document_id IN (SELECT document_id FROM matched))"
        # Most captures of a page have the same text as the capture `e` that they are compared with: then nothing is
        # looked up.
        return f"({alias}.document_id = e.document_id OR {matching})" if alias != "e" else matching

    def _newest_of_page(self) -> str:
        if self.request.view is not View.PAGES:
            return ""
        # Not written as NOT EXISTS: PostgreSQL would turn it into a join and read every capture.
        newer = "n.page_id = e.page_id AND (n.captured_at, n.snapshot_id) > (e.captured_at, e.snapshot_id)"
        return f" AND (SELECT 1 FROM search_entries n WHERE {newer} AND {self._met('n')} LIMIT 1) IS NULL"

    def _filtered(self, alias: str) -> str:
        shown, fixed = " AND ".join(self._shown(alias)), " AND ".join(self._of_source(alias))
        if self.dialect != "sqlite":
            # IS TRUE keeps PostgreSQL from using an index for a condition that nearly all captures meet.
            shown, fixed = (f"({part}) IS TRUE" if part else "" for part in (shown, fixed))
        return " AND ".join(filter(None, (shown, fixed, *self._filters(alias)))) or "TRUE"

    def _shown(self, a: str) -> Iterator[str]:
        """Yield the default conditions, exactly as in the partial index, see `search_tables.SHOWN`."""
        if not self.request.include_non_2xx:
            yield f"{a}.status_rank IN (0, 2)"
        if not self.request.include_duplicates:
            yield f"{a}.repeated = 0"

    def _of_source(self, a: str) -> Iterator[str]:
        if self.source_id is not None:
            yield f"{a}.source_id = :source"
        elif self.hidden_source_id is not None:
            yield f"{a}.source_id <> :hidden"

    def _filters(self, a: str) -> Iterator[str]:
        first, last = _days(self.request)
        yield from (f"{a}.captured_at >= :since",) if first else ()
        yield from (f"{a}.captured_at < :until",) if last else ()
        yield from (f"{a}.language = :language",) if self.request.language else ()
        yield from (f"{a}.kind = :kind",) if self.request.kind else ()

    def _with(self) -> str:
        if self.documents is not None:
            return f"WITH matched AS MATERIALIZED (SELECT given AS document_id FROM {_rows(self.dialect)}) "
        if self.match is None:
            return ""
        return f"WITH matched AS MATERIALIZED ({matched(self.match, self.dialect)}) "

    def _given(self) -> dict[str, object]:
        first, last = _days(self.request)
        bounds = {
            "since": first,
            "until": last and _next_day(last),
            "then": self.request.as_of and _next_day(self.request.as_of),
        }
        values: dict[str, object] = {
            name: datetime.combine(day, time(), UTC) for name, day in bounds.items() if day is not None
        }
        values |= {"source": self.source_id, "hidden": self.hidden_source_id}
        values |= {"language": self.request.language, "kind": self.request.kind and str(self.request.kind)}
        values |= self.match.given() if self.match is not None else {}
        values |= {"pages": as_list(self.dialect, self.pages or ())}
        values |= {"documents": as_list(self.dialect, self.documents or ())}
        values |= {"left_out": as_list(self.dialect, self.left_out)}
        return values


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
    """Return the first and the last UTC day of a request; the last possible day means no limit."""
    firsts = [request.from_date, date(request.year, 1, 1) if request.year else None]
    lasts = [request.to_date, request.as_of, date(request.year, 12, 31) if request.year else None]
    first = max((day for day in firsts if day), default=None)
    last = min((day for day in lasts if day and day < date.max), default=None)
    return first, last


def _next_day(day: date) -> date:
    return min(day, date.max - timedelta(days=1)) + timedelta(days=1)


@lru_cache(_STATEMENTS_KEPT)
def _statement(sql: str) -> TextualSelect:
    clause = text(sql)
    moments = [name for name in ("since", "until", "then", "after_at") if f":{name}" in sql]
    clause = clause.bindparams(*(bindparam(name, type_=UtcDateTime()) for name in moments))
    return clause.columns(column("snapshot_id", Integer), captured_at=UtcDateTime())
