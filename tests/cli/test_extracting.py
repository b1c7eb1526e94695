"""`webstrata extract`: what scripts and people get of a saved page."""

import gzip
import json
from pathlib import Path

import pytest

from tests.content.listing.pages import PAGES
from webstrata.cli.main import run

PRODUCT = PAGES["no structured data, related products and a reduced price"]
SENTENCE = "The council voted on Tuesday to extend the opening hours of the pool, after a petition of residents. "
ARTICLE = (
    "<!doctype html><html lang=en><head><title>Pool stays open - The News</title></head><body><nav>"
    "<a href=/>Home</a></nav>"
    "<div class=page><article><header><h1>Pool stays open</h1><time datetime=2024-05-03>3 May</time></header>"
    + "".join(f"<div><p>{number}. {SENTENCE}</p></div>" for number in range(8))
    + '<div class="share-buttons">Share this on every network that you know of, please.</div></article>'
    + "".join(f"<article><h2><a href=/{n}>Other story</a></h2><p>{SENTENCE}</p></article>" for n in range(3))
    + f"<div id=comments><p>I think that {SENTENCE}</p></div></div><footer>All rights reserved.</footer></body></html>"
)


def extracted(capsys: pytest.CaptureFixture[str], file: Path, *options: str) -> dict[str, dict[str, object]]:
    assert run(["extract", str(file), "--json", *options]) == 0
    found: dict[str, dict[str, object]] = json.loads(capsys.readouterr().out)
    return found


def test_a_script_gets_the_listing_and_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved = tmp_path / "kettle.html.gz"
    saved.write_bytes(gzip.compress(PRODUCT.html.encode()))
    found = extracted(capsys, saved, "--url", PRODUCT.url)
    listing, page = found["listing"], found["page"]
    assert (listing["price"], listing["currency"], listing["availability"]) == ("48.99", "USD", "InStock")
    assert listing["sources"]["price"] == ["page"]  # type: ignore[index]
    assert 0 < listing["confidence"]["price"] < 1  # type: ignore[index]
    assert page["title"] == "Blue Kettle 1.7 l | The Shop"
    assert page["language"] == "en"


def test_the_main_text_is_the_article_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved = tmp_path / "pool.html"
    saved.write_text(ARTICLE)
    page = extracted(capsys, saved)["page"]
    assert page["mainText"] == "\n".join(f"{number}. {SENTENCE.strip()}" for number in range(8))
    assert page["published"] == "2024-05-03"
    assert str(page["text"]).startswith("Home")


def test_a_page_larger_than_what_is_read_in_place_is_read_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "large.html"
    saved.write_text(PRODUCT.html.replace("</main>", f"<p>{SENTENCE * 800}</p></main>"))
    assert extracted(capsys, saved)["listing"]["price"] == "48.99"


def test_a_person_gets_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved = tmp_path / "kettle.html"
    saved.write_text(PRODUCT.html)
    assert run(["extract", str(saved)]) == 0
    shown = capsys.readouterr().out
    assert "regular price  59.99 USD" in shown
    saved.write_text(ARTICLE)
    assert run(["extract", str(saved)]) == 0
    assert "This page offers no product or property." in capsys.readouterr().out


@pytest.mark.parametrize("content", [b"", b"\x7fELF\0\0\0\1\2", b"\x89PNG\r\n\x1a\n\0", b"%PDF-1.7\n", b"PK\x03\x04"])
def test_what_is_no_page_is_refused(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved = tmp_path / "file"
    saved.write_bytes(content)
    assert run(["extract", str(saved)]) == 2
    assert "is not an HTML page" in capsys.readouterr().err


def test_a_missing_file_and_a_wrong_address_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["extract", str(tmp_path / "none.html")]) == 1
    assert "cannot be read: No such file" in capsys.readouterr().err
    assert run(["extract", str(tmp_path), "--url", "shop"]) == 2
    assert "is not a web address" in capsys.readouterr().err
