"""Files of assets: one for the same bytes, whoever they belong to, until nobody does."""

from pathlib import Path
from threading import Thread

import pytest
from sqlalchemy import delete, select, text

from tests.assets.archives import NEW_YEAR, Archive, html, png
from tests.assets.plugins import Counting
from tests.support.stored_assets import read_version
from tests.support.waiting import wait_until
from webstrata.assets.blobs import AssetStore, delete_unreferenced
from webstrata.assets.page import PagePlugin
from webstrata.db.assets import assets
from webstrata.db.assets.assets import Sighting
from webstrata.db.engine import Database
from webstrata.db.schema.asset_tables import Asset, AssetBlob, AssetVersion, PluginRun
from webstrata.db.schema.crawl_tables import CrawlTask
from webstrata.db.schema.tables import ArchiveJob, Capture, Source, WarcFile
from webstrata.errors import NotFoundError, OutsideRootError, StorageError
from webstrata.model.assets import AssetRecord, checksum_of

SHARED, OWN = png("/shared.png", b"shared"), png("/own.png", b"own")


@pytest.fixture
def two_sources(archive: Archive) -> Archive:
    """Two sources of which a plugin wrote the same file, and one that only the first has."""
    archive.run(archive.job(SHARED, OWN, source="one"), PagePlugin(), Counting())
    archive.run(archive.job(SHARED, source="two"), PagePlugin(), Counting())
    return archive


def forget(archive: Archive, source: str) -> None:
    with archive.database.write() as session:
        assets.forget_source(session, archive.sources[source])


def test_the_same_bytes_are_kept_once(two_sources: Archive) -> None:
    assert two_sources.blobs() == {checksum_of(b"shared"), checksum_of(b"own")}


def test_nothing_is_deleted_that_anything_refers_to(two_sources: Archive) -> None:
    assert delete_unreferenced(two_sources.database, two_sources.root) == 0
    assert len(two_sources.blobs()) == 2


def test_deleting_a_source_takes_its_own_files_and_leaves_those_of_others(two_sources: Archive) -> None:
    forget(two_sources, "one")
    assert delete_unreferenced(two_sources.database, two_sources.root) == 1
    assert two_sources.blobs() == {checksum_of(b"shared")}
    assert two_sources.content("/shared.png", 1, "two") == b"shared"
    assert two_sources.assets("one") == {}
    forget(two_sources, "two")
    assert delete_unreferenced(two_sources.database, two_sources.root) == 1
    assert two_sources.blobs() == set()
    assert delete_unreferenced(two_sources.database, two_sources.root) == 0


def test_a_source_that_is_forgotten_can_be_looked_at_anew(two_sources: Archive) -> None:
    forget(two_sources, "one")
    delete_unreferenced(two_sources.database, two_sources.root)
    with two_sources.database.read() as session:
        job = session.scalars(select(ArchiveJob.id).where(ArchiveJob.source_id == two_sources.sources["one"])).one()
    assert two_sources.run(job, PagePlugin(), Counting()).new == 2
    assert two_sources.content("/own.png", 1, "one") == b"own"


def test_a_source_s_assets_go_with_its_row(two_sources: Archive) -> None:
    source_id = two_sources.sources["one"]
    with two_sources.database.write() as session:
        of_source = select(ArchiveJob.id).where(ArchiveJob.source_id == source_id)
        session.execute(delete(Capture).where(Capture.source_id == source_id))
        session.execute(delete(WarcFile).where(WarcFile.job_id.in_(of_source)))
        session.execute(delete(CrawlTask).where(CrawlTask.job_id.in_(of_source)))
        session.execute(delete(ArchiveJob).where(ArchiveJob.source_id == source_id))
        session.execute(delete(Source).where(Source.id == source_id))
    with two_sources.database.read() as session:
        assert {asset.source_id for asset in session.scalars(select(Asset))} == {two_sources.sources["two"]}
        assert len(session.scalars(select(AssetVersion)).all()) == 1
        assert len(session.scalars(select(PluginRun)).all()) == 2
    assert delete_unreferenced(two_sources.database, two_sources.root) == 1
    assert two_sources.content("/shared.png", 1, "two") == b"shared"


def test_a_version_outlives_the_job_and_the_capture_that_it_came_from(archive: Archive) -> None:
    job = archive.job(OWN)
    archive.run(job, Counting())
    with archive.database.write() as session:
        for table in (Capture, WarcFile, CrawlTask):
            session.execute(delete(table))
        session.execute(delete(ArchiveJob).where(ArchiveJob.id == job))
    assert archive.content("/own.png", 1) == b"own"
    assert archive.versions("/own.png")[0].job_id is None


