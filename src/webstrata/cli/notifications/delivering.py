"""Delivery of notifications by a command, after its run."""

from typing import TYPE_CHECKING

from webstrata.model.words import counted

if TYPE_CHECKING:
    from webstrata.app import App
    from webstrata.notifications.delivery import DeliveryCounts


def deliver_here(app: "App") -> None:
    """Deliver the notifications that are due, and print how many were delivered and how many wait."""
    counts = app.delivery().deliver_due()
    if counts.delivered or counts.failed:
        print(delivery_line(counts), flush=True)


def delivery_line(counts: "DeliveryCounts") -> str:
    """Return the result of a pass in words."""
    parts = [f"{counted(counts.delivered, 'notification')} delivered"]
    if waiting := counts.failed - counts.dead:
        parts.append(f"{waiting:,} failed and will be tried again by a worker or by: webstrata notify")
    if counts.dead:
        parts.append(f"{counts.dead:,} given up: webstrata dead-letters")
    return "; ".join(parts)
