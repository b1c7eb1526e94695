"""The API is as it describes itself: requests that schemathesis makes up get answers that the description names."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from fastapi.responses import JSONResponse
from httpx import Response
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import APIOperation, Case, CheckFunction, GenerationMode
from schemathesis.core.failures import FailureGroup
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import positive_data_acceptance
from starlette.testclient import TestClient

from tests.api.archives import NOON, Archive
from tests.api.conftest import MakeClient, make_settings
from tests.api.routes import filled, is_admins
from webstrata.api.server import create_api
from webstrata.app import App
from webstrata.db.engine import Database
from webstrata.db.operations.readers_reports import NewReport, add_report
from webstrata.http.limits.request_limits import MAX_BODY_BYTES, MAX_QUERY_BYTES

Operation = APIOperation[Any, Any, Any, Any]

TOKEN = {"Authorization": "Bearer s3cret"}
SOAKED_CASES = 5_000

MORE_THAN_A_DESCRIPTION_SAYS = {
    "GET /api/search": "two days in order, a query that can be read",
    "GET /api/search/appearances": "a sentence with words in it",
    "GET /api/admin/search-debug": "two days in order, a query that can be read",
    "GET /api/changes": "two days in order",
    "GET /api/exports/snapshots": "two days in order",
    "GET /api/exports/changes": "two days in order",
    "GET /api/replay/resolve": "an address that is one, a moment that is one",
    "POST /api/reports": "words that are more than spaces",
    "POST /api/admin/jobs": "addresses and options that are ones",
    "POST /api/admin/jobs/{job_id}/cleanup": "a mode that is one",
    "POST /api/admin/sources": "addresses and a schedule that are ones",
    "PATCH /api/admin/sources/{code}": "an address and a schedule that are ones",
    "POST /api/admin/sources/{code}/schedule": "a schedule that is one",
    "POST /admin/api/retention": "an action with the fields that it needs, a known collection",
    "POST /api/admin/holds": "exactly one target, an address that is one",
    **{f"GET /api/changes/{feed}": "an address that is one" for feed in ("rss", "atom", "feed.json")},
    "POST /api/admin/notifications/targets": "an address that notifications can be sent to",
    "POST /api/admin/notifications/subscriptions": "such an address, and one of a source and a page",
    "POST /api/admin/watches": "an address, a schedule, a selector and receivers that are ones",
    "POST /api/admin/withhold": "a reason that is more than spaces",
    "POST /audits": "an address that is one",
    "POST /api/hauls": "snapshots that are there",
    "POST /audits/schedules": "an address and a schedule that are ones",
}
"""What is refused although it fits the description, because OpenAPI has no words for what is asked."""

THERE: dict[str, Any] = {
    "snapshot_id": 1,
    "code": "health",
    "job_id": 1,
    "report_id": 1,
    "q": "influenza",
    "toSnapshotId": 1,
    "jobId": 1,
    "url": "https://health.example/",
    **dict.fromkeys(("listing_id", "price_id", "run_id", "row_id"), 1),
    "haul_id": "none",
    "audit_id": "none",
    "artifact_id": 1,
    "watch_id": 1,
    "schedule_id": 1,
    "entry_id": 1,
    "search_id": 1,
    "format": "atom",
}
"""What can be asked for in the small archive."""

NOT_HERE = {
    "/api/admin/watches/{watch_id}": 404,
    "/api/admin/audit-log/{entry_id}": 404,
    "/audits/schedules/{schedule_id}": 404,
    "/api/sources/{code}/preview": 404,
    "/api/snapshots/{snapshot_id}/compare-live": 404,
    "/api/jobs/{job_id}/cdxj": 404,
    "/api/listings/history": 404,
    "/public_api/v1/listings/history": 404,
    "/api/listings/{listing_id}": 404,
    "/api/listings/{listing_id}/history": 404,
    "/public_api/v1/listings/{listing_id}": 404,
    "/api/price-history/{price_id}": 404,
    "/api/scraper-health/{run_id}": 404,
    "/api/watches/{watch_id}/{format}": 404,
    "/api/saved-searches/{search_id}/{format}": 404,
    "/api/hauls/{haul_id}": 404,
    "/api/hauls/{haul_id}/export": 404,
    "/public_api/v1/hauls/{haul_id}": 404,
    **{f"/audits/{{audit_id}}{rest}": 404 for rest in ("", "/artifacts", "/artifacts/{artifact_id}")},
    **{f"/api/admin/{name}/{{row_id}}": 404 for name in ("diagnostics", "scrape-metadata")},
}
"""What the contract asks for and the small archive does not have."""

RATES = ("rate_limit", "rate_limit_search", "rate_limit_exports", "rate_limit_compare", "rate_limit_reports")

CONFIG = {
    # The right token is sent with everything: a wrong one that is made up would never arrive.
    "generation": {"with-security-parameters": False},
    # A query string that is too long is 414, a body 413.
    "checks": {
        "negative_data_rejection": {
            "expected-statuses": [400, 401, 403, 404, 405, 406, 409, 413, 414, 415, 422, 428, 429, "5xx"]
        }
    },
}


on_one_database = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True, scope="session")


@pytest.fixture
def api(database: Database, root: Path, archive: Archive) -> FastAPI:
    """A small archive, with something at `THERE`."""
    archive.source("health", base_url="https://health.example/")
    for number in range(3):
        archive.snapshot("https://health.example/", NOON + timedelta(days=number))
    archive.snapshot("https://food.example/", source="food")
    with database.write() as session:
        add_report(session, NewReport("takedown", "Please take this page down."), NOON)
    return create_api(App(make_settings(usage_enabled=False), database, root))


@pytest.fixture
def client(api: FastAPI) -> TestClient:
    return TestClient(api, headers=TOKEN)


@pytest.fixture
def described(client: TestClient) -> dict[str, Any]:
    """The description's routes."""
    paths = client.get("/openapi.json").json()["paths"]
    assert isinstance(paths, dict)
    return paths