def test_a_blob_that_was_announced_but_never_referenced_is_deleted(archive: Archive) -> None:
    store = AssetStore(archive.root)
    digest = checksum_of(b"left over")
    with archive.database.write() as session:
        assets.hold_blobs(session, {digest: 9, checksum_of(b"never written"): 13})
    store.put(b"left over")
    assert delete_unreferenced(archive.database, archive.root) == 2
    assert not store.exists(digest)


def test_a_blob_that_is_deleted_before_a_version_refers_to_it_is_written_again(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cleaner comes between the two steps of the stage: the files are there, but nothing refers to them yet."""
    real, deleted = assets.lock_source, []

    def clean_first(session: object, source_id: int) -> None:
        deleted.extend(_clean(archive, session))
        real(session, source_id)  # type: ignore[arg-type]

    monkeypatch.setattr(assets, "lock_source", clean_first)
    archive.run(archive.job(OWN), Counting())
    assert deleted == [checksum_of(b"own")]
    assert archive.content("/own.png", 1) == b"own"


def _clean(archive: Archive, session: object) -> list[str]:
    """Delete what nothing refers to, in the transaction that is open: SQLite lets nobody else write now."""
    going = assets.release_blobs(session, assets.unreferenced_blobs(session))  # type: ignore[arg-type]
    for digest in going:
        AssetStore(archive.root).delete(digest)
    return going


def test_on_postgresql_a_cleaner_waits_for_blobs_that_are_about_to_be_referenced(
    postgres_url: str, tmp_path: Path
) -> None:
    """SQLite lets only one of the two write at all; PostgreSQL would show the cleaner how things were before."""
    archive, digest = Archive(Database(postgres_url), tmp_path), checksum_of(b"own")
    job, deleted = archive.job(OWN), []
    with archive.database.write() as session:
        assets.hold_blobs(session, {digest: 3})
    AssetStore(tmp_path).put(b"own")
    cleaner = Thread(target=lambda: deleted.append(delete_unreferenced(archive.database, tmp_path)))
    with archive.database.write() as session:
        record = AssetRecord("own", "media", OWN.url, digest)
        sighting = Sighting("media", record, digest, 3, session.scalars(select(Capture.id)).one(), OWN.url, NEW_YEAR)
        assets.record_sightings(session, archive.sources["site"], job, [sighting])
        session.flush()
        cleaner.start()
        wait_until(lambda: _somebody_waits(archive.database), "the cleaner waits")
    cleaner.join()
    assert deleted == [0]
    assert archive.content("own", 1) == b"own"
    archive.database.dispose()


def _somebody_waits(database: Database) -> bool:
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    with database.read() as session:
        return bool(session.scalar(text(waiting)))


def test_a_blob_that_is_referenced_after_it_was_found_unreferenced_is_not_deleted(archive: Archive) -> None:
    archive.run(archive.job(OWN))
    with archive.database.write() as session:
        assert assets.release_blobs(session, [checksum_of(b"own")]) == []
    with archive.database.read() as session:
        assert session.scalars(select(AssetBlob.digest)).all() == [checksum_of(b"own")]


def test_deleting_that_fails_halfway_is_finished_by_the_next_pass(
    two_sources: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget(two_sources, "one")
    forget(two_sources, "two")
    real, calls = AssetStore.delete, []

    def fail_second(store: AssetStore, digest: str) -> None:
        calls.append(digest)
        if len(calls) == 2:
            raise StorageError("the disk refuses")
        real(store, digest)

    with monkeypatch.context() as patch:
        patch.setattr(AssetStore, "delete", fail_second)
        with pytest.raises(StorageError):
            delete_unreferenced(two_sources.database, two_sources.root)
    assert len(two_sources.blobs()) == 1
    assert delete_unreferenced(two_sources.database, two_sources.root) == 2
    assert two_sources.blobs() == set()


def test_a_version_that_is_not_there_is_an_error_that_reports_it(archive: Archive) -> None:
    archive.keep(html("/", "Welcome."))
    with pytest.raises(NotFoundError, match="no version 2 of asset"):
        read_version(archive.database, archive.root, archive.asset("/").id, 2)


def test_a_store_deletes_nothing_outside_its_folder(tmp_path: Path) -> None:
    outside = tmp_path / "precious"
    outside.write_bytes(b"keep me")
    with pytest.raises(OutsideRootError):
        AssetStore(tmp_path).delete("../../../precious")
    assert outside.exists()
