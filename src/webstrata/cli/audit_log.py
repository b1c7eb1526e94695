"""`audit-log`: list who changed what, and when."""

import dataclasses
import json
from typing import TYPE_CHECKING, Annotated

import typer

from webstrata.cli.help_pages import command
from webstrata.cli.options import AsJson
from webstrata.cli.start import print_json, started

if TYPE_CHECKING:
    from webstrata.db.operations.audit_log import LoggedChange

verbs = typer.Typer()


@command(verbs, "audit-log", example="webstrata audit-log --target job:12")
def audit_log(
    target: Annotated[
        str | None, typer.Option(help="Only changes of this object: job:12, source:hc, report:3.")
    ] = None,
    action: Annotated[str | None, typer.Option(help="Only this action: job.stop, source.schedule, …")] = None,
    actor: Annotated[str | None, typer.Option(help='Only this kind of actor: "admin token", "command line", …')] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Maximum number of entries.")] = 20,
    offset: Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Skip this many newer entries.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Show the audit log, newest first: who changed what through the API, the web pages or commands."""
    from webstrata.db.operations.audit_log import ChangeFilter, entries
    from webstrata.model.list_totals import is_capped

    filters = ChangeFilter(target, action, actor)
    with started(quiet=True) as app, app.database.read() as session:
        found, total = entries(session, filters, limit=limit, offset=offset)
    if as_json:
        print_json([dataclasses.asdict(change) for change in found])
        return
    for change in found:
        print(_line(change))
    if not total:
        print("No matching entries." if filters != ChangeFilter() else "The audit log is empty.")
    elif is_capped(total) and len(found) == limit:
        print(f"there may be more: --offset {offset + len(found)}")
    elif total > offset + len(found):
        print(f"{total - offset - len(found)} more: --offset {offset + len(found)}")


def _line(change: "LoggedChange") -> str:
    from webstrata.logs import harmless

    where = f" from {change.client}" if change.client else ""
    details = json.dumps(change.details, ensure_ascii=False) if change.details else ""
    who = f"by {change.actor}{where}"
    return harmless(f"{change.at:%Y-%m-%d %H:%M:%S}Z  {change.action} {change.target}  {who}  {details}".rstrip())
