"""How good a list of results is."""

import math
from collections.abc import Iterable, Mapping, Sequence


def ndcg(found: Sequence[str], grades: Mapping[str, int]) -> float:
    """Return how near a list is to the best one, the first places counting most."""
    best = _gain(sorted(grades.values(), reverse=True)[:10])
    return _gain([grades.get(name, 0) for name in found]) / best if best else 0.0


def recall(found: Sequence[str], grades: Mapping[str, int]) -> float:
    """Return the share of the judged pages that a list has."""
    return sum(name in found for name in grades) / len(grades) if grades else 0.0


def mean(values: Iterable[float]) -> float:
    """Return the average."""
    listed = [*values]
    return sum(listed) / len(listed)


def _gain(grades: Sequence[int]) -> float:
    return sum(((1 << grade) - 1) / math.log2(place + 2) for place, grade in enumerate(grades))
