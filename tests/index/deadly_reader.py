"""A reader process in which a page may be deadly: what a bug in a parser written in C does, on purpose."""

import os
import signal
import sys

from webstrata.index import facts, reader_process, reading
from webstrata.index.facts import CaptureFacts
from webstrata.warc.reader import ArchiveRecord


def deadly(record: ArchiveRecord, payload: ArchiveRecord, page_parameters: tuple[str, ...] = ()) -> CaptureFacts:
    if b"deadly" in payload.body_bytes:
        os.kill(os.getpid(), signal.SIGSEGV)
    return facts.facts_of(record, payload, page_parameters)


if __name__ == "__main__":
    setattr(reading, "facts_of", deadly)  # noqa: B010
    reader_process.main(sys.argv[1:])
