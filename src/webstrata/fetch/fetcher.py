"""The interface of fetchers."""

from collections.abc import Mapping
from types import TracebackType
from typing import Protocol, Self

from webstrata.model.crawl.fetching import FetchResult


class Fetcher(Protocol):
    """Fetches responses, inside its `async with` block."""

    async def __aenter__(self) -> Self:
        """Open what fetching needs."""

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""

    async def fetch(self, url: str, conditions: Mapping[str, str] | None = None) -> FetchResult:
        """Return the response to a GET, or raise FetchError; TransientFetchError when trying later may help.

        Conditions are headers that let the server respond that nothing has changed.
        """
