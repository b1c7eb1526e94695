"""Links between pages: which capture's links count, and how other pages' signals change when it is replaced."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from datetime import datetime

from webstrata.model.search.pagerank import DAMPING, TELEPORT


@dataclass(frozen=True)
class LinkedPage:
    """A page with its current links: those of its newest good capture."""

    page_id: int
    snapshot_id: int | None = None
    """The capture whose links count; None for a page without a good capture."""
    captured_at: datetime | None = None
    targets: frozenset[int] = frozenset()
    rank_mass: float = 0.0

    def with_capture(self, snapshot_id: int, captured_at: datetime, targets: frozenset[int]) -> "LinkedPage":
        """Return the page with one more good capture, whose links count unless it is older than the current one."""
        counts = (
            self.snapshot_id is None
            or self.captured_at is None
            or (captured_at, snapshot_id) >= (self.captured_at, self.snapshot_id)
        )
        if not counts:
            return self
        return replace(self, snapshot_id=snapshot_id, captured_at=captured_at, targets=targets)

    def without_captures(self) -> "LinkedPage":
        """Return the page without a capture: other pages only link to it."""
        return replace(self, snapshot_id=None, captured_at=None, targets=frozenset())


@dataclass(frozen=True)
class SignalChanges:
    """The signals that pages gain and lose when the links of others change."""

    inlinks: Counter[int] = field(default_factory=Counter)
    residuals: dict[int, float] = field(default_factory=lambda: defaultdict(float))
    pages: list[LinkedPage] = field(default_factory=list)
    """The pages whose links changed, or come from another capture."""

    def note(self, before: LinkedPage, after: LinkedPage) -> None:
        """Add the changes of other pages' signals between an old and a new state of a page."""
        if before == after:
            return
        self.pages.append(after)
        if (before.snapshot_id is None) != (after.snapshot_id is None):
            self.residuals[after.page_id] += TELEPORT if before.snapshot_id is None else -TELEPORT
        if before.targets == after.targets:
            return
        self.inlinks.update(after.targets - before.targets)
        self.inlinks.subtract(before.targets - after.targets)
        self.note_rank(before.rank_mass, before.targets, after.targets)

    def note_rank(self, mass: float, before: frozenset[int], after: frozenset[int]) -> None:
        """Move the rank that a page passed on, from its former link targets to its current ones."""
        if not mass:
            return
        for targets, given in ((before, -DAMPING * mass), (after, DAMPING * mass)):
            for target in targets:
                self.residuals[target] += given / len(targets)

    def touched(self) -> list[int]:
        """Return the pages whose counts or ranks change, in order."""
        return sorted(self.inlinks.keys() | self.residuals.keys())
