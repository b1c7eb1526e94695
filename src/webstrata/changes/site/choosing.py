"""Chooses the two runs of a site diff: by job, by date, or the newest two that can be compared."""

import re
from collections.abc import Sequence
from datetime import date

from webstrata.errors import NotFoundError, UsageError
from webstrata.model.assets import same_reach
from webstrata.model.watching.site_diff import SiteRun, why_incomplete

RunChoice = int | date | None
"""A job, a day (meaning the last run that began before its end, UTC), or None for the newest suitable one."""

_LARGEST_ID = 2**31 - 1
_JOB = re.compile(r"[0-9]{1,10}")


def read_choice(text: str | None, name: str) -> RunChoice:
    """Parse the choice of a run; UsageError when it is neither a job nor a date."""
    given = (text or "").strip()
    if not given:
        return None
    if _JOB.fullmatch(given) and 0 < int(given) <= _LARGEST_ID:
        return int(given)
    try:
        return date.fromisoformat(given)
    except ValueError:
        raise UsageError(f"{name} must be a job's number or a date like 2026-05-31, not {given[:80]!r}") from None


def choose_runs(
    source: str, runs: Sequence[SiteRun], older: RunChoice = None, newer: RunChoice = None
) -> tuple[SiteRun, SiteRun]:
    """Return the older and the newer run to compare; the runs are given newest first."""
    if len(runs) < 2:
        raise NotFoundError(f"{source} was archived {len(runs)} times: a site diff needs two runs")
    last = _newer(source, runs, newer, older)
    earlier = [run for run in runs if run.job_id < last.job_id]
    first = _chosen_run(source, runs, older) if older is not None else _earlier(earlier, last)
    if first is None or first.job_id >= last.job_id:
        raise UsageError(f"there is no run of {source} before job {last.job_id}{_as_chosen(first)}")
    return first, last


def _as_chosen(run: SiteRun | None) -> str:
    return f" (job {run.job_id} is not)" if run is not None else ""


def _newer(source: str, runs: Sequence[SiteRun], newer: RunChoice, older: RunChoice) -> SiteRun:
    if newer is not None:
        return _chosen_run(source, runs, newer)
    # If the older one is given as a job, newer runs of the same scope are suitable.
    alike = [run for run in runs if run.job_id == older]
    if alike:
        reach = [run for run in runs if run.job_id > alike[0].job_id and same_reach(run.config, alike[0].config)]
        return _best(reach) or runs[0]
    return _best(runs) or runs[0]


def _earlier(runs: Sequence[SiteRun], newer: SiteRun) -> SiteRun | None:
    alike = [run for run in runs if same_reach(run.config, newer.config)]
    return _best(alike) or _best(runs) or next(iter(runs), None)


def _best(runs: Sequence[SiteRun]) -> SiteRun | None:
    """Return the newest complete run, else the newest that is not of single pages."""
    complete = (run for run in runs if why_incomplete(run) is None)
    several = (run for run in runs if run.max_depth > 0 and run.max_pages > 1)
    return next(complete, None) or next(several, None)


def _chosen_run(source: str, runs: Sequence[SiteRun], choice: RunChoice) -> SiteRun:
    if isinstance(choice, date):
        begun = [run for run in runs if run.first_capture.date() <= choice]
        found = _best(begun) or next(iter(begun), None)
        if found is None:
            raise NotFoundError(f"{source} was not archived until {choice}")
        return found
    for run in runs:
        if run.job_id == choice:
            return run
    raise NotFoundError(f"job {choice} is not a run of {source} with captured pages")
