"""What strangers try: each kind of attack that applies, on every route that it could apply to."""

import json
import socket
from io import StringIO
from pathlib import Path
from urllib.parse import quote

import anyio
import pytest
from fastapi import FastAPI
from granian.http import HTTP1Settings
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from starlette.types import Message

from tests.api.archives import Archive
from tests.api.conftest import make_settings
from tests.api.routes import WRITING, every_route, filled
from tests.api.serving import HOST, served
from webstrata.app import App
from webstrata.db.engine import Database
from webstrata.http.limits.request_limits import MAX_BODY_BYTES, RequestLimits
from webstrata.site import create_site

SECRET = "TOP-SECRET-OF-ANOTHER-FOLDER"
MARKUP = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
FORGED = 'x\r\n{"event": "forged"}'

OUTSIDE = [
    "../secret.txt",
    "..%2fsecret.txt",
    "..%2f..%2f..%2f..%2fetc%2fpasswd",
    "%2e%2e/%2e%2e/secret.txt",
    "....//secret.txt",
    "..%5csecret.txt",
    "%2fetc%2fpasswd",
    "..%c0%afsecret.txt",
    "secret.txt%00.css",
    "file:%2f%2f%2fetc%2fpasswd",
]


@pytest.fixture(scope="session")
def database_kind() -> str:
    """These never reach a database; what does is tried on both, in test_hostile_values.py."""
    return "sqlite"


@pytest.fixture
def site(archive: Archive, log_lines: StringIO) -> FastAPI:
    """An archive with a page in it, in open development, and a secret beside its folder."""
    (archive.root.parent / "secret.txt").write_text(SECRET)
    archive.snapshot(job_id=archive.job("health"))
    return create_site(App(make_settings(None, env="development"), archive.database, archive.root))


@pytest.fixture
def client(site: FastAPI) -> TestClient:
    return TestClient(site, raise_server_exceptions=False, headers={"Host": "127.0.0.1"}, follow_redirects=False)


def test_markup_that_was_archived_or_sent_stays_text_on_every_page(archive: Archive, site: FastAPI) -> None:
    archive.source("evil", name=MARKUP, base_url="https://evil.example/")
    url = f"https://evil.example/?{quote(MARKUP)}"
    job_id = archive.job("evil", name=MARKUP, status_reason=MARKUP, status="failed")
    snapshot_id = archive.snapshot(url, source="evil", job_id=job_id, title=MARKUP, text=f"flu {MARKUP}")
    client = TestClient(site, headers={"Host": "127.0.0.1"})
    pages = ["/", "/sources", "/sources/evil", "/jobs", f"/jobs/{job_id}", f"/snapshot/{snapshot_id}", "/docs"]
    pages += [f"/search?q={quote('flu ' + MARKUP)}", f"/search?q=flu&source={quote(MARKUP)}", f"/{quote(MARKUP)}"]
    pages += [f"/login?next={quote(MARKUP)}", f"/api/snapshots/raw/{snapshot_id}"]
    for page in pages:
        answer = client.get(page)
        html = answer.text
        assert answer.status_code < 500, page
        assert "<script>alert" not in html, page
        assert "<img src=x" not in html, page


def test_every_response_of_every_route_carries_the_safe_headers(client: TestClient, site: FastAPI) -> None:
    for method, path in [*every_route(site), ("GET", "/nowhere"), ("GET", "/static/nothing"), ("BREW", "/")]:
        headers = client.request(method, filled(path)).headers
        assert headers["x-content-type-options"] == "nosniff", path
        assert headers["referrer-policy"] == "strict-origin-when-cross-origin"
        assert headers["permissions-policy"] == "geolocation=(), microphone=(), camera=()"
        policy = headers["content-security-policy"]
        is_archived = path.startswith("/api/snapshots/raw/") or path.endswith("/record")
        scripts = "default-src 'none'" if is_archived else "script-src 'self';"
        assert scripts in policy, path
        assert "unsafe-eval" not in policy
        framed = headers.get("x-frame-options")
        assert framed == (None if is_archived else "SAMEORIGIN"), path


def test_a_line_break_in_a_value_makes_no_header(client: TestClient) -> None:
    sent = [
        client.get(f"/login?next=/jobs{quote(FORGED)}"),
        client.post("/login", data={"token": "x", "next": f"/{FORGED}"}, headers={"Origin": "http://127.0.0.1"}),
        client.get("/api/stats", headers={"X-Request-Id": b"a\tb"}),
        client.get("/api/exports/snapshots", params={"source": FORGED, "format": FORGED}),
        client.get(f"/static/{quote(FORGED)}"),
    ]
    for answer in sent:
        assert "forged" not in str(answer.headers)


def test_no_redirect_leads_to_another_site(client: TestClient) -> None:
    for there in ("https://evil.example/", "//evil.example/", "/\\evil.example", "http:evil", "javascript:alert(1)"):
        answer = client.get("/login", params={"next": there})
        assert answer.headers.get("location", "/jobs") == "/jobs"


def test_nothing_that_is_sent_forges_a_line_in_the_log(client: TestClient, log_lines: StringIO) -> None:
    hostile = quote(FORGED)
    client.get(f"/{hostile}")
    client.get(f"/api/search?q={hostile}&source={hostile}")
    client.get(f"/api/sources/{hostile}/editions")
    client.post("/login", data={"token": FORGED}, headers={"Origin": "http://127.0.0.1"})
    client.post("/api/admin/jobs/1/stop", headers={"X-Forwarded-For": "\x0b forged"})
    events = [json.loads(line)["event"] for line in log_lines.getvalue().splitlines()]
    assert len(events) >= 5
    assert "forged" not in events


