"""Notifications from the change of a page to its receiver."""

from collections import Counter

import pytest
from sqlalchemy import select

from tests.notifications.conftest import Deliver, Run, compute, dose, source_of
from tests.notifications.receiver import Receiver
from webstrata.db.engine import Database
from webstrata.db.notifications import outbox, subscriptions
from webstrata.db.notifications.announcing import count_waiting
from webstrata.db.schema.notification_tables import OutboxMessage
from webstrata.notifications.subscribing import subscribe, unsubscribe

SITE_NOW = {f"/{name}": dose("200 mg") for name in "abc"}
SITE_LATER = {**{f"/{name}": dose("400 mg") for name in "abc"}, "/new": "<title>New</title><p>A page on colds.</p>"}


def test_a_receiver_that_fails_twice_gets_each_event_once_and_in_order(
    database: Database, run: Run, receiver: Receiver, deliver: Deliver
) -> None:
    first = run(SITE_NOW)
    made = subscribe(database, f"{receiver.origin}/hook?token=secret", source_id=source_of(first), digest=False)
    assert made.signing_secret is not None
    later = run(SITE_LATER)
    failures = iter([500, 302])
    receiver.respond = lambda path: next(failures, 204)
    deliver().deliver_due()
    got = receiver.accepted("/hook?token=secret")
    assert [one.json["data"]["changeType"] for one in got] == ["updated"] * 3 + ["new_page"]
    assert [one.json["id"] for one in got] == [f"change-{n}-{n + 3}" for n in (1, 2, 3)] + ["change-0-7"]
    assert [one.headers["webhook-id"] for one in receiver.received] == ["change-1-4"] * 3 + [
        one.json["id"] for one in got[1:]
    ]
    assert all(one.is_signed_with(made.signing_secret) for one in receiver.received)
    assert got[0].json["data"]["compareUrl"] == "https://archive.example/compare?from=1&to=4"
    assert got[0].json["data"]["reasons"] == ["a dose changed: 200 mg → 400 mg"]
    compute(later)
    assert deliver().deliver_due().delivered == 0


def test_a_receiver_that_never_works_fills_the_dead_letters_and_delays_no_one(
    database: Database, run: Run, receiver: Receiver, deliver: Deliver
) -> None:
    source_id = source_of(run(SITE_NOW))
    broken = subscribe(database, f"{receiver.origin}/broken", source_id=source_id, digest=False)
    subscribe(database, f"{receiver.origin}/works", source_id=source_id, digest=False)
    run(SITE_LATER)
    receiver.respond = lambda path: 500 if path == "/broken" else 200
    counts = deliver(attempts=3).deliver_due()
    assert (counts.delivered, counts.dead) == (4, 4)
    # The first message gets every attempt; those after it one each, until the receiver works again.
    assert Counter(one.path for one in receiver.received) == {"/broken": 6, "/works": 4}
    with database.read() as session:
        dead = outbox.list_dead(session)
        target = subscriptions.find_target(session, str(broken.target.id))
    assert {letter.last_error for letter in dead} == {"the receiver responded with status 500"}
    assert target.last_result == "the receiver responded with status 500"
    receiver.respond = lambda path: 200
    with database.write() as session:
        assert outbox.retry_dead(session, dead[0].created_at) == 4
    deliver().deliver_due()
    assert receiver.keys("/broken") == receiver.keys("/works")


def test_a_run_is_one_digest_and_what_was_before_the_subscription_is_not_in_it(
    database: Database, run: Run, receiver: Receiver, deliver: Deliver
) -> None:
    source_id = source_of(run(SITE_NOW))
    run({**SITE_NOW, "/a": dose("300 mg")})
    subscribe(database, f"{receiver.origin}/hook", source_id=source_id)
    page = subscribe(database, f"{receiver.origin}/page", page="http://www.example.org/b/")
    deliver().deliver_due()
    assert receiver.received == []
    job = run(SITE_LATER)
    deliver().deliver_due()
    (digest,) = receiver.accepted("/hook")
    data = digest.json["data"]
    assert digest.json["type"] == "digest"
    assert (data["jobId"], data["total"], data["byType"]) == (job.id, 4, {"updated": 3, "new_page": 1})
    assert {change["changeType"] for change in data["changes"][:3]} == {"updated"}
    (of_page,) = receiver.accepted("/page")
    assert [change["page"] for change in of_page.json["data"]["changes"]] == ["https://example.org/b"]
    unsubscribe(database, page.id)
    run(SITE_NOW)
    deliver().deliver_due()
    assert (len(receiver.accepted("/hook")), len(receiver.accepted("/page"))) == (2, 1)
    with database.read() as session:
        assert count_waiting(session) == 0
        assert session.scalar(select(OutboxMessage.id).where(OutboxMessage.delivered_at.is_(None))) is None


def test_a_paused_target_gets_its_messages_later_and_a_private_address_none(
    database: Database, run: Run, receiver: Receiver, deliver: Deliver
) -> None:
    source_id = source_of(run(SITE_NOW))
    made = subscribe(database, f"{receiver.origin}/hook", source_id=source_id)
    with database.write() as session:
        subscriptions.set_paused(session, made.target.name, True)
    run(SITE_LATER)
    assert deliver().deliver_due().delivered == 0
    with database.write() as session:
        subscriptions.set_paused(session, made.target.name, False)
    assert deliver(networks=()).deliver_due().dead == 1
    assert receiver.received == []
    assert "not a public address" in (deliver(networks=()).send_test(made.target.name) or "")
    assert deliver().send_test(made.target.name) is None
    assert receiver.received[0].json["type"] == "test"


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True, scope="session")
def test_apprise_sends_digests_as_text_to_permitted_addresses_only(
    database: Database, run: Run, receiver: Receiver, deliver: Deliver
) -> None:
    source_id = source_of(run(SITE_NOW))
    address = receiver.origin.replace("http://", "json://token@") + "/path"
    subscribe(database, address, source_id=source_id)
    run(SITE_LATER)
    assert deliver(networks=()).deliver_due().dead == 1
    assert receiver.received == []
    with database.write() as session:
        (target,) = subscriptions.list_targets(session)
        (dead,) = outbox.list_dead(session)
        outbox.retry_dead(session, dead.created_at, [dead.id])
    assert target.shown == "json://127.0.0.1"
    assert "not a public address" in (target.last_result or "")
    assert deliver().deliver_due().delivered == 1
    (got,) = receiver.received
    assert got.json["title"] == "Health: 4 changes"
    assert "a dose changed: 200 mg → 400 mg" in got.json["message"]
    assert f"Event id: {dead.event_key}" in got.json["message"]
