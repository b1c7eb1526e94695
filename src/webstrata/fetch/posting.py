"""Sending one POST request to an address that passes the network guard; redirects are not followed."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from webstrata.errors import FetchError, TransientFetchError
from webstrata.fetch.connections import Endpoint
from webstrata.fetch.dial import Dialer, proxy_refusal
from webstrata.fetch.guard import NetworkGuard
from webstrata.fetch.proxy import Proxy
from webstrata.fetch.resolve import GuardedResolver
from webstrata.fetch.wire import ResponseParser
from webstrata.model.urls import UrlParts, host_of, origin_of, parse_url

_DEFAULT_PORTS = {"http": 80, "https": 443}
_MAX_RESPONSE_BYTES = 65_536
_PROXY_AUTHENTICATION_REQUIRED = 407


@dataclass(frozen=True)
class PostResponse:
    """The status of a response to a POST request."""

    status: int
    reason: str


@dataclass(frozen=True)
class Poster:
    """Sends POST requests, each over a connection of its own."""

    guard: NetworkGuard
    timeout: float
    """Seconds for the whole exchange."""
    proxy: str | None = None

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> PostResponse:
        """Send a request and return the response's status; FetchError when there is none, without naming the URL."""
        parts = parse_url(url)
        try:
            async with asyncio.timeout(self.timeout):
                return await self._exchange(parts, body, headers)
        except TimeoutError:
            raise TransientFetchError("no response in time", kind="timeout") from None

    async def _exchange(self, parts: UrlParts, body: bytes, headers: Mapping[str, str]) -> PostResponse:
        proxy = Proxy.of(self.proxy) if self.proxy else None
        resolver = GuardedResolver(self.guard)
        endpoint = Endpoint(parts.scheme, parts.hostname, int(parts.port or _DEFAULT_PORTS[parts.scheme]))
        if proxy is not None:
            await resolver.check_all(endpoint.host, endpoint.port)
        connection = await Dialer(resolver, self.timeout, proxy).dial(endpoint)
        try:
            response = await connection.ask(_request(parts, body, headers, proxy), ResponseParser(_MAX_RESPONSE_BYTES))
        finally:
            connection.close()
        if proxy is not None and response.head.status == _PROXY_AUTHENTICATION_REQUIRED:
            raise proxy_refusal(response.head)
        return PostResponse(response.head.status, response.head.reason)


def _request(parts: UrlParts, body: bytes, headers: Mapping[str, str], proxy: Proxy | None) -> bytes:
    is_forwarded = proxy is not None and parts.scheme == "http"
    target = parts.href if is_forwarded else parts.href[len(origin_of(parts.href)) :]
    lines = [f"POST {target} HTTP/1.1", f"Host: {host_of(parts.href)}", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    if any("\r" in line or "\n" in line for line in lines):
        raise FetchError("a header of the request has a line break", kind="protocol")
    authorization = proxy.authorization if proxy is not None and is_forwarded else b""
    head = "\r\n".join([*lines, "Connection: close", ""]).encode("latin-1", "replace")
    return head + authorization + b"\r\n" + body