def test_no_address_leads_to_a_file_outside_the_archive(client: TestClient, site: FastAPI) -> None:
    templates = [path for method, path in every_route(site) if method == "GET" and "{" in path]
    assert len(templates) > 10
    for template in templates:
        for outside in OUTSIDE:
            values = dict.fromkeys(("code", "name", "snapshot_id", "job_id", "report_id", "order"), outside)
            answer = client.get(filled(template, **values))
            assert 400 <= answer.status_code < 500, (template, outside)
            assert SECRET not in answer.text
            assert "root:" not in answer.text


def test_no_row_leads_to_a_file_outside_the_archive(client: TestClient, archive: Archive) -> None:
    secret = archive.root.parent / "secret.txt"
    for name in ("../secret.txt", str(secret), "health/../../secret.txt", "/etc/passwd"):
        snapshot_id = archive.snapshot(warc_path=name, warc_offset=0, warc_length=10)
        answer = client.get(f"/api/snapshots/raw/{snapshot_id}")
        assert answer.status_code == 404, name
        assert SECRET not in answer.text
    folder = archive.root / "health" / "one"
    folder.mkdir(parents=True)
    (folder / "link.log").symlink_to(secret)
    for log in (str(secret), "../../../secret.txt", "/etc/passwd", str(folder / "link.log")):
        job_id = archive.job("health", output_dir=str(folder), combined_log_path=log)
        assert client.get(f"/api/admin/jobs/{job_id}/log").json()["lines"] == []
        assert SECRET not in client.get(f"/jobs/{job_id}").text


def test_no_page_of_another_site_can_make_a_browser_write_here(client: TestClient, site: FastAPI) -> None:
    # Reports are for everyone; a POST to a replayed address reads what is archived and writes nothing.
    open_to_all = ("/api/reports", "/web/{address:path}")
    writes = [(method, path) for method, path in every_route(site) if method in WRITING and path not in open_to_all]
    assert len(writes) > 15
    for method, path in writes:
        for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
            answer = client.request(method, filled(path), headers=headers, data={"token": "x", "url": "evil.example"})
            assert answer.status_code == 403, (method, path, headers)


def test_a_body_that_is_too_large_is_refused_on_every_route(client: TestClient, site: FastAPI) -> None:
    for method, path in every_route(site):
        if method in WRITING:
            answer = client.request(method, filled(path), headers={"Content-Length": str(MAX_BODY_BYTES + 1)})
            assert answer.status_code == 413, (method, path)


def test_deeply_nested_and_broken_json_is_refused(client: TestClient) -> None:
    deep = "[" * 100_000
    for body in (deep, '{"source": ' * 10_000, "{", "\x00", '{"source": 1e999}', '{"source": "\\ud800"}', "nul"):
        answer = client.post("/api/admin/jobs", content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code in {400, 404, 422}, body[:20]


def test_a_body_that_trickles_in_is_not_waited_for() -> None:
    sent: list[Message] = []

    async def receive() -> Message:
        await anyio.sleep_forever()
        raise AssertionError

    async def send(message: Message) -> None:
        sent.append(message)

    async def ask() -> None:
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/",
            "query_string": b"",
            "headers": [(b"content-length", b"9")],
        }
        await RequestLimits(PlainTextResponse("read"), max_body_seconds=0.01)(scope, receive, send)

    anyio.run(ask)
    assert sent[0]["status"] == 408
    assert json.loads(sent[1]["body"]) == {"detail": "Request body too slow"}


def test_headers_that_never_end_are_not_waited_for(archive: Archive) -> None:
    impatient = HTTP1Settings(header_read_timeout=200)
    with served(archive, http1=impatient) as server, socket.create_connection((HOST, server.port), timeout=30) as slow:
        slow.sendall(b"GET /api/stats HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow:")
        assert b"200 OK" not in slow.recv(65536)
        with socket.create_connection((HOST, server.port), timeout=30) as other:
            other.sendall(b"GET /api/stats HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            assert other.recv(65536).startswith(b"HTTP/1.1 200 ")


def test_a_failure_inside_shows_no_trace_of_how_we_work(
    site: FastAPI, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_given: object, **_named: object) -> None:
        raise RuntimeError(f"{SECRET} at /srv/archive in line 7")

    monkeypatch.setattr(Database, "read", broken)
    for path in ("/api/stats", "/api/search?q=a", "/", "/search?q=a", "/metrics", "/api/admin/jobs"):
        answer = client.get(path)
        assert answer.status_code == 500, path
        for hint in (SECRET, "Traceback", "RuntimeError", ".py", "line 7", "/srv/"):
            assert hint not in answer.text, (path, hint)


def test_files_of_the_archive_are_where_they_were(client: TestClient, archive: Archive) -> None:
    """Nothing above wrote outside its folder: what a source is called cannot name another."""
    for code in ("../evil", "/etc", "a/b", ".hidden", "a\\b", "CON", "é", ""):
        answer = client.post("/api/admin/sources", json={"seeds": ["https://evil.example/"], "code": code or "."})
        # The second of them that is taken begins where the first does: it is that source.
        assert answer.status_code in {200, 201, 422}, code
    made = [path.relative_to(archive.root.parent) for path in archive.root.parent.rglob("*")]
    assert all(path.parts[0] in {archive.root.name, "secret.txt"} or "webstrata.db" in path.name for path in made)
    assert Path("/etc/evil").exists() is False
