"""How answers are read from bytes, whatever pieces they come in."""

import tracemalloc
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from webstrata.errors import FetchError, TransientFetchError
from webstrata.fetch.wire import MAX_HEAD_BYTES, MAX_HEADERS, ResponseParser, WireResponse

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def read(*pieces: bytes, limit: int = 1_000) -> WireResponse:
    """Return the answer that bytes are, when nothing comes behind them."""
    parser = ResponseParser(limit)
    whole = False
    for piece in pieces:
        whole = parser.feed(piece)
    if not whole:
        parser.end()
    return parser.response()


def outcome(pieces: Iterable[bytes], limit: int = 20) -> WireResponse | tuple[type[FetchError], str]:
    try:
        return read(*pieces, limit=limit)
    except FetchError as error:
        return type(error), error.kind


def test_a_head_is_kept_byte_for_byte_and_read() -> None:
    raw = (
        b"HTTP/1.1 203 Sort  Of \r\nX-b:2\r\nx-B :  two \t\r\nEmpty:\r\nX-Latin: \xe9\xff\r\nContent-Length: 2\r\n\r\n"
    )
    answer = read(raw + b"ok")
    head = answer.head
    assert head.raw == raw
    assert (head.http_version, head.status, head.reason) == ("1.1", 203, "Sort  Of")
    assert head.headers == (
        (b"X-b", b"2"),
        (b"x-B", b"two"),
        (b"Empty", b""),
        (b"X-Latin", b"\xe9\xff"),
        (b"Content-Length", b"2"),
    )
    assert (answer.body, answer.truncated, answer.reusable) == (b"ok", None, True)


@pytest.mark.parametrize(
    ("line", "version", "status", "reason"),
    [
        (b"HTTP/1.1 200 OK", "1.1", 200, "OK"),
        (b"HTTP/1.1 200 ", "1.1", 200, ""),
        (b"HTTP/1.1 200", "1.1", 200, ""),
        (b"HTTP/1.0  404  Not \xe9 Found", "1.0", 404, "Not é Found"),
        (b"HTTP/1.1 999 Request denied", "1.1", 999, "Request denied"),
        (b"HTTP/1.1 200 \x1b[31mred\0\x85", "1.1", 200, " [31mred"),
        (b"HTTP/1.1 200 " + b"x" * 5_000, "1.1", 200, "x" * 200),
    ],
)
def test_a_status_line_is_read(line: bytes, version: str, status: int, reason: str) -> None:
    head = read(line + b"\r\nContent-Length: 0\r\n\r\n").head
    assert (head.http_version, head.status, head.reason) == (version, status, reason)


@pytest.mark.parametrize(
    ("lines", "headers"),
    [
        (b"A: 1\r\n 2\r\n\t3\r\nB: 4\r\n", ((b"A", b"1 2 3"), (b"B", b"4"))),
        (b" leading: blank\r\nA: 1\r\n", ((b"A", b"1"),)),
        (b"no colon here\r\nA: 1\r\n", ((b"A", b"1"),)),
        (b": no name\r\nA: 1\r\n", ((b"A", b"1"),)),
        (b"A: 1\nB: 2\n", ((b"A", b"1"), (b"B", b"2"))),
        (b"A: one\rtwo\0three\r\n", ((b"A", b"one two three"),)),
        (b"A: b: c\r\n", ((b"A", b"b: c"),)),
    ],
    ids=["folded", "nothing to fold to", "no colon", "no name", "bare LF", "lone CR and NUL", "two colons"],
)
def test_odd_headers_are_read_as_browsers_do(lines: bytes, headers: object) -> None:
    raw = b"HTTP/1.1 204 No Content\r\n" + lines + b"\r\n"
    answer = read(raw)
    assert (answer.head.headers, answer.head.raw) == (headers, raw)


