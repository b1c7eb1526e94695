"""Resolution of revisits: which take the page of an indexed snapshot, and which must be read again."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from webstrata.db.captures.payloads import Payload
from webstrata.index.reading import ReadCapture
from webstrata.model.captures import Original
from webstrata.model.content_types import HTML_TYPES

NOT_THERE = "the record that this revisit refers to is not in the archive"


@dataclass
class RevisitResolution:
    """The revisits of a batch, grouped by the way in which they are resolved."""

    copies: dict[int, int] = field(default_factory=dict)
    """The capture whose page the revisit shares, by the revisit's offset."""
    to_read: dict[int, Payload] = field(default_factory=dict)
    """The position of the payload, by the revisit's offset."""
    no_pages: list[int] = field(default_factory=list)
    """Revisits of content that is not a page."""
    unresolved: list[int] = field(default_factory=list)
    """Revisit records whose original was not found."""


def resolve_revisits(
    batch: Sequence[ReadCapture],
    source_id: int,
    payloads: Mapping[Original, Payload],
    pages: Collection[int],
    others: Collection[int],
) -> RevisitResolution:
    """Return how each revisit of a batch is resolved, given its own captures that are pages, and the others."""
    resolution = RevisitResolution()
    for found in batch:
        if found.refers_to is None:
            continue
        offset, payload = found.capture.offset, payloads.get(found.refers_to)
        if payload is None:
            resolution.unresolved.append(offset)
        elif payload.capture_id in others or (payload.is_indexed and payload.snapshot_id is None):
            _add_revisit_of_no_page(resolution, found, payload)
        elif _has_same_facts(payload, found, source_id) and (payload.capture_id in pages or payload.is_indexed):
            resolution.copies[offset] = payload.capture_id
        else:
            resolution.to_read[offset] = payload
    return resolution


def _add_revisit_of_no_page(resolution: RevisitResolution, revisit: ReadCapture, payload: Payload) -> None:
    """Add a revisit whose original is not a page: it may still be one, when a server sent a page in place of an
    image."""
    is_page = revisit.capture.mime_type in HTML_TYPES and not revisit.is_requisite
    if is_page:
        resolution.to_read[revisit.capture.offset] = payload
    else:
        resolution.no_pages.append(revisit.capture.offset)


def _has_same_facts(payload: Payload, revisit: ReadCapture, source_id: int) -> bool:
    """Return whether the page of a payload has the same facts for a revisit: the URL, which links depend on, and the
    source must be equal."""
    return payload.url == revisit.capture.url and payload.source_id == source_id
