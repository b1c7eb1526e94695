"""Literals that every match of a regular expression contains: looking for these first is quicker than matching."""

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

# The standard library's own parser of regular expressions; it has no public name and no types.
codes: Any = import_module("re._constants")
parser: Any = import_module("re._parser")

_REPEATS = frozenset({codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT})


def required_literals(pattern: str) -> frozenset[str]:
    """Return literals, at least one of which is in every match of a pattern; an empty set when none can be derived."""
    return _of_sequence(parser.parse(pattern))


def _of_sequence(items: Iterable[tuple[Any, Any]]) -> frozenset[str]:
    """Return the most selective literals of the parts of a sequence; a match contains literals of each part."""
    best: frozenset[str] = frozenset()
    run = ""
    for code, argument in items:
        if code is codes.LITERAL:
            run += chr(argument)
            continue
        best, run = _more_telling(best, _run(run), _of_part(code, argument)), ""
    return _more_telling(best, _run(run))


def _of_part(code: object, argument: Sequence[Any]) -> frozenset[str]:
    if code is codes.SUBPATTERN:
        return _of_sequence(argument[3])
    if code in _REPEATS and argument[0] >= 1:
        return _of_sequence(argument[2])
    if code is codes.BRANCH:
        options = [_of_sequence(option) for option in argument[1]]
        return frozenset().union(*options) if all(options) else frozenset()
    return frozenset()


def _run(text: str) -> frozenset[str]:
    return frozenset({text}) if text else frozenset()


def _more_telling(*candidates: frozenset[str]) -> frozenset[str]:
    """Return the set of literals whose shortest member is longest."""
    return max(candidates, key=lambda literals: min(map(len, literals), default=0))
