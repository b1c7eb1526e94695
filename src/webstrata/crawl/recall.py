"""What an earlier capture led to, for a page that the server says has not changed."""

from pathlib import Path

from webstrata.content.links import links_of_page
from webstrata.model.captures import EarlierCapture
from webstrata.model.tasks import Link
from webstrata.storage.paths import confined
from webstrata.warc.reader import read_record


def earlier_links(archive_root: Path, earlier: EarlierCapture) -> tuple[Link, ...]:
    """Return the links of the page that was captured the last time."""
    record = read_record(confined(archive_root, earlier.warc_path), earlier.warc_offset, earlier.warc_length)
    return links_of_page(record.body_bytes, record.headers.get("content-type"), record.url)
