"""A program of ours in which a page may be deadly: what a bug in a parser written in C does, on purpose.

The first argument names the program: `webstrata` or `webstrata.archive_tool`.
"""

import os
import signal
import sys

from webstrata.content import links
from webstrata.crawl import sitemaps, visit
from webstrata.model.tasks import Link


def deadly(body: bytes, content_type: str | None, url: str) -> tuple[Link, ...]:
    if b"deadly" in body:
        os.kill(os.getpid(), signal.SIGSEGV)
    if b"leaves" in body:
        # As a library does that gives up: the exit code is the one of a crawl that failed.
        os._exit(1)
    return links.links_of_page(body, content_type, url)


def deadly_sitemap(body: bytes, *arguments: object, **more: object) -> sitemaps.Sitemap:
    if b"deadly" in body:
        os.kill(os.getpid(), signal.SIGSEGV)
    return parse_sitemap(body, *arguments, **more)  # type: ignore[arg-type]


parse_sitemap = sitemaps.parse_sitemap

if __name__ == "__main__":
    setattr(sitemaps, "parse_sitemap", deadly_sitemap)  # noqa: B010
    setattr(visit, "links_of_page", deadly)  # noqa: B010
    program, *arguments = sys.argv[1:]
    if program == "webstrata":
        from webstrata.cli.main import run

        sys.exit(run(arguments))
    from webstrata.archive_tool import cli

    sys.argv = [program, *arguments]
    cli.main()
