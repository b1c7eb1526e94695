"""Crawls that open pages in a browser: what scripts build is followed and captured, with everything it needs."""

import gzip
import json
import random
import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.crawl.runs import Archive, archive_of, assert_sound
from tests.support.program import Program
from tests.support.scripted_site import PNG, scripted_site
from tests.support.waiting import wait_until
from tests.support.warcs import records
from tests.support.web_server import Answer, WebServer, page, robots
from webstrata.db.engine import Database
from webstrata.db.replay.replay_checks import newest_check
from webstrata.model.crawl.tasks import TaskStatus
from webstrata.model.digests import digest

PLAIN = (("Content-Type", "text/plain"),)
POSTING = b"""<script>
const show = (response) => response.text().then((text) => document.body.append(text));
const parts = new FormData();
parts.append("x", "1");
const json = JSON.stringify({ q: "green tea", page: [1] });
fetch("/json", { method: "POST", headers: { "Content-Type": "application/json" }, body: json }).then(show)
  .then(() => fetch("/form", { method: "POST", body: new URLSearchParams({ a: "\\u00fc" }) })).then(show)
  .then(() => fetch("/parts", { method: "PUT", body: parts })).then(show);
</script>"""


def payloads_of(web_server: WebServer, pages: int) -> dict[str, str]:
    """Return every URL of the scripted site with the digest of its payload."""
    answers = {path: answer for path, answer in scripted_site(pages).items() if path != "/favicon.ico"}
    return {web_server.url(path): digest(a.body) for path, a in answers.items() if isinstance(a, Answer)}


def test_a_page_that_is_empty_without_scripts_is_opened_and_no_other(archive: Archive, web_server: WebServer) -> None:
    filled = page("Plain", "/app", text="This page shows what it has to say without any script. " * 10)
    web_server.answers |= scripted_site(0) | {
        "/plain": filled,
        "/app": scripted_site(0)["/"],
        "/api/app": Answer(json.dumps({"title": "App", "text": "x " * 200, "links": [], "image": "/i.png"}).encode()),
        "/i.png": Answer(PNG, headers=(("Content-Type", "image/png"),)),
        "/robots.txt": robots("User-agent: *", "Disallow: /style.css"),
    }
    archive.crawl(web_server.url("/plain"), fetcher="auto", screenshots=True)
    assert {"/api/app", "/i.png", "/app.js"} <= {url.removeprefix(web_server.origin) for url in archive.statuses()}
    shown = [record.url for record in archive.records() if record.kind == "resource"]
    assert shown == [f"urn:{kind}:{web_server.url('/app')}" for kind in ("dom", "text", "view", "pageinfo")]
    # What robots.txt disallows is not requested by the browser either.
    assert "/style.css" not in web_server.paths()


def test_killed_again_and_again_a_scripted_site_is_archived_whole_and_replays(
    database: Database, database_url: str, tmp_path: Path, web_server: WebServer
) -> None:
    survive(database, database_url, tmp_path, web_server, pages=2, kills=3)


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_killed_ten_times_a_scripted_site_is_archived_whole_and_replays(
    database: Database, database_url: str, tmp_path: Path, web_server: WebServer
) -> None:
    survive(database, database_url, tmp_path, web_server, pages=12, kills=10)


def survive(
    database: Database, database_url: str, folder: Path, web_server: WebServer, *, pages: int, kills: int
) -> None:
    """Archive a scripted site with some kills on the way; it is whole in the end, and shown from the archive alone."""
    web_server.answers |= scripted_site(pages)
    pictures = folder / "pictures"
    program = Program(
        folder / "data",
        {
            "WEBSTRATA_DATABASE_URL": database_url,
            "WEBSTRATA_PREVIEWS": "true",
            "HEALTHARCHIVE_REPLAY_PREVIEW_DIR": str(pictures),
        },
    )
    seed = random.randrange(1 << 30)
    chance = random.Random(seed)
    for _ in range(kills):
        kill_at_a_random_moment(program, web_server, chance)
    command = ("archive", web_server.url(), "--fetcher", "browser")
    ended = program.run(*command)
    assert ended.returncode == 0, ended.stderr
    archive = archive_of(database, program.folder / "archive", 1)
    while archive.urls(TaskStatus.ERROR):
        # A page may have lost all its workers by chance: a person would give it another try.
        assert program.run("resume-job", "--id", "1").returncode == 0
        assert program.run(*command).returncode == 0
    expected = payloads_of(web_server, pages)
    assert {c.url: c.payload_digest for c in archive.captures()} == expected, f"random seed {seed}"
    assert_sound(archive)
    # What scripts built is searchable, although all pages have the same empty document.
    searched = program.run("search", "marmalade number", "--json")
    assert json.loads(searched.stdout)["total"] == pages + 1
    checked = program.run("check-replay", "--job", "1", "--sample", "2", "--json")
    assert checked.returncode == 0, checked.stderr
    report = json.loads(checked.stdout)
    assert (report["failed"], report["score"]) == (0, 1.0), report
    assert report["requests"] >= 2 * len(("/", "/app.js", "/style.css", "/back.png", "/api/", "/image/0.png"))
    # The picture is taken after the prompt is back.
    wait_until(lambda: any(pictures.glob("1-*.jpg")), "the front page has a picture")


