"""Settings of integrity checks."""

from pydantic import BaseModel, ConfigDict

from webstrata.settings.fields import setting


class IntegritySettings(BaseModel):
    """How often workers check the files of the archive."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    verify_interval_days: float = setting(
        30,
        "Days between two checks of the whole archive by workers: WARC files, the database's offsets in them, blobs. "
        "0 switches them off.",
        ge=0,
        le=3650,
    )
