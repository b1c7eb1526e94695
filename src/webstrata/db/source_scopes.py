"""The scope of every source, from which it follows whose an address is."""

from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from webstrata.db.tables import ArchiveJob, Source
from webstrata.model.jobs import ArchiveJobConfig
from webstrata.model.registry import SourceJobConfig
from webstrata.model.scope import domains_of
from webstrata.model.source_scope import SourceScope


def source_scopes(session: Session) -> list[SourceScope]:
    """Return the scope of every source, oldest first."""
    columns = select(Source.id, Source.code, Source.base_url, Source.job_config).order_by(Source.id)
    rows = session.execute(columns).all()
    configs = _newest_configs(session, [row.id for row in rows if row.job_config is None])
    return [
        _with_entry(code, base_url, entry) if entry is not None else _of_jobs(code, base_url, configs.get(source_id))
        for source_id, code, base_url, entry in rows
    ]


def _newest_configs(session: Session, source_ids: Collection[int]) -> dict[int, ArchiveJobConfig]:
    """Return the configuration of the newest job of each of some sources."""
    newest = select(func.max(ArchiveJob.id)).where(ArchiveJob.source_id.in_(source_ids)).group_by(ArchiveJob.source_id)
    rows = session.execute(select(ArchiveJob.source_id, ArchiveJob.config).where(ArchiveJob.id.in_(newest)))
    return {source_id: ArchiveJobConfig.from_json(config or {}) for source_id, config in rows if source_id is not None}


def _with_entry(code: str, base_url: str | None, stored: Mapping[str, object]) -> SourceScope:
    entry = SourceJobConfig.from_json(code, stored)
    return SourceScope.of(code, [*_known(base_url), *entry.default_seeds], entry.scope)


def _of_jobs(code: str, base_url: str | None, newest: ArchiveJobConfig | None) -> SourceScope:
    """Return the scope of a source without an entry: all of its site, and the domains that its newest job named.

    What one job left out by a path is no reason to begin another source for the same site.
    """
    own = SourceScope.of(code, _known(base_url), {})
    more: Sequence[str] = newest.rules.allowed_domains if newest and newest.seeds else ()
    if not own.addresses or not more:
        return own
    return SourceScope.of(code, own.addresses, {"allowed_domains": [*domains_of(own.addresses), *more]})


def _known(base_url: str | None) -> list[str]:
    return [base_url] if base_url else []
