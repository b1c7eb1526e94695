"""Alignment of the lines of two captures of a page: whether each line is unchanged, moved, changed, removed or added.

Equal lines are matched first, starting from lines that occur once on both pages. Equal lines in another place have
moved. Of the remaining lines, similar ones are paired as changed lines.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import repeat

from webstrata.content.blocks import HEADINGS
from webstrata.content.diff.matching import SMALL_GAP, Gap, Run, gaps_between, match_equal_lines
from webstrata.content.diff.moves import Moves, Side
from webstrata.content.diff.pairing import longest_in_order, pairs_by_place, pairs_by_rare_words, pairs_in_order
from webstrata.content.diff.partners import Partners
from webstrata.content.diff.sections import section_names
from webstrata.content.diff.similarity import CHANGED, Profile, Profiles
from webstrata.content.diff.words import word_marks
from webstrata.model.changes.values import EditKind, Limits, LineEdit, PageLine, WordEdit

_MAX_PAIRS = 100_000
"""The most pairs of lines that are compared: about 0.15 seconds."""
_MAX_PAIRED_LINES = 12_000
"""The most consecutive unmatched lines of one page that are paired: about 0.5 seconds."""
_MAX_WORD_CHARACTERS = 500_000
"""The most characters of lines that are compared word by word: about 0.15 seconds."""

TOO_MANY_LINES = "only the first {} lines of each page were compared"
TOO_DIFFERENT = "the pages differ in too many lines to find out which line became which"
TOO_MANY_WORDS = "only the first changed lines were compared word by word"
TOO_LONG_LINES = "changes of more than {} characters in a line were not compared word by word"


@dataclass(frozen=True)
class Alignment:
    """The edits of two pages: one for each unmatched line or pair of lines."""

    edits: tuple[LineEdit, ...]
    """In the order of the new page, with each removed line at its former place."""
    limit: str | None = None
    """Which limit cut the comparison short, if one did."""


def align(old: Sequence[PageLine], new: Sequence[PageLine], limits: Limits) -> Alignment:
    """Return the edits of two captures of a page.

    A moved line is at its new place, with its word edits if it also changed. Lines beyond the limit are left out.
    """
    longest = limits.max_lines
    aligner = _Aligner(old[:longest], new[:longest], limits)
    if max(len(old), len(new)) > longest:
        aligner.report(TOO_MANY_LINES.format(longest))
    edits = tuple(aligner.find_edits())
    return Alignment(edits, aligner.limit)


class _Aligner:
    """One comparison of two pages."""

    def __init__(self, old: Sequence[PageLine], new: Sequence[PageLine], limits: Limits) -> None:
        self._old, self._new, self._limits = old, new, limits
        self._old_sections, self._new_sections = section_names(old), section_names(new)
        self._partners = Partners(len(old), len(new))
        self._profiles = Profiles(0)
        self._pairs_left = _MAX_PAIRS
        self._words_left = limits.max_word_pairs
        self._word_characters_left = _MAX_WORD_CHARACTERS
        self._reached: list[str] = []

    @property
    def limit(self) -> str | None:
        """Return the limits that were reached."""
        return "; ".join(self._reached) or None

    def report(self, limit: str) -> None:
        """Note that a limit was reached."""
        if limit not in self._reached:
            self._reached.append(limit)

    def find_edits(self) -> list[LineEdit]:
        """Return the edit of each line, in reading order."""
        runs, gaps = match_equal_lines(self._old, self._new)
        self._partners.keep(runs)
        if gaps:
            self._fill(gaps)
        edits: list[LineEdit] = []
        old_place = new_place = 0
        for run in [*sorted(self._partners.runs), Run(len(self._old), len(self._new), 0)]:
            edits += self._removed(old_place, run.old)
            edits += self._added(new_place, run.new)
            edits += self._kept(run)
            old_place, new_place = run.old + run.length, run.new + run.length
        return edits

    def _fill(self, gaps: Sequence[Gap]) -> None:
        """Find partners for the lines between the equal ones."""
        partners = self._partners
        moves = Moves(Side(self._old, self._old_sections), Side(self._new, self._new_sections), partners)
        old_left, new_left = partners.places_left(gaps)
        moves.find_unique(old_left, new_left)
        self._profiles = Profiles(len(old_left) + len(new_left))
        for gap in gaps:
            if gap.pairs:
                self._pair_changed_lines(*partners.places_left([gap]))
        partners.keep(list(self._renamed_headings()))
        moves.find_equal(*partners.places_left(gaps))
        if TOO_DIFFERENT not in self._reached:
            moves.find_similar(self._profiles, *partners.places_left(gaps))
        self._report_long_lines(*partners.places_left(gaps))

    def _report_long_lines(self, old_places: Sequence[int], new_places: Sequence[int]) -> None:
        """Report very long lines without a partner: only their beginnings were compared."""
        longest = self._limits.max_line_characters
        has_old = any(len(self._old[place].text) > longest for place in old_places)
        if has_old and any(len(self._new[place].text) > longest for place in new_places):
            self.report(TOO_LONG_LINES.format(longest))

    def _pair_changed_lines(self, old_places: Sequence[int], new_places: Sequence[int]) -> None:
        """Find the lines of one gap that are versions of each other."""
        if not old_places or not new_places:
            return
        if max(len(old_places), len(new_places)) > _MAX_PAIRED_LINES:
            self.report(TOO_DIFFERENT)
            old_places, new_places = old_places[:_MAX_PAIRED_LINES], new_places[:_MAX_PAIRED_LINES]
        old = [self._profiles.profile(self._old[place]) for place in old_places]
        new = [self._profiles.profile(self._new[place]) for place in new_places]
        gap = Gap(0, len(old), 0, len(new))
        runs: list[Run] = []
        if gap.pairs > SMALL_GAP:
            runs = [Run(*pair, 1) for pair in longest_in_order(pairs_by_rare_words(old, new, CHANGED))]
        for part in list(gaps_between(runs, gap)):
            runs += self._similar_lines(old, new, part)
        self._partners.keep(Run(old_places[run.old], new_places[run.new], 1) for run in runs)

    def _similar_lines(self, old: Sequence[Profile], new: Sequence[Profile], gap: Gap) -> list[Run]:
        if not gap.pairs:
            return []
        old_part, new_part = old[gap.old_start : gap.old_end], new[gap.new_start : gap.new_end]
        if gap.pairs <= self._pairs_left:
            self._pairs_left -= gap.pairs
            pairs = pairs_in_order(old_part, new_part)
        else:
            self.report(TOO_DIFFERENT)
            pairs = pairs_by_place(old_part, new_part)
        return [Run(gap.old_start + old_place, gap.new_start + new_place, 1) for old_place, new_place in pairs]

    def _renamed_headings(self) -> Iterator[Run]:
        """Yield the headings without a partner that are right before lines which are partners."""
        for run in self._partners.runs:
            old, new = run.old - 1, run.new - 1
            if min(old, new) < 0 or self._partners.has_new[old] or self._partners.has_old[new]:
                continue
            before, after = self._old[old], self._new[new]
            if before.kind in HEADINGS and after.kind in HEADINGS and before.is_main is after.is_main:
                yield Run(old, new, 1)

    def _removed(self, start: int, end: int) -> Iterator[LineEdit]:
        for place in range(start, end):
            if not self._partners.has_new[place]:
                yield LineEdit(EditKind.REMOVED, self._old[place], None, (), self._old_sections[place])

    def _added(self, start: int, end: int) -> Iterator[LineEdit]:
        for place in range(start, end):
            new, section = self._new[place], self._new_sections[place]
            old_place = self._partners.moved.get(place)
            if old_place is None:
                yield LineEdit(EditKind.ADDED, None, new, (), section)
            else:
                old = self._old[old_place]
                yield LineEdit(EditKind.MOVED, old, new, self._words(old.text, new.text), section)

    def _kept(self, run: Run) -> list[LineEdit]:
        end = run.new + run.length
        old, new = self._old[run.old : run.old + run.length], self._new[run.new : end]
        sections = self._new_sections[run.new : end]
        if run.length == 1 and old[0].text != new[0].text:
            words = self._words(old[0].text, new[0].text)
            return [LineEdit(EditKind.CHANGED, old[0], new[0], words, sections[0])]
        # Longer runs are of equal lines, maybe thousands: no function call for each.
        rows = zip(repeat(EditKind.SAME), old, new, repeat(()), sections, repeat(None), strict=False)
        return list(map(partial(tuple.__new__, LineEdit), rows))

    def _words(self, old: str, new: str) -> tuple[WordEdit, ...]:
        """Return the words of a line that changed, as long as the limits permit."""
        if old == new:
            return ()
        longest = self._limits.max_line_characters
        self._words_left -= 1
        self._word_characters_left -= min(len(old), longest) + min(len(new), longest)
        if min(self._words_left, self._word_characters_left) < 0:
            self.report(TOO_MANY_WORDS)
            return (WordEdit(EditKind.REMOVED, old), WordEdit(EditKind.ADDED, new))
        words = word_marks(old, new, self._limits)
        if any(len(word.text) > longest and word.kind is not EditKind.SAME for word in words):
            self.report(TOO_LONG_LINES.format(longest))
        return words
