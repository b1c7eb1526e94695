import hashlib
from pathlib import Path

import pytest

from tests.support.fetched import fetched, write_warc
from tests.support.pdfs import pdf_of
from webstrata.content.fingerprint import fingerprint
from webstrata.index.facts import PageFacts, facts_of
from webstrata.model.crawl.fetching import FetchResult
from webstrata.warc.reader import iter_records

LONG = " ".join(f"word{number}" for number in range(60))
PAGE = f"<html lang=en-CA><title>A page</title><nav><a href=/>Home</a></nav><main><h1>Flu</h1><p>{LONG}</p></main>"


def page_of(folder: Path, answer: FetchResult, page_parameters: tuple[str, ...] = ()) -> PageFacts | None:
    write_warc(folder / "test.warc.gz", [answer])
    (record,) = iter_records(folder / "test.warc.gz")
    return facts_of(record, record, page_parameters).page


def test_a_page_states_everything_the_index_wants_to_know(tmp_path: Path) -> None:
    page = page_of(tmp_path, fetched("https://www.example.org/flu/?id=7", PAGE), ("id",))
    assert page is not None
    assert (page.document.normalized_url_group, page.document.title) == ("https://example.org/flu?id=7", "A page")
    assert page.document.text.split("\n") == ["Home", "Flu", LONG]
    assert page.blocks == "O1p"
    assert page.fingerprint == fingerprint(f"Flu\n{LONG}")
    assert (page.language, page.outlinks, page.trouble) == ("en", ("https://example.org/",), None)
    assert page.snippet.startswith("Home Flu word0 word1")
    assert page.content_hash == hashlib.sha256(PAGE.encode()).hexdigest()


def test_a_plain_text_is_a_page_called_by_its_first_line(tmp_path: Path) -> None:
    text = "Notes on été\n\n  indented\nlast".encode("latin-1")
    page = page_of(tmp_path, fetched("https://example.org/n.txt", text, content_type="text/plain; charset=latin1"))
    assert page is not None
    assert (page.document.title, page.blocks) == ("Notes on été", "ccc")
    assert page.document.text.split("\n") == ["Notes on été", "  indented", "last"]


def test_a_plain_text_without_a_fitting_line_is_called_by_its_name(tmp_path: Path) -> None:
    answer = fetched("https://example.org/a%20file.txt?x", "=====\nwords", content_type="text/plain")
    page = page_of(tmp_path, answer)
    assert page is not None
    assert page.document.title == "a file.txt"


def test_a_pdf_is_a_page_whatever_its_type_says(tmp_path: Path) -> None:
    content = pdf_of([["Influenza in winter", "Wash your hands."]])
    page = page_of(tmp_path, fetched("https://example.org/f", content, content_type="application/octet-stream"))
    assert page is not None
    assert (page.document.title, page.document.text) == ("Influenza in winter", "Influenza in winter\nWash your hands.")
    assert page.trouble is None


def test_a_pdf_that_cannot_be_read_is_a_page_without_words_and_gives_the_reason(tmp_path: Path) -> None:
    page = page_of(tmp_path, fetched("https://example.org/f.pdf", b"%PDF-1.4", content_type="application/pdf"))
    assert page is not None
    assert (page.document.title, page.document.text, page.fingerprint) == ("f.pdf", "", None)
    assert page.trouble is not None
    assert "damaged" in page.trouble


@pytest.mark.parametrize(
    "answer",
    [
        fetched(body="{}", content_type="application/json"),
        fetched(status=301),
        fetched(body=""),
        fetched("https://example.org/robots.txt", "User-agent: *", content_type="text/plain"),
    ],
)
def test_what_is_no_page_is_only_a_capture(tmp_path: Path, answer: FetchResult) -> None:
    assert page_of(tmp_path, answer) is None
