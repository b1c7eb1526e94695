"""Relevance: how well questions in whole sentences find the pages that answer them, beside plain BM25.

The collection was written for this: two pages on each of 76 topics in English and in French, and questions with graded
judgements (3 answers it, 2 and 1 help). `COLLECTION=DIR` measures on another one in the same format.
"""

import os
from pathlib import Path

from bench.databases import databases
from bench.relevance.archive import store
from bench.relevance.collection import Collection, Question, read_collection
from bench.relevance.measures import mean, ndcg, recall
from bench.relevance.reference import Bm25
from bench.report import Measurement
from webstrata.db.engine import Database
from webstrata.db.migrate import upgrade
from webstrata.model.search.values import SearchRequest, View
from webstrata.search.service import search

_FIRST, _MANY = 10, 100


def measure(folder: Path) -> list[Measurement]:
    """Return nDCG@10 and recall@100 of our search on both databases, and of BM25 with and without stems."""
    collection = read_collection(Path(os.environ.get("COLLECTION", Path(__file__).parent)))
    found = []
    stemmed = _judged(collection, "BM25 with stems", Bm25(collection, stems=True).search)
    for name, url in databases(folder):
        database = Database(url)
        upgrade(database)
        names = store(database, collection)
        found += _judged(
            collection,
            f"ours on {name}",
            lambda question, database=database, names=names: _search(database, names, question),
            asked=f"≥ {stemmed[0].rate:.3f}",
        )
        database.dispose()
    return [*found, *stemmed, *_judged(collection, "BM25 with words as written", Bm25(collection, stems=False).search)]


def _search(database: Database, names: dict[str, str], question: Question) -> list[str]:
    request = SearchRequest(q=question.text, view=View.PAGES, page_size=_MANY)
    return [names[hit.normalized_url_group] for hit in search(database, request).results]


def _judged(collection: Collection, name: str, search_for: object, asked: str | None = None) -> list[Measurement]:
    assert callable(search_for)
    results = [(question, search_for(question)) for question in collection.questions]
    at_ten = mean(ndcg(found[:_FIRST], question.grades) for question, found in results)
    at_hundred = mean(recall(found[:_MANY], question.grades) for question, found in results)
    return [
        Measurement(f"nDCG@{_FIRST}, {name}", at_ten, "", asked=asked),
        Measurement(f"recall@{_MANY}, {name}", at_hundred, ""),
    ]
