"""The documentation names only what exists: links, files, commands, flags and settings."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.console import ROOT
from webstrata.settings import Settings, names_of

PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])
COMMANDS = (ROOT / "tests/surface/golden/commands.txt").read_text(encoding="utf-8")
_FENCE = re.compile(r"^\s*```.*?^\s*```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
_FILE = re.compile(r"`((?:[a-z_]+/)+[\w-]+\.(?:py|js|css|html|toml|txt|lock))\b")
_COMMAND = re.compile(r"(?:^\$ |`)webstrata ((?:[a-z][a-z-]* ?)+)([^\n`#]*)", re.MULTILINE)
_FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
_SETTING = re.compile(r"\bWEBSTRATA_[A-Z_]+[A-Z]\b")

pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of a page, as code hosts make them."""
    headings = _HEADING.findall(_FENCE.sub("", page.read_text(encoding="utf-8")))
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.replace("`", "")).lower() for heading in headings]
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in plain}


def dead_links(page: Path) -> Iterator[str]:
    for link in _LINK.findall(_FENCE.sub("", page.read_text(encoding="utf-8"))):
        path, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", link):
            continue
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            yield link


@pages
def test_links_between_pages_lead_to_a_file_and_a_heading(page: Path) -> None:
    assert list(dead_links(page)) == []


@pages
def test_named_source_files_exist(page: Path) -> None:
    named = _FILE.findall(page.read_text(encoding="utf-8"))
    folders = (ROOT, ROOT / "src/webstrata", ROOT / "src/webstrata/content", page.parent)
    patterns = {"db/migrations/versions/NNNN_what.py"}
    assert [name for name in named if name not in patterns and not any((f / name).exists() for f in folders)] == []


@pages
def test_named_commands_and_their_flags_exist(page: Path) -> None:
    unknown = []
    for words, rest in _COMMAND.findall(page.read_text(encoding="utf-8")):
        name = next((n for n in _prefixes(words) if f"\nwebstrata {n} " in COMMANDS), None)
        if name is None:
            unknown.append(words)
            continue
        flags = set(_FLAG.findall(rest)) - {"--help"}
        unknown += [f"{name} {flag}" for flag in flags if f"\nwebstrata {name} {flag}\n" not in COMMANDS]
    assert unknown == []


@pages
def test_named_settings_exist(page: Path) -> None:
    known = {name for field in Settings.model_fields for name in names_of(field)}
    assert set(_SETTING.findall(page.read_text(encoding="utf-8"))) - known == set()


def test_a_dead_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A heading\n[one](#a-heading) [two](#another) [three](none.md)\n", encoding="utf-8")
    assert list(dead_links(page)) == ["#another", "none.md"]


def _prefixes(words: str) -> Iterator[str]:
    """Yield the longest name that the words of a command line may begin with, then shorter ones."""
    parts = words.split()
    yield from (" ".join(parts[:count]) for count in range(len(parts), 0, -1))
