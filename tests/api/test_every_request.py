"""What holds for every request, whatever its route."""

import json
import logging
import uuid
from collections.abc import AsyncIterator, Iterator
from io import StringIO
from typing import Any

import anyio
import anyio.lowlevel
import pytest
import structlog
from fastapi import FastAPI, Request
from starlette.responses import StreamingResponse
from starlette.testclient import TestClient
from starlette.types import Message

from tests.api.archives import Archive
from tests.api.conftest import MakeClient
from webstrata import errors
from webstrata.http.error_responses import STATUS_CODES, status_code
from webstrata.http.limits.request_limits import MAX_BODY_BYTES, MAX_QUERY_BYTES
from webstrata.http.methods import HeadAsGet

PUBLIC = ["/api/health", "/api/stats", "/api/sources", "/api/search"]
EVERYWHERE = {
    "x-api-version": "1",
    "x-content-type-options": "nosniff",
    "referrer-policy": "strict-origin-when-cross-origin",
    "x-frame-options": "SAMEORIGIN",
    "permissions-policy": "geolocation=(), microphone=(), camera=()",
    "content-security-policy": (
        "default-src 'self'; img-src 'self' data:; style-src 'self'; script-src 'self'; frame-src 'self'; "
        "frame-ancestors 'self'; base-uri 'none'; form-action 'self'; object-src 'none'"
    ),
}


@pytest.fixture
def client(make_client: MakeClient) -> TestClient:
    return make_client()


@pytest.fixture
def api(client: TestClient) -> FastAPI:
    assert isinstance(client.app, FastAPI)
    return client.app


@pytest.fixture
def snapshot_id(archive: Archive) -> int:
    return archive.snapshot()


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        *(("GET", path, 200) for path in PUBLIC),
        ("GET", "/openapi.json", 200),
        ("GET", "/nowhere", 404),
        ("GET", "/api/nowhere", 404),
        ("GET", "/api/snapshot/999", 404),
        ("GET", "/api/search?page=0", 422),
        ("GET", "/api/admin/jobs", 403),
        ("POST", "/api/stats", 405),
        ("DELETE", "/api/snapshot/1", 405),
        ("HEAD", "/api/stats", 200),
        ("GET", f"/api/stats?{'x' * (MAX_QUERY_BYTES + 1)}", 414),
    ],
)
def test_every_response_carries_the_headers_of_the_contract(
    client: TestClient, method: str, path: str, status: int
) -> None:
    answer = client.request(method, path)
    assert answer.status_code == status
    assert {name: answer.headers.get(name) for name in EVERYWHERE} == EVERYWHERE
    assert uuid.UUID(answer.headers["x-request-id"]).version == 4
    assert "strict-transport-security" not in answer.headers
    if status >= 400:
        assert "detail" in answer.json()


def test_an_archived_page_may_be_framed_and_may_do_nothing(client: TestClient, snapshot_id: int) -> None:
    for path in (f"/api/snapshots/raw/{snapshot_id}", "/api/snapshots/raw/999", "/api/snapshots/raw/x"):
        headers = client.get(path).headers
        assert "x-frame-options" not in headers
        policy = dict(part.partition(" ")[::2] for part in headers["content-security-policy"].split("; "))
        assert policy == {
            "sandbox": "",
            "default-src": "'none'",
            "img-src": "data:",
            "style-src": "'unsafe-inline' data:",
            "font-src": "data:",
            "media-src": "data:",
            "form-action": "'none'",
            "base-uri": "'none'",
        }
        assert headers["x-content-type-options"] == "nosniff"


def test_behind_tls_browsers_get_strict_transport_security(client: TestClient) -> None:
    for answer in (
        client.get("https://localhost/api/stats"),
        client.get("/api/stats", headers={"X-Forwarded-Proto": "https"}),
        client.get("/api/stats", headers={"X-Forwarded-Proto": "HTTPS, http"}),
    ):
        assert answer.headers["strict-transport-security"] == "max-age=31536000"
    assert "strict-transport-security" not in client.get("/api/stats", headers={"X-Forwarded-Proto": "http"}).headers


def test_policies_that_a_proxy_adds_itself_can_be_left_to_it(make_client: MakeClient) -> None:
    plain = make_client(csp_enabled=False, hsts_enabled=False).get("https://localhost/api/stats").headers
    assert {"content-security-policy", "strict-transport-security"}.isdisjoint(plain)
    shorter = make_client(csp_enabled=False, hsts_max_age=600)
    assert shorter.get("https://localhost/api/stats").headers["strict-transport-security"] == "max-age=600"
    assert shorter.get("/api/snapshots/raw/999").headers["content-security-policy"].startswith("sandbox;")


