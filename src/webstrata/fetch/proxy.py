"""The HTTP proxy between us and the web: its address and the headers it requires."""

import base64
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from webstrata.errors import UsageError

_DEFAULT_PORT = 80


@dataclass(frozen=True)
class Proxy:
    """The address and credentials of a proxy; credentials are not shown in messages or `repr`."""

    host: str
    port: int
    authorization: bytes = field(default=b"", repr=False)
    """The header line with the credentials, or nothing."""

    @classmethod
    def of(cls, url: str) -> "Proxy":
        """Return the proxy that an address such as http://user:password@host:port names."""
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            parts, port = urlsplit(""), None
        if parts.scheme != "http" or not parts.hostname:
            # The message does not repeat the address, which may contain a password.
            raise UsageError("an HTTP proxy's address must look like http://host:port")
        return cls(parts.hostname, port or _DEFAULT_PORT, _authorization(parts.username, parts.password))


def _authorization(user: str | None, password: str | None) -> bytes:
    if user is None:
        return b""
    credentials = f"{unquote(user)}:{unquote(password or '')}".encode()
    return b"Proxy-Authorization: Basic " + base64.b64encode(credentials) + b"\r\n"
