"""The pages that `diff` compares: snapshots of the archive, and saved files."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from webstrata.errors import NotFoundError, UnreadablePageError, UsageError
from webstrata.model.changes.values import PageText

if TYPE_CHECKING:
    from webstrata.app import App
    from webstrata.content.reader.page_reader import PageReader

_SAVED_URL = "https://saved-page.invalid/"
"""The URL of saved pages without one: relative links then have the same targets on both sides."""

_TYPES = {".html": "text/html", ".htm": "text/html", ".xhtml": "text/html", ".pdf": "application/pdf"}
_GZIPPED = ".gz"
_ERRORS = 400
_LARGEST_ID = 2**63 - 1


def snapshot_id(argument: str) -> int | None:
    """Return an argument as a snapshot's id; None when it is the name of a file."""
    return int(argument) if argument.isascii() and argument.isdigit() else None


def page_of_file(name: str, reader: "PageReader") -> PageText:
    """Return a saved page: HTML, PDF or plain text, gzipped or not; an empty file is an empty page."""
    from webstrata.content.comparing.page_text import page_text
    from webstrata.content.kinds import PageKind, page_kind
    from webstrata.content.reader.page_requests import ReadPage
    from webstrata.content.reading import Body

    path = Path(name)
    body, content_type = _content(path), _content_type(path)
    url = f"{_SAVED_URL}{'page.txt' if content_type is None else ''}"
    kind = page_kind(content_type, body, url) if body.strip() else PageKind.HTML
    if kind is None:
        raise UsageError(f"{name} is neither an HTML page nor a PDF nor a text")
    reading = reader.page(ReadPage(kind, Body(url, body, content_type, None)))
    quality = reading.quality
    if kind != "html" or quality is None:
        return page_text(reading)
    return page_text(reading, quality=quality.quality, quality_kind=quality.kind)


def page_of_snapshot(snapshot: int, app: "App", reader: "PageReader") -> PageText:
    """Return a snapshot's page; a quality that the index did not store is judged from its WARC record or its status."""
    from webstrata.content.reader.page_requests import ReadQuality
    from webstrata.db.captures.page_texts import load_page_text
    from webstrata.db.operations import catalog
    from webstrata.replay.raw import raw_page

    if snapshot > _LARGEST_ID:
        raise NotFoundError(f"there is no snapshot {snapshot}")
    with app.database.read() as session:
        page = load_page_text(session, snapshot)
        known = catalog.snapshot(session, snapshot)
    if known is not None and known.quality is not None:
        return page
    try:
        raw = raw_page(app.database, app.settings.archive_root, snapshot)
    except NotFoundError:
        is_error = page.status_code is not None and page.status_code >= _ERRORS
        return replace(page, quality=0.0, quality_kind="error") if is_error else page
    if "html" not in raw.media_type:
        return page
    content_type = f"{raw.media_type}; charset={raw.charset}" if raw.charset else raw.media_type
    request = ReadQuality(raw.snapshot.url, raw.status_code, {"content-type": content_type}, raw.content)
    quality = reader.quality(request)
    return replace(page, quality=quality.quality, quality_kind=quality.kind)


def _content(path: Path) -> bytes:
    from webstrata.content.decode import unpacked
    from webstrata.content.reader.page_requests import MAX_PAGE_BYTES

    try:
        with path.open("rb") as file:
            content = file.read(MAX_PAGE_BYTES + 1)
    except OSError as error:
        raise NotFoundError(f"{path} cannot be read: {error.strerror} (expected a snapshot's id or a file)") from None
    if path.suffix.lower() == _GZIPPED:
        content = unpacked(content, "gzip", MAX_PAGE_BYTES + 1)
    if len(content) > MAX_PAGE_BYTES:
        raise UnreadablePageError(f"{path} is larger than {MAX_PAGE_BYTES // 1_000_000} MB")
    return content


def _content_type(path: Path) -> str | None:
    inner = path.with_suffix("") if path.suffix.lower() == _GZIPPED else path
    return _TYPES.get(inner.suffix.lower())
