"""An archive to be replayed: real WARC files with every kind of response, indexed."""

import gzip
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

from tests.support.fetched import fetched
from webstrata.app import App
from webstrata.db.captures import captures
from webstrata.db.queue import jobs
from webstrata.index.pipeline import index_job
from webstrata.model.captures import Original
from webstrata.model.crawl.fetching import FetchResult
from webstrata.model.jobs.job import JobConfig, JobStatus
from webstrata.warc.record import exchange
from webstrata.warc.writer import WarcFileWriter, new_warc_name

SITE = "https://health.example"
MAY = datetime(2024, 5, 3, 12, 5, 9, 250_000, tzinfo=UTC)
JUNE = MAY + timedelta(days=31)
STYLE = '@import "more.css"; body{background:url(/leaf.png)}'
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8
HOME = (
    '<!doctype html><html><head><meta charset="utf-8"><title>Grippe</title><link rel="stylesheet" href="/site.css">'
    '</head><body><img src="leaf.png" srcset="/leaf.png 2x"><a href="/flu?a=1&amp;b=2#part" target="_blank">Flu</a>'
    '<a href="#top">Top</a><a href="https://elsewhere.example/">Away</a><script src="/app.js"></script></body></html>'
)
LATIN = "<title>Été</title><p>À l'hôpital.</p><a href=/>Accueil</a>".encode("windows-1252")
PACKED = gzip.compress(b"<title>Packed</title>" + b"<p>Wash your hands.</p>" * 90, mtime=0)
ODD = [
    *((b"Set-Cookie", b"session=secret"), (b"X-Odd", b"\xe9\xff"), (b"Refresh", b"0; url=https://evil.example/")),
    *((b"Content-Security-Policy", b"script-src *"), (b"Link", b"</x>; rel=preload"), (b"X-Long", b"x" * 9_000)),
]

RESPONSES = [
    fetched(f"{SITE}/", HOME, at=MAY, headers=ODD),
    fetched(
        "http://www.health.example/",
        "",
        at=MAY - timedelta(seconds=1),
        status=301,
        headers=[(b"Location", SITE.encode())],
    ),
    fetched(f"{SITE}/site.css", STYLE, at=MAY, content_type="text/css"),
    fetched(f"{SITE}/leaf.png", PNG, at=MAY, content_type="image/png"),
    fetched(f"{SITE}/app.js", "alert(1)", at=MAY, content_type="text/javascript"),
    fetched(f"{SITE}/data.json", '{"a": 1}', at=MAY, content_type="application/json"),
    fetched(f"{SITE}/flu?a=1&b=2", LATIN, at=MAY, content_type="text/html; charset=iso-8859-1"),
    fetched(f"{SITE}/packed", PACKED, at=MAY, headers=[(b"Content-Encoding", b"gzip")]),
    fetched(f"{SITE}/moved", "", at=MAY, status=302, headers=[(b"Location", b"/flu?a=1&b=2")]),
    fetched(f"{SITE}/loop", "", at=MAY, status=302, headers=[(b"Location", b"/loop")]),
    fetched(f"{SITE}/gone", "<title>Gone</title>", at=MAY, status=410),
    fetched(f"{SITE}/empty", "", at=MAY, status=204, content_type=None),
    fetched(f"{SITE}/folder/", "<title>Folder</title>", at=MAY),
]


def add_job(app: App, code: str = "health", site: str = SITE) -> int:
    """Queue a job that no one runs."""
    with app.database.write() as session:
        source = jobs.ensure_source(session, code, name=code.title(), base_url=site)
        folder = app.archive_root / code / f"job-{uuid4().hex}"
        config = JobConfig(seeds=(site,))
        return jobs.add_job(session, source, name=f"{code}-1", output_dir=str(folder), config=config, queued_at=MAY)


def archive_responses(
    app: App, responses: Iterable[FetchResult], *, code: str = "health", original: Original | None = None
) -> int:
    """Archive responses in one job and index it; with an original they are revisits of it. Return the job."""
    job_id = add_job(app, code)
    with app.database.read() as session:
        folder = Path(jobs.load_job(session, job_id).output_dir).relative_to(app.archive_root)
    name = f"{folder}/warcs/{new_warc_name('test')}"
    size = _write(app.archive_root / name, responses, original)
    with app.database.write() as session:
        captures.acknowledge(session, captures.add_warc_file(session, job_id, name), size)
        jobs.set_job(session, job_id, status=JobStatus.COMPLETED)
    assert index_job(job_id, database=app.database, archive_root=app.archive_root) == 0
    return job_id


def _write(path: Path, responses: Iterable[FetchResult], original: Original | None) -> int:
    with WarcFileWriter(path) as writer:
        for response in responses:
            writer.append(exchange(response, writer.warcinfo_id, original))
        writer.sync()
        return writer.size


def archive_everything(app: App) -> int:
    """Archive every kind of response in May and the front page again in June, unchanged. Return the first job."""
    first = archive_responses(app, RESPONSES)
    again = replace(RESPONSES[0], fetched_at=JUNE)
    archive_responses(app, [again], original=Original("", RESPONSES[0].url, RESPONSES[0].fetched_at))
    return first
