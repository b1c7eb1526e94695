"""When a crawl is in trouble, and what is done about it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.errors import OptionsError
from webstrata.model.crawl.monitoring import (
    BACKOFFS_WITHOUT_PROGRESS,
    Decision,
    MonitorLimits,
    RecoveryAction,
    RecoveryCounts,
    Symptom,
    Trouble,
    Vitals,
    VpnCommand,
    crash_symptom,
    decided,
    find_trouble,
)

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
LIMITS = MonitorLimits()
ALL = replace(LIMITS, adaptive_workers=True, vpn=VpnCommand("vpn connect"))
STALL = Symptom(Trouble.STALL, "no page more")
HALF_AN_HOUR = timedelta(minutes=30)


def answers(limits: MonitorLimits, workers: int, every: timedelta) -> list[Decision]:
    """Return what is decided, trouble after trouble without a page in between, until the crawl is given up."""
    found: list[Decision] = []
    spent = RecoveryCounts()
    while not found or found[-1].action is not RecoveryAction.GIVE_UP:
        assert len(found) < 1_000, "it is never given up"
        found.append(decided(STALL, workers, spent, limits, NOW + len(found) * every))
        workers, spent = found[-1].workers, after(spent, found[-1])
    return found


def after(spent: RecoveryCounts, decision: Decision) -> RecoveryCounts:
    rotated = decision.action is RecoveryAction.ROTATE_VPN
    return RecoveryCounts(
        worker_reductions=spent.worker_reductions + (decision.action is RecoveryAction.FEWER_WORKERS),
        vpn_rotations=spent.vpn_rotations + rotated,
        last_vpn_rotation_at=decision.at if rotated else spent.last_vpn_rotation_at,
        restarts=spent.restarts + (decision.action is RecoveryAction.RESTART),
        backoffs=spent.backoffs + (decision.action is RecoveryAction.BACK_OFF),
    )


def test_recovery_actions_come_in_their_order_until_the_crawl_is_given_up() -> None:
    found = answers(replace(ALL, max_vpn_rotations=1), 8, HALF_AN_HOUR)
    assert [(d.action, d.workers) for d in found] == [
        (RecoveryAction.FEWER_WORKERS, 4),
        (RecoveryAction.FEWER_WORKERS, 2),
        (RecoveryAction.FEWER_WORKERS, 1),
        (RecoveryAction.ROTATE_VPN, 1),
        (RecoveryAction.RESTART, 1),
        (RecoveryAction.BACK_OFF, 1),
        (RecoveryAction.BACK_OFF, 1),
        (RecoveryAction.BACK_OFF, 1),
        (RecoveryAction.GIVE_UP, 1),
    ]
    assert [d.wait for d in found if d.wait] == [timedelta(minutes=5)] * 3


def test_without_adaptive_workers_and_vpn_a_crawl_is_begun_again_once_and_rests_three_times() -> None:
    found = [decision.action for decision in answers(LIMITS, 8, HALF_AN_HOUR)]
    assert found == [RecoveryAction.RESTART, *[RecoveryAction.BACK_OFF] * 3, RecoveryAction.GIVE_UP]


def test_a_limit_of_none_means_never() -> None:
    found = answers(replace(ALL, max_worker_reductions=0, max_vpn_rotations=0), 8, HALF_AN_HOUR)
    assert found[0].action is RecoveryAction.RESTART
    assert {decision.workers for decision in found} == {8}


def test_the_vpn_is_not_changed_more_often_than_its_frequency() -> None:
    limits = replace(ALL, adaptive_workers=False, vpn_rotation_frequency=timedelta(minutes=60))
    found = [decision.action for decision in answers(limits, 1, HALF_AN_HOUR)]
    assert found[:5] == [
        RecoveryAction.ROTATE_VPN,
        RecoveryAction.RESTART,
        RecoveryAction.ROTATE_VPN,
        RecoveryAction.BACK_OFF,
        RecoveryAction.ROTATE_VPN,
    ]
    assert found.count(RecoveryAction.ROTATE_VPN) == 3


def test_a_rotation_that_a_wrong_clock_put_into_the_future_does_not_forbid_all_others() -> None:
    spent = RecoveryCounts(vpn_rotations=1, last_vpn_rotation_at=NOW + timedelta(days=365))
    assert decided(STALL, 1, spent, ALL, NOW).action is RecoveryAction.ROTATE_VPN


def test_more_workers_than_there_are_is_no_recovery_action() -> None:
    assert decided(STALL, 2, RecoveryCounts(), replace(ALL, min_workers=4), NOW).action is RecoveryAction.ROTATE_VPN
    fewer = decided(STALL, 5, RecoveryCounts(), replace(ALL, min_workers=4), NOW)
    assert (fewer.action, fewer.workers) == (RecoveryAction.FEWER_WORKERS, 4)


SOME_LIMITS = st.builds(
    MonitorLimits,
    adaptive_workers=st.booleans(),
    min_workers=st.integers(1, 20),
    max_worker_reductions=st.integers(0, 10),
    vpn=st.sampled_from([None, VpnCommand("vpn")]),
    max_vpn_rotations=st.integers(0, 10),
    vpn_rotation_frequency=st.sampled_from([timedelta(0), timedelta(minutes=60)]),
    backoff_delay=st.sampled_from([timedelta(0), timedelta(minutes=5)]),
)


@given(SOME_LIMITS, st.integers(1, 256), st.integers(1, 90))
def test_no_limit_is_ever_exceeded_and_a_crawl_without_progress_is_always_given_up(
    limits: MonitorLimits, workers: int, minutes: int
) -> None:
    found = answers(limits, workers, timedelta(minutes=minutes))
    kinds = [decision.action for decision in found]
    assert kinds.count(RecoveryAction.FEWER_WORKERS) <= (limits.max_worker_reductions if limits.adaptive_workers else 0)
    assert kinds.count(RecoveryAction.ROTATE_VPN) <= (limits.max_vpn_rotations if limits.vpn else 0)
    assert kinds.count(RecoveryAction.RESTART) == 1
    assert kinds.count(RecoveryAction.BACK_OFF) == BACKOFFS_WITHOUT_PROGRESS
    assert min(decision.workers for decision in found) >= min(workers, limits.min_workers)
    rotations = [decision.at for decision in found if decision.action is RecoveryAction.ROTATE_VPN]
    gaps = [later - earlier for earlier, later in pairwise(rotations)]
    assert all(gap >= limits.vpn_rotation_frequency for gap in gaps)


def test_a_crawl_whose_pages_do_not_become_more_for_the_stall_timeout_is_stalled() -> None:
    assert find_trouble(Vitals(crawled=7), timedelta(minutes=29, seconds=59), LIMITS) is None
    assert find_trouble(Vitals(crawled=7), HALF_AN_HOUR, LIMITS) == Symptom(
        Trouble.STALL, "no page more than the 7 so far for 30 minutes"
    )


def test_a_crawl_that_reports_no_statistics_at_all_for_that_long_is_stalled_too() -> None:
    assert find_trouble(Vitals(), timedelta(minutes=29), LIMITS) is None
    found = find_trouble(Vitals(), HALF_AN_HOUR, LIMITS)
    assert found == Symptom(Trouble.NO_STATISTICS, "no statistics at all for 30 minutes")


def test_a_crawl_that_makes_its_zim_is_not_stalled_however_long_that_takes() -> None:
    assert find_trouble(Vitals(crawled=7, is_past_crawling=True), timedelta(days=2), LIMITS) is None


@pytest.mark.parametrize(("kind", "words"), [("timeout", "timeouts"), ("http", "HTTP or network errors")])
def test_as_many_errors_of_a_kind_as_its_threshold_are_trouble(kind: str, words: str) -> None:
    assert find_trouble(Vitals(crawled=7, errors={kind: 9}), timedelta(0), LIMITS) is None
    found = find_trouble(Vitals(crawled=7, errors={kind: 10}), timedelta(0), LIMITS)
    assert found == Symptom(Trouble(kind), f"10 {words} since the last page that went well")


def test_errors_of_two_kinds_are_not_added_up() -> None:
    assert find_trouble(Vitals(crawled=7, errors={"http": 9, "timeout": 9}), timedelta(0), LIMITS) is None


def test_a_crash_reports_its_exit_code_or_its_signal() -> None:
    assert crash_symptom(3) == Symptom(Trouble.CRASHED, "the crawl ended with exit code 3")
    assert crash_symptom(-9).reason == "the crawl was killed by signal 9"


def test_a_decision_is_kept_as_plain_values() -> None:
    decision = Decision(NOW, Trouble.HTTP, "r" * 1000, RecoveryAction.BACK_OFF, 2, timedelta(minutes=5))
    assert decision.to_json() == {
        "at": "2026-05-01T12:00:00+00:00",
        "trouble": "http",
        "reason": "r" * 500,
        "answer": "back_off",
        "workers": 2,
        "wait": 300,
    }


def test_the_vpn_command_is_split_as_a_shell_would_and_never_shown() -> None:
    command = VpnCommand("vpn connect --token 's3cr3t word'")
    assert command.words() == ["vpn", "connect", "--token", "s3cr3t word"]
    assert "s3cr3t" not in repr(replace(LIMITS, vpn=command))


@pytest.mark.parametrize("text", ["vpn 's3cr3t", "", "   "])
def test_a_vpn_command_that_cannot_be_read_is_refused_without_being_shown(text: str) -> None:
    with pytest.raises(OptionsError, match="the VPN's command") as refused:
        VpnCommand(text).words()
    assert "s3cr3t" not in str(refused.value)
