"""Admin API of notifications: targets, subscriptions and dead letters."""

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Response

from webstrata.api.notifications.notification_schemas import (
    AddedSubscriptionSchema,
    AddedTargetSchema,
    DeadLetterSchema,
    DeadLettersSchema,
    NewSubscriptionSchema,
    NewTargetSchema,
    NotificationsSchema,
    RetriedSchema,
    RetrySchema,
    SigningSecretSchema,
    SubscriptionSchema,
    TargetSchema,
    TargetStateSchema,
    TestResultSchema,
)
from webstrata.api.present import timestamp
from webstrata.db.notifications import announcing, outbox, subscriptions
from webstrata.db.notifications.outbox import DeadLetter
from webstrata.http.audit_trail import ActingParts
from webstrata.http.auth import ADMIN_RESPONSES, require_admin
from webstrata.http.dependencies import Limit, Parts, RowId
from webstrata.http.error_schemas import ErrorSchema
from webstrata.http.headers import ADMIN_PATH
from webstrata.http.same_origin import refuse_other_sites
from webstrata.model.notifications.values import Subscription, Target
from webstrata.notifications import subscribing
from webstrata.notifications.backup import write_notifications
from webstrata.notifications.subscribing import SubjectRequest

_Responses = dict[int | str, dict[str, Any]]
_UNFIT: _Responses = {code: {"model": ErrorSchema} for code in (404, 409, 501)}
_UNKNOWN: _Responses = {404: {"model": ErrorSchema}}
_OURS = [Depends(refuse_other_sites)]

TargetId = Annotated[int, RowId, Path(description="A target's number.")]
SubscriptionId = Annotated[int, RowId, Path(description="A subscription's number.")]

router = APIRouter(
    prefix=f"{ADMIN_PATH}/notifications",
    tags=["notifications"],
    dependencies=[Depends(require_admin)],
    responses=ADMIN_RESPONSES,
)


@router.get("")
def notifications(app: Parts) -> NotificationsSchema:
    """List targets and subscriptions, and count the messages that wait or were given up."""
    with app.database.read() as session:
        return NotificationsSchema(
            targets=[_target(target) for target in subscriptions.list_targets(session)],
            subscriptions=[_subscription(one) for one in subscriptions.list_subscriptions(session)],
            waiting=announcing.count_waiting(session),
            deadLetters=outbox.count_dead(session),
        )


@router.post("/targets", status_code=201, dependencies=_OURS, responses=_UNFIT)
def add_target(app: ActingParts, new: NewTargetSchema) -> AddedTargetSchema:
    """Add a target; for a webhook, the signing secret is returned only now."""
    target, secret = subscribing.add_target(app.database, new.address, new.name, guard=app.notification_guard())
    write_notifications(app.database, app.archive_root)
    return AddedTargetSchema(target=_target(target), signingSecret=secret)


@router.patch("/targets/{target_id}", dependencies=_OURS, responses=_UNKNOWN)
def set_paused(app: ActingParts, target_id: TargetId, state: TargetStateSchema) -> TargetSchema:
    """Pause or resume the deliveries to a target; its messages wait meanwhile."""
    with app.database.write() as session:
        target = subscriptions.set_paused(session, str(target_id), state.paused)
    write_notifications(app.database, app.archive_root)
    return _target(target)


@router.post("/targets/{target_id}/secret", dependencies=_OURS, responses=_UNFIT)
def replace_secret(app: ActingParts, target_id: TargetId) -> SigningSecretSchema:
    """Give a webhook a new signing secret; it is returned only now."""
    secret = subscribing.new_signing_secret(app.database, str(target_id))
    write_notifications(app.database, app.archive_root)
    return SigningSecretSchema(signingSecret=secret)


@router.post("/targets/{target_id}/test", dependencies=_OURS, responses=_UNKNOWN)
def send_test(app: ActingParts, target_id: TargetId) -> TestResultSchema:
    """Send a test message to a target now."""
    error = app.delivery().send_test(str(target_id))
    return TestResultSchema(delivered=error is None, error=error)


@router.delete("/targets/{target_id}", status_code=204, dependencies=_OURS, responses=_UNKNOWN)
def remove_target(app: ActingParts, target_id: TargetId) -> Response:
    """Remove a target with its subscriptions and their messages."""
    with app.database.write() as session:
        subscriptions.remove_target(session, str(target_id))
    write_notifications(app.database, app.archive_root)
    return Response(status_code=204)


@router.post("/subscriptions", status_code=201, dependencies=_OURS, responses=_UNFIT)
def subscribe(app: ActingParts, new: NewSubscriptionSchema) -> AddedSubscriptionSchema:
    """Notify a target of changes from now on; an address that is new becomes a target."""
    made = subscribing.subscribe_to(
        app.database,
        app.archive_root,
        new.target,
        SubjectRequest(new.source, new.page, new.watchId, new.savedSearch),
        guard=app.notification_guard(),
        min_significance=new.minSignificance if "minSignificance" in new.model_fields_set else None,
        digest=new.digest,
    )
    return AddedSubscriptionSchema(subscription=_subscription(made), signingSecret=made.signing_secret)


@router.delete("/subscriptions/{subscription_id}", status_code=204, dependencies=_OURS, responses=_UNKNOWN)
def unsubscribe(app: ActingParts, subscription_id: SubscriptionId) -> Response:
    """Remove a subscription with its messages that are not delivered yet."""
    subscribing.unsubscribe(app.database, subscription_id)
    write_notifications(app.database, app.archive_root)
    return Response(status_code=204)


@router.get("/dead-letters")
def dead_letters(app: Parts, limit: Limit = 200) -> DeadLettersSchema:
    """List the messages that could not be delivered, newest first."""
    with app.database.read() as session:
        found, total = outbox.list_dead(session, limit=limit), outbox.count_dead(session)
    return DeadLettersSchema(total=total, items=[_dead_letter(letter) for letter in found])


@router.post("/dead-letters/retry", dependencies=_OURS, responses=_UNKNOWN)
def retry_dead_letters(app: ActingParts, which: RetrySchema) -> RetriedSchema:
    """Queue dead letters, all or some, for another delivery."""
    ids = None if which.ids is None else [number if 0 < number < 2**63 else 0 for number in which.ids]
    with app.database.write() as session:
        return RetriedSchema(retried=outbox.retry_dead(session, datetime.now(UTC), ids))


def _target(target: Target) -> TargetSchema:
    return TargetSchema(
        id=target.id,
        name=target.name,
        kind=target.kind.value,
        address=target.shown,
        paused=target.paused,
        createdAt=timestamp(target.created_at),
        lastResult=target.last_result,
        lastResultAt=timestamp(target.last_result_at) if target.last_result_at else None,
    )


def _subscription(one: Subscription) -> SubscriptionSchema:
    return SubscriptionSchema(
        id=one.id,
        targetId=one.target.id,
        targetName=one.target.name,
        source=one.source_code,
        page=one.subject.page,
        watchId=one.subject.watch_id,
        savedSearchId=one.subject.saved_search_id,
        minSignificance=one.min_significance,
        digest=one.digest,
        createdAt=timestamp(one.created_at),
    )


def _dead_letter(letter: DeadLetter) -> DeadLetterSchema:
    return DeadLetterSchema(
        id=letter.id,
        subscriptionId=letter.subscription_id,
        targetName=letter.target_name,
        eventId=letter.event_key,
        title=letter.title,
        createdAt=timestamp(letter.created_at),
        deadAt=timestamp(letter.dead_at),
        attempts=letter.attempts,
        lastError=letter.last_error,
    )
