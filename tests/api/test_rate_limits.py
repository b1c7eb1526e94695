import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from tests.api.conftest import MakeClient
from webstrata.http.limits.rate_limits import Buckets, RequestKind, kind_of

STRANGER = ("203.0.113.5", 50000)


@pytest.fixture(scope="session")
def database_kind() -> str:
    """Limits do not ask the database anything: one kind will do."""
    return "sqlite"


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_bucket_holds_a_minutes_worth_and_fills_steadily() -> None:
    clock = Clock()
    buckets = Buckets(clock=clock)
    assert [buckets.take(RequestKind.SEARCH, "a", 60) for _ in range(61)] == [0.0] * 60 + [1.0]
    clock.now += 0.5
    assert buckets.take(RequestKind.SEARCH, "a", 60) == pytest.approx(0.5)
    clock.now += 0.5
    assert buckets.take(RequestKind.SEARCH, "a", 60) == 0.0
    clock.now += 3600
    assert [buckets.take(RequestKind.SEARCH, "a", 60) for _ in range(61)].count(0.0) == 60


def test_clients_and_kinds_do_not_use_up_each_others_tokens() -> None:
    buckets = Buckets(clock=Clock())
    assert buckets.take(RequestKind.REPORTS, "a", 1) == 0.0
    assert buckets.take(RequestKind.REPORTS, "a", 1) == 60.0
    assert buckets.take(RequestKind.REPORTS, "b", 1) == 0.0
    assert buckets.take(RequestKind.SEARCH, "a", 1) == 0.0


@given(st.lists(st.integers(0, 40), max_size=200), st.integers(1, 10))
def test_there_are_never_more_buckets_than_allowed_and_the_latest_stay(clients: list[int], most: int) -> None:
    buckets = Buckets(most, Clock())
    for client in clients:
        buckets.take(RequestKind.DEFAULT, str(client), 1)
    assert len(buckets) <= most
    if clients:
        assert buckets.take(RequestKind.DEFAULT, str(clients[-1]), 1) > 0


@given(st.lists(st.floats(0, 30), min_size=1, max_size=50), st.integers(1, 20))
def test_no_client_ever_gets_more_than_a_full_bucket_and_its_refill(waits: list[float], rate: int) -> None:
    clock = Clock()
    buckets = Buckets(clock=clock)
    began, granted = clock.now, 0
    for wait in waits:
        clock.now += wait
        granted += buckets.take(RequestKind.DEFAULT, "a", rate) == 0.0
    assert granted <= rate + (clock.now - began) * rate / 60 + 1e-6


@pytest.mark.parametrize(
    ("method", "path", "kind"),
    [
        ("GET", "/api/search", RequestKind.SEARCH),
        ("HEAD", "/api/search", RequestKind.SEARCH),
        ("GET", "/search", RequestKind.SEARCH),
        ("GET", "/api/search/appearances", RequestKind.SEARCH),
        ("GET", "/api/exports/snapshots", RequestKind.EXPORTS),
        ("GET", "/api/exports", RequestKind.DEFAULT),
        ("POST", "/api/reports", RequestKind.REPORTS),
        ("POST", "/login", RequestKind.LOGINS),
        ("GET", "/login", RequestKind.DEFAULT),
        ("GET", "/api/snapshots/raw/1", RequestKind.DEFAULT),
        ("GET", "/api/admin/jobs", RequestKind.DEFAULT),
        ("GET", "/searching", RequestKind.DEFAULT),
        ("GET", "/static/site.css", None),
    ],
)
def test_every_request_is_of_a_kind(method: str, path: str, kind: RequestKind | None) -> None:
    assert kind_of(method, path) is kind


def statuses(client: TestClient, path: str, times: int, **headers: str) -> list[int]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return [client.get(path, headers=named).status_code for _ in range(times)]


@pytest.fixture
def stranger(make_client: MakeClient) -> TestClient:
    return make_client(client=STRANGER, rate_limit=4, rate_limit_search=2, rate_limit_exports=1)


def test_a_client_above_its_rate_limit_gets_retry_after(stranger: TestClient) -> None:
    assert statuses(stranger, "/api/health", 5) == [200] * 4 + [429]
    refused = stranger.get("/api/health", headers={"Origin": "http://localhost:3000"})
    assert refused.json() == {"detail": f"Too many requests: try again in {refused.headers['retry-after']} seconds"}
    assert 1 <= int(refused.headers["retry-after"]) <= 15
    assert refused.headers["access-control-allow-origin"] == "http://localhost:3000"
    assert refused.headers["x-api-version"] == "1"
    assert statuses(stranger, "/api/search", 3) == [200, 200, 429]


