"""Subscribing to changes: which target is notified of which source, page, watch or saved search."""

import base64
import secrets
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import structlog

from webstrata.db.engine import Database, Session
from webstrata.db.notifications import subscriptions
from webstrata.db.sources.sources import source_view
from webstrata.db.watching import saved_searches, watches
from webstrata.errors import BlockedAddressError, UsageError
from webstrata.fetch.guard import NetworkGuard
from webstrata.fetch.resolve import check_host
from webstrata.model.changes.values import SIGNIFICANT
from webstrata.model.notifications.addresses import endpoint_of, read_address
from webstrata.model.notifications.values import Subject, Subscription, Target, TargetAddress, TargetKind
from webstrata.model.urls import url_group
from webstrata.notifications.apprise_sending import check_apprise_address
from webstrata.notifications.backup import write_notifications

log = structlog.get_logger()

MAX_NAME_LENGTH = 100
_SECRET_BYTES = 32


@dataclass(frozen=True)
class SubjectRequest:
    """The requested subject of a subscription: exactly one of these."""

    source: str | None = None
    """The code of a source."""
    page: str | None = None
    watch: int | None = None
    search: str | None = None
    """The name or number of a saved search."""


def subscribe(
    database: Database,
    address: str,
    *,
    source_id: int | None = None,
    page: str | None = None,
    watch_id: int | None = None,
    saved_search_id: int | None = None,
    min_significance: float = SIGNIFICANT,
    digest: bool = True,
) -> Subscription:
    """Subscribe a target, given by address or name, to future changes; a new target is added.

    Exactly one of source, page (a URL), watch and saved search is given. Earlier captures are not announced. The
    signing secret of a new webhook is part of the result, only this time.
    """
    group = None if page is None else url_group(page)
    subject = _check_subject(Subject(source_id, group, watch_id, saved_search_id))
    if not 0 <= min_significance <= 1:
        raise UsageError(f"the minimum significance must be between 0 and 1, not {min_significance:g}")
    now = datetime.now(UTC)
    with database.write() as session:
        target, secret = _find_or_add(session, address, now)
        subscription = subscriptions.save_subscription(
            session, target, subject, min_significance=min_significance, digest=digest, now=now
        )
    log.info("notification.subscribed", subscription_id=subscription.id, target_id=target.id, to=target.shown)
    return replace(subscription, signing_secret=secret)


def subscribe_to(
    database: Database,
    archive_root: Path,
    recipient: str,
    wanted: SubjectRequest,
    *,
    guard: NetworkGuard,
    min_significance: float | None = None,
    digest: bool = True,
) -> Subscription:
    """Notify a target, by address or name, of a subject; UsageError for an address that is refused.

    Without a threshold, changes of a source or a page are announced from 0.3 on. A watch has a threshold of its own,
    and for a saved search every new or changed capture is announced.
    """
    subject = _find_subject(database, wanted)
    check_recipient(database, recipient, guard)
    default = SIGNIFICANT if wanted.watch is None and wanted.search is None else 0.0
    least = default if min_significance is None else min_significance
    made = subscribe(database, recipient, **vars(subject), min_significance=least, digest=digest)
    write_notifications(database, archive_root)
    return made


def _find_subject(database: Database, wanted: SubjectRequest) -> Subject:
    """Return the subject of a subscription; NotFoundError when it is not in the archive."""
    if sum(value is not None for value in vars(wanted).values()) != 1:
        raise UsageError("a subscription is about one thing: give a source, a page, a watch or a saved search")
    with database.read() as session:
        if wanted.source is not None:
            return Subject(source_id=source_view(session, wanted.source).id)
        if wanted.watch is not None:
            return Subject(watch_id=watches.load_watch(session, wanted.watch).id)
        if wanted.search is not None:
            return Subject(saved_search_id=saved_searches.load_search(session, wanted.search).id)
    return Subject(page=wanted.page)


