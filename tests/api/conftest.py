"""An API over a small archive, and clients of it."""

import logging
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import structlog
from pydantic import SecretStr
from starlette.testclient import TestClient

from tests.api.archives import Archive
from webstrata.api.server import create_api
from webstrata.app import App
from webstrata.db.engine import Database
from webstrata.logs import configure_logging
from webstrata.settings import Environment, Settings

MakeClient = Callable[..., TestClient]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "archive"
    folder.mkdir()
    return folder


@pytest.fixture
def archive(database: Database, root: Path) -> Archive:
    return Archive(database, root)


@pytest.fixture
def client(database: Database, root: Path) -> TestClient:
    """A client in this process, of an archive whose admin token is `s3cret`."""
    return TestClient(create_api(App(make_settings(), database, root)))


@pytest.fixture
def make_client(database: Database, root: Path) -> MakeClient:
    """Makes clients of the archive; further arguments are settings."""

    def make(client: tuple[str, int] = ("testclient", 50000), **settings: Any) -> TestClient:
        api = create_api(App(make_settings(**settings), database, root))
        return TestClient(api, client=client, headers={"Host": "localhost"})

    return make


@pytest.fixture
def log_lines() -> Iterator[StringIO]:
    """Everything logged during a test, as JSON lines."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    written = StringIO()
    configure_logging(level="DEBUG", format="json", stream=written)
    yield written
    root.handlers[:], root.level = handlers, level
    logging.captureWarnings(False)
    structlog.reset_defaults()


def make_settings(admin_token: str | None = "s3cret", env: str = "test", **others: Any) -> Settings:
    return Settings(
        admin_token=SecretStr(admin_token) if admin_token is not None else None, env=Environment(env), **others
    )
