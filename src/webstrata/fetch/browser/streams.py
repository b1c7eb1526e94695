"""Byte streams of a page's connections to its proxy: plain, or TLS that ends at the proxy.

The key in `loopback.pem` need not be secret: it encrypts only the connection from our Chromium to our proxy
inside one machine. The proxy verifies the certificates of the servers.
"""

import asyncio
import ssl
from functools import cache
from pathlib import Path

_PIECE = 65_536
_TLS_HANDSHAKE = b"\x16"
"""The first byte of a client that begins TLS; no HTTP request begins with it."""

TRUSTED_KEY = "SGIX57UEa/lbiB6R1dFFWHu1X+yS2FBnatLyjUxV964="
"""The digest of the public key in `loopback.pem`, for Chromium's option to accept it for every host."""


class PlainStream:
    """A connection without TLS."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, first: bytes = b"") -> None:
        """Use a connection; `first` are bytes that were read from it already."""
        self._reader = reader
        self._writer = writer
        self._first = first

    async def read(self) -> bytes:
        """Return the next bytes, or nothing at the end."""
        first, self._first = self._first, b""
        return first or await self._reader.read(_PIECE)

    async def write(self, data: bytes) -> None:
        """Send bytes, waiting while the other side is slow."""
        self._writer.write(data)
        await self._writer.drain()

    def close(self) -> None:
        """End the connection."""
        self._writer.close()


class TlsStream:
    """The server's side of TLS on another stream."""

    def __init__(self, inner: PlainStream) -> None:
        """Prepare; the handshake comes with `begin`."""
        self._inner = inner
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._tls = _context().wrap_bio(self._incoming, self._outgoing, server_side=True)

    async def begin(self) -> None:
        """Do the handshake."""
        while True:
            try:
                self._tls.do_handshake()
            except ssl.SSLWantReadError:
                await self._exchange()
            else:
                await self._flush()
                return

    async def read(self) -> bytes:
        """Return the next bytes, or nothing at the end."""
        while True:
            try:
                return self._tls.read(_PIECE)
            except ssl.SSLWantReadError:
                await self._exchange()
            except ssl.SSLZeroReturnError:
                return b""

    async def write(self, data: bytes) -> None:
        """Send bytes."""
        view = memoryview(data)
        while view:
            view = view[self._tls.write(view[:_PIECE]) :]
            await self._flush()

    def close(self) -> None:
        """End the connection."""
        self._inner.close()

    async def _exchange(self) -> None:
        await self._flush()
        data = await self._inner.read()
        if not data:
            raise ConnectionResetError
        self._incoming.write(data)

    async def _flush(self) -> None:
        if self._outgoing.pending:
            await self._inner.write(self._outgoing.read())


Stream = PlainStream | TlsStream


async def open_tunnel(inner: PlainStream, first: bytes) -> tuple[Stream, bool, bytes]:
    """Return the stream inside a tunnel, whether it is encrypted, and the bytes read from it."""
    data = first or await inner.read()
    if not data.startswith(_TLS_HANDSHAKE):
        return inner, False, data
    stream = TlsStream(_Begun(inner, data))
    await stream.begin()
    return stream, True, b""


class _Begun(PlainStream):
    """A stream whose first bytes were read already."""

    def __init__(self, inner: PlainStream, first: bytes) -> None:
        self._inner = inner
        self._first = first

    async def read(self) -> bytes:
        first, self._first = self._first, b""
        return first or await self._inner.read()

    async def write(self, data: bytes) -> None:
        await self._inner.write(data)

    def close(self) -> None:
        self._inner.close()


@cache
def _context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(Path(__file__).with_name("loopback.pem"))
    context.set_alpn_protocols(["http/1.1"])
    return context
