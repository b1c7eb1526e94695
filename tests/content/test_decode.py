import gzip
import random
import sys
import zlib

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.content import decode
from webstrata.content.decode import dechunked, decoded

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

TEXT = b"What a page says. " * 10_000


def raw_deflate(data: bytes) -> bytes:
    packing = zlib.compressobj(wbits=-15)
    return packing.compress(data) + packing.flush()


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (TEXT, None),
        (TEXT, ""),
        (TEXT, "identity"),
        (gzip.compress(TEXT), "gzip"),
        (gzip.compress(TEXT), " X-GZip "),
        (zlib.compress(TEXT), "deflate"),
        (raw_deflate(TEXT), "deflate"),
        (gzip.compress(zlib.compress(TEXT)), "deflate, gzip"),
        (gzip.compress(TEXT), "identity, gzip"),
        (gzip.compress(TEXT[:500]) + gzip.compress(TEXT[500:]), "gzip"),
        (gzip.compress(TEXT) + b"trailing junk", "gzip"),
        (zlib.compress(TEXT) + b"trailing junk", "deflate"),
        (brotli.compress(TEXT), "br"),
        (zstd.compress(TEXT), "zstd"),
        (zstd.compress(TEXT[:500]) + zstd.compress(TEXT[500:]), "ZSTD"),
        (gzip.compress(brotli.compress(TEXT)), "br, gzip"),
    ],
)
def test_a_body_comes_out_of_its_encodings(body: bytes, encoding: str | None) -> None:
    assert decoded(body, encoding) == TEXT


@pytest.mark.parametrize(
    ("body", "encoding"),
    [(TEXT, "gzip"), (TEXT, "deflate"), (b"", "gzip"), (TEXT, "br"), (TEXT, "zstd"), (TEXT, "gzip2")],
)
def test_what_was_never_packed_or_in_an_unknown_way_stays_as_it_is(body: bytes, encoding: str) -> None:
    assert decoded(body, encoding) == body


@pytest.mark.parametrize(("packed", "encoding"), [(gzip.compress(TEXT, 1), "gzip"), (raw_deflate(TEXT), "deflate")])
def test_a_body_that_was_cut_off_gives_what_there_is(packed: bytes, encoding: str) -> None:
    whole = decoded(packed[: len(packed) // 2], encoding)
    assert TEXT.startswith(whole)
    assert len(whole) > len(TEXT) // 4


@pytest.mark.parametrize("encoding", ["br", "zstd"])
def test_of_newer_encodings_too_a_cut_body_gives_what_there_is(encoding: str) -> None:
    text = random.Random(1).randbytes(1_000_000)
    packed = brotli.compress(text, quality=1) if encoding == "br" else zstd.compress(text)
    whole = decoded(packed[:700_000], encoding)
    assert text.startswith(whole)
    assert len(whole) > 300_000


def test_a_window_larger_than_the_web_allows_is_not_opened() -> None:
    text = random.Random(1).randbytes(20_000_000)
    allowed, too_large = (zstd.compress(text, options={zstd.CompressionParameter.window_log: n}) for n in (23, 25))
    assert decoded(allowed, "zstd") == text
    assert decoded(too_large, "zstd") == too_large


def test_damage_costs_only_the_bytes_after_it() -> None:
    noise = zlib.compress(bytes(i * i % 251 for i in range(2_000_000)), 0)
    packed = bytearray(gzip.compress(noise, 0))
    packed[-100_000] ^= 0xFF
    packed[1_500_000:1_500_010] = b"\xff" * 10
    unpacked = decoded(bytes(packed), "gzip")
    assert len(unpacked) > 1_300_000
    assert noise[:1_300_000] == unpacked[:1_300_000]


@pytest.mark.parametrize("damaged", [False, True])
@pytest.mark.parametrize("members", [1, 5])
def test_no_body_unpacks_to_more_than_the_limit(damaged: bool, members: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decode, "MAX_DECODED_BYTES", 1_000_000)
    packed = bytearray(gzip.compress(b"\0" * 50_000_000) * members)
    if damaged:
        packed[-100:] = b"\xff" * 100
    assert decoded(bytes(packed), "gzip") == b"\0" * 1_000_000


@pytest.mark.parametrize("encoding", ["br", "zstd", "deflate"])
def test_no_encoding_unpacks_to_more_than_the_limit(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decode, "MAX_DECODED_BYTES", 1_000_000)
    zeros = b"\0" * 5_000_000
    packed = {"br": brotli.compress(zeros, quality=1), "zstd": zstd.compress(zeros), "deflate": zlib.compress(zeros)}
    assert decoded(packed[encoding], encoding) == b"\0" * 1_000_000


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_a_body_of_nothing_but_empty_members_is_given_up(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decode, "_MAX_MEMBERS", 10)
    empty, full = {
        "gzip": (gzip.compress(b""), gzip.compress(TEXT)),
        "zstd": (zstd.compress(b""), zstd.compress(TEXT)),
    }[encoding]
    assert decoded(empty * 9 + full, encoding) == TEXT
    body = empty * 10 + full
    assert decoded(body, encoding) == body


def test_a_hundred_declared_encodings_are_not_all_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = TEXT
    for _ in range(10):
        packed = gzip.compress(packed, 0)
    assert decoded(packed, ", ".join(["gzip"] * 10)) != TEXT


@given(st.binary(), st.sampled_from(["gzip", "deflate", "gzip, deflate", "br", "zstd", "identity"]))
def test_no_body_breaks_the_unpacking(body: bytes, encoding: str) -> None:
    assert isinstance(decoded(body, encoding), bytes)


@pytest.mark.parametrize(
    ("body", "plain"),
    [
        (b"5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", b"hello world"),
        (b"5;name=value\r\nhello\r\n0\r\nTrailer: x\r\n\r\n", b"hello"),
        (b"A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n", b"01234567890123456789"),
        (b"0\r\n\r\n", b""),
        (b"5\r\nhello\r\n", b"hello"),
        (b"5\r\nhel", b"hel"),
        (b"5\r\nhello\r\nxyz\r\nrest", b"hello"),
        (b"ffffffffffffffffffffffff\r\nhello", b"hello"),
    ],
)
def test_chunks_are_put_together(body: bytes, plain: bytes) -> None:
    assert dechunked(body) == plain


@pytest.mark.parametrize("body", [b"", b"<html>", b"\r\n", b"-5\r\nhello\r\n", b"<p>\r\n5\r\nhello", b"xyz\r\nhello"])
def test_a_body_without_chunks_stays_as_it_is(body: bytes) -> None:
    assert dechunked(body) == body


pieces = st.sampled_from(
    [b"5\r\nhello\r\n", b"0\r\n\r\n", b"\r\n", b"f" * 40, b"1;", b"-1\r\n", b"\0", b"5\r\nhe", b"\n"]
)


@given(st.binary() | st.lists(pieces, max_size=30).map(b"".join))
def test_malformed_chunks_end_and_invent_nothing(body: bytes) -> None:
    assert len(dechunked(body)) <= len(body)
