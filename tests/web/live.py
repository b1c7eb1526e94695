"""An archive served by the program itself, for a real browser."""

import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from playwright.sync_api import ConsoleMessage, Page, Request, ViewportSize

from tests.support.program import Program, Started
from tests.support.waiting import wait_until
from tests.web.archive import MAY, SITE, Answer, change, folder_of, keep, queue
from webstrata.app import App
from webstrata.changes.stage import ChangeTracking
from webstrata.db.captures import captures, problems
from webstrata.db.captures.new_rows import Problem
from webstrata.db.queue import jobs, run_reports
from webstrata.index.version import INDEX_VERSION
from webstrata.jobs.sources.source_commands import SourceCommands
from webstrata.model.crawl.monitoring import Decision
from webstrata.model.crawl.monitoring import RecoveryAction as MonitorAnswer
from webstrata.model.crawl.run_reports import CrawlReport, HostReport
from webstrata.settings import Settings
from webstrata.storage.combined_log import INITIAL_CRAWL, RESUME_CRAWL, combined_log_name, statistics_line
from webstrata.storage.crawl_state import CrawlState

PHONE: ViewportSize = {"width": 360, "height": 740}
MONTHS = 40
"""How often the page on fever was captured; its snapshots come first."""

LINKED = MONTHS + 4
"""The snapshot of a page with every kind of link."""

PATHS = [
    "/",
    "/search?q=fever",
    "/search?q=fever&includeNon2xx=true&view=snapshots",
    "/search?q=zebra",
    "/search?from=x",
    "/search/appearances?q=every+six+hours",
    "/sources",
    "/sources/health",
    "/snapshot/20",
    f"/snapshot/{MONTHS + 1}",
    f"/snapshot/{MONTHS + 2}",
    f"/snapshot/{LINKED}",
    "/changes",
    "/compare?from=1&to=40",
    f"/compare?from=1&to={MONTHS + 2}&view=inline",
    "/jobs",
    "/jobs/1",
    "/jobs/2/cleanup",
    "/jobs/3",
    "/jobs/4",
    "/jobs/5",
    "/nothing",
]


_LINKS = f'''<a id="plain" href="/search">Plain</a> <a id="self" target="_self" href="/">Self</a>
<a id="top" target="_top" href="/docs">Top</a> <a id="blank" target="_blank" href="/docs">Blank</a>
<a id="away" href="{SITE}fever">Away</a> <a id="within" href="#end">Within</a>
<svg width="60" height="20"><a id="drawn" xlink:href="/docs"><text y="15">Drawn</text></a></svg>
<img alt="map" width="60" height="60" usemap="#m"><map name="m"><area id="area" coords="0,0,60,60" href="/docs"></map>
<form action="/search"><input id="field" name="q" value="x"><button id="button">Send</button></form>
<meta http-equiv="refresh" content="0; url=/docs"><p style="height: 200vh"></p><p id="end">End</p>'''


def fill(app: App) -> None:
    """Keep a page with a long history and pages with awkward titles and addresses; leave jobs in every state."""
    keep(app, [_fever(month) for month in range(MONTHS)])
    keep(
        app,
        [
            Answer(
                f"{SITE}heat", "Extreme heat", "Drink water. Nobody may run <script>document.title = 'ran'</script>."
            ),
            Answer(f"{SITE}{'a' * 400}", "W" * 300, "Fever " * 100, language="fr"),
            Answer(f"{SITE}gone", "Gone", "No fever page is here.", status=404),
        ],
    )
    change(app, queue(app), status="failed", status_reason="the server answered 503" * 20, pages_failed=1)
    change(app, queue(app), status="stopped", status_reason="stopped with 120 URLs to go")
    _crawl(app, queue(app))
    _leave_problems(app, 1)
    _leave_temporary_files(app, 2)
    keep(app, [Answer(f"{SITE}linked", "Linked", _LINKS)])
    SourceCommands(app.database, app.archive_root).set_schedule("health", "0 3 * * 1")
    ChangeTracking(app.database, app.archive_root, INDEX_VERSION).compute(1)