def test_a_forged_forwarded_header_does_not_evade_a_rate_limit(stranger: TestClient) -> None:
    asked = [statuses(stranger, "/api/search", 1, X_Forwarded_For=f"1.2.3.{n}")[0] for n in range(4)]
    assert asked == [200, 200, 429, 429]


def test_behind_our_proxy_each_client_has_its_own_limit(make_client: MakeClient) -> None:
    client = make_client(client=("127.0.0.1", 1), rate_limit_search=1)
    for address in ("1.2.3.4", "1.2.3.5"):
        assert statuses(client, "/api/search", 2, X_Forwarded_For=address) == [200, 429]


def test_an_ipv6_household_shares_one_limit(make_client: MakeClient) -> None:
    client = make_client(client=("127.0.0.1", 1), rate_limit_search=1)
    assert statuses(client, "/api/search", 1, X_Forwarded_For="2001:db8:1:2::1") == [200]
    assert statuses(client, "/api/search", 1, X_Forwarded_For="2001:db8:1:2:ffff::9") == [429]
    assert statuses(client, "/api/search", 1, X_Forwarded_For="2001:db8:1:3::1") == [200]


@pytest.mark.parametrize("client", [("127.0.0.1", 1), ("testclient", 1)])
def test_on_this_machine_there_are_no_limits(make_client: MakeClient, client: tuple[str, int]) -> None:
    assert statuses(make_client(client=client, rate_limit=1), "/api/health", 5) == [200] * 5


def test_a_limit_of_nought_is_none(make_client: MakeClient) -> None:
    assert statuses(make_client(client=STRANGER, rate_limit=0), "/api/health", 5) == [200] * 5


def test_limits_can_be_left_to_a_proxy(make_client: MakeClient) -> None:
    client = make_client(client=STRANGER, rate_limit=1, rate_limit_search=1, rate_limiting_enabled=False)
    assert statuses(client, "/api/search", 5) == [200] * 5


def test_asking_without_the_token_again_and_again_is_limited_too(make_client: MakeClient) -> None:
    assert statuses(make_client(client=STRANGER, rate_limit=2), "/api/admin/jobs", 3) == [403, 403, 429]


@pytest.mark.parametrize("path", ["/api/admin/jobs", "/metrics"])
@pytest.mark.parametrize("header", ["Authorization", "X_Admin_Token"])
def test_wrong_tokens_are_limited_like_logins(make_client: MakeClient, path: str, header: str) -> None:
    client = make_client(client=("127.0.0.1", 1), rate_limit_logins=2)
    scheme = "Bearer " if header == "Authorization" else ""

    def ask(token: str, times: int, address: str) -> list[int]:
        return statuses(client, path, times, **{header: scheme + token, "X_Forwarded_For": address})

    assert ask("s3cret", 5, "1.2.3.4") == [200] * 5
    assert ask("wrong", 3, "1.2.3.4") == [403, 403, 429]
    # Else everything could still be tried, and the one that is not refused is the token.
    assert ask("s3cret", 1, "1.2.3.4") == [429]
    assert ask("s3cret", 5, "1.2.3.5") == [200] * 5
    assert statuses(client, "/api/health", 1, X_Forwarded_For="1.2.3.4", X_Admin_Token="wrong") == [200]


def test_a_page_that_is_requested_too_often_reports_it_in_words(make_client: MakeClient) -> None:
    client = make_client(client=STRANGER, rate_limit=1)
    client.get("/nowhere")
    refused = client.get("/nowhere")
    assert (refused.status_code, refused.text[:18]) == (429, "Too many requests:")
    assert refused.headers["content-type"] == "text/plain; charset=utf-8"


@pytest.mark.parametrize("path", ["/metrics", "/openapi.json"])
def test_a_program_above_its_rate_limit_gets_json(make_client: MakeClient, path: str) -> None:
    client = make_client(client=STRANGER, rate_limit=1)
    client.get(path)
    refused = client.get(path)
    assert (refused.status_code, refused.json()["detail"][:18]) == (429, "Too many requests:")
