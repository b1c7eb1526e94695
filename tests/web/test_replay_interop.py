"""Whether the tools of others work with our replay: each runs in an environment of its own, as its users have it."""

import json
from collections.abc import Iterator
from datetime import timedelta

import pytest

from tests.support.fetched import fetched
from tests.support.foreign import foreign_programs, run
from tests.support.web_server import WebServer, page, serving
from tests.web.live import served
from tests.web.replayed import MAY, PNG, SITE, archive_everything, archive_responses
from webstrata.app import App

pytestmark = [pytest.mark.soak, pytest.mark.timeout(600)]

CDX_TOOLKIT = """
import json, sys
import cdx_toolkit
origin, path, site = sys.argv[1:]
cdx = cdx_toolkit.CDXFetcher(source=origin + path, wb=origin + "/web")
listed = [dict(capture.data) for capture in cdx.iter(site + "/*", filter=["=status:200"])]
image, = cdx.get(site + "/leaf.png", limit=5)
print(json.dumps({
    "listed": listed,
    "nothing": len(cdx.get(site + "/never")) + len(list(cdx.iter(site + "/never"))),
    "size": cdx.get_size_estimate(site + "/*", as_pages=True),
    "image": image.content.hex(),
}))
"""
MEMENTO_CLIENT = """
import json, sys
from datetime import datetime
from memento_client import MementoClient
origin, url = sys.argv[1:]
client = MementoClient(timegate_uri=origin + "/web/", check_native_timegate=False)
print(json.dumps(client.get_memento_info(url, datetime(2024, 5, 20)), default=str))
"""


@pytest.fixture(scope="module")
def live_web() -> Iterator[WebServer]:
    """The live web, of which one page was archived twice."""
    with serving({"/": page("Live")}) as server:
        yield server


@pytest.fixture(scope="module")
def origin(shared_app: App, live_web: WebServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    archive_everything(shared_app)
    archive_responses(shared_app, [fetched(live_web.url(), at=MAY + timedelta(days=31 * n)) for n in range(3)])
    with served(shared_app.settings, tmp_path_factory.mktemp("server")) as address:
        yield address


@pytest.mark.parametrize("path", ["/cdx", "/cdx/search/cdx", "/cdx/pywb"])
def test_cdx_toolkit_lists_and_fetches_captures_in_either_dialect(origin: str, path: str) -> None:
    programs = foreign_programs("cdx_toolkit", ["cdx_toolkit==0.9.39"])
    found = json.loads(run([programs / "python", "-c", CDX_TOOLKIT, origin, path, SITE]))
    urls = {capture["url"] for capture in found["listed"]}
    assert {f"{SITE}/", f"{SITE}/leaf.png", f"{SITE}/packed"} <= urls
    assert f"{SITE}/gone" not in urls
    assert (found["nothing"], found["size"]) == (0, 1)
    assert bytes.fromhex(found["image"]) == PNG


def test_a_memento_client_finds_the_closest_capture_and_its_neighbours(origin: str, live_web: WebServer) -> None:
    programs = foreign_programs("memento_client", ["memento_client==0.6.1"])
    found = json.loads(run([programs / "python", "-c", MEMENTO_CLIENT, origin, live_web.url()]))
    mementos = found["mementos"]
    assert mementos["closest"]["uri"] == [f"{origin}/web/20240603120509/{live_web.url()}"]
    assert mementos["closest"]["http_status_code"] == 200
    assert [mementos[name]["datetime"] for name in ("first", "prev", "next", "last")] == [
        "2024-05-03 12:05:09",
        "2024-05-03 12:05:09",
        "2024-07-04 12:05:09",
        "2024-07-04 12:05:09",
    ]
