"""Score PDP validation on real pages: `python -m tests.audit.score FOLDER`.

The folder holds `product/` and `article/` with saved pages, `NAME.html.gz` or `NAME.html`; `product/truth.json` is an
object of the pages' names with their `url` and, if the page shows one, their `price`. A product page without a price
must be refused, as every article.
"""

import argparse
import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webstrata.audit.pdp_validation import PdpVerdict, validate_pdp_page
from webstrata.model.auditing.policy_version import DEFAULT_VERSION, crawl_policy_version

_UNKNOWN_URL = "http://unknown.invalid/"


@dataclass(frozen=True)
class Judged:
    """A page, whether it should be accepted, and the verdict."""

    name: str
    kind: str
    verdict: PdpVerdict


def main() -> None:
    """Print how many pages of each kind are accepted."""
    parser = argparse.ArgumentParser(prog="python -m tests.audit.score", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--policy", default=DEFAULT_VERSION.value)
    parser.add_argument("--pages", action="store_true", help="print the verdict on each page")
    given = parser.parse_args()
    judged = list(judge_folder(given.folder, given.policy))
    if given.pages:
        for one in judged:
            print(
                f"{one.kind} {one.name[:12]} {one.verdict.valid} {one.verdict.score}: {'; '.join(one.verdict.reasons)}"
            )
    for kind in dict.fromkeys(one.kind for one in judged):
        accepted = [one.verdict.valid for one in judged if one.kind == kind]
        print(f"{kind:<22} accepted {sum(accepted)} of {len(accepted)}")


def judge_folder(folder: Path, policy: str = DEFAULT_VERSION.value) -> Iterator[Judged]:
    """Yield the verdict on every page of a folder."""
    version = crawl_policy_version(policy)
    stated = folder / "product" / "truth.json"
    truth: Mapping[str, Mapping[str, Any]] = json.loads(stated.read_text(encoding="utf-8")) if stated.exists() else {}
    for file in sorted(folder.rglob("*.html*")):
        name = file.name.partition(".")[0]
        content = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        about = truth.get(name, {})
        kind = file.parent.name if about.get("price") or not about else f"{file.parent.name} without price"
        yield Judged(name, kind, validate_pdp_page(content, about.get("url", _UNKNOWN_URL), version))


if __name__ == "__main__":
    main()
