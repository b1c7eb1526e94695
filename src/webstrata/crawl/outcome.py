"""The outcome of a visit, on its way to the disk and the database."""

from dataclasses import dataclass, field

from webstrata.content.html import PageLinks
from webstrata.content.link_record import LinkRecord
from webstrata.model.crawl.fetching import FetchResult
from webstrata.model.crawl.tasks import Link, Task
from webstrata.model.quality import QualityKind


@dataclass(frozen=True)
class FoundLinks:
    """The links of a response, and the record to be stored; None if it is stored already."""

    page: PageLinks = field(default_factory=PageLinks)
    record: LinkRecord | None = None
    kind: QualityKind | None = None
    """The kind of response; None when it was not judged."""


@dataclass(frozen=True)
class Outcome:
    """A visited task, with its response and links, if any."""

    task: Task
    result: FetchResult | None = None
    links: tuple[Link, ...] = ()
    link_record: LinkRecord | None = None
    """The record of the response's links, if it is to be stored."""
    error_kind: str | None = None
    """The kind of failure of this try, in a word; None when it succeeded."""
    kind: QualityKind | None = None
    """The kind of response, if it was judged."""
    resources: tuple[FetchResult, ...] = ()
    """The resources that the page loaded in the browser, to be stored with it."""

    @property
    def size(self) -> int:
        """Return how many bytes of responses and pictures are to be written."""
        if self.result is None:
            return 0
        rendering = self.result.rendering
        picture = len(rendering.screenshot or b"") if rendering else 0
        return len(self.result.body) + picture + sum(len(resource.body) for resource in self.resources)
