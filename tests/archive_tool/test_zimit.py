"""zimit's containers, one attempt at a time."""

import os
import threading
from pathlib import Path

import pytest

from tests.support.docker import OTHER_URL, PAGE_URL, StandIn
from tests.support.waiting import wait_until
from webstrata.archive_tool import container, zimit
from webstrata.archive_tool.arguments import parsed
from webstrata.archive_tool.docker import Docker
from webstrata.archive_tool.engine import Attempt
from webstrata.archive_tool.modes import EarlierRuns, RunMode
from webstrata.archive_tool.zimit import ZimitEngine
from webstrata.archive_tool.zimit_files import Notes, Phase, found_in, held, read_notes, write_notes
from webstrata.errors import StorageError, UsageError, WebstrataError
from webstrata.storage.combined_log import attempt_logs
from webstrata.storage.crawl_state import CrawlState
from webstrata.warc.discovery import discover

ZIM = "trial_2026-11.zim"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "output"


def engine_for(
    folder: Path, *more: str, mode: RunMode = RunMode.FRESH, seeds: tuple[str, ...] = (PAGE_URL,)
) -> ZimitEngine:
    folder.mkdir(exist_ok=True)
    told = ["--engine", "zimit", "--seeds", *seeds, "--name", "trial", "--output-dir", str(folder), *more]
    return ZimitEngine(parsed(told), CrawlState(folder, 1), mode)


def ended(attempt: Attempt) -> int:
    wait_until(lambda: attempt.poll() is not None, "the attempt ends")
    code = attempt.poll()
    assert code is not None
    return code


def wait_for_word(attempt: Attempt, word: str) -> None:
    log = attempt.log_path
    assert log is not None
    wait_until(lambda: log.exists() and word in log.read_text(), f"the container says {word}")


def finished(engine: ZimitEngine) -> int:
    return engine.finish(threading.Event())


def stages(folder: Path) -> list[str]:
    return [attempt.stage for attempt in attempt_logs(folder)]


def config_of(told: list[str]) -> str | None:
    return told[told.index("--config") + 1] if "--config" in told else None


def run_through(folder: Path, *more: str, mode: RunMode = RunMode.FRESH) -> int:
    engine = engine_for(folder, *more, mode=mode)
    return ended(engine.start(1)) or finished(engine)


def test_a_crawl_is_one_docker_command_whose_output_is_its_log(docker: StandIn, folder: Path) -> None:
    engine = engine_for(folder, "--docker-shm-size", "1g", "--", "--pageLimit", "10", seeds=(PAGE_URL, OTHER_URL))
    engine.check()
    attempt = engine.start(2)
    assert ended(attempt) == 0
    expected = (
        f"run --rm -v {folder}:/output --label {engine.label} --shm-size 1g ghcr.io/openzim/zimit zimit --seeds "
        f"{PAGE_URL},{OTHER_URL} --name trial --workers 2 --pageLimit 10 --keep --output /output"
    )
    assert expected in docker.calls
    assert engine_for(folder, "--docker-shm-size", "1g", "--", "--pageLimit", "10").label == engine.label
    assert attempt.log_path is not None
    assert '"message":"Crawl statistics"' in attempt.log_path.read_text()
    assert attempt.log_path.name.startswith("archive_initial_crawl_-_attempt_1_")
    assert finished(engine) == 0
    assert (folder / ZIM).is_file()
    assert stages(folder) == ["initial_crawl"]


def test_a_temporary_folder_is_tracked_as_soon_as_it_is_reported(docker: StandIn, folder: Path) -> None:
    docker.zimit_does('say Output to tempdir: "/output/.tmpquoted"; tempdir abc; wait on')
    attempt = engine_for(folder).start(1)

    def tracked() -> bool:
        attempt.poll()
        return CrawlState(folder, 1).get_temp_dir_paths() == [folder / ".tmpabc"]

    wait_until(tracked, "the folder is tracked")
    docker.let("on")
    assert ended(attempt) == 0


