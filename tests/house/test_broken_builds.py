"""A build that is broken must fail: each rule is broken once, in a copy of the tree, and the tool must say so."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.console import ROOT

pytestmark = pytest.mark.soak
COPIED = ("pyproject.toml", "Makefile", "src")
UNUSED_IMPORT = '"""Broken on purpose."""\n\nimport os\n'
UNFORMATTED = '"""Broken on purpose."""\n\nNUMBERS = [1,2]\n'
WRONG_TYPE = '"""Broken on purpose."""\n\nNUMBER: int = "seven"\n'
UPWARD_IMPORT = '"""Broken on purpose."""\n\nfrom webstrata.db import engine\n\n__all__ = ["engine"]\n'
SQL_IN_A_STAGE = '"""Broken on purpose."""\n\nimport sqlalchemy\n\n__all__ = ["sqlalchemy"]\n'
KNOB_IN_A_STAGE = '"""Broken on purpose."""\n\nfrom webstrata import settings\n\n__all__ = ["settings"]\n'


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the sources."""
    for name in COPIED:
        source = ROOT / name
        shutil.copytree(source, tmp_path / name) if source.is_dir() else shutil.copy(source, tmp_path)
    return tmp_path


def check(tree: Path, tool: str, *arguments: str) -> tuple[int, str]:
    """Run a tool on the copy; PYTHONPATH puts the copy before the tree that is installed."""
    result = subprocess.run(
        [Path(sys.executable).parent / tool, *arguments],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree / "src"), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    return result.returncode, result.stdout + result.stderr


TOOLS = {
    "style": ("ruff", "check", "."),
    "format": ("ruff", "format", "--check", "."),
    "types": ("mypy", "src"),
    "imports": ("lint-imports", "--no-cache", "--no-logo"),
}


@pytest.mark.parametrize("tool", TOOLS)
def test_the_tree_as_it_is_passes(tree: Path, tool: str) -> None:
    status, output = check(tree, *TOOLS[tool])
    assert status == 0, output


@pytest.mark.parametrize(
    ("tool", "file", "content", "said"),
    [
        ("style", "model/broken.py", UNUSED_IMPORT, "`os` imported but unused"),
        ("format", "model/broken.py", UNFORMATTED, "broken.py"),
        ("types", "model/broken.py", WRONG_TYPE, 'expression has type "str", variable has type "int"'),
        ("imports", "model/broken.py", UPWARD_IMPORT, "webstrata.model is not allowed to import webstrata.db"),
        ("imports", "index/broken.py", SQL_IN_A_STAGE, "webstrata.index.broken -> sqlalchemy"),
        ("imports", "index/broken.py", KNOB_IN_A_STAGE, "webstrata.index.broken -> webstrata.settings"),
        ("imports", "shed/__init__.py", '"""A room nobody planned."""\n', "webstrata.shed"),
    ],
    ids=[
        "unused import",
        "unformatted",
        "wrong type",
        "upward import",
        "sql in a stage",
        "knob in a stage",
        "new room",
    ],
)
def test_breaking_a_rule_fails_the_build(tree: Path, tool: str, file: str, content: str, said: str) -> None:
    broken = tree / "src" / "webstrata" / file
    broken.parent.mkdir(exist_ok=True)
    broken.write_text(content, encoding="utf-8")
    status, output = check(tree, *TOOLS[tool])
    assert status != 0
    assert said in output
