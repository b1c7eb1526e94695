import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.content.tokens import tokens
from webstrata.model.search.query import (
    MAX_DEPTH,
    MAX_TOKENS,
    All,
    AnyOf,
    Expression,
    Field,
    Intent,
    Without,
    Words,
    ignoring_positions,
    parse_query,
    wanted_words,
)


def spelled(expression: Expression | None) -> str:
    """Write an expression so that it can be read in a test."""
    if expression is None:
        return ""
    if isinstance(expression, Words):
        field = f"{expression.field}:" if expression.field else ""
        return field + "_".join(expression.words)
    if isinstance(expression, Without):
        return f"!{spelled(expression.part)}"
    sign = " & " if isinstance(expression, All) else " | "
    return f"({sign.join(map(spelled, expression.parts))})"


def depth(expression: Expression) -> int:
    if isinstance(expression, Without):
        return 1 + depth(expression.part)
    if isinstance(expression, All | AnyOf):
        return 1 + max(map(depth, expression.parts))
    return 0


@pytest.mark.parametrize(
    ("q", "address"),
    [
        ("https://example.org/a?b=c", "https://example.org/a?b=c"),
        ("www.example.org", "www.example.org"),
        ("example.org", "example.org"),
        (" example.org/health ", "example.org/health"),
        ("url:https://example.org/a", "https://example.org/a"),
        ("url:www.example.org", "www.example.org"),
        ("0.5", "0.5"),
    ],
)
def test_an_address_is_looked_up(q: str, address: str) -> None:
    query = parse_query(q, tokens)
    assert (query.intent, query.address) == (Intent.URL, address)


@pytest.mark.parametrize(
    "q",
    [
        *("food and drug act", "to be or not to be", "measles", "covid-19", "(flu)", "a - b", "Dr. Who", "end.", "..."),
        *(
            "What is this?",
            "12:30",
            "AND",
            "OR OR",
            "NOT",
            "flu AND",
            "(flu OR cold",
            "flu) NOT (x",
            '"',
            'say "cheese',
        ),
        *("title:", "other:flu", "-", "- flu", "😀", "a AND (OR b)", "()", "-(", "NOT ()", "Title flu"),
    ],
)
def test_ordinary_words_stay_ordinary_and_so_does_what_does_not_parse(q: str) -> None:
    query = parse_query(q, tokens)
    assert query.intent is Intent.PLAIN
    assert query.plain == tuple(dict.fromkeys(tokens(q)))
    assert [part.words for part in wanted_words(query.expression)] == [(word,) for word in query.plain]


@pytest.mark.parametrize(
    ("q", "expression"),
    [
        ("flu AND cold", "(flu & cold)"),
        ("flu OR cold fever", "(flu | (cold & fever))"),
        ("(flu OR cold) fever", "((flu | cold) & fever)"),
        ("flu NOT cold", "(flu & !cold)"),
        ("flu -cold -fever", "(flu & !cold & !fever)"),
        ("-flu", "!flu"),
        ("NOT NOT flu", "flu"),
        ('"Flu Season"', "flu_season"),
        ('-"flu season" shot', "(!flu_season & shot)"),
        ("title:Flu", "title:flu"),
        ("TITLE:flu url:flu snippet:flu", "(title:flu & url:flu & snippet:flu)"),
        ('title:"flu season" OR url:covid-19', "(title:flu_season | url:covid_19)"),
        ("-title:flu x", "(!title:flu & x)"),
        ("NOT (a OR b) AND c", "(!(a | b) & c)"),
        ("((a)) OR ((b OR c))", "(a | b | c)"),
        ("a AND a OR a", "a"),
        ('"…" flu', "flu"),
        ("url:example.org/a x", "(url:example_org_a & x)"),
        ("covid-19 -covid-20", "(covid_19 & !covid_20)"),
        ('l\'été "À la"', "(l_ete & a_la)"),
    ],
)
def test_the_query_language_means_what_it_says(q: str, expression: str) -> None:
    query = parse_query(q, tokens)
    assert query.intent is Intent.ADVANCED
    assert spelled(query.expression) == expression


def test_a_field_is_a_part_of_the_document() -> None:
    assert parse_query("snippet:flu", tokens).expression == Words(("flu",), Field.TEXT)


def test_more_than_128_tokens_are_plain_words_and_only_so_many() -> None:
    fits = " OR ".join("abcdefghijklmnopqrstuvwxyz")
    assert parse_query(fits, tokens).intent is Intent.ADVANCED
    many = " OR ".join(f"w{number}" for number in range(100))
    query = parse_query(many, tokens)
    assert query.intent is Intent.PLAIN
    assert len(parse_query(" ".join(f"w{n}" for n in range(500)), tokens).plain) == MAX_TOKENS


def test_too_deep_an_expression_is_plain_words() -> None:
    deep = "(a OR (b AND " * 20 + "c" + "))" * 20
    assert parse_query(deep, tokens).intent is Intent.PLAIN
    needless = "(" * 5 + "a OR b" + ")" * 5
    assert spelled(parse_query(needless, tokens).expression) == "(a | b)"


PIECES = st.sampled_from(
    [
        "AND",
        "OR",
        "NOT",
        "(",
        ")",
        "-",
        '"',
        "title:",
        "url:",
        "snippet:",
        "flu",
        "été",
        "a-b",
        " ",
        "*",
        "^",
        "😀",
        "://",
    ]
)


@given(st.lists(PIECES | st.text(max_size=6), max_size=60).map("".join) | st.lists(PIECES, max_size=60).map(" ".join))
def test_whatever_is_written_is_understood_as_something_bounded(q: str) -> None:
    query = parse_query(q, tokens)
    assert len(query.plain) <= MAX_TOKENS
    if query.expression is not None:
        assert depth(query.expression) <= 2 * MAX_DEPTH + 3
        assert sum(1 for _ in wanted_words(query.expression)) <= MAX_TOKENS
        assert all(part.words for part in wanted_words(query.expression))


@pytest.mark.parametrize(
    ("q", "wider"),
    [
        ('"flu season"', "(flu & season)"),
        ("flu AND snippet:fever", "((flu) & (fever))"),
        ('title:"flu season" OR cold', "((title:flu & title:season) | (cold))"),
        ('flu -"bad cold"', "((flu))"),
        ("flu -cold", "((flu) & !cold)"),
        ('-"bad cold" OR flu', "(() | (flu))"),
    ],
)
def test_words_wherever_they_stand_are_requested_without_phrases_and_excluded_only_where_that_is_sure(
    q: str, wider: str
) -> None:
    expression = parse_query(q, tokens).expression
    assert expression is not None
    assert spelled(ignoring_positions(expression)) == wider
