"""What a visit ends in, on its way to the disk and the database."""

from dataclasses import dataclass

from webstrata.model.fetching import FetchResult
from webstrata.model.tasks import Link, Task


@dataclass(frozen=True)
class Outcome:
    """A task as it is to be settled; with what was fetched and found, if anything was."""

    task: Task
    result: FetchResult | None = None
    links: tuple[Link, ...] = ()
    error_kind: str | None = None
    """What went wrong with this try, in a word; None when nothing did."""
