"""Candidates for the fields of a listing, and the choice among them: agreement of sources raises the confidence."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TypeVar, cast

from webstrata.model.collections.listing import FieldSource, FieldTrace, FoundValue, Money

MAX_RAW = 200
MAX_TRACES = 100
_LOWERED_BY = 0.5
"""How much a contradicting value lowers the confidence, as a share of that value's confidence."""

_MOST = 0.99
"""The highest confidence: no page is certain."""

_ORDER = {source: place for place, source in enumerate(FieldSource)}

Value = TypeVar("Value")


@dataclass(frozen=True)
class Candidate:
    """A possible value of a field."""

    field: str
    value: object
    source: FieldSource
    confidence: float
    strategy: str
    """The name of the rule that read it, without the source."""
    raw: str

    @property
    def key(self) -> object:
        """Return the key of the value, for comparison: amounts without currency, texts without spaces and case."""
        return key_of_value(self.value)


def key_of_value(value: object) -> object:
    """Return the key under which equal values are grouped."""
    if isinstance(value, Money):
        return value.amount.normalize()
    if isinstance(value, Decimal):
        return value.normalize()
    return "".join(value.casefold().split()) if isinstance(value, str) else value


@dataclass(frozen=True)
class _Group:
    """The candidates of one value, the best first."""

    members: tuple[Candidate, ...]

    @property
    def confidence(self) -> float:
        """Return the combined confidence of all sources; each source counts once."""
        doubt = 1.0
        for source in {one.source for one in self.members}:
            doubt *= 1 - max(one.confidence for one in self.members if one.source is source)
        return 1 - doubt


def choose(candidates: Sequence[Candidate], field: str) -> FoundValue[object] | None:
    """Return the value of a field that its sources agree on most; None when there is no candidate."""
    groups = _groups(one for one in candidates if one.field == field)
    if not groups:
        return None
    best, *others = groups
    contradicted = max((other.confidence for other in others), default=0.0)
    confidence = best.confidence * (1 - _LOWERED_BY * contradicted)
    sources = tuple(dict.fromkeys(one.source for one in best.members))
    return FoundValue(best.members[0].value, sources, round(min(confidence, _MOST), 2))


def choose_text(candidates: Sequence[Candidate], field: str) -> FoundValue[str] | None:
    """Return the value of a field that holds a text."""
    return cast("FoundValue[str] | None", choose(candidates, field))


def choose_money(candidates: Sequence[Candidate], field: str, currency: str | None) -> FoundValue[Money] | None:
    """Return the value of a field that holds money; one without a currency gets the listing's."""
    found = cast("FoundValue[Money] | None", choose(candidates, field))
    if found is None or found.value.currency is not None:
        return found
    return replace(found, value=replace(found.value, currency=currency))


def field_traces(candidates: Sequence[Candidate], chosen: Iterable[tuple[str, FoundValue[object]]]) -> list[FieldTrace]:
    """Return how each field was read: every candidate, and whether it agrees with the value that was chosen."""
    keys = {field: key_of_value(found.value) for field, found in chosen}
    traces = []
    for candidate in candidates[:MAX_TRACES]:
        is_chosen = candidate.field in keys and keys[candidate.field] == candidate.key
        traces.append(
            FieldTrace(
                field=candidate.field,
                strategy=f"{candidate.source.value}:{candidate.strategy}",
                raw=candidate.raw[:MAX_RAW],
                value=str(candidate.value),
                is_fallback=candidate.source in {FieldSource.PAGE, FieldSource.DOMAIN},
                is_chosen=is_chosen,
            )
        )
    return traces


def _groups(candidates: Iterable[Candidate]) -> list[_Group]:
    """Return the candidates by their values, the most likely value first."""
    by_key: dict[object, list[Candidate]] = {}
    for one in candidates:
        by_key.setdefault(one.key, []).append(one)
    groups = [
        _Group(tuple(sorted(members, key=lambda one: (-one.confidence, _ORDER[one.source]))))
        for members in by_key.values()
    ]
    return sorted(groups, key=lambda group: (-group.confidence, _ORDER[group.members[0].source]))
