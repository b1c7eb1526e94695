"""How often terms occur, as both full-text indexes count them."""

import pytest
from sqlalchemy import select

from tests.support.shelf import Shelf
from webstrata.db.engine import Database
from webstrata.db.schema.tables import Document
from webstrata.db.search.frequencies import count_terms
from webstrata.model.search.terms import Term

SITE = "https://example.org"
TERMS = {
    3: Term("vaccine", (("vaccines",), ("vaccinated",))),
    5: Term("email", (("e", "mail"),)),
    7: Term("nothing"),
}


def test_forms_of_a_term_are_counted_together_on_every_database(database: Database, shelf: Shelf) -> None:
    job = shelf.job()
    shelf.page(job, f"{SITE}/vaccine", "2026-01-01", "Vaccines: a vaccine, vaccinated twice.", title="Vaccine")
    shelf.page(job, f"{SITE}/b", "2026-01-01", "Send an e-mail or an email. " + "Vaccine " * 40)
    shelf.page(job, f"{SITE}/c", "2026-01-01", "Neither of them, and much longer: " + "word " * 90)
    with database.read() as session:
        documents = session.scalars(select(Document.id).order_by(Document.normalized_url_group)).all()
        counts, lengths = count_terms(session, TERMS, documents)
    mail, long, vaccines = documents
    # Three times in the text, once in the title, once in the address.
    assert counts[3] == {vaccines: pytest.approx(3 + 1.5 + 0.6), mail: pytest.approx(40)}
    assert counts[5].keys() == {mail}
    assert 1 < counts[5][mail] < 2.1
    assert counts[7] == {}
    assert lengths[vaccines] < lengths[mail] < lengths[long]
