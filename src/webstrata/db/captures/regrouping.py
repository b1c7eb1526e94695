"""Regrouping of snapshots to another page, when the rule that groups URLs or a source's page parameters change."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import bindparam, select, update
from sqlalchemy.orm import Session

from webstrata.db.captures.documents import forget_documents, store_documents
from webstrata.db.captures.snapshots import is_ok, refresh_pages
from webstrata.db.links.links import SnapshotLinks, forget_outlinks, link_sets, store_outlinks
from webstrata.db.schema.link_tables import PageSignal
from webstrata.db.schema.tables import ArchiveJob, Document, Snapshot, Source
from webstrata.db.search.indexed_words import NewDocument, prepared
from webstrata.db.sources.totals import hold_totals
from webstrata.db.sql.bulk import ManyRows
from webstrata.db.sql.planner_hints import unindexed
from webstrata.errors import UsageError
from webstrata.model.jobs.job import JobStatus
from webstrata.model.urls import URL_GROUP_VERSION, url_group


@dataclass(frozen=True)
class GroupedSource:
    """A source, and the parameters that distinguish its pages."""

    id: int
    code: str
    page_parameters: tuple[str, ...]


@dataclass(frozen=True)
class Regrouped:
    """The result of regrouping a batch of snapshots: how many were read and moved, and the last id."""

    seen: int
    moved: int
    relinked: int
    last_id: int | None


@dataclass(frozen=True)
class _Member:
    """A snapshot with its current and its new page, and the current and new pages that it links to."""

    id: int
    document_id: int | None
    captured_at: datetime
    ok: bool
    today: str
    new_group: str
    links_today: frozenset[str]
    links_wanted: frozenset[str]

    @property
    def moves(self) -> bool:
        return self.today != self.new_group

    @property
    def links_move(self) -> bool:
        return self.links_today != self.links_wanted


def sources_to_regroup(session: Session, code: str | None = None) -> list[GroupedSource]:
    """Return the source with a code, or all sources whose pages must be regrouped."""
    requested = Source.code == code if code is not None else Source.group_version != URL_GROUP_VERSION
    rows = session.execute(
        select(Source.id, Source.code, Source.page_parameters).where(requested).order_by(Source.code)
    )
    return [GroupedSource(row[0], row[1], tuple(row[2] or ())) for row in rows]


def jobs_being_indexed(session: Session, source_id: int) -> list[int]:
    """Return the source's jobs that are being indexed and may still write snapshots with the old page names."""
    busy = (JobStatus.RUNNING, JobStatus.COMPLETED, JobStatus.INDEXING)
    return list(
        session.scalars(
            select(ArchiveJob.id)
            .where(ArchiveJob.source_id == source_id, ArchiveJob.status.in_(busy))
            .order_by(ArchiveJob.id)
        )
    )


def regroup_snapshots(
    session: Session, source: GroupedSource, after_id: int, limit: int, *, dry_run: bool = False
) -> Regrouped:
    """Move the next snapshots of a source to their new pages, with their texts, links and counts."""
    members = _members(session, source, after_id, limit)
    moving = [member for member in members if member.moves]
    touched = [member for member in members if member.moves or member.links_move]
    if touched and not dry_run:
        hold_totals(session, source.id)
        forget_outlinks(session, {member.id for member in touched})
        _move(session, moving)
        store_outlinks(session, [_links(source, member) for member in touched])
        refresh_pages(session, source.id, {group for m in moving for group in (m.today, m.new_group)})
    return Regrouped(len(members), len(moving), len(touched) - len(moving), members[-1].id if members else None)


def group_of(source: GroupedSource, url: str, otherwise: str) -> str:
    """Return the page of a source that a URL belongs to; `otherwise` for what is not a web address."""
    return _group(url, otherwise, source.page_parameters)


def mark_regrouped(session: Session, source: GroupedSource) -> bool:
    """Mark a source as regrouped, unless its rules changed meanwhile."""
    row = session.get_one(Source, source.id, with_for_update=True)
    if tuple(row.page_parameters or ()) != source.page_parameters:
        return False
    row.group_version = URL_GROUP_VERSION
    return True