def test_a_temporary_folder_that_a_crash_did_not_tell_of_is_found(docker: StandIn, folder: Path) -> None:
    docker.zimit_does("quietdir abc; warc page; exit 9")
    assert ended(engine_for(folder).start(1)) == 9
    assert CrawlState(folder, 1).get_temp_dir_paths() == [folder / ".tmpabc"]
    assert len(discover(folder).files) == 1


def test_a_limit_that_ended_a_crawl_is_a_success_and_its_zim_is_built_from_its_warcs(
    docker: StandIn, folder: Path
) -> None:
    docker.zimit_does("tempdir abc; warc page; exit 16")
    assert run_through(folder) == 0
    assert stages(folder) == ["initial_crawl", "final_build_from_warcs"]
    assert (folder / ZIM).read_text() == str(folder / ".tmpabc/collections/crawl-1/archive/rec-page-0.warc.gz")


@pytest.mark.parametrize("choice", ["auto", "never"])
def test_earlier_warcs_are_consolidated_unless_no_one_wants_that(docker: StandIn, folder: Path, choice: str) -> None:
    docker.zimit_does("tempdir first; warc page; exit 9", "tempdir second; warc other; zim")
    assert ended(engine_for(folder).start(1)) == 9
    assert found_in(folder) == EarlierRuns(has_warcs=True)
    assert run_through(folder, "--final-build", choice, mode=RunMode.NEW_WITH_CONSOLIDATION) == 0
    if choice == "never":
        assert stages(folder) == ["initial_crawl", "new_crawl_phase"]
        return
    assert stages(folder) == ["initial_crawl", "new_crawl_phase", "final_build_from_warcs"]
    assert [Path(line).name for line in (folder / ZIM).read_text().split()] == [
        "rec-page-0.warc.gz",
        "rec-other-0.warc.gz",
    ]
    assert sorted(path.name for path in folder.glob("*.zim*")) == [ZIM]
    assert not (folder / ".archive_warcs").exists()


def test_a_zim_can_always_be_built_anew(docker: StandIn, folder: Path) -> None:
    assert run_through(folder, "--final-build", "always") == 0
    assert stages(folder) == ["initial_crawl", "final_build_from_warcs"]


def test_a_crawl_goes_on_where_its_newest_resume_file_says(docker: StandIn, folder: Path) -> None:
    docker.zimit_does("tempdir first; warc page; yaml; exit 9", "tempdir second; yaml; exit 9")
    assert ended(engine_for(folder).start(1)) == 9
    assert found_in(folder).can_go_on
    engine = engine_for(folder, mode=RunMode.RESUME)
    assert ended(engine.start(1)) == 9
    assert ended(engine.start(1)) == 0
    saved = "collections/crawl-1/crawls/crawl-1.yaml"
    configs = [config_of(told) for told in docker.begun]
    assert configs == [None, f"/output/.tmpfirst/{saved}", f"/output/.tmpsecond/{saved}"]
    assert stages(folder) == ["initial_crawl", "resume_crawl", "resume_crawl"]


def test_a_resume_file_that_was_put_there_wins_and_learns_what_the_crawler_saves(docker: StandIn, folder: Path) -> None:
    folder.mkdir()
    own = folder / ".zimit_resume.yaml"
    own.write_text("mine: true\n")
    os.utime(own, (1, 1))
    docker.zimit_does("tempdir first; yaml; exit 9")
    assert ended(engine_for(folder, mode=RunMode.RESUME).start(1)) == 9
    assert config_of(docker.begun[0]) == "/output/.zimit_resume.yaml"
    assert "mine" not in own.read_text()
    assert found_in(folder).can_go_on


