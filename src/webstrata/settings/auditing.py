"""Settings of evidence audits."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from webstrata.settings.fields import setting


class AuditSettings(BaseModel):
    """How many audits a worker runs, and how long they may take and wait."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    audit_concurrency: int = setting(
        3, "Maximum number of audits that a worker runs at the same time; 0: none.", ge=0, le=32
    )
    audit_timeout_seconds: int = setting(1200, "Seconds after which an audit is ended as failed.", ge=1, le=86_400)
    audit_max_attempts: int = setting(
        3, "Maximum number of times that an audit is started if its workers die.", ge=1, le=20
    )
    audit_domain_wait_seconds: int = setting(
        900,
        "Seconds that a queued audit waits while its domain is locked. After that, it tries three more times to get "
        "the lock, and fails if it does not get it.",
        ge=0,
        le=86_400,
    )
    crawl_policy_version: Literal["v1.1", "v1.2"] = setting(
        "v1.2",
        "Version of the rules of new audits: with v1.2, a product page needs an add-to-cart control or a product "
        "schema.",
    )
