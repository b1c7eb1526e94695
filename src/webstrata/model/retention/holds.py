"""Legal holds: what a hold may cover, and how it is validated."""

from dataclasses import dataclass

from webstrata.errors import UsageError
from webstrata.model.urls import url_group

_MAX_REASON = 2_000


@dataclass(frozen=True)
class HoldTarget:
    """What a hold covers: a source, a page (of one source, or of all), a snapshot, or an audit session."""

    scope: str
    source_code: str | None = None
    url_group: str | None = None
    snapshot_id: int | None = None
    session_id: str | None = None


def hold_target(
    *,
    source: str | None = None,
    url: str | None = None,
    snapshot_id: int | None = None,
    session_id: str | None = None,
    page_parameters: tuple[str, ...] = (),
) -> HoldTarget:
    """Return what a hold covers; UsageError unless exactly one thing is named (a page may name its source too)."""
    if snapshot_id is not None and source is None and url is None and session_id is None:
        return HoldTarget("snapshot", snapshot_id=snapshot_id)
    if session_id is not None and source is None and url is None and snapshot_id is None:
        return HoldTarget("audit", session_id=session_id)
    if url is not None and snapshot_id is None and session_id is None:
        return HoldTarget("page", source, url_group(url, page_parameters))
    if source is not None and snapshot_id is None and session_id is None:
        return HoldTarget("source", source)
    raise UsageError("a legal hold needs one target: a source, a page's URL, a snapshot or an audit session")


def check_reason(reason: str) -> str:
    """Return the reason of a hold or a tombstone; UsageError when it is empty or too long."""
    text = " ".join(reason.split())
    if not text or len(text) > _MAX_REASON:
        raise UsageError(f"give a reason of 1 to {_MAX_REASON} characters")
    return text
