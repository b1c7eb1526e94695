"""Moved lines: the same line, or nearly the same, in another place of the page."""

from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Sequence

from webstrata.content.diff.pairing import pairs_by_rare_words
from webstrata.content.diff.partners import Partners
from webstrata.content.diff.similarity import CHANGED, MOVED, Profiles, similarity
from webstrata.model.changes import PageLine

_SPACES_TO_RECOGNISE = 3
"""Lines of fewer words have moved only within their section or with a line next to them: "None" under two headings are
two things."""


class Moves:
    """Finds the moved lines of two pages."""

    def __init__(self, old: Sequence[PageLine], new: Sequence[PageLine], partners: Partners) -> None:
        self._old, self._new, self._partners = old, new, partners

    def find_unique(self, old_places: Iterable[int], new_places: Iterable[int]) -> None:
        """Find the lines that are left once on both sides, and are long enough to be recognised."""
        olds, news = _places_by_text(self._old, old_places), _places_by_text(self._new, new_places)
        for text, places in news.items():
            if len(places) == len(olds.get(text, ())) == 1 and _is_recognisable(text):
                self._partners.move(olds[text][0], places[0])

    def find_equal(
        self, old_places: Iterable[int], new_places: Iterable[int], old_sections: Sequence[str], sections: Sequence[str]
    ) -> None:
        """Find the other equal lines: the recognisable ones, and those of the same section."""
        olds: dict[Hashable, deque[int]] = defaultdict(deque)
        for place in old_places:
            olds[_identity(self._old[place].text, old_sections[place])].append(place)
        for place in new_places:
            if found := olds.get(_identity(self._new[place].text, sections[place])):
                self._partners.move(found.popleft(), place)

    def find_similar(self, profiles: Profiles, old_places: Sequence[int], new_places: Sequence[int]) -> None:
        """Find the lines that changed a little and are in another place, then those next to moved lines."""
        olds = [place for place in old_places if _is_recognisable(self._old[place].text)]
        news = [place for place in new_places if _is_recognisable(self._new[place].text)]
        pairs = pairs_by_rare_words(
            [profiles.profile(self._old[place]) for place in olds],
            [profiles.profile(self._new[place]) for place in news],
            MOVED,
        )
        for old, new in pairs:
            self._partners.move(olds[old], news[new])
        self._spread(profiles, new_places, 1)
        self._spread(profiles, new_places[::-1], -1)

    def _spread(self, profiles: Profiles, new_places: Iterable[int], step: int) -> None:
        """Move lines that are alike along with the line before them, or after them."""
        moved, has_new = self._partners.moved, self._partners.has_new
        for place in new_places:
            neighbour = moved.get(place - step)
            if neighbour is None or place in moved or not 0 <= neighbour + step < len(self._old):
                continue
            candidate = neighbour + step
            if not has_new[candidate]:
                likeness = similarity(profiles.profile(self._old[candidate]), profiles.profile(self._new[place]))
                if likeness >= CHANGED:
                    self._partners.move(candidate, place)


def _places_by_text(lines: Sequence[PageLine], places: Iterable[int]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for place in places:
        found[lines[place].text].append(place)
    return found


def _identity(text: str, section: str) -> Hashable:
    """Return what an old and a new line must share to be one line."""
    return text if _is_recognisable(text) else (text, section)


def _is_recognisable(text: str) -> bool:
    return text.count(" ") >= _SPACES_TO_RECOGNISE
