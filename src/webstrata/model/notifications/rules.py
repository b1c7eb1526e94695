"""Rules of notifications: which events are announced, and when a delivery is tried again."""

from dataclasses import dataclass
from datetime import timedelta

from webstrata.model.changes.values import SIGNIFICANT, ChangeType

NEW_PAGE_SIGNIFICANCE = SIGNIFICANT
"""The significance of new pages, which is announced to subscriptions with the default threshold or a lower one."""

_LONGEST_DELAY = timedelta(hours=1)


@dataclass(frozen=True)
class DeliveryPolicy:
    """How often, and how long after a failure, a delivery is tried again."""

    max_attempts: int = 10
    first_delay: timedelta = timedelta(seconds=15)


def event_key(from_snapshot_id: int | None, to_snapshot_id: int) -> str:
    """Return the id of a change event, which depends only on the two snapshots, so that it is the same after a
    rebuild."""
    return f"change-{from_snapshot_id or 0}-{to_snapshot_id}"


def is_notified(change_type: ChangeType, significance: float, least: float, *, is_first_run: bool) -> bool:
    """Return whether a subscription is notified of an event; new pages of a first run are not announced."""
    if change_type in (ChangeType.UNCHANGED, ChangeType.ERROR):
        return False
    if change_type is ChangeType.NEW_PAGE:
        return not is_first_run and least <= NEW_PAGE_SIGNIFICANCE
    return significance >= least


def delay_after(attempts: int, policy: DeliveryPolicy) -> timedelta | None:
    """Return how long a delivery waits after so many failed attempts; None when it is given up."""
    if attempts >= policy.max_attempts:
        return None
    doublings = 1 << min(max(attempts - 1, 0), 30)
    return min(policy.first_delay * doublings, _LONGEST_DELAY)
