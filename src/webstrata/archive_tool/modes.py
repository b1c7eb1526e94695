"""Run modes: decides how a run begins from the files of earlier runs."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from webstrata.errors import ConflictError


class RunMode(StrEnum):
    """How a run begins."""

    FRESH = "fresh"
    RESUME = "resume"
    NEW_WITH_CONSOLIDATION = "new crawl with consolidation"
    OVERWRITE = "overwrite"


@dataclass(frozen=True)
class EarlierRuns:
    """The files that earlier runs left for this one."""

    final_zim: Path | None = None
    """The ZIM of a complete crawl; the built-in crawler makes none."""
    can_go_on: bool = False
    """Whether a crawl was interrupted: zimit's resume YAML exists, or the job has unfinished tasks."""
    has_warcs: bool = False
    overwrite_is_under_way: bool = False
    """Whether an earlier run with `--overwrite` was interrupted, and can be resumed."""


def run_mode(found: EarlierRuns, *, overwrite: bool) -> RunMode:
    """Return how a run begins; ConflictError when there is a ZIM and `overwrite` is not set."""
    if found.final_zim is not None and not overwrite:
        raise ConflictError(f"{found.final_zim} exists already: --overwrite crawls again and replaces it")
    if overwrite and not found.overwrite_is_under_way:
        left = found.final_zim is not None or found.can_go_on or found.has_warcs
        return RunMode.OVERWRITE if left else RunMode.FRESH
    if found.can_go_on:
        return RunMode.RESUME
    return RunMode.NEW_WITH_CONSOLIDATION if found.has_warcs else RunMode.FRESH
