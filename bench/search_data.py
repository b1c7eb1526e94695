"""An archive to be searched: made-up pages in a made-up vocabulary whose words are as common as in real languages."""

import hashlib
import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import text

from webstrata.db.captures import captures, snapshots
from webstrata.db.captures.documents import ensure_documents
from webstrata.db.captures.snapshots import NewSnapshot
from webstrata.db.engine import Database
from webstrata.db.queue import jobs
from webstrata.db.schema.tables import Capture
from webstrata.db.search.indexed_words import NewDocument
from webstrata.model.jobs.job import JobConfig

SHARES = {"0.1 %": 0.001, "1 %": 0.01, "10 %": 0.1}
"""How common the words are that are asked for, by share of the pages."""

SITE = "https://bench.example"
WORDS_OF_EACH = 20
_CAPTURES_OF_A_TEXT = 3.3
_VOCABULARY = 30_000
_WORDS_OF_A_TEXT = 220
_BATCH = 5_000
_FIRST_DAY = datetime(2020, 1, 1, tzinfo=UTC)
_SYLLABLES = ["ba", "re", "ti", "mo", "lun", "ka", "ves", "do", "rin", "sa", "pel", "tor", "mi", "gra", "nu", "fex"]


@dataclass(frozen=True)
class Asked:
    """The words that are asked for, by share, and pages that are asked for by address."""

    words: dict[str, list[str]]
    addresses: list[str]


def fill(database: Database, count: int) -> Asked:
    """Store so many snapshots of about a third as many texts and return what can be asked of them."""
    chance = random.Random(count)
    words = ["".join(parts) for parts in itertools.islice(itertools.product(_SYLLABLES, repeat=4), _VOCABULARY)]
    chance.shuffle(words)
    weights = list(itertools.accumulate(1 / (rank + 2) for rank in range(_VOCABULARY)))
    asked = {share: [f"q{share[:-2].replace('.', '')}{chr(97 + n)}" for n in range(WORDS_OF_EACH)] for share in SHARES}
    texts = int(count / _CAPTURES_OF_A_TEXT)
    ids = itertools.count(1)
    job = _job(database)
    for start in range(0, texts, _BATCH):
        pages = [
            _document(number, chance, words, weights, asked) for number in range(start, min(start + _BATCH, texts))
        ]
        _store(database, job, pages, list(_captures(chance, len(pages), count / texts)), ids)
        if _has_doubled(start):
            _look_at(database, "ANALYZE")
    return Asked(asked, [f"{SITE}/{number % 97}/{number}" for number in range(0, texts, max(1, texts // 200))])


def _document(
    number: int, chance: random.Random, words: list[str], weights: list[float], asked: dict[str, list[str]]
) -> NewDocument:
    body = chance.choices(words, cum_weights=weights, k=chance.randint(_WORDS_OF_A_TEXT // 2, 2 * _WORDS_OF_A_TEXT))
    title = chance.choices(words, cum_weights=weights, k=5)
    for share, some in asked.items():
        for number_of_word, word in enumerate(some):
            if chance.random() < SHARES[share]:
                place, follower = chance.randrange(len(body)), some[number_of_word - 1]
                body[place : place + 1] = [word, follower] if chance.random() < 0.1 else [word]
                if chance.random() < 0.1:
                    title.append(word)
    return NewDocument(f"{SITE}/{number % 97}/{number}", " ".join(title).capitalize(), " ".join(body))


def _captures(chance: random.Random, texts: int, each: float) -> Iterator[int]:
    for _ in range(texts):
        yield max(1, round(chance.expovariate(1 / each)))


def _job(database: Database) -> tuple[int, int, int]:
    with database.write() as session:
        source_id = jobs.ensure_source(session, "bench", name="Bench", base_url=SITE)
        moment = datetime.now(UTC)
        job_id = jobs.add_job(session, source_id, name="bench", output_dir="", config=JobConfig(()), queued_at=moment)
        return source_id, job_id, captures.add_warc_file(session, job_id, "bench.warc.gz")


def _store(
    database: Database, job: tuple[int, int, int], pages: list[NewDocument], times: list[int], ids: Iterator[int]
) -> None:
    source_id, job_id, warc_id = job
    with database.write() as session:
        stored = ensure_documents(session, pages)
        rows = [
            _snapshot(source_id, job_id, page, stored[page.key], next(ids))
            for page, often in zip(pages, times, strict=True)
            for _ in range(often)
        ]
        session.execute(
            Capture.__table__.insert(),  # type: ignore[attr-defined]
            [
                {
                    "id": row.id,
                    "job_id": job_id,
                    "source_id": source_id,
                    "warc_file_id": warc_id,
                    "warc_offset": row.id,
                    "warc_length": 1,
                    "warc_record_id": f"<{row.id}>",
                    "record_type": "response",
                    "url": row.url,
                    "url_key": row.url,
                    "capture_timestamp": row.capture_timestamp,
                }
                for row in rows
            ],
        )
        snapshots.save_snapshots(session, rows)
        snapshots.refresh_pages(session, source_id, {page.normalized_url_group for page in pages})


def _snapshot(source_id: int, job_id: int, page: NewDocument, document_id: int, number: int) -> NewSnapshot:
    # Every text was captured at times of its own, over five years.
    moment = _FIRST_DAY + timedelta(seconds=(number * 7_919_993) % (5 * 365 * 86_400))
    return NewSnapshot(
        job_id=job_id,
        source_id=source_id,
        capture_id=number,
        document_id=document_id,
        url=page.normalized_url_group,
        normalized_url_group=page.normalized_url_group,
        capture_timestamp=moment,
        mime_type="text/html",
        status_code=200,
        title=page.title,
        snippet=page.text[:280],
        language="en",
        warc_path="bench.warc.gz",
        warc_record_id=f"<{number}>",
        warc_offset=number,
        warc_length=1,
        content_hash=hashlib.sha256(f"{number}".encode()).hexdigest(),
        id=number,
    )


def settle(database: Database) -> None:
    """Let PostgreSQL look at what was stored, as it would have done by itself after a while."""
    _look_at(database, "VACUUM ANALYZE")


def _has_doubled(start: int) -> bool:
    """Tell whether the archive has become twice as large, or about: a server looks at its tables about then."""
    batch = start // _BATCH + 1
    return batch & (batch - 1) == 0


def _look_at(database: Database, statement: str) -> None:
    if not database.is_sqlite:
        with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text(statement))