@pytest.mark.parametrize("given", ["abc", "A-1._~+/=:@z", "x" * 128, "0b7f6c1e-6f0c-4a52-9d7e-2f8f4a1f3c55"])
def test_a_harmless_request_id_is_echoed(client: TestClient, given: str) -> None:
    assert client.get("/api/stats", headers={"X-Request-Id": given}).headers["x-request-id"] == given


@pytest.mark.parametrize("given", ["", "x" * 129, "a b", "a\tb", '"quoted"', "é", "<b>", "a,b", "a;b"])
def test_a_harmful_request_id_is_replaced(client: TestClient, given: str) -> None:
    made = client.get("/api/stats", headers={"X-Request-Id": given.encode()}).headers["x-request-id"]
    assert uuid.UUID(made).version == 4


def test_a_request_is_logged_once_without_its_query(client: TestClient, log_lines: StringIO) -> None:
    client.head("/api/search?q=private", headers={"X-Request-Id": "r1"})
    (line,) = [event for event in events(log_lines) if event["event"] == "http.request"]
    assert line.pop("timestamp")
    assert line.pop("ms") >= 0
    assert line == {
        "level": "info",
        "event": "http.request",
        "request_id": "r1",
        "method": "HEAD",
        "path": "/api/search",
        "status": 200,
    }
    assert "private" not in str(events(log_lines))


def test_every_log_line_of_a_request_has_its_id(client: TestClient, api: FastAPI, log_lines: StringIO) -> None:
    @api.get("/logging")
    def logging_route() -> None:
        structlog.get_logger().info("ours")
        logging.getLogger("library").warning("theirs")

    client.get("/logging", headers={"X-Request-Id": "r1"})
    client.get("/logging", headers={"X-Request-Id": "r2"})
    seen = [(event["event"], event.get("request_id")) for event in events(log_lines)]
    wanted = [(name, number) for number in ("r1", "r2") for name in ("ours", "theirs", "http.request")]
    assert [line for line in seen if line[0] in {"ours", "theirs", "http.request"}] == wanted


def test_a_path_cannot_forge_log_lines(client: TestClient, log_lines: StringIO) -> None:
    client.get("/a%0A%7B%22event%22:%22forged%22%7D")
    assert [event["event"] for event in events(log_lines)].count("forged") == 0
    assert any(event.get("path") == '/a\n{"event":"forged"}' for event in events(log_lines))


def events(log_lines: StringIO) -> list[dict[str, Any]]:
    """Return what was logged, but for the client's own lines."""
    lines = [json.loads(line) for line in log_lines.getvalue().splitlines()]
    return [line for line in lines if line.get("logger") != "httpx"]


def test_an_unexpected_error_is_a_500_without_a_traceback(
    client: TestClient, api: FastAPI, log_lines: StringIO
) -> None:
    @api.get("/api/broken")
    def broken() -> None:
        raise RuntimeError("secret inner workings")

    answer = client.get("/api/broken", headers={"Origin": "http://localhost:3000", "X-Request-Id": "r1"})
    assert (answer.status_code, answer.json()) == (500, {"detail": "Internal server error"})
    assert answer.headers["x-request-id"] == "r1"
    assert answer.headers["access-control-allow-origin"] == "http://localhost:3000"
    assert {name: answer.headers.get(name) for name in EVERYWHERE} == EVERYWHERE
    (error,) = [event for event in events(log_lines) if event["event"] == "http.error"]
    assert "secret inner workings" in str(error["exception"])
    assert error["request_id"] == "r1"


def test_a_response_that_breaks_off_is_not_presented_as_complete(client: TestClient, api: FastAPI) -> None:
    def half() -> Iterator[bytes]:
        yield b"half"
        raise RuntimeError("the other half")

    api.add_api_route("/half", lambda: StreamingResponse(half()), response_model=None)
    with pytest.raises(RuntimeError, match="the other half"):
        client.get("/half")


