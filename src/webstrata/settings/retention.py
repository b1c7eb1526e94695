"""Settings of retention: the artifacts of audits and their cleanup, the guard against mass deletion."""

from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator

from webstrata.model.retention.rules import DEFAULT_MAX_SHARE
from webstrata.settings.fields import setting


class RetentionSettings(BaseModel):
    """How long audits' artifacts are stored, and how they are cleaned up."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    artifacts_dir: Path = setting(
        Path(), "Folder of the audits' artifacts. Default: artifacts/ in the data folder.", "ARTIFACTS_DIR"
    )
    html_retention_days: int = setting(
        14, "Days for which the html_gz artifacts of an audit are retained.", "HTML_RETENTION_DAYS", ge=7, le=30
    )
    retention_cleanup_enabled: bool = setting(
        False, "Let the worker delete expired html_gz artifacts.", "RETENTION_CLEANUP_ENABLED"
    )
    retention_cleanup_interval_seconds: int = setting(
        3600,
        "Seconds between two cleanups of artifacts by workers.",
        "RETENTION_CLEANUP_INTERVAL_SECONDS",
        ge=1,
        le=31_536_000,
    )
    retention_cleanup_batch_size: int = setting(
        100, "Maximum number of artifacts that one cleanup deletes.", "RETENTION_CLEANUP_BATCH_SIZE", ge=1, le=100_000
    )
    retention_cleanup_dry_run: bool = setting(
        False, "Cleanups of artifacts only log what they would delete.", "RETENTION_CLEANUP_DRY_RUN"
    )

    retention_max_share: float = setting(
        DEFAULT_MAX_SHARE,
        "Share of a source's snapshots that may be withheld, or of its rows that may be deleted as expired, at once "
        "and without confirmation.",
        gt=0,
        le=1,
    )

    @model_validator(mode="after")
    def _place_the_artifacts(self) -> Self:
        if "artifacts_dir" not in self.model_fields_set:
            data_dir: Path = getattr(self, "data_dir", Path())
            object.__setattr__(self, "artifacts_dir", data_dir / "artifacts")
        return self
