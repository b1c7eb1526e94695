"""What holds for every page."""

import pytest
from starlette.testclient import TestClient

from tests.web.archive import SITE, Answer, keep, queue
from tests.web.conftest import TOKEN, MakeClient, Page
from webstrata.app import App
from webstrata.site import create_site
from webstrata.web.assets import our_assets

PATHS = [
    *(
        "/",
        "/search?q=hello",
        "/search?page=x",
        "/search/appearances?q=hello",
        "/sources",
        "/sources/health",
        "/snapshot/1",
        "/calendar/page/1",
        "/calendar/source/health",
        "/changes",
        "/compare/1",
        "/compare?from=1&to=2",
        "/nothing",
    ),
    *("/jobs", "/jobs/1", "/jobs/2", "/jobs/1/cleanup", "/exports/data-dictionary"),
    *("/docs", "/docs/changes", "/docs/replay", "/docs/operators", "/docs/retention", "/audit-log", "/admin/retention"),
    *("/docs/listings", "/docs/audits", "/evidence"),
    *("/docs/notifications", "/notifications"),
    *("/docs/watching", "/watches", "/saved-searches", "/sources/health/diff"),
    "/docs/listings",
    *("/listings", "/listings?q=none", "/listings/health", "/hauls", "/exports"),
    *(
        "/admin/diagnostics",
        "/admin/diagnostics?listing=&url=",
        "/admin/scrape-metadata",
        "/admin/scrape-metadata?job=1",
    ),
    *(
        "/web/*/https://health.example/1",
        "/web/*/health.example/*",
        "/web/2024/https://health.example/never",
        "/web/2024/",
    ),
]
MAX_PAGE_BYTES = 60_000


@pytest.fixture(scope="module")
def full(shared_app: App) -> TestClient:
    """An archive with so much in it that every list is as long as it gets."""
    keep(shared_app, [Answer(f"{SITE}{n}", f"Page {n}", "Hello. " * 50) for n in range(60)])
    queue(shared_app)
    return TestClient(create_site(shared_app))


@pytest.mark.parametrize("path", PATHS)
def test_a_page_has_one_heading_a_title_and_its_landmarks(full: TestClient, path: str) -> None:
    page = Page(full.get(path))
    assert len(page.all("h1")) == 1
    assert page.text("title").endswith("– Webstrata")
    for landmark in ("header", "nav[aria-label=Main]", "main", "footer", "form[role=search]", "a.skip[href='#main']"):
        assert page.all(landmark), landmark
    assert page.one("html").attributes["lang"] == "en"


@pytest.mark.parametrize("path", PATHS)
def test_a_page_keeps_to_the_strict_policy(full: TestClient, path: str) -> None:
    response = full.get(path)
    page = Page(response)
    assert "'unsafe" not in response.headers["content-security-policy"]
    assert not page.all("[style], style, script:not([src])")
    handlers = [name for node in page.all("*") for name in node.attributes if name.startswith("on")]
    assert handlers == []
    assert response.headers["cache-control"] == "private, no-cache"


@pytest.mark.parametrize("path", PATHS)
def test_every_field_has_a_label_and_every_id_is_unique(full: TestClient, path: str) -> None:
    page = Page(full.get(path))
    labelled = {node.attributes["for"] for node in page.all("label[for]")}
    for field in page.all("input:not([type=hidden]), select, textarea"):
        wrapped = field.parent is not None and field.parent.tag == "label"
        assert wrapped or field.attributes["id"] in labelled, field.html
    ids = [node.attributes["id"] for node in page.all("[id]")]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("path", PATHS)
def test_a_page_with_all_that_it_loads_is_light(full: TestClient, path: str) -> None:
    response = full.get(path, headers={"Accept-Encoding": "gzip"})
    files = [asset for name, asset in our_assets().items() if f"/static/{name}?" in response.text]
    assert len(response.content) + sum(len(asset.compressed) for asset in files) <= MAX_PAGE_BYTES


@pytest.mark.parametrize("path", PATHS)
def test_head_answers_like_get_without_the_page(full: TestClient, path: str) -> None:
    head, get = full.head(path), full.get(path)
    assert head.status_code == get.status_code
    assert head.content == b""


def test_a_reader_is_distinguished_from_an_administrator(make_client: MakeClient) -> None:
    assert Page(make_client().get("/")).texts("nav[aria-label=Main] li") == [
        "Changes",
        "Sources",
        "Listings",
        "Jobs",
        "Watches",
        "Audits",
        "Retention",
    ]
    assert Page(make_client(token=TOKEN).get("/")).texts("nav[aria-label=Main] li") == [
        "Changes",
        "Sources",
        "Listings",
        "Sign in",
    ]


def test_the_page_that_one_is_on_is_marked_in_the_menu(full: TestClient) -> None:
    assert Page(full.get("/jobs/1")).texts("nav [aria-current=page]") == ["Jobs"]
    assert Page(full.get("/sources")).texts("nav [aria-current=page]") == ["Sources"]
    assert Page(full.get("/")).texts("nav [aria-current=page]") == []
