"""Change tracking: the cost of a comparison, beside difflib on BeautifulSoup's text; the rate of unchanged pages."""

import gc
import os
import random
import resource
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from operator import itemgetter
from pathlib import Path

from bench.change_pairs import Crafted, Edited, crafted_pairs, edit, edited_pages, long_page, stored
from bench.databases import databases
from bench.peers import environment
from bench.report import Measurement
from bench.unchanged import settled_per_second
from webstrata.changes.compare_requests import ComparedPages, ComparePages, compare
from webstrata.changes.comparer import Comparer
from webstrata.changes.stored_pages import StoredPage
from webstrata.model.changes.values import ChangeType, SiteKnowledge

_PAIRS = 58
_ROUNDS = 3
_LONG = 3_000
_OBJECTS_A_COLLECTION = 50_000
_CPU_TIME = 2
"""Of the clocks that Linux has for each process, the one of its processor time."""
_PEER = Path(__file__).with_name("difflib_peer.py")
_UNKNOWN_SITE = SiteKnowledge()

Pages = tuple[StoredPage, StoredPage]


def measure(folder: Path) -> list[Measurement]:
    """Return the cost of ordinary pairs and of the worst ones, and how many unchanged pairs are settled a second."""
    pairs = list(edited_pages(_PAIRS))
    # As in the process that compares: what is loaded stays, and new objects are many.
    gc.freeze()
    gc.set_threshold(_OBJECTS_A_COLLECTION)
    return [*_ordinary(pairs, folder), *_long_pages(), *_worst(), *_unchanged(folder)]


def _ordinary(pairs: Sequence[Edited], folder: Path) -> Iterator[Measurement]:
    """Measure pairs of real-sized pages with the edits that editors make."""
    read = [(stored(pair.old), stored(pair.new)) for pair in pairs]
    for old, new in read:
        assert _compare(old, new).comparison.change_type is ChangeType.UPDATED
    size = sum(len(pair.old) for pair in pairs) / len(pairs) / 1_000
    lines = statistics.median(old.text.count("\n") for old, _ in read)
    name = f"a pair of {'real' if os.environ.get('PAGES') else 'generated'} pages, {size:.0f} KB, {lines:.0f} lines"
    ours = _best(lambda: _each(read)) / len(read)
    slowest = max(_best(lambda pair=pair: _each([pair])) for pair in read)  # type: ignore[misc]
    parsed = _best(lambda: _each([(stored(pair.old), stored(pair.new)) for pair in pairs])) / len(pairs)
    peer = _peer_seconds(pairs, folder) / len(pairs)
    yield Measurement(f"{name}, blocks as stored", 1_000 * ours, "CPU-ms", asked="≤ 10")
    yield Measurement("the slowest of these pairs", 1_000 * slowest, "CPU-ms")
    yield Measurement("in the process that can be ended, with sending both pages", _in_process(read), "CPU-ms")
    yield Measurement("with parsing both pages", 1_000 * parsed, "CPU-ms")
    yield Measurement("difflib on BeautifulSoup's text", 1_000 * peer, "CPU-ms")
    yield Measurement("ours as many times as fast", peer / ours, "×", asked="≥ 20")
    yield Measurement("with parsing both pages, as many times as fast", peer / parsed, "×")


def _long_pages() -> Iterator[Measurement]:
    pair = edit(long_page(_LONG), random.Random(1))
    pages = (stored(pair.old), stored(pair.new))
    seconds = _best(lambda: _each([pages]))
    lines = pages[0].text.count("\n")
    yield Measurement(f"a pair of pages of {lines:,} lines", 1_000 * seconds, "CPU-ms", asked="≤ 10")


def _worst() -> Iterator[Measurement]:
    """Measure the crafted pairs, each in the process that can be ended, with sending it."""
    with closing(Comparer()) as comparer:
        comparer.compare(ComparePages(_EMPTY, _EMPTY, _UNKNOWN_SITE))
        for pair in crafted_pairs():
            yield _crafted(comparer, pair)


def _crafted(comparer: Comparer, pair: Crafted) -> Measurement:
    request = ComparePages(pair.old, pair.new, _UNKNOWN_SITE)
    seconds, compared = min((_timed(comparer, request) for _ in range(_ROUNDS)), key=itemgetter(0))
    found = compared.comparison
    assert found.change_type in (ChangeType.UPDATED, ChangeType.ERROR), found.change_type
    reported = f"{found.change_type}, {found.limit or found.summary}"
    return Measurement(f"{pair.name}: {reported}", seconds, "CPU-s", asked="< 1")


def _timed(comparer: Comparer, request: ComparePages) -> tuple[float, ComparedPages]:
    """Return the CPU seconds that a comparison takes here and in the process, which gives way to all others."""
    assert comparer._process is not None  # noqa: SLF001
    clock = ~comparer._process.pid << 3 | _CPU_TIME  # noqa: SLF001
    began = time.process_time() + time.clock_gettime(clock)
    compared = comparer.compare(request)
    return time.process_time() + time.clock_gettime(clock) - began, compared


def _unchanged(folder: Path) -> Iterator[Measurement]:
    for kind, url in databases(folder):
        rate = settled_per_second(url, folder / kind)
        yield Measurement(f"100,000 unchanged pairs, settled by hash, {kind}", rate, "pairs/s", asked="≥ 20,000")


def _compare(old: StoredPage, new: StoredPage) -> ComparedPages:
    return compare(ComparePages(old, new, _UNKNOWN_SITE))


def _each(pairs: Sequence[Pages]) -> None:
    for old, new in pairs:
        _compare(old, new)


def _best(work: Callable[[], None]) -> float:
    """Return the CPU seconds of some work: the least of some rounds, as the machine's own speed varies."""
    return min(_cpu_seconds(work) for _ in range(_ROUNDS))


def _cpu_seconds(work: Callable[[], None]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _in_process(pairs: Sequence[Pages]) -> float:
    """Return the CPU milliseconds of a pair here and in the process, without starting it."""

    def used(some: Sequence[Pages]) -> float:
        before = _all_cpu_seconds()
        with closing(Comparer()) as comparer:
            for old, new in some:
                comparer.compare(ComparePages(old, new, _UNKNOWN_SITE))
        return _all_cpu_seconds() - before

    start = min(used(pairs[:1]) for _ in range(_ROUNDS))
    return 1_000 * (min(used(pairs) for _ in range(_ROUNDS)) - start) / (len(pairs) - 1)


def _all_cpu_seconds() -> float:
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in usage)


def _peer_seconds(pairs: Sequence[Edited], folder: Path) -> float:
    """Return the CPU seconds that difflib and BeautifulSoup take for the same pairs."""
    place = folder / "pairs"
    place.mkdir()
    for number, pair in enumerate(pairs):
        (place / f"{number}.old.html").write_bytes(pair.old)
        (place / f"{number}.new.html").write_bytes(pair.new)
    python = environment("difflib", "beautifulsoup4")
    done = (
        subprocess.run([python, str(_PEER), str(place)], check=True, capture_output=True, text=True)
        for _ in range(_ROUNDS)
    )
    return min(float(one.stdout) for one in done)


_EMPTY = StoredPage("", "", "", "", 200, None, frozenset(), frozenset(), 1.0, "page")