@contextmanager
def served(of: Settings, folder: Path, **settings: str) -> Iterator[str]:
    """Run the program's own server on a free port; no worker, so that jobs stay as they are."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    origin = f"http://127.0.0.1:{port}"
    archive = {"WEBSTRATA_DATA_DIR": str(of.data_dir), "WEBSTRATA_DATABASE_URL": of.database_url.get_secret_value()}
    program = Program(folder, {**archive, **settings})
    with program.started("serve", "--no-worker", "--port", str(port)) as server:
        wait_until(lambda: _lives(server) and _answers(origin), "the server answers")
        yield origin
        server.signal(signal.SIGINT)
        server.ended()


def _lives(server: Started) -> bool:
    assert server.process.poll() is None, server.output
    return True


def _answers(origin: str) -> bool:
    try:
        with urlopen(f"{origin}/api/health", timeout=5) as response:
            return bool(response.status == 200)
    except (URLError, ConnectionError):
        return False


def problems_of(page: Page) -> list[str]:
    """Collect what goes wrong in our own documents; an archived page may ask for what its sandbox refuses."""
    problems: list[str] = []

    def note(message: ConsoleMessage) -> None:
        own_fault = "/api/snapshots/raw/" not in message.location.get("url", "") and "/raw/" not in message.text
        expected = message.text.startswith("Failed to load resource: the server responded with a status of 4")
        if message.type in {"error", "warning"} and own_fault and not expected:
            problems.append(message.text)

    page.on("console", note)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("requestfailed", lambda request: None if _was_closed(request) else problems.append(request.url))
    return problems


def _was_closed(request: Request) -> bool:
    """Tell whether a stream of news ended because its page closed it."""
    return request.resource_type == "eventsource" and request.failure == "net::ERR_ABORTED"


def _crawl(app: App, job_id: int) -> None:
    """Leave a job as if it were being crawled, with long names and large numbers."""
    hosts = {f"{'long-' * 12}{n}.health.example": HostReport(10**6, 10**12, 10**4) for n in range(20)}
    report = CrawlReport(2 * 10**7, 2 * 10**13, {"timeout": 10**5, "http_503": 7, "x" * 80: 1}, hosts, 1234.5)
    with app.database.write() as session:
        jobs.set_crawl_counts(session, job_id, {"pending": 10**7, "in_progress": 16, "finished": 10**7, "error": 10**5})
        run_reports.write(session, job_id, "here:1:x", report, datetime.now(UTC))
    change(app, job_id, status="running", started_at=datetime.now(UTC) - timedelta(hours=3), crawler_stage=RESUME_CRAWL)
    _leave_logs(app, job_id)
    _leave_decisions(app, job_id)


def _leave_problems(app: App, job_id: int) -> None:
    with app.database.write() as session:
        (warc,) = captures.warc_files(session, job_id)
        found = [Problem(10**6 * n, f"record {n} is damaged: {'x' * 200}") for n in range(30)]
        problems.replace_problems(session, job_id, warc.id, (0, 10**9), found)
    change(app, job_id, index_problem_count=12_345, tmp_bytes_total=10**9, storage_scanned_at=MAY)


def _leave_temporary_files(app: App, job_id: int) -> None:
    for n in range(3):
        file = folder_of(app, job_id) / ".tmpabcdef" / f"{'long-' * 20}{n}.warc.gz"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"x" * 1_000)


def _leave_logs(app: App, job_id: int) -> None:
    folder = folder_of(app, job_id)
    folder.mkdir(parents=True, exist_ok=True)
    begun = datetime.now(UTC) - timedelta(hours=2)
    first, later = begun - timedelta(seconds=1), begun + timedelta(minutes=61)
    (folder / combined_log_name(INITIAL_CRAWL, 1, first)).write_text("".join(_statistics(begun, range(60))))
    lines = [*_statistics(begun, range(61, 100)), "x" * 3_000, "\n<b>end</b>\n"]
    (folder / combined_log_name(RESUME_CRAWL, 1, later)).write_text("".join(lines))


def _statistics(begun: datetime, minutes: range) -> list[str]:
    return [
        statistics_line(
            begun + timedelta(minutes=n),
            crawled=10**5 * n,
            total=10**7,
            pending=10**7 - 10**5 * n,
            failed=999 * n,
            most=0,
            hit=False,
        )
        for n in minutes
    ]


def _leave_decisions(app: App, job_id: int) -> None:
    begun = datetime.now(UTC) - timedelta(hours=2)
    answers = {
        MonitorAnswer.FEWER_WORKERS: "10 timeouts",
        MonitorAnswer.ROTATE_VPN: "x" * 400,
        MonitorAnswer.BACK_OFF: "no page more",
    }
    state = CrawlState(folder_of(app, job_id), initial_workers=8)
    for n, (answer, reason) in enumerate(answers.items()):
        at = begun + timedelta(minutes=10 * n)
        state.note_decision(Decision(at, "timeout", reason, answer, workers=4, wait=timedelta(minutes=5)))


def _fever(month: int) -> Answer:
    hours = "six" if month % 3 else "four"
    text = f"Give a dose every {hours} hours while the fever lasts. Edition {month // 3}."
    if month == 0:
        text = "Give a dose every six hours while the fever lasts."
    return Answer(f"{SITE}fever", "Fever in children", text, MAY + timedelta(days=30 * month))
