"""How a run begins, by what earlier ones left."""

from pathlib import Path

import pytest

from webstrata.archive_tool.modes import EarlierRuns, RunMode, run_mode
from webstrata.archive_tool.supervising import begin
from webstrata.errors import ConflictError
from webstrata.storage.crawl_state import CrawlState

ZIM = Path("/archive/trial.zim")


@pytest.mark.parametrize(
    ("found", "mode"),
    [
        (EarlierRuns(), RunMode.FRESH),
        (EarlierRuns(can_go_on=True), RunMode.RESUME),
        (EarlierRuns(can_go_on=True, has_warcs=True), RunMode.RESUME),
        (EarlierRuns(has_warcs=True), RunMode.NEW_WITH_CONSOLIDATION),
    ],
)
def test_a_run_makes_the_most_of_what_is_there(found: EarlierRuns, mode: RunMode) -> None:
    assert run_mode(found, overwrite=False) is mode


def test_a_zim_is_refused_by_name_unless_it_is_to_be_overwritten() -> None:
    with pytest.raises(ConflictError, match=r"/archive/trial\.zim exists already: --overwrite"):
        run_mode(EarlierRuns(final_zim=ZIM, can_go_on=True, has_warcs=True), overwrite=False)
    assert run_mode(EarlierRuns(final_zim=ZIM), overwrite=True) is RunMode.OVERWRITE


@pytest.mark.parametrize(
    "found", [EarlierRuns(can_go_on=True), EarlierRuns(has_warcs=True), EarlierRuns(final_zim=ZIM)]
)
def test_overwriting_begins_anew_whatever_is_there(found: EarlierRuns) -> None:
    assert run_mode(found, overwrite=True) is RunMode.OVERWRITE


def test_overwriting_nothing_is_a_fresh_run() -> None:
    assert run_mode(EarlierRuns(), overwrite=True) is RunMode.FRESH


def test_an_overwriting_that_was_cut_off_continues_and_does_not_begin_a_second_time() -> None:
    cut_off = EarlierRuns(final_zim=ZIM, can_go_on=True, has_warcs=True, overwrite_is_under_way=True)
    assert run_mode(cut_off, overwrite=True) is RunMode.RESUME


@pytest.mark.parametrize("mode", [RunMode.RESUME, RunMode.NEW_WITH_CONSOLIDATION])
def test_a_run_that_continues_keeps_its_workers_and_what_it_has_spent(tmp_path: Path, mode: RunMode) -> None:
    spent(tmp_path)
    begin(CrawlState(tmp_path, 8), mode, 8, overwrite=False)
    again = CrawlState(tmp_path, 8)
    assert (again.current_workers, again.initial_workers) == (2, 4)
    assert (again.worker_reductions_done, again.vpn_rotations_done, again.overwrite_is_under_way) == (1, 3, False)


def test_a_run_that_overwrites_begins_with_its_own_workers_and_limits(tmp_path: Path) -> None:
    spent(tmp_path)
    begin(CrawlState(tmp_path, 8), RunMode.OVERWRITE, 8, overwrite=True)
    again = CrawlState(tmp_path, 1)
    assert (again.current_workers, again.initial_workers) == (8, 8)
    assert (again.worker_reductions_done, again.vpn_rotations_done, again.overwrite_is_under_way) == (0, 0, True)


def test_a_fresh_run_that_is_to_overwrite_is_not_begun_a_second_time_when_it_is_cut_off(tmp_path: Path) -> None:
    begin(CrawlState(tmp_path, 8), RunMode.FRESH, 8, overwrite=True)
    assert CrawlState(tmp_path, 1).overwrite_is_under_way


def spent(folder: Path) -> None:
    state = CrawlState(folder, 4)
    state.current_workers, state.worker_reductions_done, state.vpn_rotations_done = 2, 1, 3
    state.save()
