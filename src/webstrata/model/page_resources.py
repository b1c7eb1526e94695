"""Resources of a captured page: what a browser loads to show it, and which of that the archive has."""

from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus


@dataclass(frozen=True)
class PageResource:
    """Something that a page shows, with its capture closest in time, if there is one."""

    url: str
    status_code: int | None = None
    captured_at: datetime | None = None
    reason: str | None = None
    """Why it is missing; None when it is archived."""

    @property
    def is_archived(self) -> bool:
        """Tell whether the archive has it."""
        return self.reason is None


@dataclass(frozen=True)
class PageResources:
    """The resources of a captured page, as far as they are known."""

    listed: tuple[PageResource, ...] = ()
    is_known: bool = True
    """Whether it is known what the page needs: it is stored when the crawler reads a page."""
    is_cut: bool = False
    """Whether there are more than are listed."""

    @property
    def archived(self) -> int:
        """Return how many of them the archive has."""
        return sum(resource.is_archived for resource in self.listed)

    @property
    def missing(self) -> tuple[PageResource, ...]:
        """Return those that the archive does not have."""
        return tuple(resource for resource in self.listed if not resource.is_archived)


def why_unusable(status_code: int | None) -> str | None:
    """Return why a captured response does not show anything, or None when it does."""
    if status_code is None or status_code < HTTPStatus.BAD_REQUEST:
        return None
    return f"the server returned {status_code}"
