"""`archive-tool --dry-run`: what it says, and that nothing has changed afterwards."""

from pathlib import Path

import pytest

from webstrata.archive_tool.cli import run
from webstrata.logs import HIDDEN

SEEDS = ["--seeds", "https://me:s3cret@example.org/", "https://example.org/fr", "--name", "trial"]
WATCHED = ["--enable-monitoring", "--stall-timeout-minutes", "7", "--backoff-delay-minutes", "0"]
ROTATED = ["--enable-vpn-rotation", "--vpn-connect-command", "vpn --key s3cret", "--max-vpn-rotations", "2"]
REDUCED = ["--enable-adaptive-workers", "--min-workers", "2"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is not there, of an archive that is not, on a machine without Docker."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WEBSTRATA_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.delenv("WEBSTRATA_DATABASE_URL", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    return tmp_path / "data" / "archive" / "one"


def said(capsys: pytest.CaptureFixture[str], folder: Path, *flags: str) -> str:
    """Return what a dry run prints, which succeeds, tells no secret and leaves nothing behind."""
    assert run([*SEEDS, "--dry-run", "--output-dir", str(folder), *flags]) == 0
    printed = capsys.readouterr()
    assert "s3cret" not in printed.out + printed.err
    assert not (folder.parent.parent).exists()
    return printed.out


def test_the_built_in_crawler_reports_its_mode_workers_and_command(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = said(capsys, folder, "--initial-workers", "3").splitlines()
    assert shown[0] == f"would crawl https://me:{HIDDEN}@example.org/, https://example.org/fr as 'trial' into {folder}"
    assert shown[1:5] == ["job:      a new one", "engine:   native", "mode:     fresh", "workers:  3"]
    assert shown[5] == "watched:  no"
    assert shown[6].startswith("command:  ")
    assert shown[6].endswith(f"--name trial --output-dir {folder} --workers-now 3 --tied")


def test_the_limits_of_a_watched_crawl_are_reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = said(capsys, folder, *WATCHED, *ROTATED, *REDUCED)
    for line in (
        "watched:  every 30 s",
        "stall:    7 min without a new page",
        "errors:   10 of kind timeout, 10 of kind http",
        "fewer:    never below 2, at most 3 times fewer",
        "VPN:      at most 2 times, not within 60 min",
        "rest:     0 s",
    ):
        assert line in shown.splitlines()


def test_what_has_no_effect_is_reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "no effect: --min-workers" in said(capsys, folder, "--min-workers", "2").splitlines()


def test_zimit_reports_the_command_of_its_container_without_any_docker(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    zimit = ("--engine", "zimit", "--docker-image", "zimit:2", "--docker-shm-size", "1g", "--", "--password", "s3cret")
    *_, workers, _, command, here = said(capsys, folder, *zimit).splitlines()
    assert workers == "workers:  1"
    assert f"docker run --rm -v {folder}:/output --label archive_job=trial-" in command
    assert "--shm-size 1g zimit:2 zimit --seeds " in command
    assert command.endswith(f"--name trial --workers 1 --password '{HIDDEN}' --keep --output /output")
    assert here.startswith("but not here: ")


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        (["--job-id", "7"], "there is no job 7"),
        (["--output-dir", "/elsewhere/one"], "/elsewhere/one is not in the archive root"),
        (["--engine", "zimit", "--output-dir", "{zim}"], "trial.zim exists already: --overwrite"),
    ],
)
def test_what_would_be_refused_is_refused(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], flags: list[str], reason: str
) -> None:
    whole = tmp_path / "whole"
    whole.mkdir()
    (whole / "trial.zim").write_bytes(b"ZIM")
    told = [flag.replace("{zim}", str(whole)) for flag in flags]
    assert run([*SEEDS, "--output-dir", str(folder), *told, "--dry-run"]) == 1
    errors = capsys.readouterr().err
    assert errors.startswith("archive-tool: ")
    assert reason in errors
    assert errors.count("\n") == 1
    assert [path.name for path in whole.iterdir()] == ["trial.zim"]
