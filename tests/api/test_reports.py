"""What readers report is kept; what a machine fills in is not, and it need not know."""

from datetime import UTC, datetime

import pytest
from starlette.testclient import TestClient

from webstrata.db.engine import Database
from webstrata.db.schema.public_tables import IssueReport

SAID = {"category": "broken_snapshot", "description": "The pictures of this page are missing."}
FRONT_END = {"Origin": "http://localhost:3000"}


def kept(database: Database) -> list[IssueReport]:
    with database.read() as session:
        found = session.query(IssueReport).order_by(IssueReport.id).all()
        session.expunge_all()
        return found


def test_a_report_is_kept_and_numbered(client: TestClient, database: Database) -> None:
    said = SAID | {
        "snapshotId": 7,
        "originalUrl": "https://health.example/flu",
        "reporterEmail": " reader@example.org ",
        "pageUrl": "https://archive.example/snapshot/7",
        "website": "",
    }
    answer = client.post("/api/reports", json=said)
    assert answer.status_code == 201
    receipt = answer.json()
    received = datetime.fromisoformat(receipt.pop("receivedAt"))
    assert received.utcoffset() == datetime.now(UTC).utcoffset()
    (report,) = kept(database)
    assert receipt == {"reportId": report.id, "status": "new"}
    assert (report.category, report.description, report.snapshot_id) == (SAID["category"], SAID["description"], 7)
    assert (report.original_url, report.page_url) == (said["originalUrl"], said["pageUrl"])
    assert (report.reporter_email, report.status, report.internal_notes) == ("reader@example.org", "new", None)
    assert report.created_at == report.updated_at == received


def test_fields_that_were_left_empty_are_nothing(client: TestClient, database: Database) -> None:
    for empty in ({}, {"originalUrl": "", "reporterEmail": "  ", "pageUrl": None, "snapshotId": None}):
        assert client.post("/api/reports", json=SAID | empty).status_code == 201
    for report in kept(database):
        assert (report.snapshot_id, report.original_url, report.reporter_email, report.page_url) == (None,) * 4


def test_a_report_by_a_robot_is_accepted_but_not_stored(client: TestClient, database: Database) -> None:
    answer = client.post("/api/reports", json=SAID | {"website": "https://spam.example"})
    assert answer.status_code == 201
    assert (answer.json()["reportId"], answer.json()["status"]) == (None, "received")
    assert answer.json()["receivedAt"]
    assert kept(database) == []
    assert client.get("/api/usage").json()["totals"]["reportSubmissions"] == 0


@pytest.mark.parametrize("email", ["a@b", "root@localhost", "o'hara+x@mail.example.org", ".a..b.@example.org"])
def test_an_address_that_a_browser_lets_pass_is_taken(client: TestClient, database: Database, email: str) -> None:
    assert client.post("/api/reports", json=SAID | {"reporterEmail": email}).status_code == 201
    assert [report.reporter_email for report in kept(database)] == [email]


@pytest.mark.parametrize(
    "wrong",
    [
        {"category": "praise"},
        {"description": "too short"},
        {"description": "x" * 4001},
        {"description": " " * 30},
        {"description": "a NUL\x00 among enough words"},
        {"snapshotId": 0},
        {"snapshotId": 2**63},
        {"snapshotId": "seven"},
        {"originalUrl": "x" * 4097},
        {"originalUrl": f"https://health.example/{'x' * 4097}"},
        {"originalUrl": "javascript:alert(document.cookie)"},
        {"originalUrl": " data:text/html,x"},
        {"originalUrl": "//health.example/"},
        {"originalUrl": "https:///flu"},
        {"originalUrl": "https://health.example/\x00"},
        {"pageUrl": "JavaScript:alert(1)//https://archive.example/"},
        {"pageUrl": "ftp://archive.example/"},
        {"reporterEmail": "nobody"},
        {"reporterEmail": "a b@example.org"},
        {"reporterEmail": "a@b@example.org"},
        {"reporterEmail": "a@example..org"},
        {"reporterEmail": "a@-example.org"},
        {"reporterEmail": f"a@{'x' * 64}.org"},
        {"reporterEmail": "a@"},
        {"reporterEmail": "a@example.org\x00"},
    ],
)
def test_a_report_that_makes_no_sense_is_refused(
    client: TestClient, database: Database, wrong: dict[str, object]
) -> None:
    answer = client.post("/api/reports", json=SAID | wrong)
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"][:2] == ["body", next(iter(wrong))]
    assert kept(database) == []


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'"text"', b"\xff\xfe", b'{"snapshotId": NaN}', b'{"a": "\\ud800"}']
)
def test_what_is_no_report_is_refused_in_json(client: TestClient, body: bytes) -> None:
    answer = client.post("/api/reports", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in {400, 422}
    assert answer.json()["detail"]


@pytest.mark.parametrize(
    "value",
    [b"NaN", b"Infinity", b'"\\ud800"', b"1e999", b'{"\\udfff": 1}'],
    ids=["nan", "inf", "half", "large", "key"],
)
def test_a_value_that_json_cannot_say_back_is_refused_all_the_same(client: TestClient, value: bytes) -> None:
    body = b'{"category": "takedown", "description": %s}' % value
    answer = client.post("/api/reports", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"][1] == "description"


def test_an_allowed_front_end_may_send_reports_and_nothing_else(client: TestClient) -> None:
    asked = FRONT_END | {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    allowed = client.options("/api/reports", headers=asked)
    assert allowed.status_code == 200
    assert "POST" in allowed.headers["access-control-allow-methods"]
    sent = client.post("/api/reports", json=SAID, headers=FRONT_END)
    assert (sent.status_code, sent.headers["access-control-allow-origin"]) == (201, FRONT_END["Origin"])
    assert "access-control-allow-credentials" not in sent.headers
    with_a_slash = client.options("/api/reports/", headers=asked)
    assert with_a_slash.status_code == 200
    assert client.post("/api/reports/", json=SAID, headers=FRONT_END).status_code == 201
    for path in ("/api/search", "/api/reports/1", "/api/exports"):
        assert client.options(path, headers=asked).status_code == 400
    stranger = asked | {"Origin": "https://evil.example"}
    assert client.options("/api/reports", headers=stranger).status_code == 400
