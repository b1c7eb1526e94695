"""Addresses of notification targets, and subscriptions to changes."""

from pathlib import Path

import pytest

from webstrata.db.engine import Database, Session
from webstrata.db.notifications import subscriptions
from webstrata.db.queue import jobs
from webstrata.errors import StorageError, UsageError
from webstrata.model.notifications.addresses import read_address
from webstrata.notifications.backup import NOTIFICATIONS_NAME, restore_notifications, write_notifications
from webstrata.notifications.subscribing import subscribe

PAGE = "https://example.org/"


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://hooks.example.org/T0/secret?key=secret", "https://hooks.example.org"),
        ("http://127.0.0.1:8000/secret", "http://127.0.0.1:8000"),
        ("mailtos://user:secret@example.org?to=a@example.org", "mailtos://example.org"),
        ("tgram://secret/chat", "tgram://…"),
        ("slack://secret/secret/secret", "slack://…"),
    ],
)
def test_of_an_address_only_scheme_and_host_are_shown(address: str, shown: str) -> None:
    assert read_address(address).shown == shown


@pytest.mark.parametrize(
    "address",
    [
        "secret",
        "ftp://secret/",
        "https://user:secret@example.org/",
        "https://",
        "mailto://[secret",
        "https://a b/secret",
    ],
)
def test_a_bad_address_is_refused_and_not_repeated(address: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_address(address)
    assert "secret" not in str(refused.value)


def test_a_target_is_added_once_and_subscribed_to_a_subject_once(database: Database) -> None:
    made = subscribe(database, "https://example.org/hook", page=PAGE)
    again = subscribe(database, "https://example.org/hook", page=PAGE, min_significance=0.5, digest=False)
    named = subscribe(database, made.target.name, watch_id=7)
    assert (again.id, again.min_significance, again.digest) == (made.id, 0.5, False)
    assert (made.signing_secret or "").startswith("whsec_")
    assert again.signing_secret is None
    assert named.target.id == made.target.id
    other = subscribe(database, "https://example.org/other", page=PAGE)
    assert other.target.name != made.target.name
    with database.read() as session:
        assert len(subscriptions.list_targets(session)) == 2
        assert len(subscriptions.list_subscriptions(session)) == 3


def test_targets_and_subscriptions_come_back_from_their_file_and_a_damaged_one_is_named(
    database: Database, tmp_path: Path
) -> None:
    with database.write() as session:
        source_id = jobs.ensure_source(session, "hc", name="Health", base_url="https://example.org/")
    made = subscribe(database, "https://example.org/secret", source_id=source_id, min_significance=0.5)
    subscribe(database, "https://example.org/secret", page=PAGE, digest=False)
    write_notifications(database, tmp_path)
    file = tmp_path / NOTIFICATIONS_NAME
    assert file.stat().st_mode & 0o077 == 0
    with database.write() as session:
        before = (subscriptions.load_secrets(session, made.target.id), shown(session))
        subscriptions.remove_target(session, made.target.name)
    assert restore_notifications(database, tmp_path) == 2
    assert restore_notifications(database, tmp_path) == 0
    with database.read() as session:
        (target,) = subscriptions.list_targets(session)
        assert (subscriptions.load_secrets(session, target.id), shown(session)) == before
    file.write_text('{"targets": [{}]')
    with pytest.raises(StorageError, match=NOTIFICATIONS_NAME):
        restore_notifications(database, tmp_path)
    file.unlink()
    assert restore_notifications(database, tmp_path) == 0


def shown(session: Session) -> list[tuple[object, ...]]:
    found = subscriptions.list_subscriptions(session)
    return [(one.source_code, one.subject.page, one.min_significance, one.digest, one.created_at) for one in found]


def test_an_unknown_name_an_unreadable_apprise_address_and_two_subjects_are_refused(database: Database) -> None:
    for address in ("no such target", "slack://secret", ""):
        with pytest.raises(UsageError) as refused:
            subscribe(database, address, page=PAGE)
        assert "secret" not in str(refused.value)
    with pytest.raises(UsageError, match="one thing"):
        subscribe(database, "https://example.org/hook", page=PAGE, watch_id=7)
    with database.read() as session:
        assert subscriptions.list_targets(session) == []
