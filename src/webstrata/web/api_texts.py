"""The API's description prepared for the API page: routes with their parameters and responses, and schemas."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

_METHODS = ("get", "post", "put", "patch", "delete")
_REF = "#/components/schemas/"
_BOUNDS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "above {}",
    "maximum": "at most {}",
    "minLength": "at least {}",
    "maxLength": "at most {}",
    "minItems": "at least {}",
    "maxItems": "at most {}",
}
_COUNTED = {"minLength": "character", "maxLength": "character", "minItems": "value", "maxItems": "value"}
_CODE = re.compile("`([^`]+)`")
_ERRORS = {"HTTPValidationError", "ValidationError"}

Json = Mapping[str, Any]


@dataclass(frozen=True)
class TypeDoc:
    """The type of a value in words, and the schemas that the words refer to."""

    words: str
    schemas: tuple[str, ...] = ()


@dataclass(frozen=True)
class Value:
    """A parameter, or a field of a schema."""

    name: str
    kind: TypeDoc
    needed: bool
    limits: str
    sentence: str
    place: str = ""
    """The location of a parameter: path, query or header."""


@dataclass(frozen=True)
class ResponseDoc:
    """A possible response of a route."""

    status: str
    sentence: str
    kind: TypeDoc


@dataclass(frozen=True)
class RouteDoc:
    """A route of the API."""

    method: str
    path: str
    sentence: str
    more: str
    parameters: tuple[Value, ...]
    body: TypeDoc | None
    responses: tuple[ResponseDoc, ...]

    @property
    def anchor(self) -> str:
        """Return the fragment that links to the route."""
        return f"{self.method.lower()}{self.path}".replace("/", "-").replace("{", "").replace("}", "")


@dataclass(frozen=True)
class Schema:
    """An object in requests or responses of the API."""

    name: str
    sentence: str
    values: tuple[Value, ...]


@dataclass(frozen=True)
class Description:
    """A part of the API: some routes, and the schemas that they use."""

    operations: tuple[RouteDoc, ...]
    schemas: tuple[Schema, ...]


class ApiPage(StrEnum):
    """A page about a part of the API, by the tag of its routes; routes with other tags are on the first one."""

    FIRST = ""
    CHANGES = "changes"
    REPLAY = "replay"
    OPERATORS = "admin"
    RETENTION = "retention"
    NOTIFICATIONS = "notifications"
    LISTINGS = "listings"
    RESOURCES = "resources"
    WATCHING = "watching"
    AUDITS = "audits"


def described(document: Json, page: ApiPage) -> Description:
    """Return the routes of a page, in order, and every schema that they need."""
    operations = tuple(
        _operation(method, path, routes[method])
        for path, routes in document["paths"].items()
        for method in _METHODS
        if method in routes and _page_of(routes[method]) is page
    )
    known = document.get("components", {}).get("schemas", {})
    return Description(operations, tuple(_schema(name, known[name]) for name in _used_schemas(operations, known)))


def _page_of(operation: Json) -> ApiPage:
    tags = operation.get("tags", ())
    return next((page for page in ApiPage if page and page in tags), ApiPage.FIRST)


def kind_of(schema: Json) -> TypeDoc:
    """Return the type of a JSON schema, in words."""
    if "$ref" in schema:
        name = str(schema["$ref"]).removeprefix(_REF)
        return TypeDoc(name, (name,))
    if "enum" in schema or "const" in schema:
        return TypeDoc(" | ".join(map(str, schema.get("enum") or [schema["const"]])))
    choices = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
    if choices:
        kinds = [kind_of(choice) for choice in choices]
        return TypeDoc(
            " or ".join(kind.words for kind in kinds), tuple(name for kind in kinds for name in kind.schemas)
        )
    if schema.get("type") == "array":
        items = kind_of(schema.get("items", {}))
        return TypeDoc(f"list of {items.words}", items.schemas)
    extra = schema.get("additionalProperties")
    if isinstance(extra, Mapping) and extra:
        values = kind_of(extra)
        return TypeDoc(f"object of {values.words}", values.schemas)
    return TypeDoc(str(schema.get("format") or schema.get("type") or "anything"))


def _operation(method: str, path: str, route: Json) -> RouteDoc:
    described = str(route.get("description", "")).strip()
    sentence, _, more = described.partition("\n\n")
    return RouteDoc(
        method=method.upper(),
        path=path,
        sentence=" ".join(sentence.split()),
        more=" ".join(more.split()),
        parameters=tuple(_parameter(parameter) for parameter in route.get("parameters", ())),
        body=_content(route.get("requestBody", {})),
        responses=tuple(
            _response_doc(status, response) for status, response in sorted(route.get("responses", {}).items())
        ),
    )


def _parameter(parameter: Json) -> Value:
    schema = parameter.get("schema", {})
    sentence = parameter.get("description") or schema.get("description") or ""
    needed = bool(parameter.get("required"))
    return Value(parameter["name"], kind_of(schema), needed, _limits(schema), sentence, parameter["in"])


def _response_doc(status: str, response: Json) -> ResponseDoc:
    return ResponseDoc(status, str(response.get("description", "")), _content(response) or TypeDoc(""))


def _content(part: Json) -> TypeDoc | None:
    """Return the type of a body: its schema, else its media types."""
    content = part.get("content", {})
    for media in content.values():
        if media.get("schema"):
            return kind_of(media["schema"])
    return TypeDoc(", ".join(content)) if content else None


def _schema(name: str, schema: Json) -> Schema:
    needed = set(schema.get("required", ()))
    values = tuple(
        Value(field, kind_of(described), field in needed, _limits(described), str(described.get("description", "")))
        for field, described in schema.get("properties", {}).items()
    )
    return Schema(name, " ".join(str(schema.get("description", "")).split()), values)


def _limits(schema: Json) -> str:
    """Return the limits and the default of a value, in words."""
    parts = [schema, *(choice for choice in schema.get("anyOf", ()) if choice.get("type") != "null")]
    limits = [
        words.format(_count_words(part[name], _COUNTED.get(name)))
        for part in parts
        for name, words in _BOUNDS.items()
        if name in part
    ]
    default = schema.get("default")
    if default is not None and default != "":
        limits.append(f"default {str(default).lower() if isinstance(default, bool) else default}")
    return ", ".join(limits)


def _count_words(number: object, noun: str | None) -> str:
    return str(number) if noun is None else f"{number} {noun}{'' if number == 1 else 's'}"


def text_and_code(sentence: str) -> list[tuple[str, bool]]:
    """Return a sentence in pieces, each with whether it is code: the text between backticks."""
    return [(piece, bool(at % 2)) for at, piece in enumerate(_CODE.split(sentence)) if piece]


def _used_schemas(operations: tuple[RouteDoc, ...], known: Json) -> list[str]:
    """Return the schemas that routes use, directly or through other schemas, sorted by name."""
    waiting = [name for operation in operations for kind in _kinds(operation) for name in kind.schemas]
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in known and name not in found and name not in _ERRORS:
            found.add(name)
            fields = known[name].get("properties", {}).values()
            waiting += [inner for field in fields for inner in kind_of(field).schemas]
    return sorted(found)


def _kinds(operation: RouteDoc) -> Iterator[TypeDoc]:
    yield from (parameter.kind for parameter in operation.parameters)
    yield from (response.kind for response in operation.responses)
    if operation.body is not None:
        yield operation.body
