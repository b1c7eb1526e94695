"""Searching: how long each kind of question takes, beside the seed's design, which looks for pieces of text."""

import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from sqlalchemy import text

from bench.report import Measurement
from bench.search_data import Asked, fill, settle
from webstrata.db.engine import Database
from webstrata.db.migrate import upgrade
from webstrata.model.search.values import SearchRequest, Sort, View
from webstrata.search.service import search

_SMALL, _LARGE = 100_000, 1_000_000
_ASKED = 90
_SEED_ASKED = 6
_AT_MOST = {_SMALL: 30, _LARGE: 90}
_LONG_AT_MOST = 150

Requests = Callable[[random.Random, Asked], SearchRequest]


def measure(folder: Path) -> list[Measurement]:
    """Return the time of each kind of search in the 95th of 100 cases, on both databases."""
    sizes = (_SMALL, _LARGE) if os.environ.get("LARGE") else (_SMALL,)
    return [found for size in sizes for url in _databases(folder, size) for found in _measured(url, size)]


def _databases(folder: Path, size: int) -> Iterator[str]:
    kinds = os.environ.get("DATABASES", "sqlite postgresql").split()
    if "sqlite" in kinds:
        yield f"sqlite:///{folder / f'{size}.db'}"
    if "postgresql" in kinds:
        from tests.support.postgres import started

        with (
            tempfile.TemporaryDirectory(prefix="webstrata-bench-pg-") as place,
            started(Path(place), shared_buffers=_quarter_of_memory()) as server,
        ):
            yield server.url(server.create())


def _quarter_of_memory() -> str:
    """Return what PostgreSQL's manual tells who runs a server to give it; by itself it takes 128 MB everywhere."""
    return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') // 4 // 2**20}MB"


def _measured(url: str, size: int) -> Iterator[Measurement]:
    database = Database(url)
    upgrade(database)
    asked = fill(database, size)
    settle(database)
    where = f"{size:,} on {'SQLite' if database.is_sqlite else 'PostgreSQL'}"
    ours = {}
    for name, make in KINDS.items():
        times = _times(database, make, asked)
        ours[name] = statistics.median(times)
        at_most = _LONG_AT_MOST if name == "fifteen words" else _AT_MOST[size]
        yield Measurement(f"{name}, {where}: p95", _p95(times), "ms", asked=f"≤ {at_most}")
    seed = _seed_times(database, asked)
    yield Measurement(f"pieces of text (the seed's design), {where}: median", statistics.median(seed), "ms")
    yield Measurement(
        f"plain, {where}: so many times as fast", statistics.median(seed) / ours["plain"], "×", asked="≥ 20"
    )
    database.dispose()


def _times(database: Database, make: Requests, asked: Asked) -> list[float]:
    chance = random.Random(7)
    times = []
    for _ in range(_ASKED):
        request = make(chance, asked)
        began = time.perf_counter()
        found = search(database, request)
        times.append((time.perf_counter() - began) * 1000)
        assert found.total > 0, request
    return times


def _p95(times: list[float]) -> float:
    return sorted(times)[int(len(times) * 0.95)]


def _word(chance: random.Random, asked: Asked) -> str:
    return chance.choice(asked.words[chance.choice([*asked.words])])


def _phrase(chance: random.Random, asked: Asked) -> SearchRequest:
    words = asked.words["10 %"]
    number = chance.randrange(len(words))
    return SearchRequest(q=f'"{words[number]} {words[number - 1]}"')


def _boolean(chance: random.Random, asked: Asked) -> SearchRequest:
    one, two, three = (_word(chance, asked) for _ in range(3))
    return SearchRequest(q=f"({one} OR {two}) NOT title:{three}")


def _words(chance: random.Random, asked: Asked, count: int) -> SearchRequest:
    return SearchRequest(q=" ".join(dict.fromkeys(_word(chance, asked) for _ in range(count))))


KINDS: dict[str, Requests] = {
    "two words": lambda chance, asked: _words(chance, asked, 2),
    "fifteen words": lambda chance, asked: _words(chance, asked, 15),
    "plain": lambda chance, asked: SearchRequest(q=_word(chance, asked)),
    "phrase": _phrase,
    "boolean": _boolean,
    "newest first": lambda chance, asked: SearchRequest(q=_word(chance, asked), sort=Sort.NEWEST),
    "address": lambda chance, asked: SearchRequest(q=chance.choice(asked.addresses)),
    "pages view": lambda chance, asked: SearchRequest(q=_word(chance, asked), view=View.PAGES),
    "browse": lambda chance, asked: SearchRequest(page=chance.randint(1, 3)),
    "browse pages": lambda chance, asked: SearchRequest(view=View.PAGES, page=chance.randint(1, 3)),
    "deep in the results": lambda chance, asked: SearchRequest(
        q=chance.choice(asked.words["10 %"]), page=chance.randint(100, 400)
    ),
    "deep in the archive": lambda chance, asked: SearchRequest(page=chance.randint(500, 1_500)),
    "facets": lambda chance, asked: SearchRequest(q=_word(chance, asked), facets=True),
}

_SEED = text(
    "SELECT s.id, (CASE WHEN lower(s.title) LIKE :piece THEN 3 ELSE 0 END)"
    " + (CASE WHEN lower(s.url) LIKE :piece THEN 2 ELSE 0 END) AS score FROM snapshots s"
    " JOIN sources o ON o.id = s.source_id WHERE o.code <> 'test' AND s.status_code BETWEEN 200 AND 299"
    " AND (lower(s.title) LIKE :piece OR lower(s.snippet) LIKE :piece OR lower(s.url) LIKE :piece)"
    " ORDER BY score DESC, s.capture_timestamp DESC, s.id DESC LIMIT 20"
)
_SEED_COUNT = text(
    "SELECT count(*) FROM snapshots s JOIN sources o ON o.id = s.source_id WHERE o.code <> 'test'"
    " AND s.status_code BETWEEN 200 AND 299"
    " AND (lower(s.title) LIKE :piece OR lower(s.snippet) LIKE :piece OR lower(s.url) LIKE :piece)"
)


def _seed_times(database: Database, asked: Asked) -> list[float]:
    """Return how long the same words take as pieces of title, snippet and address, counted and ordered."""
    chance = random.Random(7)
    times = []
    for _ in range(_SEED_ASKED):
        piece = {"piece": f"%{_word(chance, asked)}%"}
        began = time.perf_counter()
        with database.read() as session:
            session.execute(_SEED_COUNT, piece).one()
            session.execute(_SEED, piece).all()
        times.append((time.perf_counter() - began) * 1000)
    return times
