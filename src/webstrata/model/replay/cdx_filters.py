"""Filters and collapsing of CDX queries; regular expressions from clients run in linear time."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

import re2

from webstrata.errors import UsageError

MAX_PATTERN = 500
"""The most characters of a filter's value."""

_MAX_PATTERN_BYTES = 1 << 20
"""Memory that a compiled expression may take."""


class FilterKind(StrEnum):
    """How a filter compares a field with its value."""

    EQUALS = "="
    CONTAINS = ""
    MATCHES = "~"
    """The value is a regular expression for the whole field."""


@dataclass(frozen=True)
class FieldFilter:
    """A condition on a field of a line."""

    field: str
    kind: FilterKind
    value: str
    is_negated: bool = False

    def __post_init__(self) -> None:
        """Refuse an expression that cannot be compiled."""
        if len(self.value) > MAX_PATTERN:
            raise UsageError(f"filter must have at most {MAX_PATTERN} characters after the field's name")
        if self.kind is FilterKind.MATCHES:
            self._pattern  # noqa: B018 - compiled now, so that an error reaches the client

    def accepts(self, values: Mapping[str, str]) -> bool:
        """Return whether a line passes."""
        return self._is_match(values[self.field]) is not self.is_negated

    def _is_match(self, text: str) -> bool:
        if self.kind is FilterKind.EQUALS:
            return text == self.value
        if self.kind is FilterKind.CONTAINS:
            return self.value in text
        return self._pattern.fullmatch(text) is not None

    @cached_property
    def _pattern(self) -> Any:  # noqa: ANN401 - the library has no types
        options = re2.Options()
        options.log_errors = False
        options.max_mem = _MAX_PATTERN_BYTES
        try:
            return re2.compile(self.value, options)
        except (re2.error, UnicodeError):
            raise UsageError(f"filter: {self.value[:80]!r} is not a regular expression (syntax of RE2)") from None


@dataclass(frozen=True)
class Collapse:
    """A field, or a prefix of it, by which equal neighbouring lines are collapsed."""

    field: str
    length: int | None = None

    def part_of(self, values: Mapping[str, str]) -> str:
        """Return the part of a line that is compared with its neighbour's."""
        return values[self.field][: self.length]
