"""The process that compares pairs of pages, with limits: a pair that stalls it does not affect others."""

import sys
from collections.abc import Iterable

from webstrata.changes.compare_requests import MAX_CPU_SECONDS, ComparePages, compare
from webstrata.content.reader.child_process import packed, serve_requests, start_clock


def main(arguments: list[str]) -> None:
    """Compare the pairs that are sent, one at a time."""
    serve_requests(arguments, _replies)


def _replies(request: object) -> Iterable[bytes]:
    assert isinstance(request, ComparePages)
    start_clock(MAX_CPU_SECONDS)
    try:
        yield packed(compare(request))
    except Exception as error:  # noqa: BLE001 - pages are hostile: a failure affects only the pair itself
        yield packed(str(error) or type(error).__name__)
    finally:
        start_clock(0)


if __name__ == "__main__":
    main(sys.argv[1:])
