"""Buckets that several processes share: as exact as those of one process, whatever happens to the others."""

import json
import os
import struct
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from io import StringIO
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.api.takers import EVERYBODY, LIMIT, ONE_ROW, PROCESSES, hold_the_lock_for_ever, stopped_clock, taken_at_once
from tests.api.test_rate_limits import Clock
from tests.support.forks import own_processes
from webstrata.http.limits.rate_limits import Buckets, RequestKind
from webstrata.http.limits.shared_rate_limits import SharedBuckets, make_table


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table of one row, so that all clients meet in it."""
    path = tmp_path / "rate-limits"
    make_table(path, ONE_ROW)
    return path


@pytest.fixture
def buckets(table: Path) -> Iterator[SharedBuckets]:
    with closing(SharedBuckets(table, ONE_ROW, stopped_clock)) as opened:
        yield opened


Steps = st.lists(
    st.tuples(st.sampled_from(RequestKind), st.sampled_from(EVERYBODY), st.integers(1, 5), st.floats(0.001, 90)),
    max_size=80,
)


@given(Steps)
def test_they_give_what_the_buckets_of_one_process_give(steps: list[tuple[RequestKind, str, int, float]]) -> None:
    clock = Clock()
    own = Buckets(ONE_ROW, clock)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rate-limits"
        make_table(path, ONE_ROW)
        # Two that take turns stand for two processes: neither keeps anything to itself.
        with closing(SharedBuckets(path, ONE_ROW, clock)) as one, closing(SharedBuckets(path, ONE_ROW, clock)) as other:
            for number, (kind, client, per_minute, wait) in enumerate(steps):
                clock.now += wait
                shared = (one, other)[number % 2]
                assert shared.wait(kind, client, per_minute) == own.wait(kind, client, per_minute)
                assert shared.take(kind, client, per_minute) == own.take(kind, client, per_minute)


def test_processes_that_take_at_once_hand_out_the_limit_and_no_more(table: Path) -> None:
    with own_processes().Pool(PROCESSES) as pool:
        granted = sum(pool.map(taken_at_once, [table] * PROCESSES, chunksize=1), Counter[str]())
    assert granted == dict.fromkeys(EVERYBODY, LIMIT)


def test_one_killed_while_it_holds_the_lock_does_not_block_the_others(table: Path, buckets: SharedBuckets) -> None:
    context = own_processes()
    holds = context.Event()
    holder = context.Process(target=hold_the_lock_for_ever, args=(table, holds), daemon=True)
    holder.start()
    assert holds.wait(30)
    waits: list[float] = []
    other = Thread(target=lambda: waits.append(buckets.take(RequestKind.LOGINS, "a", 10)), daemon=True)
    other.start()
    other.join(0.2)
    was_blocked = other.is_alive()
    holder.kill()
    other.join(30)
    assert was_blocked
    assert waits == [0.0]


def test_the_table_never_grows_and_the_latest_stay(table: Path) -> None:
    clock = Clock()
    before = table.stat()
    with closing(SharedBuckets(table, ONE_ROW, clock)) as buckets:
        for number in range(1000):
            clock.now += 0.001
            assert buckets.take(RequestKind.REPORTS, str(number), 1) == 0.0
        assert all(buckets.take(RequestKind.REPORTS, str(number), 1) > 0 for number in range(1000 - ONE_ROW, 1000))
        assert buckets.take(RequestKind.REPORTS, "0", 1) == 0.0
    assert table.stat().st_size == before.st_size


def test_a_table_of_the_usual_size_has_room_for_as_many_as_one_process_remembers(tmp_path: Path) -> None:
    make_table(tmp_path / "table")
    assert (tmp_path / "table").stat().st_size == 50_000 * 32
    with closing(SharedBuckets(tmp_path / "table")) as buckets:
        assert [buckets.take(RequestKind.REPORTS, f"192.0.2.{n}", 1) for n in range(256)] == [0.0] * 256
        assert all(buckets.take(RequestKind.REPORTS, f"192.0.2.{n}", 1) > 50 for n in range(256))


def make_missing(table: Path) -> None:
    table.unlink()


def make_short(table: Path) -> None:
    os.truncate(table, 100)


def make_unreadable(table: Path) -> None:
    table.unlink()
    table.mkdir()


@pytest.mark.parametrize("spoil", [make_missing, make_short, make_unreadable])
def test_without_a_whole_table_a_process_counts_by_itself_and_reports_it(
    table: Path, log_lines: StringIO, spoil: Callable[[Path], None]
) -> None:
    spoil(table)
    buckets = SharedBuckets(table, ONE_ROW, stopped_clock)
    assert [buckets.take(RequestKind.REPORTS, "a", 2) for _ in range(3)] == [0.0, 0.0, 30.0]
    assert warnings(log_lines) == [("rates.table.lost", str(table))]


def test_a_table_that_is_cut_short_under_way_costs_no_more_than_a_warning(
    table: Path, buckets: SharedBuckets, log_lines: StringIO
) -> None:
    assert buckets.take(RequestKind.REPORTS, "a", 1) == 0.0
    os.truncate(table, 0)
    assert [buckets.take(RequestKind.REPORTS, "a", 1) for _ in range(2)] == [0.0, 60.0]
    assert warnings(log_lines) == [("rates.table.lost", str(table))]
    assert table.stat().st_size == 0


@given(st.floats(), st.floats())
def test_numbers_that_make_no_sense_never_become_a_senseless_wait(tokens: float, filled_at: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table"
        make_table(table, ONE_ROW)
        with closing(SharedBuckets(table, ONE_ROW, stopped_clock)) as buckets:
            buckets.take(RequestKind.REPORTS, "a", 5)
            written = table.read_bytes()
            table.write_bytes(written[:16] + struct.pack("=dd", tokens, filled_at) + written[32:])
            assert 0 <= buckets.take(RequestKind.REPORTS, "a", 5) <= 12


def warnings(log_lines: StringIO) -> list[tuple[str, str]]:
    lines = map(json.loads, log_lines.getvalue().splitlines())
    return [(line["event"], line["file"]) for line in lines if line["level"] == "warning"]
