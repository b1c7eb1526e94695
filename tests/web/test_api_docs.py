"""What can programs ask? The page tells what the API's own description tells."""

import pytest
from starlette.testclient import TestClient

from tests.web.conftest import Page
from webstrata.web.api_texts import TypeDoc, kind_of


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string"}, "string"),
        ({"type": "string", "format": "date"}, "date"),
        ({"$ref": "#/components/schemas/JobSchema"}, "JobSchema"),
        ({"type": "array", "items": {"$ref": "#/components/schemas/JobSchema"}}, "list of JobSchema"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "integer or null"),
        ({"enum": ["relevance", "newest"], "type": "string"}, "relevance | newest"),
        ({"const": "en", "type": "string"}, "en"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "object of integer"),
        ({"type": "object", "additionalProperties": True}, "object"),
        ({}, "anything"),
    ],
)
def test_a_kind_is_reported_in_words(schema: dict[str, object], words: str) -> None:
    assert kind_of(schema).words == words


PUBLIC = ("/docs", "/docs/changes", "/docs/replay", "/docs/listings", "/docs/resources", "/docs/watching")
FOR_OPERATORS = ("/docs/operators", "/docs/retention", "/docs/notifications", "/docs/audits")


def test_an_error_kind_names_its_schemas() -> None:
    one, other = {"$ref": "#/components/schemas/A"}, {"type": "array", "items": {"$ref": "#/components/schemas/B"}}
    assert kind_of({"anyOf": [one, other]}) == TypeDoc("A or list of B", ("A", "B"))


def test_every_route_is_on_one_of_the_pages(client: TestClient) -> None:
    described = client.get("/openapi.json").json()["paths"]
    wanted = {f"{method.upper()} {path}" for path, routes in described.items() for method in routes if method != "head"}
    pages = {path: Page(client.get(path)).texts("section h2") for path in (*PUBLIC, *FOR_OPERATORS)}
    shown = [route for routes in pages.values() for route in routes]
    assert set(shown) == wanted
    assert len(shown) == len(wanted)
    public = [route for path in PUBLIC for route in pages[path]]
    assert not [route for route in public if "/api/admin" in route or "/admin/api" in route]


def test_a_route_reports_its_parameters_with_their_bounds_and_its_responses(client: TestClient) -> None:
    page = Page(client.get("/docs"))
    (search,) = [node for node in page.all("section") if node.css("h2[id='get-api-search']")]
    words = " ".join(search.text().split())
    assert "pageSize integer At least 1, at most 100, default 20." in words
    assert "q string or null" in words
    assert "At least 1 character, at most 256 characters." in words
    assert "200 SearchResponseSchema" in words
    assert "422" in page.text("h1 + .lead + p"), "what any route may return is listed once"


@pytest.mark.parametrize("path", ["/docs", "/docs/operators"])
def test_sentences_are_whole_and_every_name_has_a_description(client: TestClient, path: str) -> None:
    page = Page(client.get(path))
    assert "`" not in page.text()
    assert "efault ." not in page.text()
    assert len(page.all("dl.values > div")) == len(page.all("dl.values dt + dd")) == len(page.all("dl.values dt")) > 50
    assert all(page.texts("dl.values dd"))


def test_every_link_within_a_page_leads_somewhere(client: TestClient) -> None:
    for path in ("/docs", "/docs/operators"):
        page = Page(client.get(path))
        ids = {node.attributes["id"] for node in page.all("[id]")}
        links = [node.attributes["href"] or "" for node in page.all("main a[href^='#']")]
        assert len(links) > 20
        assert [link for link in links if link[1:] not in ids] == []


def test_every_page_leads_to_it(client: TestClient) -> None:
    assert Page(client.get("/sources")).links("footer a")["API"] == "/docs"
