"""`python -m bench [NAME...]`: run the measurements and write bench/results.md."""

import argparse
import platform
import tempfile
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from bench import (
    audit,
    changes,
    crawl,
    frontier,
    index,
    listing,
    relevance,
    replay,
    retention,
    search,
    serving,
    sitediff,
    validation,
    wacz,
    watches,
    whole,
)
from bench.report import Measurement, shown, written

CASES = {
    "audit": audit.measure,
    "changes": changes.measure,
    "crawl": crawl.measure,
    "frontier": frontier.measure,
    "index": index.measure,
    "listing": listing.measure,
    "relevance": relevance.measure,
    "retention": retention.measure,
    "replay": replay.measure,
    "search": search.measure,
    "serving": serving.measure,
    "validation": validation.measure,
    "sitediff": sitediff.measure,
    "wacz": wacz.measure,
    "watches": watches.measure,
    "whole": whole.measure,
}
RESULTS = Path(__file__).parent / "results.md"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*CASES, []], help="which to run; all without a name")
    parser.add_argument("--sizes", nargs="+", type=int, default=whole.SIZES, help="how many pages `whole` archives")
    asked = parser.parse_args()
    names = asked.names or list(CASES)
    cases = CASES | {"whole": partial(whole.measure, sizes=asked.sizes)}
    sections: dict[str, list[Measurement]] = {}
    for name in names:
        print(f"measuring {name} …", flush=True)
        with tempfile.TemporaryDirectory(prefix=f"webstrata-bench-{name}-") as folder:
            sections[name] = cases[name](Path(folder))
        for measurement in sections[name]:
            print(f"  {measurement.what}: {shown(measurement.rate)} {measurement.unit}", flush=True)
    machine = f"{platform.machine()}, Python {platform.python_version()}"
    before = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else ""
    RESULTS.write_text(written(before, sections, datetime.now(UTC), machine), encoding="utf-8")
    print(f"written to {RESULTS}")


if __name__ == "__main__":
    main()
