"""URLs of requests with a body, as replay tools index them: `https://example.org/api?__wb_method=POST&q=tea`.

wabac.js, pywb and Browsertrix look such a response up by the request's URL with the body as a query. The query must be
exactly the one that wabac.js requests during replay.
"""

import base64
import json
import math
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from urllib.parse import quote_plus, unquote_to_bytes

from webstrata.errors import UsageError
from webstrata.model.urls import parse_url

METHODS = frozenset({"POST", "PUT"})
"""The methods whose responses are stored besides those of GET."""

MARK = "__wb_method="
_APPENDED = re.compile(r"[?&]__wb_method=([A-Z]{1,10})&(.*)$", re.DOTALL)
_ESCAPES = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_STAY_ESCAPED = frozenset(b";/?:@&=+$,#")
_FIELD = re.compile(r'name="([^"]+)"\r\n\r\n([^\r\n\u2028\u2029]*)', re.IGNORECASE)
_ARRAY_INDEX = re.compile(r"0|[1-9][0-9]{0,9}")
_MAX_DEPTH = 100
_LARGEST_FIXED, _SMALLEST_FIXED = 1e21, 1e-6


def request_query(content_type: str, body: bytes) -> str:
    """Return the body of a request as a query."""
    text = body.decode("utf-8-sig", "replace")
    kind = content_type.split(";", maxsplit=1)[0]
    if kind == "application/x-www-form-urlencoded":
        return text
    if kind in {"application/json", "text/plain"}:
        return _serialize(_json_fields(text))
    if kind == "multipart/form-data":
        return _serialize(_form_fields(text, content_type.partition("boundary=")[2]))
    try:
        return "__wb_post_data=" + base64.b64encode(text.encode("latin-1")).decode()
    except UnicodeEncodeError:
        return "__wb_post_data="


def posted_url(url: str, method: str, query: str) -> str:
    """Return the URL that is looked up for a request with a body."""
    joint = "&" if "?" in url else "?"
    try:
        return parse_url(f"{url}{joint}{MARK}{method}&{_decode_uri(query)}").href
    except UsageError:
        return url


def split_posted_url(url: str) -> tuple[str, str, str] | None:
    """Return the URL, the method and the query of such a request; None for an ordinary URL."""
    found = _APPENDED.search(url) if MARK in url else None
    return (url[: found.start()], found[1], found[2]) if found else None


def _decode_uri(query: str) -> str:
    """Return a query decoded like with JavaScript's decodeURI: all but reserved characters; empty when it is
    malformed."""
    if "%" in _ESCAPES.sub("", query):
        return ""
    try:
        return _ESCAPES.sub(lambda match: _decode_run(match[0]), query)
    except UnicodeDecodeError:
        return ""


def _decode_run(escapes: str) -> str:
    characters = unquote_to_bytes(escapes).decode("utf-8")
    return "".join(f"%{ord(one):02X}" if ord(one) in _STAY_ESCAPED else one for one in characters)


def _serialize(fields: Mapping[str, str]) -> str:
    """Return fields as URLSearchParams writes them."""
    return "&".join(f"{_escape(name)}={_escape(value)}" for name, value in fields.items())


def _escape(text: str) -> str:
    return quote_plus(text.encode("utf-8", "replace"), safe="*").replace("~", "%7E")


def _form_fields(text: str, boundary: str) -> dict[str, str]:
    parts = re.split(f"-*{re.escape(boundary)}-*", text, flags=re.IGNORECASE) if boundary else []
    found = (_FIELD.search(part.strip()) for part in parts)
    return {match[1]: match[2] for match in found if match}


def _json_fields(text: str) -> dict[str, str]:
    """Return the values of a JSON document by the names of their objects; a name that is used again gets a number."""
    try:
        document = json.loads(text, parse_constant=_refuse, parse_int=_number, parse_float=_number)
    except (ValueError, RecursionError):
        return {}
    fields: dict[str, str] = {}
    repeated: dict[str, int] = {}
    for name, value in _values(document, "", _MAX_DEPTH):
        if name not in fields:
            fields[name] = value
            continue
        repeated[name] = repeated.get(name, 1) + 1
        fields[f"{name}.{repeated[name]}_"] = value
    return fields


def _values(value: object, name: str, depth: int) -> Iterator[tuple[str, str]]:
    if depth == 0:
        return
    if isinstance(value, list):
        for one in value:
            yield from _values(one, name, depth - 1)
    elif isinstance(value, dict):
        for inner in sorted(value, key=_position):
            yield from _values(value[inner], inner, depth - 1)
    elif value is None or isinstance(value, bool):
        yield name, {None: "null", True: "true", False: "false"}[value]
    elif value:
        yield name, str(value)


def _position(name: str) -> int:
    """Return the sort key of a property: JavaScript puts those with numeric names first."""
    return int(name) if _ARRAY_INDEX.fullmatch(name) and int(name) < 2**32 - 1 else 2**32


def _refuse(_constant: str) -> str:
    raise ValueError


def _number(written: str) -> str:
    """Return a number as JavaScript writes it."""
    number = float(written)
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    if number == 0:
        return "0"
    shortest = repr(number)
    if _SMALLEST_FIXED <= abs(number) < _LARGEST_FIXED:
        fixed = format(Decimal(shortest), "f")
        return fixed.rstrip("0").rstrip(".") if "." in fixed else fixed
    digits, _, exponent = shortest.partition("e")
    return f"{digits.removesuffix('.0')}e{int(exponent):+d}"
