"""Exact matching of lines: the runs of equal lines that two sequences share, in order."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

from webstrata.model.changes.values import PageLine

SMALL_GAP = 2_500
"""In gaps with at most so many pairs of lines, all lines are compared with each other."""


class Run(NamedTuple):
    """Lines that are equal in both sequences."""

    old: int
    new: int
    length: int


class Gap(NamedTuple):
    """The lines between two runs, on both sides."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int

    @property
    def pairs(self) -> int:
        """Return how many pairs of an old and a new line there are."""
        return (self.old_end - self.old_start) * (self.new_end - self.new_start)


def match_equal_lines(old: Sequence[PageLine], new: Sequence[PageLine]) -> tuple[list[Run], list[Gap]]:
    """Return the runs of lines that are equal and in the same order on two pages, and the gaps between them.

    In small gaps, lines that occur several times are left to later steps, which know the pairs around them.
    """
    gaps = [Gap(0, len(old), 0, len(new))]
    old_keys, new_keys = _numbered(_marked(old), _marked(new))
    runs = _split(gaps, lambda gap: _safe_runs(old_keys, new_keys, gap))
    if any(gap.pairs for gap in gaps):
        old_keys, new_keys = _numbered_in_gaps(old, new, gaps)
        runs += _split(gaps, lambda gap: _safe_runs(old_keys, new_keys, gap))
        runs += _split(gaps, lambda gap: _common_runs(old_keys, new_keys, gap) if gap.pairs > SMALL_GAP else [])
    return runs, gaps


def gaps_between(runs: Sequence[Run], gap: Gap) -> Iterator[Gap]:
    """Yield what is left of a gap before, between and after runs."""
    old, new = gap.old_start, gap.new_start
    for run in runs:
        if run.old > old or run.new > new:
            yield Gap(old, run.old, new, run.new)
        old, new = run.old + run.length, run.new + run.length
    if gap.old_end > old or gap.new_end > new:
        yield Gap(old, gap.old_end, new, gap.new_end)


def _split(gaps: list[Gap], find: Callable[[Gap], list[Run]]) -> list[Run]:
    """Return the runs found in gaps, and replace each gap by what is left of it."""
    runs: list[Run] = []
    left: list[Gap] = []
    for gap in gaps:
        found = find(gap) if gap.pairs else []
        runs += found
        left += gaps_between(found, gap)
    gaps[:] = left
    return runs


def _marked(lines: Sequence[PageLine]) -> list[str]:
    """Return the texts of lines, marked so that content and boilerplate never match: menus repeat headings."""
    return [line.text if line.is_main else f"\0{line.text}" for line in lines]


def _numbered(old: Sequence[str], new: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return a number for each line, equal for equal lines: rapidfuzz compares numbers four times as fast as texts."""
    numbers = {line: number for number, line in enumerate(dict.fromkeys(chain(old, new)))}
    return list(map(numbers.__getitem__, old)), list(map(numbers.__getitem__, new))


def _numbered_in_gaps(
    old: Sequence[PageLine], new: Sequence[PageLine], gaps: Sequence[Gap]
) -> tuple[list[int], list[int]]:
    """Return numbers for the texts of the lines in gaps; those of other lines mean nothing."""
    numbers: dict[str, int] = {}
    old_keys, new_keys = [0] * len(old), [0] * len(new)
    for gap in gaps:
        for place in range(gap.old_start, gap.old_end):
            old_keys[place] = numbers.setdefault(old[place].text, len(numbers))
        for place in range(gap.new_start, gap.new_end):
            new_keys[place] = numbers.setdefault(new[place].text, len(numbers))
    return old_keys, new_keys


def _safe_runs(old: Sequence[int], new: Sequence[int], gap: Gap) -> list[Run]:
    """Return the runs of equal lines that are at an end of a gap or contain a line that occurs once on each side.

    Lines such as "Read more", which occur many times, are not enough by themselves.
    """
    runs = _common_runs(old, new, gap)
    if not runs:
        return runs
    in_old, in_new = Counter(old[gap.old_start : gap.old_end]), Counter(new[gap.new_start : gap.new_end])
    return [
        run
        for run in runs
        if _is_at_end(run, gap)
        or any(in_old[line] == in_new[line] == 1 for line in old[run.old : run.old + run.length])
    ]


def _is_at_end(run: Run, gap: Gap) -> bool:
    starts = run.old == gap.old_start and run.new == gap.new_start
    return starts or (run.old + run.length == gap.old_end and run.new + run.length == gap.new_end)


def _common_runs(old: Sequence[int], new: Sequence[int], gap: Gap) -> list[Run]:
    """Return the runs of the longest common subsequence of a gap."""
    old_part, new_part = old[gap.old_start : gap.old_end], new[gap.new_start : gap.new_end]
    if set(old_part).isdisjoint(new_part):
        return []
    return [
        Run(gap.old_start + code.src_start, gap.new_start + code.dest_start, code.src_end - code.src_start)
        for code in LCSseq.opcodes(old_part, new_part)
        if code.tag == "equal"
    ]