@pytest.fixture
def operations(api: FastAPI) -> list[Operation]:
    """Everything that can be asked of a small archive."""
    config = schemathesis.Config.from_dict(CONFIG)
    schema = schemathesis.openapi.from_asgi("/openapi.json", api, config=config)
    return [result.ok() for result in schema.get_all_operations() if isinstance(result, Ok)]


@on_one_database
def test_a_sample_of_requests_is_answered_as_described(operations: list[Operation]) -> None:
    talk = Talk(always_the_same=True)
    for operation in operations:
        talk.about(operation, 1)
    assert talk.cases >= len(operations) > 30
    assert talk.wrong == []


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_thousands_of_requests_are_answered_as_described(operations: list[Operation]) -> None:
    talk = Talk(always_the_same=False)
    for operation in operations:
        talk.about(operation, SOAKED_CASES // len(operations))
    assert talk.cases >= SOAKED_CASES
    assert talk.wrong == []


@on_one_database
def test_what_is_there_is_answered_as_described(operations: list[Operation]) -> None:
    answered = {}
    for operation in operations:
        if operation.method in {"get", "head"}:
            wanted = [p["name"] for p in operation.definition.raw.get("parameters", ()) if p.get("required")]
            path = {name: THERE[name] for name in wanted if f"{{{name}}}" in operation.path}
            query = {name: THERE[name] for name in wanted if name not in path}
            answered[operation.label] = (
                operation.Case(path_parameters=path, query=query).call_and_validate(headers=TOKEN).status_code
            )
    assert {label: code for label, code in answered.items() if code != 200} == {
        f"{method} {path}": code for method in ("GET", "HEAD") for path, code in NOT_HERE.items()
    }


@on_one_database
def test_whatever_has_an_etag_is_described_with_its_304_and_nothing_else_is(
    client: TestClient, described: dict[str, Any]
) -> None:
    for path, routes in described.items():
        if "get" not in routes or path in NOT_HERE:
            continue
        address = path.format(**THERE)
        first = client.get(address, params=THERE)
        has_etag = "etag" in first.headers
        assert ("304" in routes["get"]["responses"], "304" in routes["head"]["responses"]) == (has_etag,) * 2, path
        if has_etag:
            again = client.get(address, params=THERE, headers={"If-None-Match": first.headers["etag"]})
            assert (again.status_code, again.content) == (304, b"")
            assert "content" not in routes["get"]["responses"]["304"]


@on_one_database
@pytest.mark.parametrize(
    ("captured_as", "served_as"),
    [
        ("text/html; charset=utf-8", "text/html"),
        ("application/xhtml+xml", "text/html"),
        ("text/plain", "text/plain"),
        ("application/pdf", "application/pdf"),
        ("image/png", "image/png"),
        ("image/svg+xml", "application/octet-stream"),
        ("text/javascript", "application/octet-stream"),
    ],
)
def test_every_kind_that_an_archived_file_is_served_as_is_described(
    client: TestClient, described: dict[str, Any], archive: Archive, captured_as: str, served_as: str
) -> None:
    snapshot_id = archive.snapshot(content_type=captured_as, source="files")
    answer = client.get(f"/api/snapshots/raw/{snapshot_id}")
    assert answer.headers["content-type"].partition(";")[0] == served_as
    assert served_as in described["/api/snapshots/raw/{snapshot_id}"]["get"]["responses"]["200"]["content"]


@on_one_database
@pytest.mark.parametrize("form", ["jsonl", "ndjson", "csv"])
@pytest.mark.parametrize("compressed", [True, False])
def test_every_form_of_a_list_is_described(
    client: TestClient, described: dict[str, Any], form: str, compressed: bool
) -> None:
    answer = client.get("/api/exports/snapshots", params={"format": form, "compressed": compressed})
    good = described["/api/exports/snapshots"]["get"]["responses"]["200"]
    assert answer.headers["content-type"].partition(";")[0] in good["content"]
    assert "content-disposition" in answer.headers
    assert "Content-Disposition" in good["headers"]


@on_one_database
def test_every_get_has_a_head_beside_it_without_bodies(described: dict[str, Any]) -> None:
    for routes in described.values():
        assert ("head" in routes) == ("get" in routes)
        if "get" in routes:
            assert set(routes["head"]["responses"]) == set(routes["get"]["responses"])
            assert not [answer for answer in routes["head"]["responses"].values() if "content" in answer]


@on_one_database
def test_no_two_operations_have_one_name(described: dict[str, Any]) -> None:
    names = [operation["operationId"] for routes in described.values() for operation in routes.values()]
    assert len(set(names)) == len(names)


@on_one_database
def test_the_headers_that_every_response_has_are_described_everywhere(described: dict[str, Any]) -> None:
    for routes in described.values():
        for operation in routes.values():
            for code, answer in operation["responses"].items():
                wanted = {"X-API-Version", "X-Request-Id"} | ({"Retry-After"} if code == "429" else set())
                assert set(answer["headers"]) >= wanted


@on_one_database
def test_only_admin_routes_ask_for_the_admin_token_and_in_every_way_that_it_can_be_given(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    schemes = document["components"]["securitySchemes"]
    assert "security" not in document
    for path, routes in document["paths"].items():
        for method, operation in routes.items():
            # Who has the address of a haul may read it; making, listing and deleting hauls is for administrators.
            is_secured = (
                is_admins(path) or path == "/api/hauls" or (path.startswith("/api/hauls") and method == "delete")
            )
            assert operation.get("security", []) == ([{name: []} for name in schemes] if is_secured else [])
    ways = [
        {"Authorization": "Bearer s3cret"} if s["type"] == "http" else {s["name"]: "s3cret"} for s in schemes.values()
    ]
    assert ways == [{"Authorization": "Bearer s3cret"}, {"X-Admin-Token": "s3cret"}]
    stranger = TestClient(client.app)
    assert [stranger.get("/api/admin/jobs", headers=way).status_code for way in ways] == [200, 200]


@on_one_database
@pytest.mark.parametrize(
    ("settings", "sent", "code"),
    [
        ({}, {}, 403),
        ({"admin_token": None, "env": "production"}, {}, 500),
        ({}, {"headers": TOKEN | {"Origin": "https://evil.example"}}, 403),
        ({}, {"headers": TOKEN, "params": {"x": "x" * MAX_QUERY_BYTES}}, 414),
        ({}, {"headers": TOKEN, "content": b"x" * (MAX_BODY_BYTES + 1)}, 413),
        (dict.fromkeys(RATES, 1) | {"client": ("203.0.113.5", 1)}, {"headers": TOKEN}, 429),
    ],
    ids=["no token", "none set", "another site", "long query", "large body", "too often"],
)
def test_every_refusal_is_described(
    make_client: MakeClient, settings: dict[str, Any], sent: dict[str, Any], code: int
) -> None:
    client = make_client(**settings)
    document = client.get("/openapi.json").json()["paths"]
    refused = []
    for path, routes in document.items():
        for method, operation in routes.items():
            client.request(method, filled(path), **sent)
            answer = client.request(method, filled(path), **sent)
            if answer.status_code == code:
                refused.append(path)
                assert_described(answer, operation)
    assert len(refused) > 10


def test_a_database_that_is_away_is_described(tmp_path: Path) -> None:
    client = TestClient(create_api(App(make_settings(), Database(f"sqlite:///{tmp_path}"), tmp_path)))
    document = client.get("/openapi.json").json()["paths"]
    for path, code in (("/api/health", 500), ("/api/stats", 503), ("/metrics", 503), ("/api/admin/jobs", 503)):
        answer = client.get(path, headers=TOKEN)
        assert answer.status_code == code
        assert_described(answer, document[path]["get"])
    away = document["/api/health"]["get"]["responses"]["500"]["content"]["application/json"]["schema"]
    assert {"$ref": "#/components/schemas/UnhealthySchema"} in away["anyOf"]


def assert_described(answer: Response, operation: dict[str, Any]) -> None:
    """Fail unless an operation's description has an answer's code and, if it has a body, its kind."""
    described = operation["responses"][str(answer.status_code)]
    if answer.request.method != "HEAD":
        assert answer.headers["content-type"].partition(";")[0] in described["content"], answer.url
    assert {name.lower() for name in described["headers"]} <= {"retry-after", *answer.headers.keys()}


def test_a_response_that_is_not_as_described_is_noticed() -> None:
    api = FastAPI()

    @api.get("/promised")
    def promised(fine: bool) -> dict[str, int]:
        return JSONResponse({"promised": "a number"}, status_code=200 if fine else 418)  # type: ignore[return-value]

    schema = schemathesis.openapi.from_asgi("/openapi.json", api)
    talk = Talk(always_the_same=True)
    for result in schema.get_all_operations():
        assert isinstance(result, Ok)
        talk.about(result.ok(), 4)
    assert any("Undocumented status code" in wrong for wrong in talk.wrong)
    assert any("Response violates schema" in wrong for wrong in talk.wrong)


def can_be_asked_wrongly(operation: Operation) -> bool:
    """Tell whether there is anything to get wrong: any text will do for a text in a path or a header."""
    described = operation.definition.raw
    parameters = described.get("parameters", [])
    texts = [p for p in parameters if p["in"] in {"path", "header"} and p["schema"].get("type") == "string"]
    return "requestBody" in described or len(texts) < len(parameters)


class Talk:
    """Asks made-up things, and keeps what was answered wrongly."""

    def __init__(self, *, always_the_same: bool) -> None:
        self.always_the_same = always_the_same
        self.cases = 0
        self.wrong: list[str] = []

    def about(self, operation: Operation, examples: int) -> None:
        """Ask so many good and so many bad things of one operation."""
        self._ask(operation, GenerationMode.POSITIVE, examples)
        if can_be_asked_wrongly(operation):
            self._ask(operation, GenerationMode.NEGATIVE, examples)

    def _ask(self, operation: Operation, mode: GenerationMode, examples: int) -> None:
        is_told_more = operation.label.replace("HEAD ", "GET ") in MORE_THAN_A_DESCRIPTION_SAYS
        excluded: list[CheckFunction] = [positive_data_acceptance] if is_told_more else []

        @settings(
            max_examples=examples,
            deadline=None,
            database=None,
            derandomize=self.always_the_same,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(mode))
        def ask(case: Case[Any]) -> None:
            self.cases += 1
            try:
                case.call_and_validate(headers=TOKEN, excluded_checks=excluded)
            except FailureGroup as found:
                self.wrong.extend(f"{operation.label} {case!r}: {failure}" for failure in found.exceptions)

        ask()
