"""The scope of every source, which decides the source that a URL belongs to."""

from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from webstrata.db.schema.tables import ArchiveJob, Source
from webstrata.errors import UsageError
from webstrata.model.crawl.scope import domains_of
from webstrata.model.jobs.job import SCOPE_KEYS, ArchiveJobConfig
from webstrata.model.jobs.registry import SourceJobConfig
from webstrata.model.jobs.source_scope import SourceScope


def source_scopes(session: Session) -> list[SourceScope]:
    """Return the scope of every source, oldest first."""
    columns = select(Source.id, Source.code, Source.base_url, Source.job_config).order_by(Source.id)
    rows = session.execute(columns).all()
    configs = _newest_configs(session, [row.id for row in rows if row.job_config is None])
    return [_scope(row.code, row.base_url, row.job_config, configs.get(row.id)) for row in rows]


def _scope(
    code: str, base_url: str | None, entry: Mapping[str, object] | None, newest: Mapping[str, object] | None
) -> SourceScope:
    try:
        return _of_jobs(code, base_url, newest) if entry is None else _with_entry(code, base_url, entry)
    except UsageError:
        # Invalid rows are ignored here; they are reported when a job is made of the source.
        return SourceScope.of(code, _valid_base_url(base_url), {})


def _newest_configs(session: Session, source_ids: Collection[int]) -> dict[int, Mapping[str, object]]:
    """Return the configuration of the newest job of each of some sources."""
    newest = select(func.max(ArchiveJob.id)).where(ArchiveJob.source_id == Source.id).correlate(Source)
    rows = session.execute(
        select(Source.id, ArchiveJob.config)
        .join(ArchiveJob, ArchiveJob.id == newest.scalar_subquery())
        .where(Source.id.in_(source_ids))
    )
    return {source_id: config or {} for source_id, config in rows}


def _with_entry(code: str, base_url: str | None, stored: Mapping[str, object]) -> SourceScope:
    entry = SourceJobConfig.from_json(code, stored)
    scope = {name: entry.scope[name] for name in SCOPE_KEYS & entry.scope.keys()}
    return SourceScope.of(code, [*_valid_base_url(base_url), *entry.default_seeds], scope)


def _of_jobs(code: str, base_url: str | None, newest: Mapping[str, object] | None) -> SourceScope:
    """Return the scope of a source without an entry: its whole site, and the domains of its newest job.

    Path rules of that job are ignored, so that no second source is made for the same site.
    """
    own, config = SourceScope.of(code, _valid_base_url(base_url), {}), ArchiveJobConfig.from_json(newest or {})
    more: Sequence[str] = config.rules.allowed_domains if config.seeds else ()
    if not own.addresses or not more:
        return own
    return SourceScope.of(code, own.addresses, {"allowed_domains": [*domains_of(own.addresses), *more]})


def _valid_base_url(base_url: str | None) -> list[str]:
    return [base_url] if base_url else []
