"""Output of audits on a terminal: progress during the run, and the verdict."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

from webstrata.app import App
from webstrata.cli.start import DONE, FAILED, print_json
from webstrata.db.auditing import pages, sessions
from webstrata.logs import harmless
from webstrata.model.auditing.sessions import Audit, AuditLogEntry, AuditLogLevel, AuditPage, AuditStatus

Watch = Callable[[AuditLogEntry], None]

_MARKS = {AuditLogLevel.INFO: " ", AuditLogLevel.WARNING: "!", AuditLogLevel.ERROR: "✗"}


@contextmanager
def watching(url: str, *, is_quiet: bool) -> Iterator[Watch]:
    """Print the log of an audit while it runs, one line per entry; on a terminal, with the current step below."""
    console = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
    if is_quiet:
        yield lambda _entry: None
        return
    began = time.monotonic()

    def line(entry: AuditLogEntry) -> str:
        seconds = time.monotonic() - began
        return f"{seconds:6.1f} s {_MARKS[entry.level]} {entry.event_type:<10} {harmless(entry.message)}"

    if not sys.stderr.isatty() or console.is_dumb_terminal:
        yield lambda entry: print(line(entry), file=sys.stderr, flush=True)
        return
    with console.status(f"auditing {harmless(url)}"):
        yield lambda entry: console.print(line(entry))


def print_verdict(app: App, audit_id: str, *, as_json: bool) -> int:
    """Print how an audit ended, and return the exit code for it."""
    from webstrata.api.auditing.audits import audit_json

    with app.database.read() as session:
        audit = sessions.load_audit(session, audit_id)
        found = pages.pages_of(session, audit_id)
    if as_json:
        print_json(audit_json(app, audit_id))
    else:
        print(verdict(audit, found))
        print(f"evidence: {app.settings.artifacts_dir.resolve() / f'{audit.domain}__{audit.id}'}")
    return DONE if audit.status in {AuditStatus.COMPLETED, AuditStatus.PARTIAL} else FAILED


def verdict(audit: Audit, found: list[AuditPage]) -> str:
    """Return how an audit ended: its status, its pages, and why their evidence is thin."""
    reason = f" ({harmless(audit.error_summary)})" if audit.error_summary else ""
    lines = [f"{audit.status}{reason}: {harmless(audit.url)}"]
    lines += [f"  {page.page_type:<9} {page.viewport:<8} {_state(page)}" for page in found]
    if audit.pdp_url:
        lines.append(f"product page: {harmless(audit.pdp_url)}")
    return "\n".join(lines)


def print_line(audit: Audit, number: int, total: int) -> None:
    """Print how one of many audits ended."""
    reason = f" ({harmless(audit.error_summary)})" if audit.error_summary else ""
    print(f"[{number}/{total}] {audit.status:<9} {harmless(audit.url)}{reason}", flush=True)


def _state(page: AuditPage) -> str:
    if page.error:
        return f"{page.status}: {harmless(page.error)}"
    thin = ", ".join(page.low_confidence_reasons)
    return f"{page.status}, low confidence: {thin}" if thin else str(page.status)
