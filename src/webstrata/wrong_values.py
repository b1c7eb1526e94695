"""Messages for invalid values: pydantic's errors in plain words, with the value."""

from collections.abc import Mapping
from typing import Any

_LONGEST_SHOWN = 60

_NUMBER = "{value} is not a number"
_WHOLE_NUMBER = "{value} is not a whole number"
_DATE = "{value} is not a date like 2024-05-31"
_WORDS: Mapping[str, str] = {
    **dict.fromkeys(("int_parsing", "int_type", "int_from_float", "int_parsing_size"), _WHOLE_NUMBER),
    **dict.fromkeys(("float_parsing", "float_type", "finite_number"), _NUMBER),
    **dict.fromkeys(("bool_parsing", "bool_type"), "{value} is neither true nor false"),
    **dict.fromkeys(("date_parsing", "date_from_datetime_parsing", "date_type"), _DATE),
    **dict.fromkeys(("enum", "literal_error"), "{value} is not one of {expected}"),
    "greater_than_equal": "{value} must be at least {ge}",
    "greater_than": "{value} must be more than {gt}",
    "less_than_equal": "{value} must be at most {le}",
    "less_than": "{value} must be less than {lt}",
    "string_too_short": "{value} is too short: it must have at least {min_length} characters",
    "string_too_long": "{value} is too long: it must have at most {max_length} characters",
    "missing": "it is missing",
}


def plain_words(problem: Mapping[str, Any], *, is_secret: bool = False) -> str:
    """Return a problem of a ValidationError as a sentence; a secret value is not repeated."""
    context = problem.get("ctx", {})
    if problem["type"] == "value_error":
        return str(context.get("error", problem["msg"])).rstrip(".")
    value = "the value" if is_secret else _display_value(problem.get("input"))
    return _WORDS.get(problem["type"], "{value} cannot be used here").format(value=value, **_format_numbers(context))


def _display_value(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def _format_numbers(context: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers of an error formatted for people: 65,535, and 1 for 1.0."""
    return {
        name: f"{value:,.10g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else value
        for name, value in context.items()
    }
