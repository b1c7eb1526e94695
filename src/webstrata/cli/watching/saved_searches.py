"""`save-search`, `saved-searches` and `remove-saved-search`."""

from typing import Annotated

import typer

from webstrata.cli.help_pages import command
from webstrata.cli.options import AsJson, OfSource
from webstrata.cli.start import print_json, started

verbs = typer.Typer()


@command(verbs, "save-search", example='webstrata save-search recalls "recall OR warning" --source example-org')
def save_search(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the saved search.", show_default=False)],
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to search for, as in `search`.")] = "",
    source: OfSource = None,
    language: Annotated[str, typer.Option("--language", metavar="CODE", help="Only pages in this language.")] = "",
    kind: Annotated[str, typer.Option("--type", metavar="KIND", help="Only html, pdf, text or other.")] = "",
    as_json: AsJson = False,
) -> None:
    """Save a search; its feed has the new and changed captures that match."""
    from webstrata.jobs.watching.saved_search_commands import SavedSearchCommands

    parameters = {"q": query, "source": source or "", "language": language, "type": kind}
    with started(quiet=True) as app:
        saved = SavedSearchCommands(app.database, app.archive_root).add(name, parameters)
    if as_json:
        print_json(saved.to_json())
        return
    print(f"saved search {saved.id}: {saved.name} ({saved.words})")
    print(f"feed: /api/saved-searches/{saved.id}/rss, /atom or /feed.json")


@command(verbs, "saved-searches", example="webstrata saved-searches --json")
def list_searches(as_json: AsJson = False) -> None:
    """List the saved searches."""
    from webstrata.db.watching import saved_searches

    with started(quiet=True) as app, app.database.read() as session:
        found = saved_searches.list_searches(session)
    if as_json:
        print_json([one.to_json() for one in found])
        return
    for one in found:
        print(f"{one.id}  {one.name}  ({one.words})")
    if not found:
        print('No saved searches yet: webstrata save-search NAME "some words"')


@command(verbs, "remove-saved-search", example="webstrata remove-saved-search recalls")
def remove_search(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name or number of the saved search.")],
) -> None:
    """Remove a saved search with its subscriptions."""
    from webstrata.jobs.watching.saved_search_commands import SavedSearchCommands

    with started(quiet=True) as app:
        removed = SavedSearchCommands(app.database, app.archive_root).remove(name)
    print(f"the saved search {removed.name} is removed")
