"""The source for jobs of some URLs: the source whose scope contains them, else a new one."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from webstrata.db.engine import Database, Session
from webstrata.db.operations import audit_log
from webstrata.db.queue import jobs
from webstrata.db.sources import sources
from webstrata.db.sources.source_scopes import source_scopes
from webstrata.jobs.sources.registry import disabled_source
from webstrata.model.jobs.registry import SourceJobConfig
from webstrata.model.jobs.source_scope import SourceScope, owning_source
from webstrata.model.urls import host_of

_OTHERS = re.compile(r"[^a-z0-9]+")
_CODE_LENGTH = 64
_ROOM_FOR_A_NUMBER = 6


@dataclass(frozen=True)
class ChosenSource:
    """The source of a job that is about to be queued."""

    id: int
    code: str
    entry: SourceJobConfig | None
    """Its job configuration, if it has one and its scope contains the URLs."""


def known_source(database: Database, seeds: Sequence[str]) -> SourceScope | None:
    """Return the source whose scope contains all of some URLs; None without one."""
    with database.read() as session:
        return owning_source(seeds, source_scopes(session))


def choose_source(
    session: Session, seeds: Sequence[str], *, code: str | None = None, name: str | None = None
) -> ChosenSource:
    """Return the source for some URLs: the one with the code, else one whose scope contains them, else a new one.

    ConflictError when that source is disabled.
    """
    if code is not None:
        return ChosenSource(_ensure_source(session, code, name, seeds[0]), code, None)
    scopes = source_scopes(session)
    owner = owning_source(seeds, scopes)
    if owner is None:
        code = _free_code(seeds[0], scopes)
        return ChosenSource(_ensure_source(session, code, name, seeds[0]), code, None)
    view = sources.source_view(session, owner.code)
    if not view.enabled:
        raise disabled_source(owner.code)
    entry = SourceJobConfig.from_json(owner.code, view.job_config) if view.job_config else None
    return ChosenSource(view.id, owner.code, entry)


def source_code_of(url: str) -> str:
    """Return the short name of the source for a site's captures."""
    return _OTHERS.sub("-", host_of(url).removeprefix("www.")).strip("-")[:_CODE_LENGTH]


def _free_code(url: str, scopes: Sequence[SourceScope]) -> str:
    """Return an unused code for the source of a URL; the code of a source without URLs may be used."""
    plain, taken = source_code_of(url), {scope.code for scope in scopes if scope.addresses}
    numbered = (f"{plain[: _CODE_LENGTH - _ROOM_FOR_A_NUMBER]}-{number}" for number in range(2, len(taken) + 3))
    return next(code for code in (plain, *numbered) if code not in taken)


def _ensure_source(session: Session, code: str, name: str | None, base_url: str) -> int:
    """Return the source of a code; a new one is recorded in the audit log."""
    is_new = code not in sources.known_codes(session)
    name = name or host_of(base_url)
    source_id = jobs.ensure_source(session, code, name=name, base_url=base_url)
    if is_new:
        audit_log.record(session, "source.add", f"source:{code}", after={"name": name, "base_url": base_url})
    return source_id
