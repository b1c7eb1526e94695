"""WARC records of fetched responses: full response records, or revisits of a payload that is already stored."""

from collections.abc import Sequence
from http import HTTPStatus

from webstrata.crawl.outcome import Outcome
from webstrata.db.captures.new_rows import NewCapture, NewLinks
from webstrata.model.captures import EarlierCapture, Original
from webstrata.model.crawl.fetching import FetchResult
from webstrata.model.crawl.tasks import TaskType
from webstrata.model.urls import surt
from webstrata.warc.record import REQUISITE, WarcRecord, exchange
from webstrata.warc.renderings import document_record, rendering_records
from webstrata.warc.writer import Extent, WarcFileWriter


def payload_digest(result: FetchResult) -> str | None:
    """Return the digest used to store a payload only once; None for errors, redirects, empty and truncated
    responses."""
    whole = bool(result.body) and result.truncated is None
    return result.body_digest if whole and HTTPStatus.OK <= result.status < HTTPStatus.MULTIPLE_CHOICES else None


def append_responses(
    writer: WarcFileWriter,
    outcomes: Sequence[Outcome],
    stored: dict[str, Original],
    resources: Sequence[FetchResult] = (),
) -> list[NewCapture]:
    """Write the responses of a batch and return their captures; those of the pages' resources come last.

    New payloads are added to `stored`, the source's payloads by digest.
    """
    exchanges = [
        (outcome.result, outcome.task.earlier, REQUISITE if outcome.task.task_type is TaskType.MEDIA else None)
        for outcome in outcomes
        if outcome.result is not None
    ]
    exchanges += [(resource, None, REQUISITE) for resource in resources]
    documents = _append_documents(writer, [result for result, *_ in exchanges])
    originals = []
    pairs = []
    for position, (result, earlier, resource_type) in enumerate(exchanges):
        key = payload_digest(result)
        original = _original(result, earlier, stored.get(key) if key else None)
        pair = exchange(result, writer.warcinfo_id, original, resource_type, documents.get(position))
        if key is not None and original is None:
            stored[key] = Original(pair[0].record_id, result.url, result.fetched_at)
        originals.append(original)
        pairs.append(pair)
    extents = writer.append(record for pair in pairs for record in pair)
    writer.append(
        record
        for (result, *_), pair in zip(exchanges, pairs, strict=True)
        for record in rendering_records(result, writer.warcinfo_id, pair[0].record_id)
    )
    return [
        _new_capture(result, pair[0], extent, original)
        for (result, *_), pair, extent, original in zip(exchanges, pairs, extents[::2], originals, strict=True)
    ]


def _append_documents(writer: WarcFileWriter, results: Sequence[FetchResult]) -> dict[int, tuple[int, int]]:
    """Write the rendered documents of a batch and return their places, by the positions of their responses."""
    rendered = [number for number, result in enumerate(results) if result.rendering is not None]
    if not rendered:
        return {}
    made = {number: document_record(results[number], writer.warcinfo_id) for number in rendered}
    records = {number: record for number, record in made.items() if record is not None}
    extents = writer.append(records.values())
    return {number: (at.offset, at.length) for number, at in zip(records, extents, strict=True)}


def new_links(
    outcomes: Sequence[Outcome], captures: Sequence[NewCapture], stored: dict[str, Original], warc_file_id: int
) -> list[NewLinks]:
    """Return the link records of a batch, each with the record that has the payload, new or earlier."""
    answered = [outcome for outcome in outcomes if outcome.result is not None]
    held = [*stored.values(), *(outcome.task.earlier.original for outcome in answered if outcome.task.earlier)]
    places = {original.record_id: (original.warc_file_id, original.warc_offset) for original in held}
    places |= {new.record_id: (warc_file_id, new.offset) for new in captures if new.status_code == HTTPStatus.OK}
    found = []
    for outcome, capture in zip(answered, captures[: len(answered)], strict=True):
        file_id, offset = places.get(capture.refers_to or capture.record_id, (None, None))
        packed = outcome.link_record.packed() if outcome.link_record and file_id is not None else None
        if file_id is not None and offset is not None and packed is not None:
            found.append(NewLinks(file_id, offset, capture.url, packed))
    return found


def referable_files(outcomes: Sequence[Outcome], stored: dict[str, Original]) -> dict[str, int]:
    """Return the files of the records that a batch may refer to, by record id; to be called before the batch is added
    to `stored`."""
    earlier = (outcome.task.earlier.original for outcome in outcomes if outcome.task.earlier is not None)
    known = (*stored.values(), *earlier)
    return {original.record_id: original.warc_file_id for original in known if original.warc_file_id is not None}


def referred_files(captures: Sequence[NewCapture], files: dict[str, int]) -> set[int]:
    """Return the files that the revisits of a batch refer to, other than the one that is being written."""
    return {files[capture.refers_to] for capture in captures if capture.refers_to in files}


def _original(result: FetchResult, earlier: EarlierCapture | None, same_payload: Original | None) -> Original | None:
    if result.status == HTTPStatus.NOT_MODIFIED:
        return earlier.original if earlier else None
    return same_payload


def _new_capture(result: FetchResult, record: WarcRecord, extent: Extent, original: Original | None) -> NewCapture:
    content_type = result.header("content-type")
    return NewCapture(
        offset=extent.offset,
        length=extent.length,
        record_id=record.record_id,
        record_type="response" if original is None else "revisit",
        url=result.capture_url,
        url_key=surt(result.capture_url),
        captured_at=result.fetched_at,
        status_code=result.status,
        mime_type=content_type.partition(";")[0].strip().lower() if content_type else None,
        payload_digest=record.payload_digest,
        refers_to=original.record_id if original else None,
        etag=result.header("etag"),
        last_modified=result.header("last-modified"),
    )
