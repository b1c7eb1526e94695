"""Score the reading of real pages: `python -m tests.content.listing.score FOLDER`.

The folder holds saved pages, `NAME.html.gz` or `NAME.html`, and `truth.json`: an object of the pages' names with lists
of accepted values (`price`, `availability`, `brand`, `name`, `sku`, `gtin`, `mpn`), or a text (`mainText` or
`articleBody`), and the page's `url`. A field that the truth of a page does not name must not be found, but for names.
"""

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from webstrata.content.extraction import PageExtract, extract_page
from webstrata.content.reading import Body

_SHINGLE = 4
_FIELDS = ("price", "availability", "name", "brand", "sku", "gtin", "mpn")
_UNKNOWN_URL = "http://unknown.invalid/"


@dataclass
class Tally:
    """Counts of a field over all pages."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    def count(self, value: str | None, accepted: Iterable[str], is_same: Callable[[str, str], bool]) -> bool:
        """Count one page; return whether the value is right."""
        wanted = list(accepted)
        is_right = value is not None and any(is_same(value, one) for one in wanted)
        self.right += is_right
        self.wrong += value is not None and not is_right
        self.missed += bool(wanted) and not is_right
        return is_right or (value is None and not wanted)

    @property
    def f1(self) -> float:
        return 2 * self.right / max(1, 2 * self.right + self.wrong + self.missed)


def main() -> None:
    """Print the scores of a folder of pages."""
    parser = argparse.ArgumentParser(prog="python -m tests.content.listing.score", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--failures", action="store_true", help="print each value that is not right")
    given = parser.parse_args()
    truth: Mapping[str, Mapping[str, Any]] = json.loads((given.folder / "truth.json").read_text(encoding="utf-8"))
    tallies = {field: Tally() for field in _FIELDS}
    shared: list[float] = []
    for name, wanted in truth.items():
        found = _extracted(given.folder, name, wanted)
        for line in _compare(name, found, wanted, tallies):
            if given.failures:
                print(line)
        if text := wanted.get("mainText") or wanted.get("articleBody"):
            shared.append(shingle_f1(found.main_text, text))
    _report(tallies, shared, truth)


def shingle_f1(text: str, wanted: str) -> float:
    """Return how much two texts share, from 0 to 1, by their sequences of four words."""
    first, second = _shingles(text), _shingles(wanted)
    common = sum((first & second).values())
    return 2 * common / max(1, first.total() + second.total())


def _report(tallies: Mapping[str, Tally], shared: list[float], truth: Mapping[str, Mapping[str, Any]]) -> None:
    for field, tally in tallies.items():
        asked = sum(field in wanted for wanted in truth.values())
        if asked:
            print(f"{field:<13} F1 {tally.f1:.3f}   accuracy {tally.right / asked:.3f}   of {asked} pages")
    if shared:
        print(f"{'mainText':<13} F1 {sum(shared) / len(shared):.3f}   of {len(shared)} pages")


def _extracted(folder: Path, name: str, wanted: Mapping[str, Any]) -> PageExtract:
    packed = folder / f"{name}.html.gz"
    content = gzip.decompress(packed.read_bytes()) if packed.exists() else (folder / f"{name}.html").read_bytes()
    return extract_page(Body(wanted.get("url", _UNKNOWN_URL), content, None, None))


def _compare(name: str, found: PageExtract, wanted: Mapping[str, Any], tallies: Mapping[str, Tally]) -> Iterator[str]:
    """Count the fields of a page; yield a line for each that is not right."""
    payload = found.listing.as_payload() if found.listing else {}
    for field, tally in tallies.items():
        accepted = wanted.get(field, ())
        accepted = [accepted] if isinstance(accepted, str) else list(accepted)
        if field == "name" and not accepted:
            continue
        value = payload.get(field)
        text = None if value is None else str(value)
        if not tally.count(text, accepted, _same_amount if field == "price" else _same_text):
            yield f"{name[:12]} {field}: {text!r}, expected {accepted}"


def _same_amount(value: str, wanted: str) -> bool:
    try:
        return Decimal(value) == Decimal(wanted)
    except InvalidOperation:
        return value == wanted


def _same_text(value: str, wanted: str) -> bool:
    return " ".join(value.casefold().split()) == " ".join(wanted.casefold().split())


def _shingles(text: str) -> Counter[tuple[str, ...]]:
    words = text.split()
    return Counter(tuple(words[at : at + _SHINGLE]) for at in range(max(1, len(words) - _SHINGLE + 1)))


if __name__ == "__main__":
    main()
