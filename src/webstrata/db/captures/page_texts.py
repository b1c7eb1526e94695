"""Loads captured pages for comparison, from what the index stored."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from webstrata.content.comparing.page_text import image_names, page_lines
from webstrata.db.captures.page_metadata import load_metadata
from webstrata.db.schema.link_tables import PageSignal, SnapshotOutlink
from webstrata.db.schema.tables import Document, Snapshot
from webstrata.errors import NotFoundError
from webstrata.model.changes.values import PageText


def load_page_text(session: Session, snapshot_id: int) -> PageText:
    """Return the page of a snapshot for comparison; NotFoundError when there is no such snapshot."""
    snapshot = session.get(Snapshot, snapshot_id)
    if snapshot is None:
        raise NotFoundError(f"there is no snapshot {snapshot_id}")
    document = session.get(Document, snapshot.document_id) if snapshot.document_id is not None else None
    lines = page_lines(document.text, document.blocks or "", document.regions or "") if document else ()
    return PageText(
        title=snapshot.title or "",
        lines=tuple(lines),
        status_code=snapshot.status_code,
        language=snapshot.language,
        links=_links(session, snapshot),
        images=_images(session, snapshot),
        quality=1.0 if snapshot.quality is None else snapshot.quality,
        quality_kind=snapshot.quality_kind or "page",
    )


def _links(session: Session, snapshot: Snapshot) -> frozenset[str]:
    linked = (
        select(PageSignal.normalized_url_group)
        .join(SnapshotOutlink, SnapshotOutlink.target_id == PageSignal.id)
        .where(SnapshotOutlink.snapshot_id == snapshot.outlinks_from)
    )
    return frozenset(session.scalars(linked))


def _images(session: Session, snapshot: Snapshot) -> frozenset[str]:
    stated = load_metadata(session, snapshot.content_hash).get("images") if snapshot.content_hash else None
    return image_names(map(str, stated)) if isinstance(stated, list) else frozenset()