def test_overwriting_keeps_the_old_zim_until_the_new_one_is_whole_and_every_capture(
    docker: StandIn, folder: Path
) -> None:
    docker.zimit_does("tempdir old; warc page; yaml; zim", "tempdir new; warc other; exit 9")
    assert run_through(folder) == 0
    assert found_in(folder).final_zim == folder / ZIM
    engine = engine_for(folder, "--overwrite", mode=RunMode.OVERWRITE)
    assert engine.command(1)[-4:-2] == ["1", "--keep"]
    assert ended(engine.start(1)) == 9
    assert (folder / f"{ZIM}.previous").is_file()
    assert config_of(docker.begun[1]) is None
    # A retry goes on with the new crawl instead of beginning anew again.
    assert found_in(folder) == EarlierRuns(has_warcs=True, overwrite_is_under_way=True)
    assert run_through(folder, "--overwrite", mode=RunMode.NEW_WITH_CONSOLIDATION) == 0
    assert stages(folder) == ["initial_crawl", "initial_crawl", "new_crawl_phase", "final_build_from_warcs"]
    assert ".tmpold" not in (folder / ZIM).read_text()
    assert [path.name for path in folder.glob("*.zim*")] == [ZIM]
    assert len(discover(folder).files) == 3


def test_a_container_of_a_dead_archive_tool_is_followed_with_its_whole_output(docker: StandIn, folder: Path) -> None:
    docker.zimit_does("tempdir abc; warc page; stats 1 2; wait on; stats 2 2; zim")
    first = engine_for(folder)
    first.start(1)
    docker.wait_for_run(1)
    second = engine_for(folder)
    assert second.went_on()
    attempt = second.start(1)
    docker.wait_for_following()
    docker.let("on")
    assert ended(attempt) == 0
    assert attempt.log_path is not None
    assert attempt.log_path.read_text().count("Crawl statistics") == 2
    assert CrawlState(folder, 1).get_temp_dir_paths() == [folder / ".tmpabc"]
    assert len(docker.begun) == 1
    assert not second.went_on()


