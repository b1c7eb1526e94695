"""Settings of every process: where things are, how it logs, how jobs run."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, SecretStr, model_validator

from webstrata.settings.fields import HttpAddress, setting, upper


class Environment(StrEnum):
    """The kind of installation; in staging and production the admin pages always need a token."""

    DEVELOPMENT = "development"
    TEST = "test"
    STAGING = "staging"
    PRODUCTION = "production"


class LogLevel(StrEnum):
    """How much is logged."""

    DEBUG = "DEBUG"
    INFO = "INFO"
    WARNING = "WARNING"
    ERROR = "ERROR"
    CRITICAL = "CRITICAL"


class LogFormat(StrEnum):
    """How a log line looks."""

    AUTO = "auto"
    TEXT = "text"
    JSON = "json"


class GeneralSettings(BaseModel):
    """Where things are, how the program logs, and how jobs run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    # Where things are
    data_dir: Path = setting(
        Path("webstrata-data"),
        "Folder for all data of Webstrata, except data for which another setting names a folder.",
    )
    archive_root: Path = setting(
        Path(), "Folder of the jobs' WARC files. Default: archive/ in the data folder.", "HEALTHARCHIVE_ARCHIVE_ROOT"
    )
    database_url: SecretStr = setting(
        SecretStr(""),
        "sqlite:///file or postgresql://user@host/name. Default: webstrata.db in the data folder.",
        "HEALTHARCHIVE_DATABASE_URL",
    )
    min_free_bytes: int = setting(
        500_000_000,
        "Bytes that must stay free on the disk of the WARC files. If fewer are free, crawls pause.",
        ge=0,
    )
    replay_base_url: HttpAddress | None = setting(
        None,
        "http(s) address of a replay server that reads the WARC files, such as pywb. If it is set, `browseUrl` of the "
        "API leads there for jobs with a collection (`replay-index-job`), and `cleanup-job` deletes WARC files only "
        "with `--force`.",
        "HEALTHARCHIVE_REPLAY_BASE_URL",
    )

    # How it runs
    env: Environment = setting(
        Environment.DEVELOPMENT, "development, test, staging or production.", "HEALTHARCHIVE_ENV"
    )
    log_level: Annotated[LogLevel, BeforeValidator(upper)] = setting(
        LogLevel.INFO,
        "DEBUG, INFO, WARNING, ERROR or CRITICAL. Commands other than servers and workers show only warnings and "
        "errors if this is not set.",
        "HEALTHARCHIVE_LOG_LEVEL",
    )
    log_format: LogFormat = setting(LogFormat.AUTO, "text, json, or auto: text on a terminal, JSON elsewhere.")

    # Jobs
    tool_cmd: str = setting(
        "",
        "Command with which workers crawl. Default: the archive-tool of this installation.",
        "HEALTHARCHIVE_TOOL_CMD",
    )
    # Not at once: indexing takes processor time from the crawl, and a crawl of a few seconds is faster without it.
    index_while_crawling_seconds: float = setting(
        10.0,
        "Seconds between two passes of the indexer while a crawl runs. With 0, it runs only after the crawl.",
        ge=0,
        le=86_400,
    )
    index_processes: int | None = setting(
        None,
        "Number of processes that read WARC files for the indexer, in addition to the one that writes. Default: the "
        "number of processors, at most 4.",
        ge=1,
        le=64,
    )

    @model_validator(mode="after")
    def _default_places(self) -> Self:
        if "archive_root" not in self.model_fields_set:
            object.__setattr__(self, "archive_root", self.data_dir / "archive")
        if "database_url" not in self.model_fields_set:
            object.__setattr__(self, "database_url", SecretStr(f"sqlite:///{self.data_dir / 'webstrata.db'}"))
        return self
