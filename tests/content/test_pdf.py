import sys
import zlib
from collections.abc import Iterator

import pytest

from tests.support.pdfs import pdf_from, pdf_of
from webstrata.content.reader import pdf, pdf_process
from webstrata.content.reader.pdf import PdfReader, read_pdf

REPORT = pdf_of([["Influenza in winter", "Wash your hands."], ["On the second page: été"]], title="A report")


@pytest.fixture
def reader() -> Iterator[PdfReader]:
    reader = PdfReader()
    yield reader
    reader.close()


def test_a_pdf_states_its_title_and_the_lines_of_its_pages() -> None:
    found = read_pdf(REPORT)
    assert (found.title, found.trouble) == ("A report", None)
    assert found.text.split("\n") == ["Influenza in winter", "Wash your hands.", "On the second page: été"]
    assert found.blocks == "ooo"


@pytest.mark.parametrize(
    ("stated", "title"), [("Microsoft Word - plan.doc", "plan.doc"), ("untitled", ""), ("  Two\n words ", "Two words")]
)
def test_a_title_that_a_program_made_up_is_none(stated: str, title: str) -> None:
    assert read_pdf(pdf_of([["x"]], title=stated)).title == title


KEYS = b"/O <%s> /U <%s>" % (b"ab" * 32, b"cd" * 32)
ENCRYPTED = pdf_of([["secret"]], trailer=b" /ID [<00><00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -44 %s >>" % KEYS)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (ENCRYPTED, "it is encrypted"),
        (b"%PDF-1.7 and nothing behind", "it is damaged"),
        (b"", "it is damaged"),
        (REPORT[:200], "it is damaged"),
    ],
)
def test_a_pdf_that_cannot_be_read_is_empty_and_gives_the_reason(content: bytes, reason: str) -> None:
    found = read_pdf(content)
    assert (found.title, found.text, found.blocks) == ("", "", "")
    assert found.trouble is not None
    assert reason in found.trouble


def test_a_pdf_that_is_too_large_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "MAX_PDF_BYTES", 100)
    assert "more than is read" in (read_pdf(REPORT).trouble or "")


def test_of_a_long_pdf_the_first_pages_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_process, "MAX_PAGES", 1)
    found = pdf_process.read(REPORT)
    assert (found.text, found.trouble) == (
        "Influenza in winter\r\nWash your hands.",
        "only the first 1 of its 2 pages were read",
    )


LOOP = pdf_from([b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2000000000 >>"])
DEEP = pdf_from([b"<< /Type /Catalog /Pages 2 0 R >>", b"[" * 1_000_000])
BOMB = zlib.compress(b"( ) Tj " * 200_000)
UNPACKING = pdf_from(
    [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << >> >>",
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(BOMB), BOMB),
    ]
)


@pytest.mark.parametrize("hostile", [LOOP, DEEP, UNPACKING])
def test_after_a_hostile_pdf_the_next_one_is_read(hostile: bytes, reader: PdfReader) -> None:
    reader.read(hostile)
    assert reader.read(REPORT).text.startswith("Influenza in winter")


def test_a_pdf_that_takes_too_long_is_given_up(reader: PdfReader) -> None:
    hurried = PdfReader(max_seconds=0.001)
    assert "could not be read within" in (hurried.read(REPORT).trouble or "")
    hurried.close()


def test_a_pdf_that_ends_its_process_costs_only_itself(monkeypatch: pytest.MonkeyPatch, reader: PdfReader) -> None:
    assert reader.read(REPORT).trouble is None
    with monkeypatch.context() as patched:
        patched.setattr(pdf, "_PROCESS", (sys.executable, "-c", "import os; os.abort()"))
        reader.close()
        assert reader.read(REPORT).trouble == "reading it crashed the process"
    assert reader.read(REPORT).trouble is None