@pytest.mark.parametrize(
    ("error", "status", "detail"),
    [
        (errors.NotFoundError("Job not found"), 404, "Job not found"),
        (errors.UsageError("no such thing"), 422, "no such thing"),
        (errors.BlockedAddressError("10.0.0.1 is private"), 400, "10.0.0.1 is private"),
        (errors.TransientFetchError("no response in time"), 502, "no response in time"),
        (errors.LeaseLostError("too late"), 409, "too late"),
        (errors.ConflictError("it runs already"), 409, "it runs already"),
        (errors.TooManyViewersError("64 are open"), 429, "64 are open"),
        (errors.MissingExtraError("Replay", "zim"), 501, "Replay needs an extra: pip install 'webstrata[zim]'"),
        (errors.DatabaseUnavailableError("/var/db: gone"), 503, "The archive's database is not available"),
        (errors.SchemaVersionError("at 0001"), 503, "The archive's database is not available"),
        (errors.DatabaseError("syntax"), 500, "Internal server error"),
        (errors.StorageError("/var/archive is full"), 500, "Internal server error"),
        (errors.RecordNotFoundError("at 5"), 500, "Internal server error"),
    ],
)
def test_our_errors_have_their_status_codes(
    client: TestClient, api: FastAPI, error: errors.WebstrataError, status: int, detail: str
) -> None:
    @api.get("/fails")
    def fails() -> None:
        raise error

    answer = client.get("/fails")
    assert (answer.status_code, answer.json()) == (status, {"detail": detail})


def test_every_error_of_ours_has_a_status_code() -> None:
    kinds = [
        kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.WebstrataError)
    ]
    assert len(kinds) > 10
    for kind in kinds:
        assert 400 <= status_code(kind.__new__(kind)) < 600
    assert set(STATUS_CODES) <= set(kinds)


def test_a_query_string_may_have_8_kib_and_no_more(client: TestClient) -> None:
    assert client.get(f"/api/stats?{'x' * MAX_QUERY_BYTES}").status_code == 200
    answer = client.get(f"/api/stats?{'x' * (MAX_QUERY_BYTES + 1)}")
    assert (answer.status_code, answer.json()) == (414, {"detail": "Query string too long"})


@pytest.fixture
def echo(api: FastAPI) -> None:
    async def length(request: Request) -> int:
        return len(await request.body())

    api.add_api_route("/echo", length, methods=["POST"])


@pytest.mark.usefixtures("echo")
@pytest.mark.parametrize("size", [0, 1, MAX_BODY_BYTES])
def test_a_body_of_up_to_a_mebibyte_arrives_whole(client: TestClient, size: int) -> None:
    for body in (b"x" * size, chunks(size)):
        assert client.post("/echo", content=body).json() == size


@pytest.mark.usefixtures("echo")
@pytest.mark.parametrize("path", ["/echo", "/api/stats", "/nowhere"])
def test_a_larger_body_is_refused_whatever_it_was_for(client: TestClient, path: str) -> None:
    for body in (b"x" * (MAX_BODY_BYTES + 1), chunks(MAX_BODY_BYTES + 1)):
        answer = client.post(path, content=body)
        assert (answer.status_code, answer.json()) == (413, {"detail": "Request body too large"})


@pytest.mark.usefixtures("echo")
@pytest.mark.parametrize("declared", ["9" * 30, str(MAX_BODY_BYTES + 1)])
def test_a_body_is_refused_by_its_declared_size_alone(client: TestClient, declared: str) -> None:
    assert client.post("/echo", content=b"x", headers={"Content-Length": declared}).status_code == 413


def chunks(size: int) -> Iterator[bytes]:
    """Yield a body whose size nobody declares."""
    while size > 0:
        yield b"x" * min(size, 100_000)
        size -= 100_000


def test_head_answers_as_get_does_without_a_body(client: TestClient, snapshot_id: int) -> None:
    paths = [*PUBLIC, "/openapi.json", f"/api/snapshot/{snapshot_id}", f"/api/snapshots/raw/{snapshot_id}"]
    paths += [f"/api/snapshots/{snapshot_id}/timeline", "/api/snapshot/999", "/api/admin/jobs", "/nowhere"]
    for path in paths:
        got, head = client.get(path), client.head(path)
        assert (head.status_code, head.content) == (got.status_code, b"")
        ignored = {"x-request-id"}
        assert {k: v for k, v in head.headers.items() if k not in ignored} == {
            k: v for k, v in got.headers.items() if k not in ignored
        }


