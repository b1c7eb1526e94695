"""Every failure Webstrata reports, as one tree.

WebstrataError
├── SettingsError                a setting is unknown or does not parse
├── UsageError                   what the caller gave makes no sense
│   ├── OptionsError             a job's tool options, one by one or together; also a ValueError
│   └── PolicyError              a retention policy, or a request to the retention engine, is invalid
├── NotFoundError                the thing asked for is not in the archive
├── GoneError                    it was in the archive, and was deleted or is withheld
├── ConflictError                the request conflicts with the current state
├── PortInUseError               another process listens on the port
├── DatabaseError
│   ├── DatabaseUnavailableError cannot be reached
│   └── SchemaVersionError       at another schema version than this program
├── StorageError                 the disk refuses, or is full
│   ├── ReadOnlyArchiveError     the data folder cannot be written to
│   └── OutsideRootError         a path leaves the folder it belongs to
├── WarcError                    a WARC cannot be read or written as it should
│   └── RecordNotFoundError      the record is not where it was recorded
├── UnreadablePageError          a page cannot be read within the limits of memory and time
├── CoordinationUnavailableError the store of locks and throttles cannot be reached
├── UnreadablePolicyError        a stored retention policy makes no sense: nothing is deleted
├── DomainLockTimeoutError       other sessions held a domain's lock too long
├── DomainBusyError              another session works on a domain; this one waits in the queue
├── NavigationFailedError        an audited page could not be opened
├── LeaseLostError               another worker holds what we were working on
├── CrawlerDiedError             the crawler of a job dies again and again and gets nowhere
├── TooManyViewersError          as many watch already as this process can serve
├── TooManyComparisonsError      as many wait for a comparison as this process can serve
├── PageTooLargeError            a live page is too large to be compared
├── DeliveryError                a receiver did not accept a notification
├── MissingExtraError            an optional part of the product is not installed
│   └── MissingBrowserError      no Chromium is installed
└── FetchError                   a URL could not be fetched, and trying again will not help
    ├── BlockedAddressError      the network guard refused the address
    └── TransientFetchError      trying again later may help

A message names the value that was wrong and, where there is one, the way out. Pages and
commands show it unchanged: secrets never go into it.
"""

import errno
from collections.abc import Mapping
from datetime import timedelta


class WebstrataError(Exception):
    """Anything Webstrata reports to its user in one line."""

    def __init__(self, message: str = "", *, command: str = "") -> None:
        """Set the message; `command` is a command that helps, shown only at a terminal."""
        super().__init__(message)
        self.command = command


class SettingsError(WebstrataError):
    """A setting is unknown or its value does not parse."""


class UsageError(WebstrataError):
    """The input is invalid; the message states what is expected."""


class OptionsError(UsageError, ValueError):
    """A job's tool options make no sense, one by one or together."""


class PolicyError(UsageError):
    """A retention policy, or a request to the retention engine, is invalid."""


class NotFoundError(WebstrataError):
    """The thing asked for is not in the archive."""


class GoneError(WebstrataError):
    """It was in the archive, and was deleted or is withheld; the message gives the date and the reason."""

    def __init__(self, message: str, tombstone: Mapping[str, object] | None = None) -> None:
        super().__init__(message)
        self.tombstone = dict(tombstone or {})


class ConflictError(WebstrataError):
    """The request conflicts with the current state; the message names that state."""


class PortInUseError(WebstrataError):
    """Another program listens on the address we need."""


class DatabaseError(WebstrataError):
    """Base class of database errors."""


class DatabaseUnavailableError(DatabaseError):
    """The database cannot be reached."""


class SchemaVersionError(DatabaseError):
    """The database's schema is older or newer than this program."""


class StorageError(WebstrataError):
    """A file or folder cannot be read or written, or the disk is full."""


class ReadOnlyArchiveError(StorageError):
    """The data folder cannot be written to; reading works."""

    def __init__(self, folder: object) -> None:
        super().__init__(f"the data folder {folder} cannot be written to")


class OutsideRootError(StorageError):
    """A path leaves the folder it belongs to."""


class WarcError(WebstrataError):
    """A WARC cannot be read or written as it should."""


class RecordNotFoundError(WarcError):
    """The record is not where it was recorded."""


class UnreadablePageError(WebstrataError):
    """A page cannot be read within the limits of memory and time; the message names the limit."""


class CoordinationUnavailableError(WebstrataError):
    """The store of locks and throttles cannot be reached; nothing runs unlocked because of that."""


class UnreadablePolicyError(WebstrataError):
    """A stored retention policy makes no sense: nothing is deleted until an administrator corrects or resets it."""


class DomainLockTimeoutError(WebstrataError):
    """Other sessions held a domain's lock for too long."""


class DomainBusyError(WebstrataError):
    """Another session holds a domain's lock; this one goes back into the queue."""


class NavigationFailedError(WebstrataError):
    """An audited page could not be opened; `problem` is the one that the session's summary names, if there is one."""

    def __init__(self, message: str, problem: str | None = None, http_status: int | None = None) -> None:
        super().__init__(message)
        self.problem = problem
        self.http_status = http_status


class LeaseLostError(WebstrataError):
    """Another worker has taken over the lease; nothing was written."""


class CrawlerDiedError(WebstrataError):
    """The crawler of a job dies again and again without progress; the job is paused before the next try."""


class TooManyViewersError(WebstrataError):
    """As many live views are open as this process serves at once."""


class TooManyComparisonsError(WebstrataError):
    """As many requests wait for a comparison as this process serves at once."""


class PageTooLargeError(WebstrataError):
    """A live page is too large to be compared."""


class DeliveryError(WebstrataError):
    """A receiver did not accept a notification; the message does not name its address."""

    def __init__(self, message: str, *, is_final: bool = False) -> None:
        """Set the reason; after a final one, another attempt would fail the same way."""
        super().__init__(message)
        self.is_final = is_final


class MissingExtraError(WebstrataError):
    """An optional part is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an extra: pip install 'webstrata[{extra}]'")


class MissingBrowserError(MissingExtraError):
    """No Chromium is installed, or the one that is named cannot be started."""

    def __init__(self, message: str) -> None:
        WebstrataError.__init__(self, message)


class FetchError(WebstrataError):
    """A URL could not be fetched, and trying again will not help."""

    transient = False
    retry_after = timedelta(0)
    kind = "fetch"
    """The kind of failure, for statistics: dns, connect, timeout, tls, protocol, …"""

    def __init__(self, message: str, *, kind: str | None = None) -> None:
        super().__init__(message)
        self.kind = kind or self.kind


class BlockedAddressError(FetchError):
    """The network guard refused the address."""

    kind = "blocked"


class TransientFetchError(FetchError):
    """A URL could not be fetched now; later it may be."""

    transient = True

    def __init__(self, message: str, retry_after: timedelta = timedelta(0), *, kind: str | None = None) -> None:
        super().__init__(message, kind=kind)
        self.retry_after = retry_after


WRITE_REFUSALS = (errno.EACCES, errno.EPERM, errno.EROFS)
"""The errno values of places that cannot be written to."""

OUR_TROUBLE = (StorageError, DatabaseError, CoordinationUnavailableError, CrawlerDiedError)
"""Failures of our own infrastructure: pages and jobs are retried later, without counting an attempt."""
