"""Scores of documents for a search: by their text, and for the best also by title, links and address."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from sqlalchemy import text
from sqlalchemy.orm import Session

from webstrata.content.tokens import fold
from webstrata.db.search.fulltext import words_of
from webstrata.db.search.scope import SearchScope
from webstrata.db.search.union import Columns, UnionPart, split_rows, union_query
from webstrata.db.sql.value_lists import as_list
from webstrata.model.search.ranking import Facts, depth_of

# ruff: noqa: S608 - the parts of a statement are constants; users' input is passed as parameters

MOST_JUDGED = 80
"""The number of documents, the best by their text, that are also scored by title, links and address."""


@dataclass(frozen=True)
class Judged:
    """The relevance of each document, as the database computes it, and the facts of the best."""

    relevance: dict[int, float] = field(default_factory=dict)
    facts: dict[int, Facts] = field(default_factory=dict)


def judged(session: Session, scope: SearchScope, documents: Collection[int]) -> Judged:
    """Return the relevance and the facts of matching documents."""
    assert scope.match is not None
    given = {"match": scope.match.exactly, "ids": as_list(scope.dialect, documents), "judged": MOST_JUDGED}
    rows = session.execute(_JUDGED[scope.dialect], given).all()
    return judgement(split_rows(scope.dialect, JUDGING, rows))


def judgement(results: Mapping[str, Columns]) -> Judged:
    """Return the judgement from the rows of `JUDGING`."""
    ranked, best = results["ranked"], results["best"]
    return Judged(
        dict(zip(ranked["document_id"], ranked["relevance"], strict=True)),
        {
            document_id: Facts(f" {fold(title)} ", inlinks, depth_of(page), rank_mass)
            for document_id, inlinks, title, page, rank_mass in zip(*(best[name] for name in _FACTS), strict=True)
        },
    )


_BEST = "SELECT document_id FROM ranked ORDER BY relevance DESC, document_id LIMIT :judged"
_FACTS = ("document_id", "inlinks", "title", "page", "rank_mass")
JUDGING = {
    "ranked": UnionPart("SELECT document_id, relevance FROM ranked", ("document_id", "relevance")),
    "best": UnionPart(
        "SELECT d.id AS document_id, coalesce(p.inlink_count, 0) AS inlinks, d.title,"
        " d.normalized_url_group AS page, coalesce(p.rank_mass, 0) AS rank_mass"
        f" FROM ({_BEST}) AS b JOIN documents d ON d.id = b.document_id"
        " LEFT JOIN page_signals p ON p.normalized_url_group = d.normalized_url_group",
        _FACTS,
    ),
}
"""The queries on `ranked`, documents with their relevance: first the relevance of all, then the facts of the best."""

# On both databases a hit in the title counts eight times as much as one in the text, and one in the address three
# times.
_RARE_HITS = "0.15 * (0.25 + 0.75 * length(words) / 200)"
"""The saturation of hits, as in the denominator of BM25: many hits count little more than some, and less in a long
text."""

RELEVANCE = {
    "sqlite": "-bm25(documents_fts, 1.0, 8.0, 3.0)",
    "postgresql": (
        f"CAST(1 - {_RARE_HITS} / ({_RARE_HITS}"
        " + ts_rank_cd('{0.125, 0.125, 0.375, 1.0}', words, CAST(:match AS tsquery))) AS double precision)"
    ),
}
"""The SQL of a document's relevance."""

_RANKED = {
    # Written so that SQLite does not look up single documents: for each it would count the words of all documents
    # again.
    "sqlite": (
        f"SELECT rowid AS document_id, {RELEVANCE['sqlite']} AS relevance FROM documents_fts"
        " WHERE documents_fts MATCH :match AND +rowid IN (SELECT value FROM json_each(:ids))"
    ),
    "postgresql": (
        f"SELECT document_id, {RELEVANCE['postgresql']} AS relevance FROM {words_of('CAST(:ids AS bigint[])')}"
    ),
}
_JUDGED = {
    dialect: text(f"WITH ranked AS MATERIALIZED ({ranked}) {union_query(dialect, JUDGING)}")
    for dialect, ranked in _RANKED.items()
}
