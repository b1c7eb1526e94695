"""Settings of evidence audits."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from webstrata.settings.fields import setting


class AuditSettings(BaseModel):
    """How many audits a worker runs, and how long they may take and wait."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    audit_concurrency: int = setting(3, "Audits that a worker runs at the same time, on one domain one.", ge=0, le=32)
    audit_timeout_seconds: int = setting(1200, "Seconds after which an audit has failed.", ge=1, le=86_400)
    audit_max_attempts: int = setting(3, "How often an audit is started whose worker died.", ge=1, le=20)
    audit_domain_wait_seconds: int = setting(
        900,
        "Seconds for which a queued audit waits for a domain that is locked; after that it has three attempts.",
        ge=0,
        le=86_400,
    )
    crawl_policy_version: Literal["v1.1", "v1.2"] = setting(
        "v1.2", "Rules of new audits: v1.2 asks a product page for a strong signal, v1.1 does not."
    )
