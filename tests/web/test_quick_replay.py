"""Archived files at their exact second are served before the router, with the same responses as the router's."""

import pytest
from starlette.testclient import TestClient

from tests.web.replayed import SITE, archive_everything
from webstrata.app import App
from webstrata.web.viewer import quick_replay

AT = "20240503120509"
PATHS = ("/", "/site.css", "/leaf.png", "/packed", "/gone", "/moved", "/loop", "/empty", "/flu?a=1&b=2", "/nowhere")
REQUESTS: tuple[dict[str, str], ...] = (
    {},
    {"Accept-Encoding": "gzip"},
    {"Range": "bytes=2-9"},
    {"Sec-Fetch-Dest": "script"},
    {"If-None-Match": "*"},
)


def test_quick_responses_are_those_of_the_router(app: App, client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    archive_everything(app)
    asked = [(f"/web/{AT}id_/{SITE}{path}", headers) for path in PATHS for headers in REQUESTS]
    quick = [seen(client, path, headers) for path, headers in asked]
    counted = client.get("/metrics").text
    assert 'route="/web/{address:path}"' in counted
    served: list[object] = []
    respond = quick_replay.QuickReplay._respond
    monkeypatch.setattr(quick_replay.QuickReplay, "_respond", lambda *given: served.append(respond(*given)))
    assert [seen(client, path, headers) for path, headers in asked] == quick
    assert sum(response is not None for response in served) >= len(REQUESTS)


def seen(client: TestClient, path: str, headers: dict[str, str]) -> tuple[int, bytes, dict[str, str]]:
    # Raw: a part of a compressed body cannot be decoded.
    with client.stream("GET", path, headers=headers, follow_redirects=False) as response:
        body = b"".join(response.iter_raw())
    told = {name: value for name, value in response.headers.items() if name != "x-request-id"}
    return response.status_code, body, told
