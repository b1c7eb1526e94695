"""Comparison of the public surface with the golden files, and what may leave them.

A golden file holds one fact on a line, sorted. `make surface` adds new lines. A line that is gone fails the test until
`decisions.txt` names it and the reason, with the old name still accepted where people or files use it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "golden"
DECISIONS = Path(__file__).parent / "decisions.txt"
COMMAND = "make surface"


@dataclass(frozen=True)
class Difference:
    """The lines of a part that are new and those that are gone without a decision."""

    part: str
    added: tuple[str, ...]
    removed: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.added or self.removed)

    def __str__(self) -> str:
        lines = [f"the public surface differs from {golden_file(self.part).name}"]
        lines += [f"  removed: {line}" for line in self.removed]
        lines += [f"  added:   {line}" for line in self.added]
        if self.removed:
            lines.append(f"Keep the old name, or list in {DECISIONS.name}:  {self.part}: OLD LINE | reason")
        return "\n".join([*lines, f"Then run `{COMMAND}` and commit the files that it writes."])


def golden_file(part: str) -> Path:
    """Return the file that holds a part of the surface."""
    return FOLDER / f"{part}.txt"


def compare(part: str, found: Iterable[str]) -> Difference:
    """Return how a part of the surface differs from its golden file."""
    now, golden = set(found), set(_lines(golden_file(part)))
    removed = golden - now - decided_removals(part)
    return Difference(part, tuple(sorted(now - golden)), tuple(sorted(removed)))


def update(part: str, found: Iterable[str]) -> None:
    """Write a part's golden file; ValueError when a line would be lost without a decision."""
    now = sorted(set(found))
    if removed := compare(part, now).removed:
        raise ValueError(str(Difference(part, (), removed)))
    FOLDER.mkdir(exist_ok=True)
    golden_file(part).write_text("".join(f"{line}\n" for line in now), encoding="utf-8")


def decided_removals(part: str) -> set[str]:
    """Return the lines of a part that may be gone; ValueError for a decision without a reason."""
    removed = set()
    for line in _lines(DECISIONS):
        named, bar, reason = line.partition(" | ")
        decided_part, colon, old = named.partition(": ")
        if not (bar and colon and reason.strip()):
            raise ValueError(f"{DECISIONS.name}: expected 'part: old line | reason', not {line!r}")
        if decided_part == part:
            removed.add(old)
    return removed


def _lines(file: Path) -> list[str]:
    if not file.exists():
        return []
    return [line for line in file.read_text(encoding="utf-8").splitlines() if line and not line.startswith("# ")]
