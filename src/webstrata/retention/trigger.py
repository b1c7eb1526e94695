"""The request trigger: one in a hundred requests tries to start a retention pass, and at most one per hour starts."""

import random
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import structlog

from webstrata.db.engine import Database
from webstrata.errors import WebstrataError
from webstrata.model.retention.rules import DEFAULT_MAX_SHARE, PassTrigger, may_trigger
from webstrata.retention.sweep import record_failure, run_requested_pass

log = structlog.get_logger()

TRIGGER_PATHS = ("/admin/", "/public_api/", "/api/")

_LOOK_AGAIN = timedelta(minutes=1)
"""The shortest time between two checks of the database by this process, as a busy server draws many times per
second."""


def draw_number() -> float:
    """Return a random number from 0 to 1."""
    return random.random()  # noqa: S311 - spreads passes, guards nothing


class RetentionTrigger:
    """Starts passes for randomly drawn requests."""

    def __init__(
        self,
        database: Database,
        draw: Callable[[], float] | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        max_share: float = DEFAULT_MAX_SHARE,
    ) -> None:
        """Use a database; `draw` returns random numbers from 0 to 1."""
        self._database = database
        self._draw = draw or draw_number
        self._clock = clock
        self._max_share = max_share
        self._asked_at: datetime | None = None

    def is_drawn(self, path: str) -> bool:
        """Draw whether the request for a path tries to begin a pass."""
        if self._database.is_read_only or not path.startswith(TRIGGER_PATHS) or not may_trigger(self._draw()):
            return False
        now = self._clock()
        if self._asked_at is not None and timedelta(0) <= now - self._asked_at < _LOOK_AGAIN:
            return False
        self._asked_at = now
        return True

    def run(self) -> None:
        """Run a pass unless one began within the last hour; a failure is logged and recorded as the last pass."""
        now = self._clock()
        try:
            run_requested_pass(self._database, now, self._max_share)
        except WebstrataError as error:
            log.error("retention.trigger.failed", reason=str(error))
            # Without the database the failure is only logged.
            with suppress(WebstrataError):
                record_failure(self._database, now, PassTrigger.REQUEST, str(error))
