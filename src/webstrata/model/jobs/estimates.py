"""Estimates of a job's progress over all stages, and of the remaining time."""

from dataclasses import dataclass
from enum import Enum


class Stage(Enum):
    """A stage of a job, in order; its value is its cost per page relative to the crawl.

    Measured with `python -m bench whole` on pages of 15 KB; measure again before changing one.
    """

    CRAWL = 1.0
    INDEX = 0.4
    ASSETS = 0.1

    @property
    def later(self) -> "tuple[Stage, ...]":
        """Return the stages that follow."""
        stages = tuple(Stage)
        return stages[stages.index(self) + 1 :]


@dataclass(frozen=True)
class StageProgress:
    """The progress of a stage, in its own unit, and its rate."""

    done: int = 0
    total: int = 0
    rate: float = 0.0
    """Units per second."""

    @property
    def share(self) -> float:
        """Return which part of the stage is done, from 0 to 1."""
        return min(1.0, self.done / self.total) if self.total > 0 else 0.0


def share_done(first: Stage, stage: Stage, progress: StageProgress) -> float:
    """Return the share of a job that is done, from 0 to 1, given its first and its current stage."""
    whole = first.value + sum(later.value for later in first.later)
    ahead = stage.value + sum(later.value for later in stage.later)
    return (whole - ahead + stage.value * progress.share) / whole


def seconds_left(stage: Stage, progress: StageProgress) -> float | None:
    """Return how long a job that is in a stage will take at this rate, later stages included; None if unknown."""
    if progress.rate <= 0 or progress.total <= 0:
        return None
    left = max(0, progress.total - progress.done) / progress.rate
    whole_stage = progress.total / progress.rate
    return left + whole_stage * sum(later.value for later in stage.later) / stage.value
