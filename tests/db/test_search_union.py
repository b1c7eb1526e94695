from sqlalchemy import text

from webstrata.db.engine import Database
from webstrata.db.search.union import Columns, UnionPart, split_rows, union_query


def asked(database: Database, parts: dict[str, UnionPart]) -> dict[str, Columns]:
    with database.read() as session:
        dialect = session.get_bind().dialect.name
        return split_rows(dialect, parts, session.execute(text(union_query(dialect, parts))))


def test_each_query_of_a_union_gets_its_own_columns(database: Database) -> None:
    parts = {
        "numbers": UnionPart("SELECT 1 AS one, 2 AS two UNION ALL SELECT 3, 4", ("one", "two")),
        "words": UnionPart("SELECT 'a \"b\" {c}' AS word", ("word",)),
    }
    told = asked(database, parts)
    assert {name: [*map(list, columns.values())] for name, columns in told.items()} == {
        "numbers": [[1, 3], [2, 4]],
        "words": [['a "b" {c}']],
    }


def test_a_question_that_finds_nothing_has_empty_columns(database: Database) -> None:
    parts = {"missing": UnionPart("SELECT 1 AS one, 2 AS two WHERE 1 = 0", ("one", "two"))}
    assert asked(database, parts) == {"missing": {"one": (), "two": ()}}


def test_a_score_keeps_its_last_digit(database: Database) -> None:
    parts = {
        "score": UnionPart("SELECT CAST(0.1 AS double precision) + CAST(0.2 AS double precision) AS score", ("score",))
    }
    assert [*asked(database, parts)["score"]["score"]] == [0.1 + 0.2]
