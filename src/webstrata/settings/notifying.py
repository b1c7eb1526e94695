"""Settings of notifications: attempts and time limits of deliveries."""

from pydantic import BaseModel, ConfigDict

from webstrata.settings.fields import setting


class NotificationSettings(BaseModel):
    """How notifications are delivered."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    notification_attempts: int = setting(
        10, "Attempts to deliver a notification before it becomes a dead letter.", ge=1, le=100
    )
    notification_retry_seconds: float = setting(
        15.0, "Seconds before the second attempt; each later wait is twice as long, up to an hour.", gt=0, le=3600
    )
    notification_timeout: float = setting(
        10.0, "Seconds within which the receiver of a notification must respond.", gt=0, le=300
    )