def sent_for_a_head(answer: StreamingResponse) -> list[Message]:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        raise AssertionError("nobody reads the body of a HEAD")

    scope = {"type": "http", "method": "HEAD", "path": "/", "headers": []}
    anyio.run(HeadAsGet(answer), scope | {"asgi": {"spec_version": "2.4"}}, receive, send)
    return sent


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("POST", "/api/stats", "GET, HEAD"),
        ("DELETE", "/api/snapshots/raw/1", "GET, HEAD"),
        ("PUT", "/openapi.json", "GET, HEAD"),
        ("POST", "/metrics", "GET, HEAD"),
        ("PUT", "/api/admin/jobs", "GET, HEAD, POST"),
        ("PUT", "/api/admin/sources/health", "GET, HEAD, PATCH, DELETE"),
        ("GET", "/api/reports", "POST"),
        ("HEAD", "/api/reports", "POST"),
        ("HEAD", "/api/admin/jobs/1/stop", "POST"),
    ],
)
def test_a_wrong_method_gets_405_with_the_allowed_methods(
    client: TestClient, method: str, path: str, allowed: str
) -> None:
    answer = client.request(method, path)
    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)


def test_no_byte_of_a_body_leaves_for_a_head() -> None:
    start, *rest = sent_for_a_head(StreamingResponse(iter([b"a", b"b"])))
    assert start["type"] == "http.response.start"
    assert b"".join(message["body"] for message in rest) == b""


def test_a_head_does_not_wait_for_a_response_without_end() -> None:
    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b"more"
            await anyio.lowlevel.checkpoint()

    assert [message.get("body") for message in sent_for_a_head(StreamingResponse(endless()))] == [None, b""]


@pytest.mark.parametrize("path", [*PUBLIC, "/api/snapshot/999", "/api/search?page=0"])
@pytest.mark.parametrize("origin", ["http://localhost:3000", "https://www.healtharchive.ca"])
def test_allowed_origins_may_read_the_public_api(client: TestClient, path: str, origin: str) -> None:
    headers = client.get(path, headers={"Origin": origin}).headers
    assert headers["access-control-allow-origin"] == origin
    assert "access-control-allow-credentials" not in headers
    assert "Origin" in headers["vary"]


def test_vary_states_that_the_response_depends_on_the_origin(client: TestClient) -> None:
    assert "Origin" in client.get("/api/stats").headers["vary"]


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost:3000.evil.example"])
def test_other_origins_may_not(client: TestClient, origin: str) -> None:
    assert "access-control-allow-origin" not in client.get("/api/stats", headers={"Origin": origin}).headers


@pytest.mark.parametrize("path", ["/api/admin/jobs", "/openapi.json", "/"])
def test_no_other_origin_reads_admin_routes_or_pages(client: TestClient, path: str) -> None:
    headers = {"Origin": "http://localhost:3000", "Authorization": "Bearer s3cret"}
    assert "access-control-allow-origin" not in client.get(path, headers=headers).headers


def test_a_preflight_allows_reading_and_nothing_else(client: TestClient) -> None:
    def preflight(method: str, origin: str = "http://localhost:3000") -> tuple[int, str | None]:
        headers = {"Origin": origin, "Access-Control-Request-Method": method}
        answer = client.options("/api/search", headers=headers)
        if answer.status_code >= 400:
            assert "Disallowed CORS" in answer.json()["detail"]
        return answer.status_code, answer.headers.get("access-control-allow-methods")

    for method in ("GET", "HEAD", "OPTIONS"):
        assert preflight(method) == (200, "GET, HEAD, OPTIONS")
    for method in ("POST", "PUT", "DELETE"):
        assert preflight(method)[0] == 400
    assert preflight("GET", "https://evil.example")[0] == 400


def test_a_front_ends_tools_may_add_headers_of_theirs(client: TestClient) -> None:
    asked = {"Origin": "http://localhost:3000", "Access-Control-Request-Method": "GET"}
    for names in ("content-type", "x-requested-with", "baggage,sentry-trace"):
        answer = client.options("/api/search", headers=asked | {"Access-Control-Request-Headers": names})
        assert (answer.status_code, answer.headers["access-control-allow-headers"]) == (200, names)
        assert "access-control-allow-credentials" not in answer.headers


def test_a_front_end_may_read_what_our_headers_say(client: TestClient) -> None:
    shown = client.get("/api/exports/snapshots", headers={"Origin": "http://localhost:3000"}).headers
    names = set(shown["access-control-expose-headers"].split(", "))
    assert names == {"Content-Disposition", "ETag", "Retry-After", "X-API-Version", "X-Request-Id"}


def test_the_settings_say_which_origins_may_read(make_client: MakeClient) -> None:
    client = make_client(cors_origins=("https://mine.example",))
    for origin, allowed in (("https://mine.example", "https://mine.example"), ("http://localhost:3000", None)):
        answer = client.get("/api/stats", headers={"Origin": origin})
        assert answer.headers.get("access-control-allow-origin") == allowed


