"""Adds the word forms of texts that an older version stored, in batches; it can be stopped and resumed."""

from collections import defaultdict

from sqlalchemy import select
from sqlalchemy.orm import Session

from webstrata.content.tokens import tokens
from webstrata.content.words.stemming import stem_language
from webstrata.db.engine import Database
from webstrata.db.schema.search_tables import SearchUpkeep
from webstrata.db.schema.tables import Document, Snapshot
from webstrata.db.search.word_forms import learn_forms
from webstrata.db.vocabulary import MOST_TEXT_CHARACTERS

NAME = "word_forms"
_BATCH = 500


def learn_stored_forms(database: Database) -> None:
    """Store the word forms of all texts, some hundred per transaction; searching is possible meanwhile."""
    with database.read() as session:
        row = session.get(SearchUpkeep, NAME)
        is_done = row is None or row.last_document_id >= row.until_document_id
    while not is_done:
        with database.write() as session:
            is_done = not learn_some(session)


def learn_some(session: Session) -> bool:
    """Store the word forms of the next texts; False when none are left."""
    row = session.get(SearchUpkeep, NAME, with_for_update=True)
    if row is None or row.last_document_id >= row.until_document_id:
        return False
    language = select(Snapshot.language).where(Snapshot.document_id == Document.id).limit(1).scalar_subquery()
    found = session.execute(
        select(Document.id, Document.title, Document.normalized_url_group, Document.text, language)
        .where(Document.id > row.last_document_id, Document.id <= row.until_document_id)
        .order_by(Document.id)
        .limit(_BATCH)
    ).all()
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for _, title, group, text, spoken in found:
        if (stemmed_as := stem_language(spoken)) is not None:
            texts[stemmed_as] += [title, group, text[:MOST_TEXT_CHARACTERS]]
    for stemmed_as in sorted(texts):
        joined = "\n".join(texts[stemmed_as])
        learn_forms(session, stemmed_as, set(tokens(joined)), set(joined.split()))
    row.last_document_id = found[-1].id if found else row.until_document_id
    return True
