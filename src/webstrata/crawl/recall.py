"""What an earlier capture led to, for a page that the server says has not changed."""

from pathlib import Path

from webstrata.content.links import links_of_page
from webstrata.crawl.wishes import PageWishes
from webstrata.model.captures import EarlierCapture
from webstrata.model.tasks import Link
from webstrata.storage.paths import place_of
from webstrata.warc.reader import read_record


def earlier_links(archive_root: Path, wishes: PageWishes, earlier: EarlierCapture) -> tuple[Link, ...]:
    """Return the links of the page that was captured the last time; none if it wished so, and that is granted."""
    path = place_of(archive_root, earlier.warc_path, earlier.output_dir)
    record = read_record(path, earlier.warc_offset, earlier.warc_length)
    content_type = record.headers.get("content-type")
    if wishes.of_page(record.body_bytes, content_type, record.headers.get("x-robots-tag")).nofollow:
        return ()
    return links_of_page(record.body_bytes, content_type, record.url)
