import pytest

from webstrata.model.jobs.cleanup import CleanupMode, may_clean
from webstrata.model.jobs.job import JobStatus

DONE = (JobStatus.INDEXED, JobStatus.INDEX_FAILED)


@pytest.mark.parametrize("status", DONE)
@pytest.mark.parametrize("mode", CleanupMode)
def test_a_job_that_is_done_may_be_cleaned_up(status: JobStatus, mode: CleanupMode) -> None:
    assert may_clean(3, status, mode) is None


@pytest.mark.parametrize("status", sorted(set(JobStatus) - set(DONE)))
@pytest.mark.parametrize("force", [False, True])
def test_a_job_that_is_under_way_may_not_whoever_forces_it(status: JobStatus, force: bool) -> None:
    refusal = may_clean(3, status, CleanupMode.TEMP, force=force)
    assert refusal == f"job 3 is {status}: it can be cleaned up when it is indexed or index_failed"


def test_while_replay_is_enabled_warc_files_go_only_by_force() -> None:
    refusal = may_clean(3, JobStatus.INDEXED, CleanupMode.TEMP, replay_enabled=True)
    assert refusal is not None
    assert "--force" in refusal
    assert may_clean(3, JobStatus.INDEXED, CleanupMode.TEMP, replay_enabled=True, force=True) is None
    assert may_clean(3, JobStatus.INDEXED, CleanupMode.TEMP_NONWARC, replay_enabled=True) is None


def test_replay_is_asked_about_before_the_status() -> None:
    refusal = may_clean(3, JobStatus.RUNNING, CleanupMode.TEMP, replay_enabled=True)
    assert refusal is not None
    assert "replay" in refusal
