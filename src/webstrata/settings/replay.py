"""Settings of replay by other programs."""

from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator

from webstrata.settings.fields import setting


class ReplaySettings(BaseModel):
    """Where the collections for a replay server are."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    replay_collections_dir: Path = setting(
        Path(),
        "Folder of the collections that `replay-index-job` builds for a replay server such as pywb. "
        "Default: collections/ in the data folder.",
        "HEALTHARCHIVE_REPLAY_COLLECTIONS_DIR",
    )

    @model_validator(mode="after")
    def _place_the_collections(self) -> Self:
        if "replay_collections_dir" not in self.model_fields_set:
            data_dir: Path = getattr(self, "data_dir", Path())
            object.__setattr__(self, "replay_collections_dir", data_dir / "collections")
        return self