def _move(session: Session, moving: Sequence[_Member]) -> None:
    documents = _documents_for(session, moving)
    _MOVE.execute(session, [(m.new_group, documents.get(m.id, m.document_id), m.id) for m in moving])
    forget_documents(session, {m.document_id for m in moving if m.document_id is not None})


def _documents_for(session: Session, moving: Sequence[_Member]) -> dict[int, int]:
    """Return the document of each moving snapshot under its new page's name; missing documents are stored."""
    rows = session.scalars(
        select(Document).where(Document.id.in_({m.document_id for m in moving if m.document_id is not None}))
    )
    texts = {document.id: document for document in rows}
    for_sqlite = session.get_bind().dialect.name == "sqlite"
    requested = {}
    for member in moving:
        if (document := texts.get(member.document_id or 0)) is None:
            continue
        again = prepared(
            NewDocument(member.new_group, document.title, document.text),
            for_sqlite=for_sqlite,
            blocks=document.blocks,
            fingerprint=document.fingerprint,
        )
        # Only the beginning of a long text is stored, so the hash of the whole text is taken from the row.
        requested[member.id] = replace(again, text_hash=document.text_hash)
    ids = store_documents(session, list(requested.values()))
    return {snapshot_id: ids[document.key] for snapshot_id, document in requested.items()}


def _members(session: Session, source: GroupedSource, after_id: int, limit: int) -> list[_Member]:
    rows = session.execute(
        select(
            Snapshot.id,
            Snapshot.url,
            Snapshot.normalized_url_group,
            Snapshot.document_id,
            Snapshot.capture_timestamp,
            is_ok(),
            Snapshot.outlinks_from,
        )
        .where(unindexed(Snapshot.source_id) == source.id, Snapshot.id > after_id)
        .order_by(Snapshot.id)
        .limit(limit)
    ).all()
    links = _linked_groups(session, {row[6] for row in rows if row[6] is not None})
    members = []
    for snapshot_id, url, group, document_id, captured_at, ok, holder in rows:
        today, links_today = group or "", links.get(holder, frozenset())
        requested = _group(url, today, source.page_parameters)
        links_wanted = frozenset(_group(link, link, source.page_parameters) for link in links_today) - {requested}
        members.append(
            _Member(snapshot_id, document_id, captured_at, bool(ok), today, requested, links_today, links_wanted)
        )
    return members


def _linked_groups(session: Session, holders: Collection[int]) -> Mapping[int | None, frozenset[str]]:
    """Return the names of the link targets, by the snapshot under which the links are stored."""
    sets = link_sets(session, holders)
    targets = {target for links in sets.values() for target in links}
    names: dict[int, str] = {}
    for some in _in_parts(sorted(targets)):
        rows = session.execute(select(PageSignal.id, PageSignal.normalized_url_group).where(PageSignal.id.in_(some)))
        names |= {row[0]: row[1] for row in rows}
    return {holder: frozenset(names[target] for target in links) for holder, links in sets.items()}


def _in_parts(values: Sequence[int], size: int = 10_000) -> list[Sequence[int]]:
    """Split values into parts that fit into one statement: databases limit the number of parameters."""
    return [values[start : start + size] for start in range(0, len(values), size)]


def _group(url: str, otherwise: str, page_parameters: tuple[str, ...]) -> str:
    """Return the page that a URL belongs to; `otherwise` for what is not a web address."""
    try:
        return url_group(url, page_parameters)
    except UsageError:
        return otherwise


def _links(source: GroupedSource, member: _Member) -> SnapshotLinks:
    return SnapshotLinks(
        member.id, source.id, member.new_group, member.captured_at, member.ok, tuple(sorted(member.links_wanted))
    )


_MOVE = ManyRows(
    update(Snapshot.__table__)  # type: ignore[arg-type]
    .where(Snapshot.__table__.c.id == bindparam("snapshot"))
    .values(normalized_url_group=bindparam("to_group"), document_id=bindparam("document")),
    {
        "to_group": Snapshot.__table__.c.normalized_url_group,
        "document": Snapshot.__table__.c.document_id,
        "snapshot": Snapshot.__table__.c.id,
    },
)