@pytest.mark.parametrize(
    "raw", [b"HTTP/1.1 200 OK\nContent-Length: 2\n\n", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\n"]
)
def test_lines_may_end_without_a_carriage_return(raw: bytes) -> None:
    answer = read(raw + b"\n\n")
    assert (answer.head.raw, answer.body) == (raw, b"\n\n")


@pytest.mark.parametrize(
    ("chunks", "body"),
    [
        (b"5\r\nhello\r\n0\r\n\r\n", b"hello"),
        (b'5 ;name=value;x\r\nhello\r\n00006; q="\r"\r\n world\r\n0;last\r\n\r\n', b"hello world"),
        (b"A\r\n0123456789\r\n0\r\nTrailer: x\r\nOther: y\r\n\r\n", b"0123456789"),
        (b"5\nhello\n0\n\n", b"hello"),
        (b"2\r\n\r\n\r\n0\r\n\r\n", b"\r\n"),
        (b"0\r\n\r\n", b""),
    ],
)
def test_chunks_are_put_together(chunks: bytes, body: bytes) -> None:
    answer = read(CHUNKED + chunks)
    assert (answer.body, answer.reusable) == (body, True)


@pytest.mark.parametrize("end", [b"0\r\n", b"0\r\nTrailer: x\r\n", b"0\r\nTrai"])
def test_after_the_last_chunk_nothing_more_is_needed(end: bytes) -> None:
    answer = read(CHUNKED + b"5\r\nhello\r\n" + end)
    assert (answer.body, answer.reusable) == (b"hello", False)


@pytest.mark.parametrize(
    "chunks",
    [
        b"xyz\r\nhello",
        b"-5\r\nhello\r\n0\r\n\r\n",
        b"0x5\r\nhello\r\n0\r\n\r\n",
        b"\r\nhello",
        b"<html>this was never chunked\r\n</html>",
        b"5\r\nhello world\r\n0\r\n\r\n",
        b"f" * 16 + b"\r\nhello",
        b"5;" + b"x" * 5_000 + b"\r\nhello\r\n0\r\n\r\n",
        b"0\r\n" + b"Trailer: x\r\n" * 10_000 + b"\r\n",
    ],
)
def test_broken_chunks_are_a_reason_to_try_again(chunks: bytes) -> None:
    with pytest.raises(TransientFetchError, match="the body breaks off") as raised:
        read(CHUNKED + chunks)
    assert raised.value.kind == "protocol"


@pytest.mark.parametrize(
    "cut",
    [
        b"",
        b"HTT",
        b"HTTP/1.1 200 OK\r\nContent-",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
        CHUNKED,
        CHUNKED + b"5\r\nhel",
        CHUNKED + b"5\r\nhello",
        CHUNKED + b"5\r\nhello\r\n",
        b"HTTP/1.1 103 Early Hints\r\n\r\n",
    ],
)
def test_what_breaks_off_is_a_reason_to_try_again(cut: bytes) -> None:
    with pytest.raises(TransientFetchError, match="the server closed the connection") as raised:
        read(cut)
    assert raised.value.kind == "disconnect"


@pytest.mark.parametrize(
    "raw",
    [
        b"SSH-2.0-OpenSSH_9.2p1\r\n",
        b"\x15\x03\x01\x00\x02\x02P",
        b"<html>",
        b"\r\nHTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 abc OK\r\n\r\n",
        b"HTTP/1.1 20 OK\r\n\r\n",
        b"HTTP/1.1 2000 OK\r\n\r\n",
        b"HTTP/1.1 099 OK\r\n\r\n",
        b"HTTP/one 200 OK\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 5_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1, 2\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * (MAX_HEADERS + 1) + b"\r\n",
        b"HTTP/1.1 200 OK\r\nA: " + b"x" * MAX_HEAD_BYTES,
        b"HTTP/1.1 103 Early Hints\r\n\r\n" * 5_000,
    ],
)
def test_what_is_no_http_is_refused_in_one_harmless_line(raw: bytes) -> None:
    with pytest.raises(FetchError, match="not a valid HTTP response") as raised:
        read(raw)
    message = str(raised.value)
    assert (raised.value.transient, raised.value.kind) == (False, "protocol")
    assert message.isprintable()
    assert len(message) < 200


def test_the_longest_head_that_is_read_is_as_long_as_the_limit() -> None:
    start, end = b"HTTP/1.1 204 No Content\r\nA: ", b"\r\n\r\n"
    whole = start + b"x" * (MAX_HEAD_BYTES - len(start) - len(end)) + end
    assert read(whole).head.raw == whole
    assert outcome([whole.replace(b"A: ", b"A: x")]) == (FetchError, "protocol")


def test_interim_responses_are_passed_over() -> None:
    interim = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n"
    final = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
    answer = read(interim + final + b"ok")
    assert (answer.head.raw, answer.body, answer.reusable) == (final, b"ok", True)


@pytest.mark.parametrize("status", [204, 304])
@pytest.mark.parametrize("framing", [b"Content-Length: 100\r\n", b"Transfer-Encoding: chunked\r\n", b""])
def test_some_responses_have_no_body_whatever_they_say(status: int, framing: bytes) -> None:
    answer = read(b"HTTP/1.1 %d Whatever\r\n%s\r\n" % (status, framing))
    assert (answer.body, answer.reusable) == (b"", True)


@pytest.mark.parametrize(
    "lengths", [b"Content-Length: 2\r\nContent-Length: 2\r\n", b"Content-Length: 2, 2\r\n", b"Content-Length: 002\r\n"]
)
def test_a_length_may_be_said_twice(lengths: bytes) -> None:
    assert read(b"HTTP/1.1 200 OK\r\n" + lengths + b"\r\nok").body == b"ok"


@pytest.mark.parametrize(
    "codings", [b"chunked", b"Chunked", b"identity, chunked", b"chunked\r\nTransfer-Encoding: chunked"]
)
def test_chunks_win_over_a_length_and_the_connection_is_not_trusted_again(codings: bytes) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: " + codings + b"\r\n\r\n"
    answer = read(head + b"5\r\nhello\r\n0\r\n\r\n")
    assert (answer.body, answer.reusable) == (b"hello", False)


@pytest.mark.parametrize(
    ("raw", "body"),
    [
        (b"HTTP/1.0 200 OK\r\n\r\nuntil the end", b"until the end"),
        (b"HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nuntil the end", b"until the end"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\nuntil the end", b"until the end"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello and more", b"hello"),
        (b"HTTP/1.1 204 No Content\r\n\r\na body nevertheless", b""),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: Foo, Close\r\n\r\nok", b"ok"),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", b"ok"),
    ],
)
def test_a_connection_that_is_not_known_to_be_at_an_end_is_not_used_again(raw: bytes, body: bytes) -> None:
    answer = read(raw)
    assert (answer.body, answer.truncated, answer.reusable) == (body, None, False)


