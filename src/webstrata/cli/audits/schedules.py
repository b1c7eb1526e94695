"""`audit-schedules` and the commands for single schedules of audits."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from webstrata.cli.help_pages import command
from webstrata.cli.options import AsJson
from webstrata.cli.start import print_json, started
from webstrata.model.auditing.sessions import AuditMode

if TYPE_CHECKING:
    from webstrata.model.auditing.schedules import AuditSchedule

verbs = typer.Typer()

_LARGEST_ID = 2**31 - 1

_WhichSchedule = Annotated[
    int,
    typer.Argument(
        metavar="SCHEDULE", min=1, max=_LARGEST_ID, help="Number of the schedule, as `audit-schedules` shows it."
    ),
]


def add_schedules(urls: Sequence[str], every: str, mode: AuditMode, *, as_json: bool) -> None:
    """Schedule audits of shops and print the schedules."""
    from webstrata.jobs.auditing.schedule_commands import AuditScheduleCommands

    with started(quiet=True) as app:
        added = AuditScheduleCommands(app.database, app.archive_root).add(urls, every, mode, datetime.now(UTC))
    if as_json:
        print_json([one.to_json() for one in added])
        return
    for one in added:
        print(f"schedule {one.id}: {one.url}, {one.schedule}")
    print("A running worker (webstrata serve, or webstrata worker) makes the first audit at once.")


@command(verbs, "audit-schedules", example="webstrata audit-schedules --json")
def list_audit_schedules(as_json: AsJson = False) -> None:
    """List the shops that are audited on a schedule, with their last audit."""
    from webstrata.db.auditing import schedules

    with started(quiet=True) as app, app.database.read() as session:
        found = schedules.list_schedules(session)
    if as_json:
        print_json([one.to_json() for one in found])
        return
    if not found:
        print("No schedules yet: webstrata audit https://shop.example/ --every 7d")
    for one in found:
        print(f"{one.id}  {one.url}  {_schedule(one)}")
        print(f"   last audit: {f'{one.last_status} {one.last_session_id}' if one.last_status else 'not yet'}")


@command(verbs, "pause-audit-schedule", example="webstrata pause-audit-schedule 3")
def pause_audit_schedule(schedule: _WhichSchedule) -> None:
    """Pause a schedule: its shop is not audited until it is resumed."""
    _set_paused(schedule, True)
    print(f"schedule {schedule} is paused")


@command(verbs, "resume-audit-schedule", example="webstrata resume-audit-schedule 3")
def resume_audit_schedule(schedule: _WhichSchedule) -> None:
    """Resume a paused schedule; an audit that was missed is made at once."""
    found = _set_paused(schedule, False)
    print(f"schedule {schedule} is resumed, next {found.next_run_at:%Y-%m-%d %H:%M} UTC")


@command(verbs, "remove-audit-schedule", example="webstrata remove-audit-schedule 3")
def remove_audit_schedule(schedule: _WhichSchedule) -> None:
    """Remove a schedule; its audits stay."""
    from webstrata.jobs.auditing.schedule_commands import AuditScheduleCommands

    with started(quiet=True) as app:
        removed = AuditScheduleCommands(app.database, app.archive_root).remove(schedule)
    print(f"schedule {schedule} of {removed.url} is removed")


def _set_paused(schedule_id: int, paused: bool) -> "AuditSchedule":
    from webstrata.jobs.auditing.schedule_commands import AuditScheduleCommands

    with started(quiet=True) as app:
        return AuditScheduleCommands(app.database, app.archive_root).set_paused(schedule_id, paused)


def _schedule(one: "AuditSchedule") -> str:
    return "paused" if one.paused else f"{one.schedule}, next {one.next_run_at:%Y-%m-%d %H:%M} UTC"
