"""Artifacts of audits: looked up by a request's ids, and sent as responses."""

from typing import Annotated

from fastapi import Path, Response

from webstrata.app import App
from webstrata.db.auditing import sessions
from webstrata.db.retention.artifacts import artifacts_of_session
from webstrata.errors import GoneError, NotFoundError, StorageError
from webstrata.http.caching import NEVER
from webstrata.http.dependencies import Text
from webstrata.http.headers import RAW_POLICY
from webstrata.model.retention.artifacts import ArtifactType, StoredArtifact
from webstrata.storage.artifacts import ArtifactFolder

AuditId = Annotated[Text, Path(max_length=64, description="An audit's id.")]
ArtifactId = Annotated[int, Path(ge=1, le=2**63 - 1, description="An artifact's number.")]

MEDIA_TYPES: dict[str, str] = {
    ArtifactType.SCREENSHOT: "image/png",
    ArtifactType.VISIBLE_TEXT: "text/plain; charset=utf-8",
    ArtifactType.FEATURES_JSON: "application/json",
    ArtifactType.HTML_GZ: "application/gzip",
    ArtifactType.SESSION_LOGS_JSONL: "application/x-ndjson",
    ArtifactType.EVIDENCE_PACK: "application/zip",
}
OTHER_MEDIA_TYPE = "application/octet-stream"


def known_artifact(app: App, audit_id: str, artifact_id: int) -> StoredArtifact:
    """Return an artifact of an audit; NotFoundError when there is none."""
    with app.database.read() as session:
        sessions.load_audit(session, audit_id)
        found = [one for one in artifacts_of_session(session, audit_id) if one.id == artifact_id]
    if not found:
        raise NotFoundError(f"audit {audit_id} has no artifact {artifact_id}")
    return found[0]


def artifact_bytes(app: App, artifact: StoredArtifact) -> bytes:
    """Return the bytes of an artifact; GoneError once its file was deleted."""
    if artifact.deleted_at is not None:
        raise GoneError(f"the file was deleted on {artifact.deleted_at:%Y-%m-%d}: its retention time was over")
    try:
        return ArtifactFolder(app.settings.artifacts_dir.resolve()).get(artifact.storage_uri)
    except StorageError as error:
        raise NotFoundError(f"the file of artifact {artifact.id} cannot be read: {error}") from error


def artifact_response(app: App, audit_id: str, artifact_id: int) -> Response:
    """Return an artifact as a response that browsers show without running scripts."""
    artifact = known_artifact(app, audit_id, artifact_id)
    name = artifact.storage_uri.rpartition("/")[2].replace('"', "")
    headers = {
        "Content-Security-Policy": RAW_POLICY,
        "Cache-Control": NEVER,
        "Content-Disposition": f'inline; filename="{name}"',
    }
    media_type = MEDIA_TYPES.get(artifact.type, OTHER_MEDIA_TYPE)
    return Response(artifact_bytes(app, artifact), media_type=media_type, headers=headers)
