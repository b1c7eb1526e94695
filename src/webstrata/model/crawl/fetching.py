"""The result of a fetch: request, response and timing."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import cached_property

from webstrata.model.browser.posted import posted_url
from webstrata.model.digests import digest

TRANSIENT_STATUSES = frozenset({429, 500, 502, 503, 504})
REDIRECT_STATUSES = frozenset({301, 302, 303, 307, 308})

MAX_RETRY_AFTER = timedelta(days=1)
"""The longest Retry-After that is obeyed, so that a run ends eventually."""

_TOO_MANY_DIGITS = 10

RawHeaders = tuple[tuple[bytes, bytes], ...]


@dataclass(frozen=True)
class FetchResult:
    """One HTTP exchange: the request and the response, byte for byte, except that chunks of a body are joined."""

    url: str
    fetched_at: datetime
    request_head: bytes
    status: int
    reason: str
    http_version: str
    headers: RawHeaders
    body: bytes
    ip_address: str | None = None
    truncated: str | None = None
    """The WARC standard's reason for a truncated body (`length`, `time`, `disconnect`), or None."""
    response_head: bytes = b""
    """The exact status line and headers up to the empty line; empty if the fetcher does not know them."""
    elapsed_ms: int | None = None
    """Milliseconds from the request to the end of the response; None where a fetcher does not measure it."""
    rendering: "Rendering | None" = None
    """The page as rendered by a browser; None without one."""
    posted: str | None = None
    """The method of a request with a body, and the body as a query (`POST q=tea`); None for GET."""

    @property
    def capture_url(self) -> str:
        """Return the URL by which the response is found again: that of a request with a body contains the body."""
        return self.url if self.posted is None else posted_url(self.url, *self.posted.split(" ", 1))

    @cached_property
    def body_digest(self) -> str:
        """Return the body's digest; cached, as it is needed several times."""
        return digest(self.body)

    def header(self, name: str) -> str | None:
        """Return the first value of a header."""
        values = self._values.get(name.lower().encode("latin-1"))
        return values[0].decode("latin-1") if values else None

    def header_lines(self, name: str) -> str | None:
        """Return all values of a header, a line each."""
        values = self._values.get(name.lower().encode("latin-1"), ())
        return b"\n".join(values).decode("latin-1") or None

    @cached_property
    def _values(self) -> dict[bytes, list[bytes]]:
        found: dict[bytes, list[bytes]] = {}
        for name, value in self.headers:
            found.setdefault(name.lower(), []).append(value)
        return found

    @property
    def transient(self) -> bool:
        """Return whether the server asks to come back later."""
        return self.status in TRANSIENT_STATUSES

    @property
    def redirect_target(self) -> str | None:
        """Return the Location header as it was sent, with bytes that URLs cannot contain escaped, as in browsers."""
        location = self.header("location") if self.status in REDIRECT_STATUSES else None
        return location and "".join(c if c.isascii() else f"%{ord(c):02X}" for c in location)


@dataclass(frozen=True)
class Rendering:
    """A page after its scripts ran: its content, and the resources that it loaded."""

    html: bytes
    """The document as it was at the end, in UTF-8; empty when the browser could not return it in time."""
    text: str
    screenshot: bytes | None = None
    """A PNG of the window at the top of the page."""
    resources: tuple[FetchResult, ...] = ()
    """The other responses that the page received, one for a URL."""
    navigations: tuple[str, ...] = ()
    """Other pages that the page tried to move to by itself."""
    problem: str = ""
    """Why document, text or screenshot are missing; empty when they are complete."""


def retry_after(value: str | None, now: datetime) -> timedelta:
    """Return the wait of a Retry-After header in either form; zero when it is missing or invalid."""
    return min(max(timedelta(0), _wait_asked_for((value or "").strip(), now)), MAX_RETRY_AFTER)


def _wait_asked_for(text: str, now: datetime) -> timedelta:
    if text.isascii() and text.isdigit():
        return timedelta(seconds=int(text)) if len(text) < _TOO_MANY_DIGITS else MAX_RETRY_AFTER
    try:
        when = parsedate_to_datetime(text)
        return (when if when.tzinfo else when.replace(tzinfo=UTC)) - now
    except (ValueError, OverflowError):
        return timedelta(0)
