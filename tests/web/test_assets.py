import gzip
from pathlib import Path

import pytest

from tests.web.conftest import MakeClient, Page
from webstrata.web.assets import STATIC, asset_address, our_assets, read_assets


def test_every_file_that_a_page_asks_for_is_there_and_kept_for_ever(make_client: MakeClient) -> None:
    client = make_client()
    page = Page(client.get("/"))
    asked = [node.attributes["href"] or "" for node in page.all("link[href]")]
    asked += [node.attributes["src"] or "" for node in page.all("script[src]")]
    assert len(asked) >= 4
    for address in asked:
        response = client.get(address)
        assert response.status_code == 200
        assert "immutable" in response.headers["cache-control"]


def test_an_address_changes_with_the_content(tmp_path: Path) -> None:
    (tmp_path / "site.css").write_text("a")
    before = read_assets(tmp_path)["site.css"].digest
    (tmp_path / "site.css").write_text("b")
    assert read_assets(tmp_path)["site.css"].digest != before


def test_without_its_digest_a_file_is_requested_again(make_client: MakeClient) -> None:
    response = make_client().get("/static/site.css")
    assert response.headers["cache-control"] == "no-cache"
    again = make_client().get("/static/site.css", headers={"If-None-Match": response.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert make_client().get("/static/site.css", headers={"If-None-Match": 'W/"other"'}).status_code == 200


def test_files_are_compressed_for_who_understands_it(make_client: MakeClient) -> None:
    content = (STATIC / "site.css").read_bytes()
    packed = make_client().get("/static/site.css", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.content == content
    assert int(packed.headers["content-length"]) == len(gzip.compress(content, mtime=0)) < len(content)
    plain = make_client().get("/static/site.css", headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.content == content


@pytest.mark.parametrize("name", ["nothing.css", "", "../site.py", "%2e%2e/site.py", "..%2fsite.py", "/etc/passwd"])
def test_nothing_else_is_sent(make_client: MakeClient, name: str) -> None:
    assert make_client().get(f"/static/{name}").status_code == 404


def test_types_are_reported() -> None:
    types = {name: asset.media_type for name, asset in our_assets().items()}
    assert types["site.css"] == "text/css"
    assert types["keys.js"] == "text/javascript"
    assert types["mark.svg"] == "image/svg+xml"
    assert asset_address("site.css").startswith("/static/site.css?v=")
