"""A program of ours in which a page may be deadly: what a bug in a parser written in C does, on purpose.

The first argument names the program: `webstrata` or `webstrata.archive_tool`.
"""

import os
import signal
import sys

from webstrata.content.html import PageLinks
from webstrata.content.reader.page_requests import ReadLinks
from webstrata.crawl import sitemaps


def deadly(request: ReadLinks) -> PageLinks:
    if b"deadly" in request.content:
        os.kill(os.getpid(), signal.SIGSEGV)
    if b"leaves" in request.content:
        # As a library does that gives up: the exit code is the one of a crawl that failed.
        os._exit(1)
    return read(request)


def deadly_sitemap(body: bytes, *arguments: object, **more: object) -> sitemaps.Sitemap:
    if b"deadly" in body:
        os.kill(os.getpid(), signal.SIGSEGV)
    return parse_sitemap(body, *arguments, **more)  # type: ignore[arg-type]


parse_sitemap = sitemaps.parse_sitemap
read = ReadLinks.read

if __name__ == "__main__":
    setattr(sitemaps, "parse_sitemap", deadly_sitemap)  # noqa: B010
    setattr(ReadLinks, "read", deadly)  # noqa: B010
    program, *arguments = sys.argv[1:]
    if program == "webstrata":
        from webstrata.cli.main import run

        sys.exit(run(arguments))
    from webstrata.archive_tool import cli

    sys.argv = [program, *arguments]
    cli.main()
