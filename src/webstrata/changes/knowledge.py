"""Context for comparing a page: the template of its site, and its earlier captures."""

from dataclasses import dataclass, field

from webstrata.db.changes import changes
from webstrata.db.changes.changes import ComparedSnapshot
from webstrata.db.engine import Database
from webstrata.model.changes.values import SiteKnowledge

_HISTORY = 6
"""From how many earlier captures of a page its volatile lines are learned."""


@dataclass(frozen=True)
class KnowledgeLoader:
    """Loads the templates of sites and earlier captures of pages; each job's template is loaded once."""

    database: Database
    _templates: dict[tuple[int, int | None], frozenset[str]] = field(default_factory=dict)

    def of_site(self, old: ComparedSnapshot, new: ComparedSnapshot) -> SiteKnowledge:
        """Return the templates of the jobs of two captures."""
        before, after = self._template(old), self._template(new)
        return SiteKnowledge(before, after or before, is_known=bool(before or after))

    def history(self, old: ComparedSnapshot) -> tuple[str, ...]:
        """Return the texts of earlier captures of a page, oldest first."""
        with self.database.read() as session:
            documents = changes.earlier_documents(session, old, _HISTORY)
            texts = changes.load_texts(session, set(documents))
        return tuple(texts[one].text for one in reversed(documents) if one in texts)

    def _template(self, snapshot: ComparedSnapshot) -> frozenset[str]:
        source_id, job_id = key = (snapshot.source_id, snapshot.job_id)
        if key not in self._templates:
            with self.database.read() as session:
                before = job_id and changes.previous_job(session, source_id, job_id)
                self._templates[key] = changes.load_template(session, job_id) or changes.load_template(session, before)
        return self._templates[key]
