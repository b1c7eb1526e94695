"""Every function that asks the database has a line in the tests of plans, or a reason for having none."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import webstrata

SOURCE = Path(webstrata.__file__).parent.parent
TESTS = Path(__file__).parent
COUNTED_IN = (TESTS / "test_plans.py", TESTS / "asked_lists.py")
UNCOUNTED = TESTS / "not-counted.txt"
ASKS = ("Session", "Database", "Connection")
WITHOUT_QUERIES = ("migrations", "schema", "sql")
"""Folders of `db/` whose functions are no queries of their own; the search has tests of its own plans."""


def test_every_query_is_counted_in_a_large_archive_or_has_a_reason_why_not() -> None:
    public, counted, excused = public_queries(), reached(), reasons()
    without = sorted(public - counted - excused.keys())
    assert without == [], "add a line to tests/db/asked_lists.py, or the name to tests/db/not-counted.txt"
    needless = sorted(excused.keys() - (public - counted))
    assert needless == [], "tests/db/not-counted.txt lists what is counted or not there"


def test_a_query_without_a_line_is_noticed() -> None:
    assert "webstrata.db.collections.listings.list_listings" in public_queries() & reached()
    assert "webstrata.db.queue.leases.renew_lease" in public_queries() - reached()


def reasons() -> dict[str, str]:
    """Return the queries that are not counted, each with the heading that it is listed under."""
    found: dict[str, str] = {}
    heading = ""
    for line in UNCOUNTED.read_text().splitlines():
        if line.startswith("#"):
            heading = line.removeprefix("#").strip()
        elif line.strip():
            assert heading, f"{line} has no reason"
            found[f"webstrata.db.{line.strip()}"] = heading
    return found


def public_queries() -> set[str]:
    """Return the public functions of `db/` that take a session or a database."""
    folder = SOURCE / "webstrata" / "db"
    paths = (path for path in folder.rglob("*.py") if not {*path.relative_to(folder).parts} & {*WITHOUT_QUERIES})
    return {name for path in paths for name in queries_of(path)}


def queries_of(path: Path) -> Iterator[str]:
    module = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
    for node in tree(path).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and takes_a_session(node):
            yield f"{module}.{node.name}"


def takes_a_session(function: ast.FunctionDef) -> bool:
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    return any(one.annotation is not None and ast.unparse(one.annotation).endswith(ASKS) for one in arguments)


def reached() -> set[str]:
    """Return all that the tests of plans name, and what that calls in turn."""
    found: set[str] = set()
    waiting = [name for path in COUNTED_IN for name in names_in(tree(path), path, "")]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += called_by(name)
    return found


def called_by(name: str) -> Iterator[str]:
    module, _, part = name.rpartition(".")
    path = SOURCE / f"{module.replace('.', '/')}.py"
    if not path.is_file():
        return
    for node in tree(path).body:
        targets = getattr(node, "targets", [getattr(node, "target", None)])
        named = {getattr(node, "name", None), *(getattr(target, "id", None) for target in targets)}
        if part in named:
            yield from names_in(node, path, module)


def names_in(node: ast.AST, path: Path, module: str) -> Iterator[str]:
    """Yield the names of functions that are used somewhere, in full."""
    imported = imports_of(path)
    for one in ast.walk(node):
        if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id in imported:
            yield f"{imported[one.value.id]}.{one.attr}"
        elif isinstance(one, ast.Name):
            yield imported.get(one.id, f"{module}.{one.id}")


@cache
def imports_of(path: Path) -> dict[str, str]:
    return {
        name.asname or name.name: f"{node.module}.{name.name}"
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())
