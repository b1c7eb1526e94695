"""An audit session: the home page and one product page of a shop, each on desktop and mobile."""

from webstrata.audit.page_run import PageRun, PageTools, VisitedPage, run_page, store_visited
from webstrata.audit.pdp_search import find_pdp
from webstrata.audit.status import SessionOutcome, session_outcome
from webstrata.coordination.threads import in_thread
from webstrata.db.auditing import queue
from webstrata.model.auditing.sessions import Audit, AuditEventType, AuditPageType, AuditViewport


async def conduct_session(tools: PageTools, audit: Audit) -> SessionOutcome:
    """Audit a shop and return its outcome; evidence is stored as soon as it is collected."""
    homes = [await run_page(tools, AuditPageType.HOMEPAGE, viewport, audit.url) for viewport in AuditViewport]
    home = next((run.visited for run in homes if run.visited is not None), None)
    await _store(tools, final_url=None if home is None else home.final_url)
    found = None if home is None else await find_pdp(tools, home)
    products = [] if found is None else await _audit_product(tools, found)
    runs = [*homes, *products]
    await _store(tools, low_confidence=any(run.reasons for run in runs))
    outcome = session_outcome([run.outcome for run in runs], pdp_found=found is not None)
    await tools.log.info(
        AuditEventType.NAVIGATION, f"The audit is {outcome.status}", error_summary=outcome.error_summary
    )
    return outcome


async def _audit_product(tools: PageTools, found: VisitedPage) -> list[PageRun]:
    """Store the evidence of the product page that was found, and open it on the other viewports."""
    await _store(tools, pdp_url=found.final_url)
    runs = [await store_visited(tools, AuditPageType.PDP, found)]
    others = [viewport for viewport in AuditViewport if viewport is not found.viewport]
    return runs + [await run_page(tools, AuditPageType.PDP, viewport, found.final_url) for viewport in others]


async def _store(tools: PageTools, **values: object) -> None:
    def write() -> None:
        with tools.database.write() as session:
            queue.set_audit(session, tools.lease, **values)

    await in_thread(write)
