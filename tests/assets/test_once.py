"""The bytes of assets are stored once: a page's text in its document, a file in its WARC record."""

import shutil
from typing import NoReturn

import pytest
from sqlalchemy import delete, select, update

from tests.assets.archives import NEW_YEAR, Archive, Got, html, png
from tests.assets.plugins import Counting
from webstrata.assets.blobs import write_as_files
from webstrata.assets.page import PagePlugin
from webstrata.assets.plugin import AssetType, CapturedContent
from webstrata.db.captures import documents
from webstrata.db.schema.asset_tables import AssetBlob, PluginRun
from webstrata.db.schema.tables import Document, Snapshot
from webstrata.errors import StorageError, WebstrataError
from webstrata.model.assets import checksum_of
from webstrata.model.jobs.job import JobStatus

PAGE = html("/dose", "Dès 38 °C : e\u0301  10 mg. \xa0", title="  Do&#0;se ")
LOGO = png("/logo.png", b"\x89PNG\0" * 1_000)


def as_before(got: Got) -> bytes:
    """Return the content of a page's asset as it is made from the page itself."""
    content = CapturedContent(
        got.url, AssetType.PAGE, got.body, NEW_YEAR, got.status, {"content-type": got.content_type}
    )
    (asset,) = PagePlugin().normalize(content)
    return asset.content


def must_not_be_read(*_: object) -> NoReturn:
    raise AssertionError("the WARC file was read")


def test_an_indexed_page_needs_no_warc_file_and_no_second_copy(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = archive.index(archive.job(PAGE, html("/other", "Other.")))
    monkeypatch.setattr("webstrata.assets.stage.captured_content", must_not_be_read)
    summary = archive.run(job)
    assert (summary.captures, summary.new, summary.failed) == (2, 2, 0)
    assert archive.blobs() == set()
    assert archive.content("/dose", 1) == as_before(PAGE)
    (version,) = archive.versions("/dose")
    assert version.checksum == version.blob_digest == checksum_of(as_before(PAGE))
    assert version.normalized_path == "page/site.example/dose.txt"
    assert version.metadata["language"] == "en"


def test_a_revisit_of_an_indexed_page_is_its_page_unchanged(archive: Archive) -> None:
    first = archive.index(archive.job(PAGE))
    archive.run(first)
    again = archive.index(archive.job(Got("/dose", PAGE.body, revisit=True)))
    summary = archive.run(again)
    assert (summary.new, summary.unchanged, summary.failed) == (0, 1, 0)


def test_a_text_that_is_stored_only_in_part_is_read_from_its_page(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webstrata.db.search.indexed_words.MAX_STORED_CHARACTERS", 10)
    long = Got("/long", b"<title>Long</title><p>The first line.<p>The second line.")
    archive.run(archive.index(archive.job(long)))
    assert archive.content("/long", 1) == as_before(long) == b"Long\n\nThe first line.\nThe second line.\n"


def test_other_plugins_get_the_page_itself(archive: Archive) -> None:
    job, plugin = archive.index(archive.job(PAGE)), Counting()
    archive.run(job, PagePlugin(), plugin)
    assert plugin.calls == {PAGE.url: 1}
    assert archive.blobs() == {checksum_of(PAGE.body)}


def test_a_version_outlives_its_document(archive: Archive) -> None:
    job = archive.index(archive.job(PAGE))
    archive.run(job)
    with archive.database.write() as session:
        session.execute(delete(Snapshot))
        documents.forget_documents(session, session.scalars(select(Document.id)).all())
    with archive.database.read() as session:
        assert session.scalars(select(Document)).all() == []
    assert archive.content("/dose", 1) == as_before(PAGE)


def test_a_page_whose_document_goes_while_it_is_looked_at_is_looked_at_again(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    from webstrata.db.assets import assets

    job, real = archive.index(archive.job(PAGE)), assets.lock_source

    def forget_first(session: object, source_id: int) -> None:
        session.execute(update(Snapshot).values(document_id=None))  # type: ignore[attr-defined]
        documents.forget_documents(session, session.scalars(select(Document.id)).all())  # type: ignore[attr-defined, arg-type]
        real(session, source_id)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(assets, "lock_source", forget_first)
        assert archive.run(job).new == 0
    with archive.database.read() as session:
        assert set(session.scalars(select(PluginRun.plugin))) == {"media", "listing"}
    assert archive.run(job).new == 1
    assert archive.content("/dose", 1) == as_before(PAGE)


def test_a_document_that_was_changed_is_not_passed_off_as_the_version(archive: Archive) -> None:
    archive.run(archive.index(archive.job(PAGE)))
    with archive.database.write() as session:
        session.execute(update(Document).values(text="forged"))
    with pytest.raises(StorageError, match="do not match its digest"):
        archive.content("/dose", 1)


def test_a_file_of_a_site_is_read_from_its_warc_record(archive: Archive) -> None:
    job = archive.job(LOGO)
    assert archive.run(job).new == 1
    assert archive.blobs() == set()
    assert archive.content("/logo.png", 1) == LOGO.body
    (version,) = archive.versions("/logo.png")
    assert version.blob_digest == checksum_of(LOGO.body)
    (archive.root / f"job-{job}" / "warcs" / "job.warc.gz").unlink()
    with pytest.raises(WebstrataError):
        archive.content("/logo.png", 1)


def test_files_are_written_out_before_their_warc_files_go(archive: Archive) -> None:
    job = archive.job(LOGO, PAGE)
    archive.run(job)
    assert write_as_files(archive.database, archive.root, job) == 1
    shutil.rmtree(archive.root / f"job-{job}")
    assert archive.content("/logo.png", 1) == LOGO.body
    assert write_as_files(archive.database, archive.root, job) == 0


def test_an_older_file_stays_where_a_version_needs_it(archive: Archive) -> None:
    """Archives of earlier versions have a file for every page: it is read as before, beside new ones without."""
    before = archive.job(PAGE)
    archive.run(before)
    assert archive.blobs() == {checksum_of(as_before(PAGE))}
    changed = html("/dose", "20 mg.")
    archive.run(archive.index(archive.job(changed, status=JobStatus.COMPLETED)))
    assert [archive.content("/dose", number) for number in (1, 2)] == [as_before(PAGE), as_before(changed)]
    with archive.database.read() as session:
        assert sorted(row is None for row in session.scalars(select(AssetBlob.document_id))) == [False, True]