def test_docker_logs_that_lingers_after_the_end_delays_nothing(
    docker: StandIn, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(container, "_DRAIN_SECONDS", 0.2)
    docker.zimit_does("stats 1 1; wait on; exit 7")
    docker.let("linger")
    first = engine_for(folder)
    first.start(1)
    docker.wait_for_run(1)
    attempt = engine_for(folder).start(1)
    docker.wait_for_following()
    docker.let("on")
    assert ended(attempt) == 7


def test_a_client_that_lingers_after_its_containers_end_delays_nothing(
    docker: StandIn, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_DRAIN_SECONDS", "_LINGER_SECONDS", "_LOOK_SECONDS"):
        monkeypatch.setattr(container, name, 0.1)
    docker.zimit_does("tempdir abc; warc page; wait on; zim")
    docker.let("linger")
    attempt = engine_for(folder).start(1)
    docker.wait_for_run(1)
    wait_until(lambda: attempt.poll() is None and any(call.startswith("ps") for call in docker.calls[2:]), "it is seen")
    docker.let("on")
    assert ended(attempt) == 0


def test_a_container_that_loses_its_client_is_followed_to_its_end(docker: StandIn, folder: Path) -> None:
    docker.zimit_does("tempdir abc; wait on; stats 2 2; exit 33")
    attempt = engine_for(folder).start(1)
    docker.wait_for_run(1)
    docker.kill_client(docker.running[0])
    wait_until(lambda: attempt.poll() is None and "wait" in [call.split()[0] for call in docker.calls], "it is noticed")
    docker.wait_for_following()
    docker.let("on")
    assert ended(attempt) == 0
    assert attempt.log_path is not None
    assert "Crawl statistics" in attempt.log_path.read_text()


@pytest.mark.parametrize("is_taken_up", [False, True])
def test_an_engine_that_dies_is_our_trouble_and_not_the_sites(docker: StandIn, folder: Path, is_taken_up: bool) -> None:
    docker.zimit_does("stats 1 2; wait on; engine-dies")
    engine = engine_for(folder)
    attempt = engine.start(1)
    docker.wait_for_run(1)
    if is_taken_up:
        engine = engine_for(folder)
        attempt = engine.start(1)
        docker.wait_for_following()
    docker.let("on")
    with pytest.raises(StorageError, match="Docker"):
        ended(attempt)
    with pytest.raises(StorageError, match="does not respond"):
        attempt.stop()
    docker.engine("up")
    assert run_through(folder) == 0


def test_an_engine_that_is_gone_before_a_crawl_is_our_trouble(docker: StandIn, folder: Path) -> None:
    engine = engine_for(folder)
    docker.engine("down")
    with pytest.raises(StorageError, match="Cannot connect to the Docker daemon"):
        engine.check()
    with pytest.raises(StorageError, match="Cannot connect to the Docker daemon"):
        engine.start(1)


def test_what_zimit_does_not_understand_is_not_tried_again(docker: StandIn, folder: Path) -> None:
    docker.zimit_does("say zimit: error: unrecognized arguments: --colour; exit 2")
    attempt = engine_for(folder, "--", "--colour", "red").start(1)
    with pytest.raises(WebstrataError, match=r"exit code 2\): zimit: error: unrecognized arguments: --colour"):
        ended(attempt)
    assert attempt.stop() == 2


def test_a_container_is_asked_to_end_and_its_crawler_saves_how_far_it_is(docker: StandIn, folder: Path) -> None:
    docker.zimit_does("tempdir abc; say ready; wait never")
    attempt = engine_for(folder).start(1)
    wait_for_word(attempt, "ready")
    assert attempt.stop() == 11
    assert attempt.poll() == 11
    assert docker.running == []
    assert found_in(folder).can_go_on


def test_a_container_that_ignores_that_is_killed_after_its_grace(
    docker: StandIn, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(zimit, "_GRACE_SECONDS", 0.2)
    docker.zimit_does("ignore-stop; say ready; wait never")
    attempt = engine_for(folder).start(1)
    wait_for_word(attempt, "ready")
    assert attempt.stop() == 137
    assert docker.running == []


def test_a_client_that_still_pulls_its_image_leaves_no_container(docker: StandIn, folder: Path) -> None:
    docker.let("pulling")
    attempt = engine_for(folder).start(1)
    wait_until(lambda: any(call.startswith("run") for call in docker.calls), "the client is run")
    assert attempt.stop() != 0
    assert docker.begun == []
    assert docker.running == []


def test_a_crawl_that_ended_while_no_one_looked_is_finished_and_not_repeated(docker: StandIn, folder: Path) -> None:
    first = engine_for(folder, "--relax-perms")
    assert ended(first.start(1)) == 0
    assert found_in(folder) == EarlierRuns(can_go_on=True, has_warcs=True)
    (folder / ZIM).chmod(0o600)
    assert run_through(folder, "--relax-perms", mode=RunMode.RESUME) == 0
    assert len(docker.begun) == 1
    assert (folder / ZIM).stat().st_mode & 0o777 == 0o644
    assert found_in(folder).final_zim == folder / ZIM


def test_a_zim_whose_crawl_was_not_seen_to_end_is_overwritten_on_request(docker: StandIn, folder: Path) -> None:
    assert ended(engine_for(folder).start(1)) == 0
    assert run_through(folder, "--overwrite", mode=RunMode.OVERWRITE) == 0
    assert len(docker.begun) == 2
    assert (folder / ZIM).read_text() == f"of {folder / '.tmprun2'}"


def test_a_final_build_that_was_cut_off_is_all_that_is_done_again(docker: StandIn, folder: Path) -> None:
    docker.zimit_does("tempdir abc; warc page; exit 32", "wait never")
    engine = engine_for(folder)
    assert ended(engine.start(1)) == 0
    stopping = threading.Event()

    def stop() -> None:
        docker.wait_for_run(2)
        stopping.set()

    stopper = threading.Thread(target=stop)
    stopper.start()
    assert engine.finish(stopping) == 130
    stopper.join()
    assert docker.running == []
    assert "--warcs" in engine_for(folder).command(1)
    assert run_through(folder, mode=RunMode.RESUME) == 0
    assert stages(folder) == ["initial_crawl", *["final_build_from_warcs"] * 2]
    assert read_notes(folder) == Notes()


def test_a_final_build_of_a_dead_archive_tool_is_taken_up(docker: StandIn, folder: Path) -> None:
    docker.zimit_does("tempdir abc; warc page; exit 32", "wait on; zim")
    first = engine_for(folder)
    assert ended(first.start(1)) == 0
    write_notes(folder, Notes(Phase.BUILD))
    first.start_container("final_build_from_warcs", first.build_arguments([]))
    docker.wait_for_run(2)
    second = engine_for(folder, mode=RunMode.RESUME)
    assert ended(second.start(1)) == 0
    docker.let("on")
    assert finished(second) == 0
    assert len(docker.begun) == 2
    assert (folder / ZIM).is_file()


def test_a_final_build_that_fails_reports_it_and_keeps_the_warcs(docker: StandIn, folder: Path) -> None:
    docker.zimit_does("tempdir abc; warc page; zim", "exit 1")
    engine = engine_for(folder, "--final-build", "always", "--cleanup")
    assert ended(engine.start(1)) == 0
    with pytest.raises(WebstrataError, match=r"building the ZIM failed \(exit code 1, .*same command to try again"):
        finished(engine)
    assert (folder / f"{ZIM}.interim").is_file()
    assert len(discover(folder).files) == 1
    assert found_in(folder) == EarlierRuns(can_go_on=True, has_warcs=True)


def test_cleaning_up_keeps_every_warc_under_a_name_of_its_own(docker: StandIn, folder: Path) -> None:
    docker.zimit_does("tempdir first; warc page; exit 9", "tempdir second; warc page; zim")
    assert ended(engine_for(folder).start(1)) == 9
    assert run_through(folder, "--cleanup", "--final-build", "never", mode=RunMode.NEW_WITH_CONSOLIDATION) == 0
    kept = sorted(path.relative_to(folder).as_posix() for path in folder.glob("warcs/**/*.warc.gz"))
    assert kept == ["warcs/rec-page-0.warc.gz", "warcs/tmpsecond/rec-page-0.warc.gz"]
    assert list(folder.glob(".tmp*")) == []
    assert len(discover(folder).files) == 2
    assert CrawlState(folder, 1).temp_dirs_host_paths == []


def test_what_a_container_wrote_as_root_is_made_ours(
    docker: StandIn, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    us = os.geteuid() or 12345
    refusals = iter([["x: Operation not permitted"], []])
    monkeypatch.setattr(zimit, "relax", lambda _folder: next(refusals))
    monkeypatch.setattr(os, "geteuid", lambda: us)
    assert run_through(folder, "--relax-perms") == 0
    assert (folder / ZIM).stat().st_uid == us
    assert next(refusals, None) is None


def test_two_archive_tools_do_not_work_in_one_folder(tmp_path: Path) -> None:
    with held(tmp_path), pytest.raises(StorageError, match="another archive-tool is running in"), held(tmp_path):
        pytest.fail("both work in it")
    with held(tmp_path):
        assert (tmp_path / ".archive_lock").exists()


@pytest.mark.parametrize(
    ("name", "seed", "message"),
    [("with:colon", PAGE_URL, "contains a colon"), ("plain", "https://example.org/a,b", "contains a comma")],
)
def test_what_docker_or_zimit_would_misunderstand_is_refused(
    docker: StandIn, tmp_path: Path, name: str, seed: str, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        engine_for(tmp_path / name, seeds=(seed,)).check()


def test_notes_that_make_no_sense_count_as_none(folder: Path) -> None:
    folder.mkdir()
    write_notes(folder, Notes(Phase.BUILD, overwriting=True, superseded=("a",)))
    assert read_notes(folder) == Notes(Phase.BUILD, overwriting=True, superseded=("a",))
    file = folder / ".archive_zimit.json"
    file.write_bytes(file.read_bytes()[:-9])
    assert read_notes(folder) == Notes()


def test_the_client_is_looked_for_in_the_path() -> None:
    assert Docker().program == "docker"