def test_the_api_describes_itself_in_the_contracts_names(client: TestClient) -> None:
    described = client.get("/openapi.json").json()
    parameters = {p["name"] for p in described["paths"]["/api/search"]["get"]["parameters"]}
    assert parameters == {
        *("q", "source", "sort", "view", "includeNon2xx", "includeDuplicates", "from", "to", "page", "pageSize"),
        *("asOf", "exact", "language", "type", "year", "cursor", "facets", "ranking"),
    }
    assert set(described["paths"]) == {
        *PUBLIC,
        "/api/snapshot/{snapshot_id}",
        "/api/snapshots/raw/{snapshot_id}",
        "/api/snapshots/{snapshot_id}/timeline",
        "/api/snapshots/{snapshot_id}/latest",
        "/api/snapshots/{snapshot_id}/compare-live",
        "/api/sources/{code}/editions",
        "/api/sources/{code}/preview",
        "/api/changes",
        "/api/changes/compare",
        "/api/changes/rss",
        "/api/changes/atom",
        "/api/changes/feed.json",
        "/api/replay/resolve",
        "/admin/api/integrity",
        "/api/jobs/{job_id}/cdxj",
        "/api/reports",
        "/api/snapshot/{snapshot_id}/resources",
        *(
            f"{start}/listings{rest}"
            for start in ("/api", "/public_api/v1")
            for rest in ("", "/history", "/{listing_id}")
        ),
        *("/api/listings/{listing_id}/history", "/api/price-history", "/api/price-history/{price_id}"),
        *("/api/scraper-health", "/api/scraper-health/trends", "/api/scraper-health/{run_id}"),
        *("/api/sources/{code}/site-diff", "/api/watches/{watch_id}/{format}"),
        "/api/saved-searches/{search_id}/{format}",
        *("/api/hauls", "/api/hauls/{haul_id}", "/api/hauls/{haul_id}/export", "/public_api/v1/hauls/{haul_id}"),
        *(
            f"/api/admin/{name}{rest}"
            for name in ("diagnostics", "scrape-metadata", "export-history")
            for rest in ("", "/{row_id}")
        ),
        "/api/usage",
        "/api/exports",
        "/api/exports/snapshots",
        "/api/exports/changes",
        "/api/admin/jobs",
        "/api/admin/jobs/status-counts",
        "/api/admin/jobs/{job_id}",
        "/api/admin/jobs/{job_id}/snapshots",
        "/api/admin/jobs/{job_id}/events",
        "/api/admin/jobs/{job_id}/stop",
        "/api/admin/jobs/{job_id}/resume",
        "/api/admin/jobs/{job_id}/retry",
        "/api/admin/jobs/{job_id}/cleanup",
        "/api/admin/jobs/{job_id}/log",
        "/api/admin/jobs/{job_id}/problems",
        "/api/search/appearances",
        "/api/admin/search-debug",
        "/api/admin/reports",
        "/api/admin/reports/{report_id}",
        "/api/admin/audit-log",
        "/api/admin/audit-log/{entry_id}",
        "/metrics",
        "/api/admin/sources",
        "/api/admin/sources/{code}",
        "/api/admin/sources/{code}/schedule",
        "/api/admin/sources/{code}/pause",
        "/api/admin/sources/{code}/resume",
        "/api/admin/sources/{code}/enable",
        "/api/admin/sources/{code}/disable",
        "/admin/api/retention",
        "/api/admin/changes/{change_id}/review",
        "/api/admin/notifications",
        *(f"/api/admin/notifications/{part}" for part in ("targets", "targets/{target_id}", "subscriptions")),
        *(f"/api/admin/notifications/targets/{{target_id}}/{part}" for part in ("secret", "test")),
        "/api/admin/notifications/subscriptions/{subscription_id}",
        *(f"/api/admin/notifications/dead-letters{part}" for part in ("", "/retry")),
        *(f"/api/admin/watches{part}" for part in ("", "/{watch_id}", "/{watch_id}/check")),
        *(
            "/audits",
            "/audits/schedules",
            "/audits/schedules/{schedule_id}",
            "/audits/{audit_id}",
            "/audits/{audit_id}/artifacts",
            "/audits/{audit_id}/artifacts/{artifact_id}",
        ),
        "/api/admin/holds",
        "/api/admin/holds/{hold_id}",
        "/api/admin/withhold",
    }
    for path in ("/docs", "/redoc"):
        assert client.get(path).status_code == 404
