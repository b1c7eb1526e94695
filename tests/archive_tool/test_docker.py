"""The Docker client, and what becomes of its refusals."""

from pathlib import Path

import pytest

from tests.support.docker import StandIn
from tests.support.waiting import wait_until
from webstrata.archive_tool.docker import Container, Docker, exit_code_in, last_line
from webstrata.errors import StorageError

LABEL = "archive_job=trial-1"


def begin(docker: StandIn, output: Path, label: str = LABEL) -> str:
    before = set(docker.running)
    run = ["run", "--rm", "-v", f"{output}:/output", "--label", label, "image", "zimit", "--name", "trial"]
    Docker().start(run)
    wait_until(lambda: set(docker.running) > before, "a container runs")
    return next(iter(set(docker.running) - before))


def test_a_client_with_an_engine_is_docker(docker: StandIn) -> None:
    Docker().check()
    assert docker.calls == ["version --format {{.Server.Version}}"]


def test_without_docker_the_error_shows_what_to_do() -> None:
    with pytest.raises(StorageError, match=r"no-docker-here was not found: install Docker; .*--engine native"):
        Docker("no-docker-here").check()


def test_a_client_without_an_engine_is_no_docker(docker: StandIn) -> None:
    docker.engine("down")
    with pytest.raises(StorageError, match=r"does not respond \(Cannot connect to the Docker daemon.*start it"):
        Docker().check()


def test_an_engine_that_hangs_is_not_waited_for_for_ever(docker: StandIn) -> None:
    docker.engine("hung")
    with pytest.raises(StorageError, match=r"docker version did not respond in 0\.2 s"):
        Docker(patience_seconds=0.2).check()


def test_something_that_cannot_be_run_is_no_docker(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="Permission denied"):
        Docker(str(tmp_path)).check()


def test_containers_are_found_by_their_label_and_ended(docker: StandIn, tmp_path: Path) -> None:
    docker.zimit_does("wait never", "wait never")
    ours, other = begin(docker, tmp_path), begin(docker, tmp_path, "archive_job=other-2")
    client = Docker()
    assert client.containers(LABEL) == [Container(ours, "running")]
    assert client.running(LABEL) == [ours]
    waiting = client.waiting(ours)
    wait_until(lambda: "wait" in docker.following, "somebody waits for its end")
    client.stop(ours, 5)
    assert exit_code_in(waiting.communicate(timeout=10)[0].decode()) == 3
    assert client.running(LABEL) == []
    client.stop(ours, 5)
    client.remove(other)
    client.remove(other)
    assert docker.running == []


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("docker: Error response from daemon: pull access denied.\nSee 'docker run --help'.\n", "pull access denied."),
        ("one\n\ntwo\n\n", "two"),
        ("", "it says nothing"),
        ("a\x1b[31mb", r"a\\x1b\[31mb"),
    ],
)
def test_the_last_line_of_dockers_output_that_is_not_empty_is_reported(said: str, shown: str) -> None:
    assert shown.replace("\\\\", "\\").replace("\\[", "[") in last_line(said)


@pytest.mark.parametrize(
    ("said", "code"), [("137\n", 137), ("WARNING: old client\n0\n", 0), ("", None), ("oops", None)]
)
def test_an_exit_code_is_what_docker_wait_printed(said: str, code: int | None) -> None:
    assert exit_code_in(said) == code
