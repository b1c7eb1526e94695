"""Comparison of two audits of a shop: which features of a page changed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

MAX_CHANGES = 100
_MAX_CHARACTERS = 200


@dataclass(frozen=True)
class FeatureChange:
    """A feature that differs, such as `pdp_core.price`; an empty text means that there is no value."""

    name: str
    before: str
    after: str


def compare_features(before: Mapping[str, object], after: Mapping[str, object]) -> list[FeatureChange]:
    """Return the features of a page that differ between two audits, by name; for lists, the removed and added items."""
    old, new = dict(_leaves(before)), dict(_leaves(after))
    changes = [_change(name, old.get(name), new.get(name)) for name in sorted(old.keys() | new.keys())]
    return [change for change in changes if change is not None][:MAX_CHANGES]


def _change(name: str, before: object, after: object) -> FeatureChange | None:
    if before == after:
        return None
    if isinstance(before, list) and isinstance(after, list):
        gone = [one for one in before if one not in after]
        added = [one for one in after if one not in before]
        if not gone and not added:
            return FeatureChange(name, "another order", "")
        return FeatureChange(name, _format_value(gone), _format_value(added))
    return FeatureChange(name, _format_value(before), _format_value(after))


def _leaves(value: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    """Yield the values of nested objects, each with its dotted name."""
    for name, inner in value.items():
        if isinstance(inner, Mapping):
            yield from _leaves(inner, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", inner


def _format_value(value: object) -> str:
    if value is None or value == []:
        return ""
    text = ", ".join(_format_value(one) for one in value) if isinstance(value, list) else str(value)
    return text if len(text) <= _MAX_CHARACTERS else f"{text[:_MAX_CHARACTERS]}…"
