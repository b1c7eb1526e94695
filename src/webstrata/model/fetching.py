"""What a fetcher brings back."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

TRANSIENT_STATUSES = frozenset({429, 500, 502, 503, 504})
REDIRECT_STATUSES = frozenset({301, 302, 303, 307, 308})

MAX_RETRY_AFTER = timedelta(days=1)
"""The longest wait that a server may ask for: a run must end some day."""

_TOO_MANY_DIGITS = 10

RawHeaders = tuple[tuple[bytes, bytes], ...]


@dataclass(frozen=True)
class FetchResult:
    """One HTTP exchange: what was asked, what came back, byte for byte as far as HTTP shows it."""

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
    """The standard's word for why the body is cut short (`length`, `time`, `disconnect`), or None."""

    def header(self, name: str) -> str | None:
        """Return the first value of a header."""
        wanted = name.lower().encode("latin-1")
        return next((v.decode("latin-1") for k, v in self.headers if k.lower() == wanted), None)

    def header_lines(self, name: str) -> str | None:
        """Return all values of a header, a line each."""
        wanted = name.lower().encode("latin-1")
        return "\n".join(v.decode("latin-1") for k, v in self.headers if k.lower() == wanted) or None

    @property
    def transient(self) -> bool:
        """Tell whether the server says to come back later."""
        return self.status in TRANSIENT_STATUSES

    @property
    def redirect_target(self) -> str | None:
        """Return where the server sends us, as it wrote it."""
        return self.header("location") if self.status in REDIRECT_STATUSES else None


def retry_after(value: str | None, now: datetime) -> timedelta:
    """Return the wait that a Retry-After header asks for, in either of its forms; none when it asks for nothing."""
    return min(max(timedelta(0), _wait_asked_for((value or "").strip(), now)), MAX_RETRY_AFTER)


def _wait_asked_for(text: str, now: datetime) -> timedelta:
    if text.isascii() and text.isdigit():
        return timedelta(seconds=int(text)) if len(text) < _TOO_MANY_DIGITS else MAX_RETRY_AFTER
    try:
        when = parsedate_to_datetime(text)
        return (when if when.tzinfo else when.replace(tzinfo=UTC)) - now
    except (ValueError, OverflowError):
        return timedelta(0)
