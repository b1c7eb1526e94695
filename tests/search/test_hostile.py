"""What people and programs write who mean no good: an answer or a refusal, and never a long wait."""

import random
from collections.abc import Iterator

import pytest

from tests.search.corpus import corpus, stock
from tests.support.databases import FreshDatabase
from webstrata.db.engine import Database
from webstrata.model.search.values import SearchRequest, Sort, View
from webstrata.search.appearances import appearances
from webstrata.search.service import explain_search, search

PIECES = [
    *(
        "AND",
        "OR",
        "NOT",
        "NEAR(",
        "NEAR/3",
        "(",
        ")",
        "((",
        "))",
        "-",
        "--",
        "- -",
        '"',
        '""',
        "'",
        "''",
        "`",
        "\\",
        "*",
    ),
    *(
        "^",
        "+",
        "&",
        "|",
        "!",
        "<->",
        ":*",
        ":A",
        "~",
        "%",
        "_",
        ";",
        ",",
        ".",
        "..",
        "?",
        "@",
        "#",
        "$",
        "{",
        "}",
        "[",
        "]",
    ),
    *(
        "title:",
        "url:",
        "snippet:",
        "text:",
        "rowid:",
        "documents_fts",
        "title:(",
        'url:"',
        "url:http",
        "://",
        "www.",
        "a.b",
    ),
    *("'; DROP TABLE documents; --", "1 OR 1=1", "UNION SELECT", "pg_sleep(9)", "${7*7}", "{{7*7}}", "<script>", "%00"),
    *(
        "😀",
        "👩‍👩‍👧‍👦",
        "é",
        "É",
        "ﷺ",
        "日本語",
        "\u202e",
        "\ufeff",
        "ß",
        "ǅ",
        "²",
        "٣",
        "𝕏",
        "\U0001f1e8\U0001f1e6",
        "\ud800",
        "\x7f",
    ),
    *(
        "flu",
        "fever",
        "measles",
        "health",
        "https",
        "the",
        "a",
        "of",
        "x" * 60,
        "1" * 60,
        "co",
        "covid-19",
        "prevention",
    ),
]
LIMIT = 256


def hostile(count: int, seed: int) -> Iterator[str]:
    chance = random.Random(seed)
    for _ in range(count):
        length = chance.choice([1, 2, 3, 5, 8, 20, 60])
        joined = chance.choice(["", " ", " "]).join(chance.choices(PIECES, k=length))
        yield joined[:LIMIT] or " "


@pytest.fixture(scope="module")
def archive(fresh_database_url: FreshDatabase) -> Iterator[Database]:
    with fresh_database_url() as url:
        database = Database(url)
        stock(database, corpus()[::5])
        yield database
        database.dispose()


def ask(database: Database, queries: Iterator[str], chance: random.Random) -> None:
    for q in queries:
        request = SearchRequest(
            q=q,
            sort=chance.choice([None, *Sort]),
            view=chance.choice([*View]),
            page=chance.choice([1, 1, 2, 1_000_000]),
            include_non_2xx=chance.random() < 0.2,
            facets=chance.random() < 0.1,
        )
        answer = search(database, request)
        assert len(answer.results) <= min(answer.total, request.page_size), q


def test_hundreds_of_hostile_queries_are_answered(archive: Database) -> None:
    ask(archive, hostile(120, 1), random.Random(1))


@pytest.mark.soak
@pytest.mark.timeout(1_200)
def test_ten_thousand_hostile_queries_are_answered(archive: Database) -> None:
    ask(archive, hostile(10_000, 2), random.Random(2))


@pytest.mark.parametrize(
    "q",
    [
        "ﷺ" * LIMIT,
        "(" * LIMIT,
        "-" * LIMIT,
        '"' * LIMIT,
        "(a OR (b AND " * 12 + "c" + "))" * 12,
        " OR ".join(f"NOT w{n}" for n in range(20)),
        "-a " * 85,
        "title:" * 42,
        " ".join("abcdefghijklmnopqrstuvwxyz" * 5)[:LIMIT],
        "https OR https -https",
        "x" * LIMIT,
    ],
)
def test_the_worst_of_each_kind_is_answered(archive: Database, q: str) -> None:
    for view in View:
        done = explain_search(archive, SearchRequest(q=q, view=view))
        assert len(done.hits) <= done.response.total
    assert appearances(archive, q).captures >= 0
