"""The demo's PDF and PNG, checked byte by byte against their formats."""

import re
import struct
import zlib

from webstrata.demo.pdf import text_pdf
from webstrata.demo.png import HEIGHT, bar_chart
from webstrata.demo.site import build_site


def dose_card(edition: int) -> bytes:
    return build_site(edition)["/documents/fever-dose-card.pdf"].body


def test_the_pdf_begins_and_ends_as_one() -> None:
    assert dose_card(1).startswith(b"%PDF-1.4\n")
    assert dose_card(1).endswith(b"%%EOF\n")


def test_every_offset_in_the_pdf_is_where_the_object_is() -> None:
    pdf = dose_card(1)
    table_offset = int(re.findall(rb"startxref\n(\d+)\n", pdf)[0])
    assert pdf[table_offset:].startswith(b"xref\n0 8\n0000000000 65535 f \n")
    offsets = [int(offset) for offset in re.findall(rb"(\d{10}) 00000 n \n", pdf[table_offset:])]
    assert len(offsets) == 7
    for number, offset in enumerate(offsets, start=1):
        assert pdf[offset:].startswith(b"%d 0 obj\n" % number)


def test_the_length_of_the_pdf_content_is_right() -> None:
    length, stream = re.findall(rb"/Length (\d+) >>\nstream\n(.*)\nendstream", dose_card(1), re.DOTALL)[0]
    assert int(length) == len(stream)


def test_the_pdf_carries_the_dose_of_its_edition() -> None:
    doses = [re.findall(rb"in 24 hours \\\((\d+ mg/kg)", dose_card(edition)) for edition in (1, 2)]
    assert doses == [[b"75 mg/kg"], [b"60 mg/kg"]]


def test_the_text_of_the_pdf_fits_on_its_page() -> None:
    leading = [int(points) for points in re.findall(rb"Tf (\d+) TL", dose_card(2))]
    assert sum(leading) < 842 - 2 * 56


def test_parentheses_backslashes_and_accents_survive_in_a_pdf_string() -> None:
    assert rb"(38\\\(a\) " + "°é".encode("cp1252") + b") Tj" in text_pdf(["# Title", "38\\(a) °é"])


def test_the_chart_is_a_png_whose_chunks_check_out() -> None:
    png = build_site(1)["/images/respiratory-cases.png"].body
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert [kind for kind, _ in png_chunks(png)] == [b"IHDR", b"PLTE", b"IDAT", b"IEND"]


def test_the_chart_has_the_size_that_its_page_gives_it() -> None:
    header = dict(png_chunks(build_site(1)["/images/respiratory-cases.png"].body))[b"IHDR"]
    assert struct.unpack(">II", header[:8]) == (396, 220)


def test_a_bar_is_as_high_as_its_value() -> None:
    chunks = dict(png_chunks(bar_chart([100, 50])))
    width = struct.unpack(">I", chunks[b"IHDR"][:4])[0]
    pixels = zlib.decompress(chunks[b"IDAT"])
    rows = [pixels[start + 1 : start + 1 + width] for start in range(0, len(pixels), width + 1)]
    first_bar, second_bar = (sum(row[column] == 1 for row in rows) for column in (20, 70))
    assert (len(rows), first_bar, second_bar) == (HEIGHT, HEIGHT - 10, (HEIGHT - 10) // 2)


def png_chunks(png: bytes) -> list[tuple[bytes, bytes]]:
    chunks, position = [], 8
    while position < len(png):
        (length,) = struct.unpack(">I", png[position : position + 4])
        kind, data = png[position + 4 : position + 8], png[position + 8 : position + 8 + length]
        assert struct.unpack(">I", png[position + 8 + length : position + 12 + length])[0] == zlib.crc32(kind + data)
        chunks.append((kind, data))
        position += 12 + length
    return chunks
