"""The summary of a finished job, in a few lines."""

from webstrata.jobs.progress.run_report import report_path
from webstrata.jobs.running.lifecycle import JobSummary
from webstrata.logs import harmless
from webstrata.model.words import counted


def print_summary(summary: JobSummary, *, next_step: str, label: str | None = None) -> None:
    """Print what was captured, what is new or changed, where the files are and what to do next."""
    compared = summary.comparison
    pages = compared.new + compared.different + compared.same
    lines = {
        "archived": f"{label or summary.seed} (job {summary.job_id}, {summary.status})",
        "captured": f"{counted(summary.captured, 'URL')}, {counted(pages, 'snapshot')}",
        "new": counted(compared.new, "page"),
        "changed": f"{counted(compared.different, 'page')} since the last run, {compared.same} unchanged",
        "not fetched": _not_fetched(summary),
        "note": summary.reason or "",
        "WARC files": str(summary.warc_folder),
        "report": _report(summary),
        "next": next_step,
    }
    for name, value in lines.items():
        if value:
            print(f"{name:>12}  {harmless(value)}")
    print(flush=True)


def _not_fetched(summary: JobSummary) -> str:
    if not summary.failed:
        return ""
    return f"{summary.failed}, such as {summary.first_error}"


def _report(summary: JobSummary) -> str:
    path = report_path(summary.warc_folder.parent, summary.job_id)
    return str(path) if path.is_file() else ""