def test_a_replay_check_opens_pages_as_readers_do_and_counts_what_fails(
    database: Database, database_url: str, tmp_path: Path, web_server: WebServer
) -> None:
    body = b"<title>Tea</title><p>Tea is served at five.</p><img src=/tea.png><img src=/private/pot.png>" + POSTING
    answers = {path: Answer(f"by {path[1:]} ".encode(), headers=PLAIN) for path in ("/json", "/form", "/parts")}
    web_server.answers |= answers | {
        "/": Answer(body, headers=(("Content-Type", "text/html"),)),
        "/tea.png": Answer(PNG, headers=(("Content-Type", "image/png"),)),
        "/robots.txt": robots("User-agent: *", "Disallow: /private/"),
    }
    program = Program(tmp_path / "data", {"WEBSTRATA_DATABASE_URL": database_url})
    assert program.run("archive", web_server.url(), "--fetcher", "browser").returncode == 0
    requested = len(web_server.requests)
    checked = program.run("check-replay", "--job", "1", "--json")
    (found,) = json.loads(checked.stdout)["pages"]
    assert (found["requests"], found["missing"]) == (6, [web_server.url("/private/pot.png")]), checked.stderr
    # The text has what the scripts got for their POSTs, now as then.
    assert (found["similarity"], found["score"]) == (1.0, round(5 / 6, 4))
    assert len(web_server.requests) == requested
    with database.read() as session:
        stored = newest_check(session, 1)
    assert stored is not None
    assert (stored.pages, stored.requests, stored.failed) == (1, 6, 1)
    assert program.run("verify", "--all").returncode == 0
    archive = archive_of(database, program.folder / "archive", 1)
    urls = {capture.url.removeprefix(web_server.origin) for capture in archive.captures()}
    assert {path for path in urls if "__wb_method=" in path} == {
        "/json?__wb_method=POST&q=green+tea&page=1",
        "/form?__wb_method=POST&a=%C3%BC",
        "/parts?__wb_method=PUT&x=1",
    }
    (sent,) = [record for record in archive.records() if record.kind == "request" and record.url.endswith("/json")]
    assert sent.block.endswith(b'\r\n\r\n{"q":"green tea","page":[1]}')
    searched = program.run("search", "served", "--json")
    assert json.loads(searched.stdout)["total"] == 1
    assert_exported(program, web_server, json.loads(searched.stdout)["results"][0]["id"])


def assert_exported(program: Program, web_server: WebServer, snapshot_id: int) -> None:
    """Check that the package of a page has what it loaded, and what the browser showed of it."""
    package = program.folder / "page.wacz"
    assert program.run("export", "--snapshot", str(snapshot_id), "--output", str(package)).returncode == 0
    assert program.run("verify", str(package)).returncode == 0
    with zipfile.ZipFile(package) as zipped:
        index = gzip.decompress(zipped.read("indexes/index.cdx.gz")).decode().splitlines()
    lines = [json.loads(line.split(" ", 2)[2]) for line in index]
    origin, urls = web_server.origin, {line["url"] for line in lines}
    assert {f"{origin}{path}" for path in ("/", "/tea.png", "/json", "/form", "/parts")} <= urls
    assert {f"urn:{kind}:{origin}/" for kind in ("text", "view", "pageinfo")} <= urls
    (posted,) = [line for line in lines if line["url"] == f"{origin}/json"]
    assert (posted["method"], posted["requestBody"]) == ("POST", "q=green+tea&page=1")
    one_url = program.folder / "url.warc.gz"
    exported = program.run("export", "--url", f"{origin}/", "--format", "warc", "--output", str(one_url))
    assert exported.returncode == 0, exported.stderr
    assert {record.headers.get("WARC-Target-URI") for record in records(one_url)} >= {f"urn:view:{origin}/"}


def kill_at_a_random_moment(program: Program, web_server: WebServer, chance: random.Random) -> None:
    before, patience = len(web_server.requests), chance.choice([0, 1, 5, 8])
    with program.started("archive", web_server.url(), "--fetcher", "browser") as crawling:
        wait_until(
            lambda: len(web_server.requests) > before + patience or crawling.process.poll() is not None, "it is at work"
        )
        try:
            crawling.process.wait(chance.uniform(0, 1))
        except subprocess.TimeoutExpired:
            crawling.kill()
