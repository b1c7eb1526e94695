"""Routes, parameters and keys of the HTTP API and the web pages, as the application describes itself."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, iter_route_contexts
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from webstrata.web.search.form import read_form

Json = Mapping[str, Any]

_OK = "2"


def api_lines(api: FastAPI) -> Iterator[str]:
    """Yield what clients of the API rely on: routes, parameters, keys of bodies, status codes."""
    document = api.openapi()
    operations = {
        f"{method.upper()} {path}": operation
        for path, routes in document["paths"].items()
        for method, operation in routes.items()
        if method != "head"
    }
    everywhere = set.intersection(*(set(operation["responses"]) for operation in operations.values()))
    yield from (f"every route {code}" for code in everywhere)
    for route, operation in operations.items():
        yield route
        yield from (f"{route} {line}" for line in _inputs(operation, document))
        for code, response in operation["responses"].items():
            if code not in everywhere:
                yield from (f"{route} {line}" for line in _response(code, response, document))


def page_lines(api: FastAPI) -> Iterator[str]:
    """Yield the routes that the description leaves out, which are the pages', with their parameters."""
    for context in iter_route_contexts(api.routes):
        route = context.original_route
        if not isinstance(route, APIRoute) or route.include_in_schema:
            continue
        for method in sorted(route.methods or ()):
            yield f"{method} {context.path}"
            yield from (f"{method} {context.path} {name}" for name in _page_inputs(route.dependant))
    yield from (f"GET /search query {name}" for name in _search_fields())


def metric_lines(api: FastAPI) -> Iterator[str]:
    """Yield the names, types and labels of the metrics of one application; the library's own are left out."""
    for metric in api.state.metrics.registry.collect():
        if metric.name.startswith("process_"):
            continue
        yield f"{metric.name} {metric.type}"
        labels = {*getattr(metric, "_labelnames", ()), *(label for sample in metric.samples for label in sample.labels)}
        yield from (f"{metric.name} label {label}" for label in sorted(labels))
        yield from (f"{metric.name} sample {sample.name}" for sample in metric.samples)


def _page_inputs(dependant: Dependant) -> Iterator[str]:
    kinds = {"query": dependant.query_params, "body": dependant.body_params, "cookie": dependant.cookie_params}
    for kind, parameters in kinds.items():
        for parameter in parameters:
            yield from (f"{kind} {name}" for name in _field_names(parameter.alias, parameter.field_info))
    for inner in dependant.dependencies:
        yield from _page_inputs(inner)


def _field_names(name: str, field: FieldInfo) -> list[str]:
    """Return the names that a parameter is read from: a model's fields, or its own."""
    kind = field.annotation
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return [inner.alias or inner_name for inner_name, inner in kind.model_fields.items()]
    return [name]


def _search_fields() -> list[str]:
    """Return the fields that the search page reads from its query string by itself."""
    asked = []

    class Fields(dict[str, str]):
        def get(self, key: str, default: Any = None) -> Any:
            asked.append(key)
            return default

    read_form(Fields())
    return asked


def _inputs(operation: Json, document: Json) -> Iterator[str]:
    for parameter in operation.get("parameters", ()):
        name = f"{parameter['in']} {parameter['name']}"
        yield name
        yield from (f"{name}{line}" for line in _keys(parameter["schema"], document))
        if not parameter.get("required"):
            yield f"{name} may be left out"
        if "default" in parameter["schema"]:
            yield f"{name} default {parameter['schema']['default']!r}"
    for media_type, content in operation.get("requestBody", {}).get("content", {}).items():
        yield from (f"body {media_type} {line}" for line in _keys(content["schema"], document))


def _response(code: str, response: Json, document: Json) -> Iterator[str]:
    yield code
    if not code.startswith(_OK):
        return
    yield from (f"{code} header {name}" for name in response.get("headers", ()))
    for media_type, content in response.get("content", {}).items():
        yield f"{code} {media_type}"
        yield from (f"{code} {line}" for line in _keys(content.get("schema", {}), document))


def _keys(schema: Json, document: Json, above: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the keys and types of a schema, each with its path; names of schemas are left out, as they may change."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if name not in above:
            yield from _keys(document["components"]["schemas"][name], document, (*above, name))
        return
    for variant in (*schema.get("anyOf", ()), *schema.get("allOf", ()), *schema.get("oneOf", ())):
        yield from _keys(variant, document, above)
    if schema.get("type", "object") not in ("object", "array", "null"):
        yield f": {schema['type']}"
    yield from (f" = {value!r}" for value in _choices(schema))
    for key, inner in schema.get("properties", {}).items():
        yield from (f".{key}", *(f".{key}{line}" for line in _keys(inner, document, above)))
    if "items" in schema:
        yield from (f"[]{line}" for line in _keys(schema["items"], document, above))
    if isinstance(schema.get("additionalProperties"), Mapping):
        yield from (f".*{line}" for line in _keys(schema["additionalProperties"], document, above))


def _choices(schema: Json) -> Iterable[object]:
    return (*schema.get("enum", ()), *((schema["const"],) if "const" in schema else ()))
