"""difflib on BeautifulSoup's text: how pages are usually compared; prints the CPU seconds for the pairs in a folder."""

import difflib
import sys
import time
from pathlib import Path

from bs4 import BeautifulSoup  # type: ignore[import-not-found]


def main(folder: str) -> None:
    """Compare `N.old.html` with `N.new.html`, for all of them."""
    pairs = [(old.read_bytes(), Path(f"{old}".replace(".old.", ".new.")).read_bytes()) for old in _olds(folder)]
    began = time.process_time()
    for old, new in pairs:
        assert list(difflib.unified_diff(_lines(old), _lines(new), lineterm=""))
    print(time.process_time() - began)


def _olds(folder: str) -> list[Path]:
    return sorted(Path(folder).glob("*.old.html"))


def _lines(page: bytes) -> list[str]:
    soup = BeautifulSoup(page, "html.parser", from_encoding="utf-8")
    for element in soup(["script", "style", "noscript"]):
        element.decompose()
    return [line.strip() for line in soup.get_text("\n").splitlines() if line.strip()]


if __name__ == "__main__":
    main(sys.argv[1])
