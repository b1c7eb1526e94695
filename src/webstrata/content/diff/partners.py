"""The matches of old and new lines that were found so far."""

from collections.abc import Iterable, Sequence

from webstrata.content.diff.matching import Gap, Run


class Partners:
    """The partner of each line of two pages, if it was found."""

    def __init__(self, old_length: int, new_length: int) -> None:
        self.runs: list[Run] = []
        """Runs of matched lines in the same order on both pages: equal lines, or versions of each other."""
        self.moved: dict[int, int] = {}
        """Moved lines: the old line of each new line."""
        self.has_new = bytearray(old_length)
        """For each old line, 1 when it has a partner."""
        self.has_old = bytearray(new_length)

    def keep(self, runs: Iterable[Run]) -> None:
        """Match the lines of runs."""
        for run in runs:
            self.runs.append(run)
            self.has_new[run.old : run.old + run.length] = b"\1" * run.length
            self.has_old[run.new : run.new + run.length] = b"\1" * run.length

    def move(self, old: int, new: int) -> None:
        """Note that a line is in another place now."""
        self.moved[new] = old
        self.has_new[old] = self.has_old[new] = 1

    def places_left(self, gaps: Sequence[Gap]) -> tuple[list[int], list[int]]:
        """Return the places of the old and of the new lines in gaps that have no partner."""
        old = [place for gap in gaps for place in range(gap.old_start, gap.old_end) if not self.has_new[place]]
        new = [place for gap in gaps for place in range(gap.new_start, gap.new_end) if not self.has_old[place]]
        return old, new
