"""Structured data of a page (JSON-LD, microdata, RDFa) as nodes of one form, with short names for types and properties.

Pages are hostile: nesting and the number of nodes are limited, and every value may be of any type.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from webstrata.content.metadata import HtmlMetadata, JsonValue
from webstrata.model.collections.listing import FieldSource

MAX_DEPTH = 12
MAX_NODES = 3_000
MAX_STRING = 2_000

_ASIDE = frozenset(
    {
        *("isrelatedto", "issimilarto", "isaccessoryorsparepartfor", "isconsumablefor", "review", "reviews"),
        *("itemlistelement", "aggregaterating", "breadcrumb", "mentions", "hasvariant", "isvariantof", "ispartof"),
    }
)
"""Properties whose values are not offers of the page."""


@dataclass(frozen=True, eq=False)
class Node:
    """One thing that a page describes."""

    source: FieldSource
    types: frozenset[str]
    """In lower case, without the vocabulary: `product`."""
    properties: Mapping[str, tuple["Node | str | int | float", ...]] = field(default_factory=dict)
    """The values by the property's name in lower case, without the vocabulary."""
    is_aside: bool = False
    """Whether it is not the page's main subject, such as a related product."""

    def nodes(self, *names: str) -> list["Node"]:
        """Return the nodes that are values of some properties."""
        return [one for name in names for one in self.properties.get(name, ()) if isinstance(one, Node)]

    def values(self, *names: str) -> list[str | int | float]:
        """Return the plain values of some properties."""
        return [one for name in names for one in self.properties.get(name, ()) if not isinstance(one, Node)]

    def text(self, *names: str) -> str:
        """Return the first text of some properties; for a node, its name; empty when there is none."""
        for name in names:
            for one in self.properties.get(name, ()):
                text = one.text("name", "@value", "value", "@id") if isinstance(one, Node) else str(one)
                if text := " ".join(text.split()):
                    return text
        return ""


def structured_nodes(metadata: HtmlMetadata) -> list[Node]:
    """Return everything that a page describes, in the order of the page, JSON-LD first."""
    forms: tuple[tuple[FieldSource, Sequence[JsonValue]], ...] = (
        (FieldSource.JSON_LD, metadata.json_ld),
        (FieldSource.MICRODATA, metadata.microdata),
        (FieldSource.RDFA, metadata.rdfa),
    )
    found: list[Node] = []
    for source, values in forms:
        found += _Builder(source, values).build(values)
    return found


class _Builder:
    """Builds the nodes of one form of structured data."""

    def __init__(self, source: FieldSource, values: Sequence[JsonValue]) -> None:
        self._source = source
        self._values = values
        self._nodes: list[Node] = []

    @cached_property
    def _by_id(self) -> dict[str, dict[str, JsonValue]]:
        return dict(_identified(self._values, MAX_DEPTH))

    def build(self, values: Sequence[JsonValue]) -> list[Node]:
        """Return all nodes, the outer ones before the inner ones."""
        for value in values:
            self._value(value, MAX_DEPTH, is_aside=False)
        self._nodes.sort(key=lambda node: node.is_aside)
        return self._nodes

    def _value(self, value: JsonValue, depth: int, *, is_aside: bool) -> tuple[Node | str | int | float, ...]:
        if isinstance(value, str):
            return (value[:MAX_STRING],) if value.strip() else ()
        if isinstance(value, bool) or value is None or depth == 0:
            return ()
        if isinstance(value, int | float):
            return (value,)
        if isinstance(value, list):
            return tuple(made for one in value for made in self._value(one, depth - 1, is_aside=is_aside))
        return self._node(value, depth, is_aside=is_aside)

    def _node(self, value: dict[str, JsonValue], depth: int, *, is_aside: bool) -> tuple[Node | str, ...]:
        if len(self._nodes) >= MAX_NODES:
            return ()
        if self._source is FieldSource.JSON_LD:
            value = self._resolve(value)
        types, properties = _parts(value, self._source)
        place = len(self._nodes)
        read = {
            name: values
            for written, one in properties.items()
            if (name := _short(written))
            and (values := self._value(_word(name, one), depth - 1, is_aside=is_aside or name in _ASIDE))
        }
        node = Node(self._source, types, read, is_aside)
        self._nodes.insert(place, node)
        return (node,)

    def _resolve(self, value: dict[str, JsonValue]) -> dict[str, JsonValue]:
        """Return the object that a value refers to by its id."""
        if value.keys() <= {"@id", "@type"} and isinstance(identifier := value.get("@id"), str):
            return self._by_id.get(identifier, value)
        return value


def _word(name: str, value: JsonValue) -> JsonValue:
    """Return a value; the only boolean that is used, whether tax is included, is converted to a word."""
    return str(value) if isinstance(value, bool) and name == "valueaddedtaxincluded" else value


def _identified(values: JsonValue | Sequence[JsonValue], depth: int) -> Iterator[tuple[str, dict[str, JsonValue]]]:
    """Yield the objects of JSON-LD that have an id."""
    if depth == 0:
        return
    if isinstance(values, list | tuple):
        for one in values:
            yield from _identified(one, depth - 1)
    elif isinstance(values, dict):
        identifier = values.get("@id")
        if isinstance(identifier, str) and not values.keys() <= {"@id", "@type"}:
            yield identifier, values
        yield from _identified(list(values.values()), depth - 1)


def _parts(value: dict[str, JsonValue], source: FieldSource) -> tuple[frozenset[str], dict[str, JsonValue]]:
    """Return the types and properties of an object in the form of its source."""
    if source is FieldSource.JSON_LD:
        return _types(value.get("@type")), value
    properties = value.get("properties")
    stated = value.get("type")
    types = _types([*stated.split()] if isinstance(stated, str) else stated)
    return types, properties if isinstance(properties, dict) else {}


def _types(stated: JsonValue) -> frozenset[str]:
    values = stated if isinstance(stated, list) else [stated]
    return frozenset(_short(one) for one in values if isinstance(one, str))


@lru_cache(maxsize=4_096)
def _short(name: str) -> str:
    """Return a name in lower case without its vocabulary: `product` of `https://schema.org/Product`."""
    for mark in ("#", "/", ":"):
        name = name.rpartition(mark)[2]
    return name.strip().lower()
