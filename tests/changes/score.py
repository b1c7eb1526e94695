"""Prints how many of the judged pairs are judged right, by kind, and what is wrong with the others."""

import sys
from collections import Counter

from tests.changes.building import all_pairs, expected_verdicts
from tests.changes.judging import compare, faults


def main() -> None:
    """Judge all pairs and print the score."""
    expected = expected_verdicts()
    right: Counter[str] = Counter()
    wrong: dict[str, list[str]] = {}
    for pair in all_pairs():
        found = list(faults(compare(pair), expected[pair.name]))
        right[pair.kind] += not found
        wrong.setdefault(pair.kind, []).extend([f"{pair.name}: {'; '.join(found)}"] if found else [])
    lines = [f"{'kind':<14}{'right':>6}{'wrong':>6}"]
    lines += [f"{kind:<14}{right[kind]:>6}{len(found):>6}" for kind, found in wrong.items()]
    lines += [f"{'all':<14}{right.total():>6}{sum(map(len, wrong.values())):>6}", ""]
    lines += [f"{kind}/{fault}" for kind, found in wrong.items() for fault in found]
    sys.stdout.write("\n".join(lines).rstrip() + "\n")


if __name__ == "__main__":
    main()