def test_an_old_server_may_keep_its_connection() -> None:
    assert read(b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok").reusable


@pytest.mark.parametrize(
    "raw",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world",
        b"HTTP/1.1 200 OK\r\nContent-Length: 11000000000\r\n\r\nhello world",
        b"HTTP/1.1 200 OK\r\n\r\nhello world",
        CHUNKED + b"7\r\nhello w\r\n4\r\norld\r\n0\r\n\r\n",
        CHUNKED + b"fffffffffff\r\nhello world",
    ],
)
def test_a_body_is_cut_at_the_limit_and_marked(raw: bytes) -> None:
    answer = read(raw, limit=10)
    assert (answer.body, answer.truncated, answer.reusable) == (b"hello worl", "length", False)
    assert read(raw.replace(b"11000000000", b"11").replace(b"fffffffffff", b"b"), limit=10).truncated == "length"


def test_the_response_to_connect_ends_with_its_head() -> None:
    parser = ResponseParser(0, head_only=True)
    assert parser.feed(b"HTTP/1.1 200 Connection established\r\nContent-Length: 5\r\n\r\n")
    assert parser.response().reusable


lines = st.sampled_from(
    [
        b"HTTP/1.1 200 OK",
        b"HTTP/1.0 404",
        b"HTTP/1.1 103 Early Hints",
        b"HTTP/1.1 304 Not Modified",
        b"Content-Length: 5",
        b"Content-Length: 30",
        b"Transfer-Encoding: chunked",
        b"Connection: close",
        b" folded",
        b"5",
        b"0",
        b"hello",
        b"hello, this is more than the limit",
        b"1f;extension",
        b"",
    ]
)
ends = st.sampled_from([b"\r\n", b"\r\n", b"\n", b"", b"\r"])
written = st.lists(st.tuples(lines, ends), max_size=14).map(lambda parts: b"".join(line + end for line, end in parts))
plausible = written.map(lambda rest: b"HTTP/1.1 200 OK\r\n" + rest) | written.map(lambda rest: CHUNKED + rest)


@given(st.binary() | written | plausible, st.data())
def test_the_pieces_make_no_difference(raw: bytes, data: st.DataObject) -> None:
    cuts = data.draw(st.lists(st.integers(0, len(raw)), max_size=12).map(sorted))
    pieces = [raw[start:end] for start, end in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
    whole = outcome([raw])
    assert outcome(pieces) == whole
    assert outcome(raw[i : i + 1] for i in range(len(raw))) == whole


@given(st.binary(max_size=300) | plausible)
@example(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
def test_no_bytes_break_the_reading_or_pass_the_limit(raw: bytes) -> None:
    answer = outcome([raw], limit=7)
    assert not isinstance(answer, WireResponse) or len(answer.body) <= 7


class CountedBytes(bytes):
    """Bytes that count how many of them were copied or looked at, in any method that the parser could use."""

    work = 0

    def __getitem__(self, index: Any) -> Any:
        part = super().__getitem__(index)
        return self._counted(part) if isinstance(part, bytes) else part

    def find(self, *arguments: Any) -> int:
        found, start = super().find(*arguments), arguments[1] if len(arguments) > 1 else 0
        CountedBytes.work += (found if found >= 0 else len(self)) - start
        return found

    def partition(self, separator: Any, /) -> Any:
        return tuple(self._counted(part) for part in super().partition(separator))

    @staticmethod
    def _counted(part: bytes) -> "CountedBytes":
        CountedBytes.work += len(part)
        return CountedBytes(part)


def test_the_smallest_chunks_are_read_in_time_that_grows_with_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    def work_for(chunks: int) -> int:
        monkeypatch.setattr(CountedBytes, "work", 0)
        parser = ResponseParser(1_000_000)
        parser.feed(CHUNKED)
        assert parser.feed(CountedBytes(b"1\r\nx\r\n" * chunks + b"0\r\n\r\n"))
        assert parser.response().body == b"x" * chunks
        return CountedBytes.work

    few, many = work_for(1_000), work_for(16_000)
    assert few > 0
    assert many < 17 * few


def test_a_large_body_is_in_memory_once() -> None:
    size, piece = 16_000_000, b"x" * 64_000
    parser = ResponseParser(size)
    parser.feed(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size)
    tracemalloc.start()
    try:
        for _ in range(size // len(piece)):
            parser.feed(piece)
        answer = parser.response()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(answer.body) == size
    assert peak < 1.2 * size
