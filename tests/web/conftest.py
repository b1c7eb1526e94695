"""The site over a real archive, and a client in this process that reads its pages."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from httpx import Response
from playwright.sync_api import Browser, BrowserContext
from playwright.sync_api import Page as BrowserPage
from pydantic import SecretStr
from starlette.testclient import TestClient
from turbohtml import Element, parse

from tests.support.databases import FreshDatabase
from tests.support.web_server import WebServer, serving
from tests.web.live import fill, served
from webstrata.app import App
from webstrata.db.engine import Database
from webstrata.settings import Environment, Settings
from webstrata.site import create_site

OWN_ORIGIN = {"Origin": "http://testserver"}
TOKEN = "a long and secret token"

MakeClient = Callable[..., TestClient]


class Node:
    """An element of a page."""

    def __init__(self, element: Element) -> None:
        self._element = element
        self.tag = element.tag
        self.html = element.html

    @property
    def attributes(self) -> dict[str, str]:
        return {name: self._element.attr(name) or "" for name in self._element.attrs}

    @property
    def parent(self) -> "Node | None":
        parent = self._element.parent
        return Node(parent) if isinstance(parent, Element) else None

    def text(self) -> str:
        return self._element.text

    def css(self, selector: str) -> list["Node"]:
        return [Node(element) for element in self._element.select(selector)]


class Page:
    """A page as a reader meets it: status, words and elements."""

    def __init__(self, response: Response) -> None:
        assert response.headers["content-type"] == "text/html; charset=utf-8"
        self.status = response.status_code
        self.html = response.text
        self._tree = parse(response.text)

    def all(self, selector: str) -> list[Node]:
        return [Node(element) for element in self._tree.select(selector)]

    def one(self, selector: str) -> Node:
        (found,) = self.all(selector)
        return found

    def texts(self, selector: str) -> list[str]:
        return [" ".join(node.text().split()) for node in self.all(selector)]

    def text(self, selector: str = "main") -> str:
        (found,) = self.texts(selector)
        return found

    def links(self, selector: str = "main a") -> dict[str, str | None]:
        return {" ".join(node.text().split()): node.attributes["href"] for node in self.all(selector)}


@pytest.fixture
def app(database: Database, tmp_path: Path) -> App:
    """An empty archive."""
    return make_app(database, tmp_path)


@pytest.fixture
def client(app: App) -> TestClient:
    """A reader on this machine, of an archive in open development."""
    return TestClient(create_site(app))


@pytest.fixture
def make_client(app: App) -> MakeClient:
    """Makes readers of that archive under other settings."""

    def make(**settings: Any) -> TestClient:
        other = make_app(app.database, app.archive_root.parent, **settings)
        return TestClient(create_site(other), raise_server_exceptions=False)

    return make


@pytest.fixture(scope="module")
def shared_app(fresh_database_url: FreshDatabase, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """An empty archive that the tests of a module fill once."""
    with fresh_app(fresh_database_url, tmp_path_factory.mktemp("archive")) as app:
        yield app


@pytest.fixture(scope="session")
def live_archive(fresh_database_url: FreshDatabase, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """The archive that a real browser looks at."""
    with fresh_app(fresh_database_url, tmp_path_factory.mktemp("archive")) as app:
        fill(app)
        yield app


@pytest.fixture(scope="session")
def front_end() -> Iterator[WebServer]:
    """Somebody's own site, whose pages may read the API of the archive's server."""
    with serving() as server:
        yield server


@pytest.fixture(scope="session")
def live_site(live_archive: App, front_end: WebServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The origin of a server for that archive."""
    folder = tmp_path_factory.mktemp("server")
    with served(live_archive.settings, folder, WEBSTRATA_CORS_ORIGINS=front_end.origin) as origin:
        yield origin


@pytest.fixture
def context(browser: Browser, live_site: str) -> Iterator[BrowserContext]:
    opened = browser.new_context(base_url=live_site)
    yield opened
    opened.close()


@pytest.fixture
def page(context: BrowserContext) -> BrowserPage:
    return context.new_page()


@contextmanager
def fresh_app(fresh_database_url: FreshDatabase, folder: Path) -> Iterator[App]:
    """Open an empty archive while the block runs."""
    with fresh_database_url() as url:
        database = Database(url)
        yield make_app(database, folder)
        database.dispose()


def make_app(
    database: Database, folder: Path, token: str | None = None, env: str = "development", **others: Any
) -> App:
    settings = Settings(
        data_dir=folder,
        database_url=SecretStr(database.url.render_as_string(hide_password=False)),
        env=Environment(env),
        admin_token=SecretStr(token) if token is not None else None,
        **others,
    )
    root = folder / "archive"
    root.mkdir(exist_ok=True)
    return App(settings=settings, database=database, archive_root=root)
