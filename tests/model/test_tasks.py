from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.errors import BlockedAddressError, FetchError, TransientFetchError
from webstrata.model.crawl.tasks import RetryPolicy, Task, TaskStatus, TaskType, after_failure

NOW = datetime(2026, 1, 1, tzinfo=UTC)
POLICY = RetryPolicy(max_retries=3, backoff_min=1.0, backoff_max=60.0, backoff_multiplier=2.0, jitter=0.25)
LATER = TransientFetchError("the server answered 503")
NEVER = FetchError("not HTTP")

policies = st.builds(
    RetryPolicy,
    max_retries=st.integers(0, 100),
    backoff_min=st.floats(0, 86_400),
    backoff_max=st.floats(0, 86_400),
    backoff_multiplier=st.floats(1, 100),
    jitter=st.floats(0, 1),
)


def task(attempts: int = 0) -> Task:
    return Task(1, "https://example.org/", 0, TaskType.PAGE, attempts, lease_token="token")


@pytest.mark.parametrize(
    ("max_retries", "attempts", "error", "status"),
    [
        (3, 0, LATER, TaskStatus.PENDING),
        (3, 1, LATER, TaskStatus.PENDING),
        (3, 2, LATER, TaskStatus.ERROR),
        (3, 7, LATER, TaskStatus.ERROR),
        (1, 0, LATER, TaskStatus.ERROR),
        (0, 0, LATER, TaskStatus.ERROR),
        (2, 0, LATER, TaskStatus.PENDING),
        (3, 0, NEVER, TaskStatus.ERROR),
        (3, 0, BlockedAddressError("127.0.0.1"), TaskStatus.ERROR),
    ],
)
def test_a_failed_task_waits_or_is_given_up(
    max_retries: int, attempts: int, error: FetchError, status: TaskStatus
) -> None:
    policy = RetryPolicy(max_retries, 1.0, 60.0, 2.0, 0.25)
    after = after_failure(task(attempts), error, policy, NOW, chance=0)
    assert after.status is status
    assert after.attempts == attempts + 1
    assert after.last_error == str(error)
    assert (after.next_run_at is not None) == (status is TaskStatus.PENDING)
    assert after.lease_token == "token"


@pytest.mark.parametrize(("attempts", "seconds"), [(0, 1), (1, 2), (2, 4), (3, 8), (6, 60), (50, 60)])
def test_each_wait_is_longer_than_the_one_before_up_to_the_limit(attempts: int, seconds: float) -> None:
    patient = RetryPolicy(100, 1.0, 60.0, 2.0, 0.25)
    assert after_failure(task(attempts), LATER, patient, NOW, chance=0).next_run_at == NOW + timedelta(seconds=seconds)


@pytest.mark.parametrize(("jitter", "longest"), [(0, 2), (0.25, 2.5), (1, 4)])
def test_chance_adds_up_to_the_jitter(jitter: float, longest: float) -> None:
    policy = replace(POLICY, jitter=jitter)
    assert policy.backoff(2, chance=0) == timedelta(seconds=2)
    assert policy.backoff(2, chance=1) == timedelta(seconds=longest)


def test_the_servers_own_wish_counts_when_it_is_longer() -> None:
    longer, shorter = (TransientFetchError("503", timedelta(seconds=s)) for s in (30, 0.5))
    assert after_failure(task(), longer, POLICY, NOW, 0).next_run_at == NOW + timedelta(seconds=30)
    assert after_failure(task(), shorter, POLICY, NOW, 0).next_run_at == NOW + timedelta(seconds=1)


@given(policies, st.integers(0, 101), st.floats(0, 1))
def test_every_allowed_policy_ends_and_never_waits_longer_than_it_says(
    policy: RetryPolicy, attempts: int, chance: float
) -> None:
    after = after_failure(task(attempts), LATER, policy, NOW, chance)
    assert (after.status is TaskStatus.ERROR) == (attempts + 1 >= max(1, policy.max_retries))
    if after.next_run_at is not None:
        assert NOW <= after.next_run_at <= NOW + timedelta(seconds=policy.backoff_max * (1 + policy.jitter) + 0.001)
