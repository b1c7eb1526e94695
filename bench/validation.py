"""PDP validation of saved pages: pages per CPU second, from bytes to the verdict with one parse."""

import time
from pathlib import Path

from bench.pages import pages
from bench.report import Measurement
from webstrata.audit.pdp_validation import validate_pdp_page

_PAGES = 200
_ROUNDS = 3
_URL = "https://shop.example/p/1"


def measure(_folder: Path) -> list[Measurement]:
    bodies = list(pages(_PAGES))
    valid = sum(validate_pdp_page(body, _URL).valid for body in bodies)
    what = f"validation of {len(bodies)} saved pages ({valid} are product pages), from bytes to the verdict"
    return [Measurement(what, _rate(bodies), "pages per CPU second", asked="≥ 200")]


def _rate(bodies: list[bytes]) -> float:
    """Return how many pages a CPU second suffices for, of several rounds the best."""
    best = float("inf")
    for _ in range(_ROUNDS):
        began = time.process_time()
        for body in bodies:
            validate_pdp_page(body, _URL)
        best = min(best, time.process_time() - began)
    return len(bodies) / best
