"""The table of situations in docs/archive-tool.md: complete, and every test that it names is there."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs" / "archive-tool.md"

SITUATIONS = {
    "fresh",
    "resume",
    "new with consolidation",
    "overwrite",
    "ZIM already there",
    "output not writable",
    "disk full",
    "stall",
    "error storm",
    "VPN exhausted",
    "SIGTERM",
    "SIGKILL, then restart",
    "SIGKILL of the attempt",
    "Docker missing",
    "a Docker client without an engine",
    "Docker dying",
    "truncated state file",
    "the monitor fails",
}
ZIMIT_ONLY = {"ZIM already there", "Docker missing", "a Docker client without an engine", "Docker dying"}


def rows() -> dict[str, list[str]]:
    """Return what the table says of every situation: what is done, and what shows it for each engine."""
    table = DOCS.read_text().partition("## Situations")[2].partition("\n## ")[0]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if "|" in line]
    return {row[0]: row[1:] for row in cells[2:]}


def test_no_situation_is_left_out() -> None:
    assert set(rows()) == SITUATIONS


def test_every_situation_is_shown_by_tests_that_are_there() -> None:
    code = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))
    there = set(re.findall(r"^def (test_\w+)\(", code, re.MULTILINE))
    above: dict[int, str] = {}
    for situation, (_, *shown) in rows().items():
        for engine, cell in enumerate(shown):
            named = re.findall(r"`(test_\w+)`", above[engine] if cell == "the same" else cell)
            above[engine] = cell if cell != "the same" else above[engine]
            assert named or (engine == 0 and situation in ZIMIT_ONLY), f"nothing shows {situation!r}"
            assert set(named) <= there, f"{situation!r} names a test that is not there"
