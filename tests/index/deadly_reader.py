"""A reader process in which a page may be deadly: what a bug in a parser written in C does, on purpose."""

import os
import signal
import sys

from webstrata.content.reader.child_process import start_clock
from webstrata.content.reader.page_requests import ReadPage
from webstrata.index import facts, reader_process, reading
from webstrata.index.facts import CaptureFacts, Read
from webstrata.warc.reader import ArchiveRecord


def deadly(
    record: ArchiveRecord, payload: ArchiveRecord, parameters: tuple[str, ...], read: Read = ReadPage.read
) -> CaptureFacts:
    if b"deadly" in payload.body_bytes:
        os.kill(os.getpid(), signal.SIGSEGV)
    while b"endless" in payload.body_bytes:
        pass
    return facts.facts_of(record, payload, parameters, read)


if __name__ == "__main__":
    setattr(reading, "facts_of", deadly)  # noqa: B010
    setattr(reader_process, "start_clock", lambda seconds=1.0: start_clock(min(seconds, 1.0)))  # noqa: B010
    reader_process.main(sys.argv[1:])
