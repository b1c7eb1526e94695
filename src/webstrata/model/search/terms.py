"""Terms of a query: its words, the other forms of each, and the expressions that match them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from webstrata.model.search.query import All, AnyOf, Expression, Without, Words, all_of

Form = tuple[str, ...]
"""A form of a term: one word, or several consecutive words."""

FEW_TERMS = 3
"""Queries with more terms are long: few pages contain all their words, and these are rarely the best results."""


@dataclass(frozen=True)
class Term:
    """A word of a question, and the forms that count as the word."""

    word: str
    forms: tuple[Form, ...] = ()
    """Other forms: of the same stem, in one piece or in several."""
    is_stop_word: bool = False

    @property
    def expression(self) -> Expression:
        """Return the expression that matches any form of the word."""
        return any_form(Words((self.word,)), self.forms)


def any_form(written: Words, forms: Iterable[Form]) -> Expression:
    """Return the expression that matches a word or one of its other forms, in the same part of a document."""
    others = tuple(Words(form, written.field) for form in forms if form != written.words)
    return AnyOf((written, *others)) if others else written


def content_terms(terms: Sequence[Term]) -> tuple[Term, ...]:
    """Return the terms of a query that are not stop words."""
    return tuple(term for term in terms if not term.is_stop_word)


def all_terms(terms: Sequence[Term]) -> Expression | None:
    """Return the expression that matches every term that is not a stop word."""
    return all_of(term.expression for term in content_terms(terms))


def with_forms(expression: Expression, forms: "dict[Form, tuple[Form, ...]]") -> Expression:
    """Return an expression that also matches other forms of its words; quoted and excluded words are left as they
    are."""
    if isinstance(expression, Words):
        return expression if expression.is_quoted else any_form(expression, forms.get(expression.words, ()))
    if isinstance(expression, Without):
        return expression
    parts = tuple(with_forms(part, forms) for part in expression.parts)
    return All(parts) if isinstance(expression, All) else AnyOf(parts)
