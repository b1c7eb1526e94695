"""Subscribing to changes: which target is notified of which source, page, watch or saved search."""

import base64
import secrets
from dataclasses import replace
from datetime import UTC, datetime

import structlog

from webstrata.db.engine import Database, Session
from webstrata.db.notifications import subscriptions
from webstrata.errors import UsageError
from webstrata.model.changes.values import SIGNIFICANT
from webstrata.model.notifications.addresses import read_address
from webstrata.model.notifications.values import Subject, Subscription, Target, TargetAddress, TargetKind
from webstrata.model.urls import url_group
from webstrata.notifications.apprise_sending import check_apprise_address

log = structlog.get_logger()

MAX_NAME_LENGTH = 100
_SECRET_BYTES = 32


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
    """Notify an address, or a target by its name, of changes from now on; a target that is new is added.

    Exactly one of source, page (a URL), watch and saved search is given. What was captured before is not announced.
    A new webhook's signing secret is part of the result, this once.
    """
    group = None if page is None else url_group(page)
    subject = _check_subject(Subject(source_id, group, watch_id, saved_search_id))
    if not 0 <= min_significance <= 1:
        raise UsageError(f"the least significance is between 0 and 1, not {min_significance:g}")
    now = datetime.now(UTC)
    with database.write() as session:
        target, secret = _find_or_add(session, address, now)
        subscription = subscriptions.save_subscription(
            session, target, subject, min_significance=min_significance, digest=digest, now=now
        )
    log.info("notification.subscribed", subscription_id=subscription.id, target_id=target.id, to=target.shown)
    return replace(subscription, signing_secret=secret)


def check_recipient(database: Database, address: str) -> None:
    """Raise an error when `subscribe` would refuse an address or the name of a target; nothing is added."""
    with database.read() as session:
        if _target_named(session, address) is None:
            _check_address(read_address(address))


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


def add_target(database: Database, address: str, name: str | None = None) -> tuple[Target, str | None]:
    """Add a target, and return it with the signing secret of a webhook."""
    checked = read_address(address)
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
        raise UsageError(f"a target's name has 1 to {MAX_NAME_LENGTH} characters and is no address and no number")
    return text


def _new_secret() -> str:
    """Return a secret in the form that libraries for Standard Webhooks take."""
    return "whsec_" + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode("ascii")
