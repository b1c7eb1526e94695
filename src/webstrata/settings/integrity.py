"""Settings of integrity checks."""

from pydantic import BaseModel, ConfigDict

from webstrata.settings.fields import setting


class IntegritySettings(BaseModel):
    """How often workers check the files of the archive."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    verify_interval_days: float = setting(
        30,
        "Days between two checks of the whole archive by workers: WARC files, their offsets in the database, and "
        "stored assets. 0 turns the checks off.",
        ge=0,
        le=3650,
    )
