"""A page that a server sends in place of an image, a style sheet or a script is a capture, but no page."""

from datetime import UTC, datetime

from tests.jobs.test_lifecycle import queue
from tests.jobs.test_site_changes import events_of
from tests.support.web_server import Answer, WebServer
from webstrata.db.engine import Database
from webstrata.db.operations import catalog
from webstrata.jobs.running.lifecycle import Runner
from webstrata.model.changes.values import ChangeType
from webstrata.replay.finding import ReplayArchive

HOME = b"<title>Fever</title><h1>Fever</h1><p>Give 160 mg every 4 hours, and see a doctor after three days.</p>"
SHOWN = b"<link rel=stylesheet href=/style.css><script src=/app.js></script><img src=/gone.png><img src=/soft>"
LINKS = b"<a href=/next>Next</a><object data=/leaflet.pdf type=application/pdf></object>"
ERROR = Answer(b"<title>Zeppelin</title><h1>404</h1><p>Zeppelin: there is no such thing.</p>", status=404)
START = (
    b"<title>Start</title><h1>Our shop</h1><p>Welcome to our shop, which sells umbrellas and raincoats of any size.</p>"
)
SOFT = b"<title>Page not found</title><h1>Page not found</h1><p>The page that you are looking for does not exist.</p>"


def paths_of(database: Database, job_id: int) -> set[str]:
    with database.read() as session:
        found = catalog.job_snapshots(session, job_id, limit=100, offset=0)
    return {"/" + snapshot.url.split("/", 3)[3] for snapshot in found}


def test_a_page_in_place_of_a_requisite_is_a_capture_but_neither_a_page_nor_a_change(
    runner: Runner, web_server: WebServer
) -> None:
    web_server.answers |= {
        "/": Answer(HOME + SHOWN + LINKS),
        "/next": Answer(START),
        "/style.css": ERROR,
        "/app.js": Answer(START),
        "/soft": Answer(SOFT),
        "/gone.png": ERROR,
    }
    job_id = queue(runner, web_server)
    runner.run(job_id)
    # What the script's address responded is the same as a real page, which refers to it and is still one.
    assert paths_of(runner.database, job_id) == {"/", "/next"}
    events = events_of(runner.database, job_id)
    assert {path: event.change_type for path, event in events.items()} == {
        "/": ChangeType.NEW_PAGE,
        "/next": ChangeType.NEW_PAGE,
    }
    archive = ReplayArchive(runner.database, runner.archive_root)
    replayed = archive.find_capture(web_server.url("/gone.png"), datetime.now(UTC))
    assert (replayed.capture.status_code, replayed.record.body_bytes) == (404, ERROR.body)
