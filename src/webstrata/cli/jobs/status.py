"""`status`: what the archive is doing right now."""

import dataclasses
from typing import TYPE_CHECKING

import typer

from webstrata.cli.help_pages import command
from webstrata.cli.options import AsJson
from webstrata.cli.start import print_json, started
from webstrata.model.words import counted

if TYPE_CHECKING:
    from webstrata.jobs.progress.overview import ArchiveStatus

verbs = typer.Typer()


@command(verbs, example="webstrata status")
def status(as_json: AsJson = False) -> None:
    """Show the number of jobs by status, the running workers, the next scheduled runs and the free disk space."""
    from webstrata.jobs.progress.overview import archive_status

    with started(quiet=True) as app:
        found = archive_status(app.database, app.archive_root, app.settings.min_free_bytes)
    if as_json:
        shown = {**dataclasses.asdict(found), "problems": list(found.storage.problems)}
        print_json(shown)
        return
    for name, lines in _lines(found).items():
        for number, line in enumerate(lines):
            print(f"{name if number == 0 else '':>10}  {line}")


def outdated_words(jobs: int) -> str:
    """Return how many jobs an earlier version of the program indexed, and what to do."""
    return f"{counted(jobs, 'job')} indexed by an earlier version: webstrata index-job --all"


def _lines(found: "ArchiveStatus") -> dict[str, list[str]]:
    from webstrata.logs import harmless
    from webstrata.storage.file_system import shown_bytes

    jobs = ", ".join(f"{count} {state}" for state, count in sorted(found.jobs.items()))
    free = found.storage.free_bytes
    room = "" if free is None else f"{shown_bytes(free)} free in {found.storage.archive_root}"
    lines = {
        "jobs": [jobs or "none yet: webstrata archive https://example.org/"],
        "workers": [f"{process.owner} {process.doing}" for process in found.processes]
        or ["no worker (webstrata worker, or webstrata serve, runs queued jobs)"],
        "next": [f"{turn.source_code} at {turn.at:%Y-%m-%d %H:%M} UTC" for turn in found.next_turns]
        or ["nothing is scheduled (webstrata sources --help)"],
        "snapshots": [f"{found.snapshots:,}"],
        "outdated": [outdated_words(found.outdated_jobs)] if found.outdated_jobs else [],
        "disk": [*([room] if room else []), *found.storage.problems],
        "database": [found.database],
    }
    return {name: [harmless(line) for line in told] for name, told in lines.items()}
