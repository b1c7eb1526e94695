"""Moved lines: the same line, or nearly the same, in another place of the page."""

from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Sequence

from webstrata.content.blocks import ROW
from webstrata.content.diff.pairing import pairs_by_rare_words
from webstrata.content.diff.partners import Partners
from webstrata.content.diff.similarity import CHANGED, MOVED, Profiles, similarity
from webstrata.model.changes.values import PageLine

_SPACES_TO_RECOGNISE = 3
"""Shorter lines count as moved only within their section or together with a neighbouring line: "None" may be under many
headings."""


class Side:
    """The lines of one of two pages, and the headings that they are under."""

    def __init__(self, lines: Sequence[PageLine], sections: Sequence[str]) -> None:
        self.lines, self.sections = lines, sections

    def identity(self, place: int) -> Hashable:
        """Return the key that a line shares with its possible partners in any place."""
        text = self.lines[place].text
        return text if _is_recognisable(text) else (text, self.sections[place])

    def may_be_recognised(self, place: int) -> bool:
        """Return whether a changed line can be recognised: one of several words, or a table row by its first word."""
        line = self.lines[place]
        return line.kind == ROW or _is_recognisable(line.text)


class Moves:
    """Finds the moved lines of two pages."""

    def __init__(self, old: Side, new: Side, partners: Partners) -> None:
        self._old, self._new, self._partners = old, new, partners

    def find_unique(self, old_places: Iterable[int], new_places: Iterable[int]) -> None:
        """Match lines that remain once on each side and are long enough to be recognised."""
        olds, news = _places_by_text(self._old, old_places), _places_by_text(self._new, new_places)
        for text, places in news.items():
            if len(places) == len(olds.get(text, ())) == 1 and _is_recognisable(text):
                self._partners.move(olds[text][0], places[0])

    def find_equal(self, old_places: Iterable[int], new_places: Iterable[int]) -> None:
        """Match other equal lines: long enough ones, and those in the same section."""
        olds: dict[Hashable, deque[int]] = defaultdict(deque)
        for place in old_places:
            olds[self._old.identity(place)].append(place)
        for place in new_places:
            if found := olds.get(self._new.identity(place)):
                self._partners.move(found.popleft(), place)

    def find_similar(self, profiles: Profiles, old_places: Iterable[int], new_places: Sequence[int]) -> None:
        """Match lines that changed a little and are in another place, then lines next to moved lines."""
        olds = [place for place in old_places if self._old.may_be_recognised(place)]
        news = [place for place in new_places if self._new.may_be_recognised(place)]
        pairs = pairs_by_rare_words(
            [profiles.profile(self._old.lines[place]) for place in olds],
            [profiles.profile(self._new.lines[place]) for place in news],
            MOVED,
        )
        for old, new in pairs:
            if self._may_have_moved(olds[old], news[new]):
                self._partners.move(olds[old], news[new])
        self._spread(profiles, new_places, 1)
        self._spread(profiles, new_places[::-1], -1)

    def _may_have_moved(self, old: int, new: int) -> bool:
        """Return whether a line is recognisable, or a short row of a table of the same section."""
        is_recognisable = _is_recognisable(self._new.lines[new].text)
        return is_recognisable or self._old.sections[old] == self._new.sections[new]

    def _spread(self, profiles: Profiles, new_places: Iterable[int], step: int) -> None:
        """Match similar lines next to moved lines."""
        moved, has_new = self._partners.moved, self._partners.has_new
        for place in new_places:
            candidate = moved.get(place - step, -2) + step
            if place in moved or not 0 <= candidate < len(has_new) or has_new[candidate]:
                continue
            old, new = profiles.profile(self._old.lines[candidate]), profiles.profile(self._new.lines[place])
            if similarity(old, new) >= CHANGED:
                self._partners.move(candidate, place)


def _places_by_text(side: Side, places: Iterable[int]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for place in places:
        found[side.lines[place].text].append(place)
    return found


def _is_recognisable(text: str) -> bool:
    return text.count(" ") >= _SPACES_TO_RECOGNISE
