"""The evidence pack of a session: its WARC and artifacts with a manifest, written when the session ends."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from webstrata.audit.pack import PACK_SUFFIX, PackContents, PackReport, write_pack
from webstrata.audit.recording import WARC_NAME
from webstrata.model.auditing.sessions import Audit, AuditPage
from webstrata.model.retention.artifacts import StoredArtifact

PACK_NAME = f"session{PACK_SUFFIX}"
_SESSION_KEYS = ("id", "url", "final_url", "pdp_url", "crawl_policy_version", "mode", "attempts")


def pack_session(
    folder: Path, audit: Audit, pages: Sequence[AuditPage], artifacts: Sequence[StoredArtifact], now: datetime
) -> PackReport:
    """Write the evidence pack of a session into its folder, and delete the WARC file, which is now in the pack."""
    warc = folder / WARC_NAME
    contents = PackContents(
        session={key: getattr(audit, key) for key in _SESSION_KEYS} | {"config_snapshot": audit.config_snapshot},
        artifacts={f"artifacts/{_name(one)}": folder / _name(one) for one in artifacts if one.deleted_at is None},
        warcs=[warc] if warc.exists() else [],
        page_urls=list(dict.fromkeys(page.final_url for page in pages if page.final_url)),
    )
    report = write_pack(folder / PACK_NAME, contents, now, force=True)
    warc.unlink(missing_ok=True)
    return report


def _name(artifact: StoredArtifact) -> str:
    """Return the path of an artifact below its session's folder."""
    return artifact.storage_uri.partition("/")[2]
