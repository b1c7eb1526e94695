"""The process that reads single pages, for the crawler and for small index jobs; `page_reader.py` starts it."""

import sys
from collections.abc import Iterable

from webstrata.content.reader.child_process import packed, serve_requests, start_clock
from webstrata.content.reader.page_reader import reason_of_failure
from webstrata.content.reader.page_requests import PageRequest, UnreadablePage


def main(arguments: list[str]) -> None:
    """Read the pages that are sent, one at a time."""
    serve_requests(arguments, _replies)


def _replies(request: object) -> Iterable[bytes]:
    assert isinstance(request, PageRequest)
    start_clock()
    try:
        yield packed(request.read())
    except Exception as error:  # noqa: BLE001 - pages are hostile: whatever one does costs only itself
        yield packed(UnreadablePage(reason_of_failure(error)))
    finally:
        start_clock(0)


if __name__ == "__main__":
    main(sys.argv[1:])
