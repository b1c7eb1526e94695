import ast
import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tools import assets, environment, replay_assets
from tools.console import ROOT, SetupError, run
from tools.system_packages import BROWSER, REDIS, Program, advice, find

AS_PYTHON_3_10 = """
import runpy, sys
sys.version_info = (3, 10, 4)
runpy.run_module("tools.setup", run_name="__main__")
"""


def test_an_older_python_is_refused_in_one_line() -> None:
    result = subprocess.run(
        [sys.executable, "-c", AS_PYTHON_3_10], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    assert result.stderr.splitlines() == [
        "Webstrata needs Python 3.11 or newer, this is 3.10. Name another: make PYTHON=python3.12 ..."
    ]


def test_an_older_python_can_read_the_refusal() -> None:
    source = (ROOT / "tools" / "__init__.py").read_text(encoding="utf-8")
    ast.parse(source, feature_version=(3, 7))


@pytest.mark.parametrize(
    ("platform", "has_apt", "said"),
    [
        ("linux", True, "sudo apt-get install redis-server chromium-headless-shell"),
        ("linux", False, "your system's package manager"),
        ("darwin", False, "brew install redis; brew install --cask chromium"),
    ],
)
def test_a_missing_program_is_named_with_what_to_install(platform: str, has_apt: bool, said: str) -> None:
    line = advice([REDIS, BROWSER], platform, has_apt=has_apt)
    assert line.startswith("Missing: redis-server and chromium-headless-shell. ")
    assert said in line
    assert "\n" not in line


def test_a_program_is_found_under_any_of_its_names() -> None:
    assert find(Program(("no-such-program", "sh"), debian="dash", macos="dash")) is not None
    assert find(Program(("no-such-program",), debian="none", macos="none")) is None


def test_a_failing_command_is_reported_with_its_messages_before_the_line_that_matters() -> None:
    with pytest.raises(SetupError) as caught:
        run(["sh", "-c", "echo the reason; exit 3"], "It failed.")
    assert str(caught.value) == "It failed."
    assert caught.value.full.split() == ["the", "reason", "It", "failed."]


def test_a_working_command_is_silent(capfd: pytest.CaptureFixture[str]) -> None:
    run(["sh", "-c", "echo noise; echo noise >&2"], "It failed.")
    assert capfd.readouterr() == ("", "")


def test_an_asset_with_other_content_is_refused(tmp_path: Path) -> None:
    wheel = tmp_path / "assets.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for asset in assets.ASSETS:
            archive.writestr(asset.member, "alert('not htmx')")
    with pytest.raises(SetupError, match=r"htmx-2\.min\.js in assets\.whl is not the file"):
        assets.unpack(wheel, tmp_path / "vendor")
    assert list((tmp_path / "vendor").iterdir()) == []


def test_another_package_than_the_pinned_one_is_refused(tmp_path: Path) -> None:
    package = tmp_path / "wabac.tgz"
    package.write_bytes(b"not wabac.js")
    with pytest.raises(SetupError, match=r"wabac\.tgz is not the package that tools/replay_assets\.py pins"):
        replay_assets.unpack(package, tmp_path / "vendor")
    assert list((tmp_path / "vendor").iterdir()) == []


def test_sources_are_compiled_even_where_python_writes_no_bytecode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)
    (tmp_path / "fine.py").write_text("x = 1\n")
    (tmp_path / "broken.py").write_text("x =\n")
    environment.compile_sources(tmp_path)
    assert [file.name.partition(".")[0] for file in (tmp_path / "__pycache__").iterdir()] == ["fine"]


@pytest.mark.parametrize("asset", assets.ASSETS, ids=lambda asset: asset.name)
def test_the_fetched_assets_are_the_ones_we_know(asset: assets.Asset) -> None:
    assert hashlib.sha256((assets.VENDOR / asset.name).read_bytes()).hexdigest() == asset.sha256


@pytest.mark.parametrize("asset", replay_assets.ASSETS, ids=lambda asset: asset.name)
def test_wabac_is_the_version_we_know_and_unmodified(asset: replay_assets.ReplayAsset) -> None:
    assert hashlib.sha256((replay_assets.VENDOR / asset.name).read_bytes()).hexdigest() == asset.sha256