def check_recipient(database: Database, recipient: str, guard: NetworkGuard) -> None:
    """Raise UsageError when notifications cannot be sent to an address, or no target has the name."""
    with database.read() as session:
        if _target_named(session, recipient) is not None:
            return
    address = read_address(recipient)
    _check_address(address)
    _check_network(address, guard)


def unsubscribe(database: Database, subscription_id: int) -> Subscription:
    """Remove a subscription, with its messages that are not delivered yet; NotFoundError when there is none."""
    with database.write() as session:
        removed = subscriptions.remove_subscription(session, subscription_id)
    log.info("notification.unsubscribed", subscription_id=subscription_id, target_id=removed.target.id)
    return removed


def unsubscribe_all(database: Database, *, watch_id: int | None = None, saved_search_id: int | None = None) -> int:
    """Remove the subscriptions to a watch or a saved search, and return how many there were."""
    subject = _check_subject(Subject(watch_id=watch_id, saved_search_id=saved_search_id))
    with database.write() as session:
        return subscriptions.remove_subscriptions_of(session, subject)


def add_target(
    database: Database, address: str, name: str | None = None, *, guard: NetworkGuard
) -> tuple[Target, str | None]:
    """Add a target, and return it with the signing secret of a webhook; UsageError for an address that is refused."""
    checked = read_address(address)
    _check_network(checked, guard)
    with database.write() as session:
        return _add(session, checked, name, datetime.now(UTC))


def new_signing_secret(database: Database, name_or_id: str) -> str:
    """Give a webhook another signing secret, and return it."""
    secret = _new_secret()
    with database.write() as session:
        subscriptions.set_signing_secret(session, name_or_id, secret)
    return secret


def _check_subject(subject: Subject) -> Subject:
    if sum(value is not None for value in vars(subject).values()) != 1:
        raise UsageError("a subscription is about one thing: a source, a page, a watch or a saved search")
    return subject


def _find_or_add(session: Session, address: str, now: datetime) -> tuple[Target, str | None]:
    if (named := _target_named(session, address)) is not None:
        return named, None
    checked = read_address(address)
    known = subscriptions.target_by_address(session, checked.address)
    return _add(session, checked, None, now) if known is None else (known, None)


def _target_named(session: Session, text: str) -> Target | None:
    return None if "://" in text else subscriptions.target_by_name(session, text.strip())


def _check_address(address: TargetAddress) -> None:
    if address.kind is TargetKind.APPRISE:
        check_apprise_address(address)


def _check_network(address: TargetAddress, guard: NetworkGuard) -> None:
    """Raise UsageError when an address is in a private network; an unknown host name is accepted."""
    endpoint = endpoint_of(address)
    if endpoint is None:
        return
    try:
        is_known = check_host(*endpoint, guard)
    except BlockedAddressError as error:
        raise UsageError(f"notifications cannot be sent to {address.shown}: {error}") from None
    if not is_known:
        log.info("notification.host.unknown", to=address.shown)


def _add(session: Session, address: TargetAddress, name: str | None, now: datetime) -> tuple[Target, str | None]:
    chosen = _free_name(session, address) if name is None else _check_name(name)
    _check_address(address)
    secret = _new_secret() if address.kind is TargetKind.WEBHOOK else None
    return subscriptions.add_target(session, address, chosen, secret, now), secret


def _free_name(session: Session, address: TargetAddress) -> str:
    """Return a name from an address's scheme and host that no other target has."""
    scheme, _, host = address.shown.partition("://")
    base = (host if host != "…" else scheme)[: MAX_NAME_LENGTH - 10]
    name, number = base, 1
    while subscriptions.target_by_name(session, name) is not None:
        number += 1
        name = f"{base}-{number}"
    return name


def _check_name(name: str) -> str:
    text = " ".join(name.split())
    if not text or len(text) > MAX_NAME_LENGTH or "://" in text or text.isdecimal():
        raise UsageError(
            f"a target's name must have 1 to {MAX_NAME_LENGTH} characters and be neither an address nor a number"
        )
    return text


def _new_secret() -> str:
    """Return a secret in the form that libraries for Standard Webhooks accept."""
    return "whsec_" + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode("ascii")
