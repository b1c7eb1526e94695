"""What a query finds, worked out by reading every page: slow, and right."""

from tests.search.corpus import Made
from webstrata.content.tokens import tokens
from webstrata.model.search.query import All, AnyOf, Expression, Field, Without, Words

Parts = dict[Field, list[str]]


def parts_of(page: Made) -> Parts:
    document = page.document
    return {
        Field.TITLE: tokens(document.title),
        Field.URL: tokens(document.normalized_url_group),
        Field.TEXT: tokens(document.text),
    }


def holds(parts: Parts, expression: Expression) -> bool:
    if isinstance(expression, All):
        return all(holds(parts, part) for part in expression.parts)
    if isinstance(expression, AnyOf):
        return any(holds(parts, part) for part in expression.parts)
    if isinstance(expression, Without):
        return not holds(parts, expression.part)
    fields = [expression.field] if expression.field else [*Field]
    return any(_stands(parts[field], expression) for field in fields)


def _stands(words: list[str], asked: Words) -> bool:
    length = len(asked.words)
    for start in range(len(words) - length + 1):
        piece = words[start : start + length]
        if tuple(piece[:-1]) == asked.words[:-1] and (
            piece[-1].startswith(asked.words[-1]) if asked.prefix else piece[-1] == asked.words[-1]
        ):
            return True
    return False
