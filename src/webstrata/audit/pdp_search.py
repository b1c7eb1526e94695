"""Search for the product page of a shop: candidates of the home page in order, then those of category pages."""

from collections.abc import Iterator, Sequence

from webstrata.audit.judging import find_candidates, find_categories, judge_pdp
from webstrata.audit.page_run import PageFailure, PageTools, VisitedPage, visit_page
from webstrata.audit.status import AuditProblem
from webstrata.coordination.threads import in_thread
from webstrata.errors import UnreadablePageError
from webstrata.model.auditing.sessions import AuditEventType, AuditViewport

_MAX_REFUSALS = 3
"""After so many consecutive refusals by the shop the search ends."""

_REFUSALS = frozenset({AuditProblem.BLOCKED, AuditProblem.RATE_LIMITED, AuditProblem.BOT_BLOCK})


async def find_pdp(tools: PageTools, home: VisitedPage) -> VisitedPage | None:
    """Return the first page of a shop that is a valid product page, visited on desktop; None when there is none."""
    search = _Search(tools, home)
    found = await search.try_each(await search.candidates(home))
    if found is not None or search.is_refused:
        return found
    search.allow_more()
    for url in await search.categories(home):
        await tools.log.info(AuditEventType.NAVIGATION, f"No product page yet: looking at a category, {url}")
        category = await visit_page(tools, AuditViewport.DESKTOP, url)
        if isinstance(category, VisitedPage):
            found = await search.try_each(await search.candidates(category))
        if found is not None or search.is_over:
            return found
    await tools.log.warning(AuditEventType.NAVIGATION, "No product page was found", candidates=search.tried)
    return None


class _Search:
    """Tries candidates until one is valid: up to a number from the home page, and as many from category pages."""

    def __init__(self, tools: PageTools, home: VisitedPage) -> None:
        self._tools = tools
        self._seen = {home.url, home.final_url}
        self._refusals = 0
        self._most = tools.policy.pdp_candidates
        self.tried = 0

    @property
    def is_over(self) -> bool:
        """Return whether no further candidate may be opened."""
        return self.tried >= self._most or self.is_refused

    @property
    def is_refused(self) -> bool:
        """Return whether the shop refuses to serve its pages."""
        return self._refusals >= _MAX_REFUSALS

    def allow_more(self) -> None:
        """Reset the number of allowed candidates for the category pages."""
        self._most = self.tried + self._tools.policy.pdp_candidates

    async def candidates(self, page: VisitedPage) -> Sequence[str]:
        """Return the links of a page that may lead to products."""
        try:
            found = await in_thread(find_candidates, page.collected, page.final_url, self._tools.policy)
        except UnreadablePageError as error:
            await self._tools.log.warning(AuditEventType.ERROR, f"{page.final_url} cannot be read: {error}")
            return []
        await self._tools.log.info(AuditEventType.NAVIGATION, f"Candidates on {page.final_url}: {len(found)}")
        return found

    async def categories(self, page: VisitedPage) -> Sequence[str]:
        """Return the links of a page that lead to categories."""
        try:
            return await in_thread(find_categories, page.collected.html, page.final_url, self._tools.policy)
        except UnreadablePageError:
            return []

    async def try_each(self, urls: Sequence[str]) -> VisitedPage | None:
        """Open candidates in order and return the first valid one."""
        for url in self._new(urls):
            self.tried += 1
            visited = await visit_page(self._tools, AuditViewport.DESKTOP, url, self._accept)
            if isinstance(visited, VisitedPage):
                return visited
            is_refused = isinstance(visited, PageFailure) and visited.problem in _REFUSALS
            self._refusals = self._refusals + 1 if is_refused else 0
        return None

    def _new(self, urls: Sequence[str]) -> Iterator[str]:
        for url in urls:
            if self.is_over:
                return
            if url not in self._seen:
                self._seen.add(url)
                yield url

    async def _accept(self, html: str, url: str) -> bool:
        try:
            verdict = await in_thread(judge_pdp, html, url, self._tools.policy)
        except UnreadablePageError as error:
            await self._tools.log.warning(AuditEventType.ERROR, f"{url} cannot be read: {error}")
            return False
        state = "is" if verdict.valid else "is not"
        await self._tools.log.info(
            AuditEventType.NAVIGATION, f"{url} {state} a product page", score=verdict.score, reasons=verdict.reasons
        )
        return verdict.valid
