"""`hauls`: save captures as a set, show, list, export and delete such sets."""

import dataclasses
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from webstrata.cli.help_pages import PlainGroup, command
from webstrata.cli.options import AsJson
from webstrata.cli.start import print_json, started
from webstrata.model.words import counted

verbs = typer.Typer(cls=PlainGroup, help="Save sets of captures to compare, share and export.")

HaulId = Annotated[
    str, typer.Argument(metavar="HAUL", help="Id of the haul: the last part of its link.", show_default=False)
]


class HaulFile(StrEnum):
    """The format of an exported haul; the API's own is loaded only when one is exported."""

    CSV = "csv"
    JSON = "json"


@command(verbs, "create", example='webstrata hauls create "Kettles" 12 15 19')
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the haul.", show_default=False)],
    snapshots: Annotated[
        list[int], typer.Argument(metavar="SNAPSHOT...", help="Ids of up to 20 snapshots.", min=1, show_default=False)
    ],
) -> None:
    """Save captures as a haul and print its id."""
    from datetime import UTC, datetime

    from webstrata.db.collections import hauls

    with started(quiet=True) as app, app.database.write() as session:
        haul_id = hauls.add_haul(session, name, snapshots, datetime.now(UTC))
    print(haul_id)


@command(verbs, "list", example="webstrata hauls list")
def list_saved(
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Maximum number of hauls.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List the hauls, newest first."""
    from webstrata.db.collections import hauls
    from webstrata.logs import harmless

    with started(quiet=True) as app, app.database.read() as session:
        found, _ = hauls.list_hauls(session, limit=limit)
    if as_json:
        print_json([dataclasses.asdict(one) for one in found])
        return
    for one in found:
        print(harmless(f"{one.id}  {counted(one.count, 'capture')}  {one.name}"))
    if not found:
        print("No hauls yet.")


@command(verbs, "show", example="webstrata hauls show 3f2a…")
def show(haul_id: HaulId, as_json: AsJson = False) -> None:
    """Show the captures of a haul with the prices that they state."""
    from webstrata.db.collections import hauls
    from webstrata.logs import harmless

    with started(quiet=True) as app, app.database.read() as session:
        found = hauls.load_haul(session, haul_id)
    if as_json:
        print_json(dataclasses.asdict(found))
        return
    print(harmless(found.name))
    for one in found.captures:
        when = f"{one.captured_at:%Y-%m-%d %H:%M}" if one.captured_at else "no longer in the archive"
        print(harmless(f"{one.snapshot_id}  {when}  {one.price or '-'}  {one.name or one.title or one.url}"))


@command(verbs, "export", example="webstrata hauls export 3f2a… --output kettles.csv")
def export(
    haul_id: HaulId,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="File to write.", show_default=False)],
    file_format: Annotated[HaulFile, typer.Option("--format", help="Format of the file.")] = HaulFile.CSV,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
) -> None:
    """Export the captures of a haul with the prices that they state."""
    from datetime import UTC, datetime

    from webstrata.api.collections.haul_files import HaulFormat, haul_file
    from webstrata.api.collections.present_listings import haul as as_schema
    from webstrata.db.collections import export_history, hauls
    from webstrata.storage.output_file import new_file

    with started(quiet=True) as app:
        with app.database.read() as session:
            found = hauls.load_haul(session, haul_id)
        content = haul_file(as_schema(found, app.settings.public_site_url or ""), HaulFormat(file_format))
        with new_file(output, force=force) as file:
            file.write(content)
        if not app.database.is_read_only:
            now, count = datetime.now(UTC), len(found.captures)
            with app.database.write() as session:
                number = export_history.begin_export(session, "haul", file_format.value, {"captures": count}, now)
                export_history.finish_export(session, number, count, now)
    print(f"{output}: {counted(len(found.captures), 'capture')}")


@command(verbs, "delete", example="webstrata hauls delete 3f2a…")
def delete(haul_id: HaulId) -> None:
    """Delete a haul; its captures stay."""
    from webstrata.db.collections import hauls

    with started(quiet=True) as app, app.database.write() as session:
        hauls.delete_haul(session, haul_id)
    print("deleted")
