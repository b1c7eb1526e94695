"""Locations of the bytes of assets: in a document, in a capture's WARC record, in the row itself, or in a file."""

import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from isal import isal_zlib
from sqlalchemy import Row, bindparam, func, null, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from webstrata.content.page_file import page_file
from webstrata.db.schema.asset_tables import Asset, AssetBlob, AssetVersion
from webstrata.db.schema.tables import Capture, Document, Source
from webstrata.db.sql.bulk import ManyRows
from webstrata.db.sql.planner_hints import unindexed

_LEVEL = 3
"""Compression level of igzip, which zlib can read: a third of the time of zlib's level 6, for 4 % more bytes."""


@dataclass(frozen=True)
class BlobPlace:
    """The size of a blob, and the document or capture with its bytes; None for both means a separate file."""

    size: int
    document_id: int | None = None
    capture_id: int | None = None

    @property
    def has_file(self) -> bool:
        """Return whether the bytes are in a file of the asset store."""
        return self.document_id is None and self.capture_id is None


@dataclass(frozen=True)
class PageFile:
    """The file that a document's title and text make: its checksum and its size."""

    checksum: str
    size: int


@dataclass(frozen=True)
class StoredBlob:
    """A blob: its bytes, or the capture that contains them; with neither, the bytes are in a file."""

    digest: str
    content: bytes | None
    capture_id: int | None


@dataclass(frozen=True)
class ExportedAsset:
    """The newest version of an asset, for an export."""

    id: int
    source_code: str
    plugin: str
    identifier: str
    normalized_path: str
    blob: StoredBlob


def hold_places(session: Session, places: Mapping[str, BlobPlace], now: datetime) -> None:
    """Add or lock the rows of blobs with their locations; they cannot be deleted before the transaction ends."""
    # Sorted, because two processes that lock the same blobs could deadlock otherwise.
    rows = [(digest, *_place(places[digest]), now) for digest in sorted(places)]
    _HOLD[session.get_bind().dialect.name].execute(session, rows)


def _place(place: BlobPlace) -> tuple[int, int | None, int | None]:
    return place.size, place.document_id, place.capture_id


def _hold(dialect: object) -> ManyRows:
    statement = dialect.insert(AssetBlob.__table__)  # type: ignore[attr-defined]
    columns = AssetBlob.__table__.c
    # An existing location is not changed, as one is enough.
    updated = {
        name: func.coalesce(columns[name], statement.excluded[name]) for name in ("document_id", "capture_id")
    } | {"size": statement.excluded.size}
    return ManyRows(
        statement.on_conflict_do_update(index_elements=["digest"], set_=updated).inline(),
        {name: columns[name] for name in ("digest", "size", "document_id", "capture_id", "created_at")},
    )


_HOLD = {"sqlite": _hold(sqlite), "postgresql": _hold(postgresql)}


def present_documents(session: Session, document_ids: Collection[int]) -> set[int]:
    """Return which documents exist; none of them can be deleted before the transaction ends."""
    if not document_ids:
        return set()
    statement = select(Document.id).where(Document.id.in_(document_ids)).order_by(Document.id)
    return set(session.scalars(statement.with_for_update(read=True, key_share=True)))


def page_files(session: Session, document_ids: Collection[int]) -> dict[int, PageFile]:
    """Return the files of documents that are the bytes of an asset already, by document."""
    statement = select(AssetBlob.document_id, AssetBlob.digest, AssetBlob.size)
    rows = session.execute(statement.where(AssetBlob.document_id.in_(document_ids)).order_by(AssetBlob.created_at))
    return {of: PageFile(digest, size) for of, digest, size in rows if of is not None}


def stored_blob(session: Session, digest: str) -> StoredBlob:
    """Return where a blob's bytes are."""
    row = session.execute(
        select(AssetBlob.capture_id, AssetBlob.content, Document.title, Document.text)
        .outerjoin(Document, AssetBlob.document_id == Document.id)
        .where(AssetBlob.digest == digest)
    ).one()
    return _stored_blob(digest, *row)


def _stored_blob(
    digest: str, capture_id: int | None, content: bytes | None, title: str | None, text: str | None
) -> StoredBlob:
    if content is not None:
        return StoredBlob(digest, zlib.decompress(content), None)
    if title is not None and text is not None:
        return StoredBlob(digest, page_file(title, text), None)
    return StoredBlob(digest, None, capture_id)


def keep_texts(session: Session, texts: Mapping[int, tuple[str, str]]) -> None:
    """Store the bytes of assets whose documents, given as title and text, are about to be deleted."""
    held = session.execute(
        select(AssetBlob.digest, AssetBlob.document_id).where(AssetBlob.document_id.in_(texts)).with_for_update()
    ).all()
    rows = [(isal_zlib.compress(page_file(*texts[of or 0]), _LEVEL), digest) for digest, of in held]
    _KEEP.execute(session, rows)


_KEEP = ManyRows(
    update(AssetBlob.__table__)  # type: ignore[arg-type]
    .where(AssetBlob.__table__.c.digest == bindparam("of_blob"))
    .values(content=bindparam("data"), document_id=null()),
    {"data": AssetBlob.__table__.c.content, "of_blob": AssetBlob.__table__.c.digest},
)


def blobs_in_captures(session: Session, job_id: int) -> dict[str, int]:
    """Return the blobs whose bytes are in captures of a job, with the capture of each."""
    rows = session.execute(
        select(AssetBlob.digest, Capture.id)
        .join(Capture, AssetBlob.capture_id == Capture.id)
        .where(Capture.job_id == job_id)
    )
    return {row[0]: row[1] for row in rows}


def set_in_files(session: Session, digests: Collection[str]) -> None:
    """Record that blobs are now separate files."""
    session.execute(update(AssetBlob).where(AssetBlob.digest.in_(digests)).values(capture_id=None))


def exported_assets(session: Session, source_code: str | None, *, after_id: int, limit: int) -> list[ExportedAsset]:
    """Return the newest versions of assets, of one source or of all, by id."""
    statement = (
        select(
            *(Asset.id, Source.code, Asset.plugin, Asset.identifier, AssetVersion.normalized_path, AssetBlob.digest),
            *(AssetBlob.capture_id, AssetBlob.content, Document.title, Document.text),
        )
        # In the order of ids, where the last part ended: SQLite would sort a source's assets for every part.
        .join(Source, unindexed(Asset.source_id) == Source.id)
        .join(AssetVersion, (AssetVersion.asset_id == Asset.id) & (AssetVersion.version == Asset.version))
        .join(AssetBlob, AssetVersion.blob_digest == AssetBlob.digest)
        .outerjoin(Document, AssetBlob.document_id == Document.id)
        .where(Asset.id > after_id)
        .order_by(Asset.id)
        .limit(limit)
    )
    if source_code is not None:
        statement = statement.where(unindexed(Source.code) == source_code)
    return [_exported(row) for row in session.execute(statement)]


def _exported(row: Row[*tuple[Any, ...]]) -> ExportedAsset:
    asset_id, code, plugin, identifier, path, *blob = row
    return ExportedAsset(asset_id, code, plugin, identifier, path, _stored_blob(*blob))
