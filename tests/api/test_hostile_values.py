"""Values that strangers send to do harm: on both databases they are values, and nothing else."""

import json
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from fastapi import FastAPI
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from tests.api.archives import NOON, Archive
from tests.api.conftest import make_settings
from tests.api.routes import filled
from tests.support.databases import FreshDatabase
from webstrata.app import App
from webstrata.db.engine import Database
from webstrata.db.schema.tables import Snapshot
from webstrata.site import create_site

SQL = [
    "' OR '1'='1",
    "health' --",
    "x'; DROP TABLE snapshots; --",
    '" OR ""="',
    "1) UNION SELECT id, code, name FROM sources --",
    "%' ESCAPE '!",
    "\\'; SELECT pg_sleep(10); --",
    "$1",
    ":q",
    "%s%(x)s{0}",
]
FULLTEXT = [
    *('"', '"unclosed', "a AND", "NOT", "OR OR", "NEAR(a b, 5)", "title:flu", "flu*", "^flu", "((((", "))))", "a:b:c"),
    *("-", "- -", "+flu", "{title text}: flu", "flu & | !", "'flu':*", "<->", "\\", "*", "😀", "\u202e", "a" * 256),
]
ANY_TEXT = st.text(max_size=40) | st.sampled_from([*SQL, *FULLTEXT, "\x00", "-1", "0", "9" * 40, "NaN", ""])


@pytest.fixture(scope="module")
def shared(fresh_database_url: FreshDatabase, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A client of an archive that is only read."""
    root = tmp_path_factory.mktemp("archive")
    with fresh_database_url() as url:
        database = Database(url)
        archive = Archive(database, root)
        archive.snapshot(job_id=archive.job("health", started_at=NOON))
        api = create_site(App(make_settings(None, env="development"), database, root))
        yield TestClient(api, raise_server_exceptions=False, headers={"Host": "127.0.0.1"}, follow_redirects=False)
        database.dispose()


def snapshots(shared: TestClient) -> int:
    assert isinstance(shared.app, FastAPI)
    with shared.app.state.webstrata.database.read() as session:
        return int(session.query(Snapshot).count())


def test_sql_in_a_parameter_is_a_value_and_nothing_else(shared: TestClient) -> None:
    for words in SQL:
        for path, name in (("/api/search", "source"), ("/api/changes", "source"), ("/api/exports/snapshots", "source")):
            answer = shared.get(path, params={name: words})
            assert answer.status_code in {200, 404, 422}, (path, words)
            assert "health.example" not in answer.text
        assert shared.get("/api/search", params={"q": words}).status_code in {200, 422}, words
        assert shared.get("/api/admin/jobs", params={"source": words, "status": words}).json()["total"] == 0
        assert shared.get("/api/admin/audit-log", params={"target": words}).json()["total"] == 0
        assert shared.get(f"/api/admin/sources/{quote(words, safe='')}").status_code == 404
    assert snapshots(shared) == 1


def test_syntax_of_the_full_text_index_never_breaks_a_search(shared: TestClient) -> None:
    for words in FULLTEXT:
        for view in ("snapshots", "pages"):
            answer = shared.get("/api/search", params={"q": words, "view": view})
            assert answer.status_code in {200, 422}, (words, answer.text)
        assert shared.get("/search", params={"q": words}).status_code in {200, 422}, words


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_whatever_is_sent_for_any_parameter_there_is_an_orderly_response(
    shared: TestClient, data: st.DataObject
) -> None:
    assert isinstance(shared.app, FastAPI)
    document = shared.app.openapi()
    reads = [(path, routes["get"]) for path, routes in sorted(document["paths"].items()) if "get" in routes]
    path, route = data.draw(st.sampled_from(reads))
    places: dict[str, dict[str, str]] = {"path": {}, "query": {}, "header": {}}
    for parameter in route.get("parameters", ()):
        if parameter["in"] == "path" or data.draw(st.booleans()):
            places[parameter["in"]][parameter["name"]] = data.draw(ANY_TEXT)
    address = filled(path, **{name: quote(text, safe="") for name, text in places["path"].items()})
    headers = {name: text.encode() for name, text in places["header"].items()}
    answer = shared.get(address, params=places["query"], headers=headers)
    assert answer.status_code < 500, (address, places, answer.text)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | ANY_TEXT,
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from(
                    ["source", "seeds", "overrides", "status", "internalNotes", "schedule", "mode", "name", "crawl"]
                )
                | st.text(max_size=5),
                inner,
            )
        ),
        max_leaves=6,
    )
)
def test_whatever_is_sent_as_a_body_there_is_an_orderly_response(shared: TestClient, body: object) -> None:
    content = json.dumps(body).encode()
    for method, path in (
        ("POST", "/api/admin/jobs"),
        ("PATCH", "/api/admin/sources/health"),
        ("PATCH", "/api/admin/reports/1"),
        ("POST", "/api/admin/sources/nobody/schedule"),
        ("POST", "/api/reports"),
    ):
        answer = shared.request(method, path, content=content, headers={"Content-Type": "application/json"})
        assert answer.status_code < 500, (method, path, answer.text)
