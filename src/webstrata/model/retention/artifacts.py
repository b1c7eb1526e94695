"""Artifacts of audits: what is stored of one, and how long its file is retained."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum


class ArtifactType(StrEnum):
    """The kinds of evidence that an audit stores."""

    SCREENSHOT = "screenshot"
    VISIBLE_TEXT = "visible_text"
    FEATURES_JSON = "features_json"
    HTML_GZ = "html_gz"
    SESSION_LOGS_JSONL = "session_logs_jsonl"
    EVIDENCE_PACK = "evidence_pack"


@dataclass(frozen=True)
class NewArtifact:
    """An artifact whose file is on disk and whose row is to be added."""

    session_id: str
    type: ArtifactType
    storage_uri: str
    size_bytes: int
    checksum: str
    created_at: datetime
    page_id: str | None = None
    retention_until: datetime | None = None


@dataclass(frozen=True)
class StoredArtifact:
    """An artifact as its row describes it."""

    id: int
    session_id: str
    page_id: str | None
    type: str
    storage_uri: str
    size_bytes: int
    checksum: str
    created_at: datetime
    retention_until: datetime | None
    deleted_at: datetime | None


def retention_until(kind: ArtifactType, created_at: datetime, html_days: int) -> datetime | None:
    """Return until when an artifact's file is retained; None, for every type but html_gz, means for ever."""
    return created_at + timedelta(days=html_days) if kind is ArtifactType.HTML_GZ else None
