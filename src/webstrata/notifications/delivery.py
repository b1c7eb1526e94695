"""Delivery of the messages in the outbox: under leases, in order for each subscription, with retries."""

import asyncio
import threading
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from uuid import uuid4

import structlog

from webstrata.coordination.presence import is_gone, present
from webstrata.db.engine import Database
from webstrata.db.notifications import outbox, subscriptions
from webstrata.db.notifications.outbox import DELIVERED, ClaimedMessage
from webstrata.errors import DeliveryError, MissingExtraError
from webstrata.model.notifications.messages import MessageKind, Notification
from webstrata.model.notifications.rules import DeliveryPolicy, delay_after
from webstrata.notifications.sending import Sender

log = structlog.get_logger()

_AT_ONCE = 16
_LEASE_SPARE = timedelta(seconds=60)
"""By how much a lease is longer than the timeouts of a delivery."""


@dataclass
class DeliveryCounts:
    """Numbers of messages of a pass."""

    delivered: int = 0
    failed: int = 0
    dead: int = 0


@dataclass(frozen=True)
class Delivery:
    """Delivers the messages of the outbox."""

    database: Database
    archive_root: Path
    sender: Sender
    policy: DeliveryPolicy = DeliveryPolicy()  # noqa: RUF009 - it is frozen

    def deliver_due(self, stop: threading.Event | None = None) -> DeliveryCounts:
        """Deliver every message that is due, each subscription's in order, and return how many."""
        counts = DeliveryCounts()
        with self.database.read() as session:
            is_idle = outbox.count_due(session, datetime.now(UTC)) == 0
        if not is_idle:
            with present(self.archive_root) as owner:
                asyncio.run(self._deliver(owner, counts, stop or threading.Event()))
        return counts

    def send_test(self, name_or_id: str) -> str | None:
        """Send a test message to a target, note the result, and return the reason when it was not accepted."""
        now = datetime.now(UTC)
        with self.database.read() as session:
            target = subscriptions.find_target(session, name_or_id)
            address, secret = subscriptions.load_secrets(session, target.id)
        message = Notification(f"test-{uuid4().hex}", MessageKind.TEST, now, {"targetName": target.name})
        reason: str | None = None
        try:
            asyncio.run(self.sender.send(address, secret, message, now))
        except (DeliveryError, MissingExtraError) as error:
            reason = str(error)
        with self.database.write() as session:
            subscriptions.note_result(session, target.id, reason or DELIVERED, datetime.now(UTC))
        log.info("notification.test", target_id=target.id, to=target.shown, reason=reason)
        return reason

    async def _deliver(self, owner: str, counts: DeliveryCounts, stop: threading.Event) -> None:
        """Send several messages concurrently, so that a slow receiver delays only its own."""
        running: set[asyncio.Task[None]] = set()
        while True:
            if not stop.is_set() and len(running) < _AT_ONCE:
                claimed = self._claim(owner, _AT_ONCE - len(running))
                running |= {asyncio.create_task(self._deliver_one(one, counts)) for one in claimed}
            if not running:
                return
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()

    def _claim(self, owner: str, most: int) -> list[ClaimedMessage]:
        seconds = self.sender.poster.timeout + self.sender.apprise.timeout
        lease = timedelta(seconds=seconds) + _LEASE_SPARE
        is_dead = partial(is_gone, self.archive_root)
        with self.database.write() as session:
            return outbox.claim(session, owner, datetime.now(UTC), lease, most=most, is_dead=is_dead)

    async def _deliver_one(self, claimed: ClaimedMessage, counts: DeliveryCounts) -> None:
        try:
            await self.sender.send(claimed.address, claimed.signing_secret, claimed.message, datetime.now(UTC))
        except DeliveryError as error:
            self._note_failure(claimed, str(error), counts, is_final=error.is_final)
        except MissingExtraError as error:
            self._note_failure(claimed, str(error), counts, is_final=True)
        else:
            self._note_success(claimed, counts)

    def _note_success(self, claimed: ClaimedMessage, counts: DeliveryCounts) -> None:
        now = datetime.now(UTC)
        with self.database.write() as session:
            is_ours = outbox.settle_delivered(session, claimed, now)
            subscriptions.note_result(session, claimed.target_id, DELIVERED, now)
        counts.delivered += 1
        log.info("notification.delivered", event_id=claimed.message.key, to=claimed.address.shown, is_ours=is_ours)

    def _note_failure(self, claimed: ClaimedMessage, reason: str, counts: DeliveryCounts, *, is_final: bool) -> None:
        now = datetime.now(UTC)
        is_over = is_final or claimed.is_last_chance
        delay = None if is_over else delay_after(claimed.attempts + 1, self.policy)
        with self.database.write() as session:
            outbox.settle_failed(session, claimed, reason, now, delay)
            subscriptions.note_result(session, claimed.target_id, reason, now)
        counts.failed += 1
        counts.dead += delay is None
        event = "notification.dead" if delay is None else "notification.failed"
        log.warning(event, event_id=claimed.message.key, to=claimed.address.shown, reason=reason)
