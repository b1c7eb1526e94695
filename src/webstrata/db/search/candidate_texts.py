"""Loads the pages that a search ranks: their words, from the stored texts, and their links."""

from collections.abc import Collection, Hashable
from dataclasses import dataclass

from sqlalchemy.orm import Session

from webstrata.content.words.page_words import page_words
from webstrata.db.captures.packed_text import unpacked
from webstrata.db.search.frequencies import sampled
from webstrata.db.sql.value_lists import Among
from webstrata.model.search.ranking import Facts, Score, depth_of, match_scores
from webstrata.model.search.relevance import PageWords, TermMatcher, usual_length


@dataclass(frozen=True)
class JudgedPage:
    """The words of a page, and how well it is linked."""

    words: PageWords
    page: str
    inlinks: int
    rank_mass: float


def read_scores(
    session: Session,
    state: Hashable,
    documents: Collection[int],
    matcher: TermMatcher,
    phrases: tuple[tuple[str, ...], ...],
) -> dict[int, Score]:
    """Return the scores of documents by the words of their stored texts."""
    pages = _read_pages(session, documents)
    usual = _usual_length(session, state) or usual_length([page.words for page in pages.values()])
    found = {document: matcher.relevance(page.words, usual) for document, page in pages.items()}
    facts = {
        document: Facts(
            f" {' '.join(matcher.as_asked(page.words.title))} ", page.inlinks, depth_of(page.page), page.rank_mass
        )
        for document, page in pages.items()
    }
    return match_scores(found, facts, phrases, terms=len(matcher.terms))


def _usual_length(session: Session, state: Hashable) -> float:
    """Return the average length of texts, from a sample of all: texts that match a question are longer than most."""

    def average(ids: Collection[int]) -> float:
        return usual_length([page.words for page in _read_pages(session, ids).values()])

    return sampled(session, state, average, "usual length of main texts")


def _read_pages(session: Session, documents: Collection[int]) -> dict[int, JudgedPage]:
    rows = _TEXTS.execute(session, {"ids": documents})
    return {
        document: JudgedPage(page_words(title, page, unpacked(stored), blocks), page, inlinks, rank_mass)
        for document, title, page, stored, blocks, inlinks, rank_mass in rows
    }


_TEXTS = Among(
    "SELECT d.id, d.title, d.normalized_url_group, d.text, d.blocks, coalesce(p.inlink_count, 0),"
    " coalesce(p.rank_mass, 0) FROM documents d"
    " LEFT JOIN page_signals p ON p.normalized_url_group = d.normalized_url_group WHERE d.id IN <ids>",
    (("ids", "bigint"),),
    few=True,
)
